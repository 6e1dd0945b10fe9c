"""A study of a corpus: divergences, attribution, Zipf's law and search, computed once and shown in many ways."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from time import perf_counter
from typing import Any, Final, TypeVar, get_args

from lexicloud.corpus import Corpus, require_corpus
from lexicloud.corpus.cut import By
from lexicloud.corpus.from_files import corpus_from_documents, is_saved
from lexicloud.corpus.labels import sure_labels
from lexicloud.divergences import make_method
from lexicloud.errors import InputError, LexicloudError, OptionError
from lexicloud.progress import Advance, stage
from lexicloud.report.chapters import (
    AttributionChapter,
    DivergenceMapChapter,
    Missing,
    Provenance,
    Reading,
    SearchChapter,
    ZipfChapter,
)
from lexicloud.report.page import Page
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many
from lexicloud.text import read_documents, tokenize

T = TypeVar("T")
_STEPS: Final = 6  # reading, map, attribution, sentences, Zipf's law, search


@dataclass(frozen=True, eq=False)
class StudiedTexts(Result):
    """The parts of a report; each can be shown in a notebook, and one without an answer says why."""

    title: str
    reading: Reading
    divergence_map: DivergenceMapChapter | Missing
    attribution: AttributionChapter | Missing
    zipf: ZipfChapter | Missing
    search: SearchChapter | Missing
    provenance: Provenance

    @property
    def parts(self) -> tuple[Any, ...]:
        """The parts in the order of the page."""
        return (self.reading, self.divergence_map, self.attribution, self.zipf, self.search, self.provenance)

    def blocks(self) -> list[Block]:
        """Return what was read, then the blocks of each part under its title."""
        doubts = (Sentence(doubt, "note") for doubt in self.reading.doubts)
        told: list[Block] = [Sentence(self.title, "answer"), Sentence(self.reading.finding), *doubts]
        for part in (self.divergence_map, self.attribution, self.zipf, self.search):
            told += [Sentence(part.title, "title"), *part.in_short()]
        return told

    def page(self) -> Page:
        """Return the page."""
        from lexicloud.report.chapters.chapter import footer, subtitle, summary

        sections = [summary(self), *(part.section() for part in self.parts)]
        return Page(self.title, subtitle(self), sections, footer=footer(self))

    def save(self, path: str | Path) -> Path:
        """Write the page: one file that needs nothing else, in one step."""
        return self.page().save(path)

    def write_figures(self, folder: str | Path) -> list[Path]:
        """Write every static figure as PNG and SVG; return the files."""
        from lexicloud.say.html import write_figures

        return write_figures({k: draw for part in self.parts for k, draw in part.figures().items()}, folder)

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()


def study(
    corpus: Corpus,
    *,
    title: str | None = None,
    queries: Sequence[str] = (),
    method: str = "smoothed",
    by: By = "auto",
    sample: int | None = None,
    seed: int = 0,
    kind: str = "label",
    command: str | None = None,
) -> StudiedTexts:
    """Compute everything that a report shows.

    Labels are those of the corpus, or come from names like `Austen_Emma` where these are clear; `kind` says
    what a label is, in one word ("author", "president"). `by` says whether the map shows texts or labels
    ("auto": labels where there are more than 60 texts). `sample` measures divergences on so many tokens of
    each text. A part that cannot be computed for these texts is a `Missing`, which says why.

    >>> from lexicloud.corpus import Corpus
    >>> found = study(Corpus.from_texts({"a": "The ship sank in the storm.", "b": "The cook made soup."}))
    >>> found.reading.coverage.tokens, type(found.attribution).__name__
    (12, 'Missing')
    """
    require_corpus(corpus)
    _check(method, by, queries)
    found = sure_labels(corpus)
    if found:
        corpus, kind = found.given_to(corpus), found.kind if kind == "label" else kind
    with stage(f"studying {many(len(corpus), 'text')}", _STEPS) as advance, _one_thread_a_product():
        clock = _Clock(advance)
        reading = clock.time("reading", lambda: Reading.gather(corpus, kind))
        # The two chapters of divergences share tables, those of sentences share the sentences: a thread for each pair.
        divergences = _beside(lambda: _divergences(clock, corpus, method, by, sample, seed, kind))
        sentences = clock.attempt(ZipfChapter, lambda: _sentences(corpus))
        law = clock.attempt(ZipfChapter, lambda: ZipfChapter.gather(corpus, sentences=sentences, seed=seed))
        search = clock.attempt(SearchChapter, lambda: SearchChapter.gather(sentences, tuple(queries)))
        likeness, who = divergences.result()
    settings = {"method": method, "map": by, "sample": sample, "seed": seed, "queries": list(queries)}
    called = command or _call(settings)
    provenance = Provenance.gather(corpus, settings, clock.seconds, called)
    heading = title or f"A study of {many(len(corpus), 'text')}"
    return StudiedTexts(heading, reading, likeness, who, law, search, provenance)


def _check(method: str, by: str, queries: Sequence[str]) -> None:
    """Refuse options that no text could satisfy: a mistake in a call must not become a `Missing`."""
    make_method(method)
    if by not in get_args(By):
        raise OptionError(f"by={by!r} is not known; choose {' or '.join(map(repr, get_args(By)))}")
    if isinstance(queries, str):
        raise OptionError("queries is one string, not a list of them: write [query]")
    for query in queries:
        if not tokenize(query):
            raise OptionError(f"the query {query!r} has no words in it: give at least one word to search for")


def _one_thread_a_product() -> AbstractContextManager[Any]:
    """Let each matrix product use one thread: two chapters run at a time, and their products would wait for each other.

    On two cores a third of the demo's processor time was threads of products that waited, on a busy machine half.
    """
    from threadpoolctl import threadpool_limits

    limited: AbstractContextManager[Any] = threadpool_limits(1, user_api="blas")
    return limited


def _beside(call: Callable[[], T]) -> Future[T]:
    """Run a call in a daemon thread, which does not keep the interpreter from ending."""
    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(call())
        except BaseException as error:
            done.set_exception(error)

    Thread(target=copy_context().run, args=(run,), daemon=True).start()
    return done


def _divergences(
    clock: _Clock, corpus: Corpus, method: str, by: By, sample: int | None, seed: int, kind: str
) -> tuple[DivergenceMapChapter | Missing, AttributionChapter | Missing]:
    likeness = clock.attempt(
        DivergenceMapChapter,
        lambda: DivergenceMapChapter.gather(corpus, method, by=by, sample=sample, seed=seed, kind=kind),
    )
    who = clock.attempt(
        AttributionChapter,
        lambda: AttributionChapter.gather(corpus, sample=sample, seed=seed, kind=kind),
    )
    return likeness, who


def _sentences(corpus: Corpus) -> Corpus:
    with stage("splitting into sentences"):
        return corpus.sentences()


def _call(settings: dict[str, Any]) -> str:
    given: dict[str, Any] = {"method": "smoothed", "map": "auto", "sample": None, "seed": 0, "queries": []}
    names = {"map": "by"}
    options = [f"{names.get(k, k)}={v!r}" for k, v in settings.items() if v != given[k]]
    return f"lexicloud.report.study({', '.join(['corpus', *options])})"


class _Clock:
    """Runs the parts one after the other and remembers how long each took."""

    def __init__(self, advance: Advance) -> None:
        self.advance = advance
        self.seconds: dict[str, float] = {}

    def time(self, name: str, call: Callable[[], T]) -> T:
        """Run one step; its time counts whether it succeeds or not."""
        start = perf_counter()
        try:
            return call()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + perf_counter() - start
            self.advance(1)

    def attempt(self, part: type[Any], call: Callable[[], T]) -> T | Missing:
        """Run one step; return its result, or a `Missing` that says why there is none."""
        try:
            return self.time(part.id, call)
        except LexicloudError as error:
            return Missing(part.id, part.title, str(error).rstrip("."))


_STUDY = ("title", "queries", "method", "by", "sample", "seed", "kind", "command")


def write_report(
    path: str | Path | Corpus, out: str | Path, *, figures: str | Path | None = None, **options: Any
) -> StudiedTexts:
    """Read texts, study them, and write the page to `out` (and static figures to the folder `figures`).

    Options are those of `study` (title, queries, method, by, sample, seed) and of `Corpus.from_folder` (label, text,
    name, vectors, rules, encoding). Before the work it is checked that the page can be written.

    >>> from tempfile import TemporaryDirectory
    >>> texts = Corpus.from_texts({"a": "The ship sank in the storm.", "b": "The cook made soup."})
    >>> with TemporaryDirectory() as folder:
    ...     found = write_report(texts, Path(folder, "report.html"))
    ...     Path(folder, "report.html").stat().st_size > 10_000
    True
    """
    check_writable(out)
    asked = {name: options.pop(name) for name in _STUDY if name in options}
    corpus, kind = (path, "label") if isinstance(path, Corpus) else _read(path, options)
    asked.setdefault("kind", kind)
    found = study(corpus, **asked)
    found.save(out)
    if figures is not None:
        found.write_figures(figures)
    return found


def _read(path: str | Path, options: dict[str, Any]) -> tuple[Corpus, str]:
    """Return texts with the labels that files, tables and names give them, and what a label is."""
    kind = kind_of_label(options.get("label"))
    if is_saved(path):
        return Corpus.from_folder(path, **options), kind
    counting = {name: options[name] for name in ("vectors", "rules", "workers") if name in options}
    documents = read_documents(path, **{name: options[name] for name in options.keys() - counting.keys()})
    corpus = corpus_from_documents(documents, **counting)
    found = sure_labels(corpus, documents)
    return (found.given_to(corpus), found.kind) if found else (corpus, kind)


def kind_of_label(label: str | None) -> str:
    """Return what a label is called in sentences: the name of its column where that is a word.

    >>> kind_of_label("@name"), kind_of_label("reading_level"), kind_of_label("col_7"), kind_of_label(None)
    ('author', 'reading level', 'label', 'label')
    """
    known = {"@name": "author", "@folder": "folder"}
    words = (label or "").replace("_", " ").lower()
    return known.get(label or "", words if words.replace(" ", "").isalpha() else "label")


def _is_page(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(100).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return not start or start.startswith((b"<!doctype html", b"<html"))


def check_writable(out: str | Path) -> None:
    """Refuse a place where a page cannot be written, before minutes of work; nothing is left behind.

    A page may replace a page, never another file: `--out emma.txt` must not destroy somebody's text.
    """
    out = Path(out)
    if out.is_dir():
        raise InputError(f"{out} is a folder: name a file, such as {out / 'report.html'}")
    if out.is_file() and not _is_page(out):
        raise InputError(f"{out} is there already and is no page: name another file for the page")
    probe = Path(os.path.realpath(out)).with_name(f".{out.name[:100]}.try")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.exists() and not out.is_file():
            return  # a device or a pipe: nothing can be tried beside it
        probe.write_bytes(b"")
        probe.unlink()
    except OSError as error:
        raise InputError(f"cannot write {out}: {error.strerror}") from error
