"""A study of a corpus: everything the pillars have to say about it, gathered once, shown in many ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from lexicloud.corpus import require_corpus
from lexicloud.divergence import make_method
from lexicloud.errors import LexicloudError, OptionError
from lexicloud.progress import Advance, stage
from lexicloud.report.grouping import By
from lexicloud.report.page import Page
from lexicloud.report.parts import (
    AttributionPart,
    DivergenceMap,
    Missing,
    Provenance,
    Reading,
    SearchPart,
    ZipfPart,
)
from lexicloud.report.wording import many
from lexicloud.text import labels_from_names, tokenize

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

T = TypeVar("T")
_STEPS: Final = 6  # reading, map, attribution, sentences, Zipf's law, search


@dataclass(frozen=True, eq=False)
class Study:
    """The parts of a report; each shows itself in a notebook, and one that has no answer says why."""

    title: str
    reading: Reading
    divergence_map: DivergenceMap | Missing
    attribution: AttributionPart | Missing
    zipf: ZipfPart | Missing
    search: SearchPart | Missing
    provenance: Provenance

    @property
    def parts(self) -> tuple[Any, ...]:
        """The parts in the order of the page."""
        return (self.reading, self.divergence_map, self.attribution, self.zipf, self.search, self.provenance)

    def page(self) -> Page:
        """Return the page."""
        from lexicloud.report.sections.frame import footer, subtitle
        from lexicloud.report.sections.summary import summary

        sections = [summary(self), *(part.section() for part in self.parts)]
        return Page(self.title, subtitle(self), sections, footer=footer(self))

    def save(self, path: str | Path) -> Path:
        """Write the page: one file that needs nothing else, in one step."""
        return self.page().save(path)

    def write_figures(self, folder: str | Path) -> list[Path]:
        """Write every static figure as PNG and SVG; return the files."""
        from lexicloud.report.figures import write_figures

        return write_figures({k: draw for part in self.parts for k, draw in part.figures().items()}, folder)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        names = ("reading", "divergence_map", "attribution", "zipf", "search", "provenance")
        return {"title": self.title, **{name: getattr(self, name).to_dict() for name in names}}

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
) -> Study:
    """Ask the pillars everything a report shows.

    Labels are those of the corpus, or come from the names where all look like `Author_Title`; `kind` says
    what a label is, in one word ("author", "president"). `by` says whether the map shows texts or labels
    ("auto": labels where there are more than 60 texts). `sample` measures divergences on so many tokens of
    each text. What these texts have no answer for becomes an explained `Missing` in its place.

    >>> from lexicloud.corpus import Corpus
    >>> found = study(Corpus.from_texts({"a": "The ship sank in the storm.", "b": "The cook made soup."}))
    >>> found.reading.coverage.tokens, type(found.attribution).__name__
    (12, 'Missing')
    """
    require_corpus(corpus)
    _check(method, by, queries)
    named = with_labels_from_names(corpus)
    corpus, kind = named, ("author" if named is not corpus and kind == "label" else kind)
    with stage(f"studying {many(len(corpus), 'text')}", _STEPS) as advance:
        clock = _Clock(advance)
        reading = clock.time("reading", lambda: Reading.gather(corpus, kind))
        likeness = clock.attempt(
            DivergenceMap,
            lambda: DivergenceMap.gather(corpus, method, by=by, sample=sample, seed=seed, kind=kind),
        )
        attribution = clock.attempt(
            AttributionPart, lambda: AttributionPart.gather(corpus, sample=sample, seed=seed, kind=kind)
        )
        sentences = clock.attempt(ZipfPart, lambda: _sentences(corpus))
        law = clock.attempt(ZipfPart, lambda: ZipfPart.gather(corpus, sentences=sentences, seed=seed))
        search = clock.attempt(SearchPart, lambda: SearchPart.gather(sentences, tuple(queries)))
    settings = {"method": method, "map": by, "sample": sample, "seed": seed, "queries": list(queries)}
    called = command or _call(settings)
    provenance = Provenance.gather(corpus, settings, clock.seconds, called)
    heading = title or f"A study of {many(len(corpus), 'text')}"
    return Study(heading, reading, likeness, attribution, law, search, provenance)


def with_labels_from_names(corpus: Corpus) -> Corpus:
    """Return the corpus with labels from its names, where it has none and every name looks like `Author_Title`."""
    if corpus.labels is not None:
        return corpus
    labels = labels_from_names(corpus.names)
    # One label for all, or one for each text, says that underscores mean something else here.
    plausible = None not in labels and 1 < len(set(labels)) < len(labels)
    return replace(corpus, labels=tuple(labels)) if plausible else corpus


def _check(method: str, by: str, queries: Sequence[str]) -> None:
    """Refuse wishes that no text could fulfil: a mistake in a call is not a gap in the texts."""
    make_method(method)
    if by not in get_args(By):
        raise OptionError(f"by={by!r} is not known; choose {' or '.join(map(repr, get_args(By)))}")
    if isinstance(queries, str):
        raise OptionError("queries is one string, not a list of them: write [query]")
    for query in queries:
        if not tokenize(query):
            raise OptionError(f"the query {query!r} has no words in it: give at least one word to search for")


def _sentences(corpus: Corpus) -> Corpus:
    with stage("splitting into sentences"):
        return corpus.sentences()


def _call(settings: dict[str, Any]) -> str:
    given: dict[str, Any] = {"method": "smoothed", "map": "auto", "sample": None, "seed": 0, "queries": []}
    names = {"map": "by"}
    options = [f"{names.get(k, k)}={v!r}" for k, v in settings.items() if v != given[k]]
    return f"lexicloud.report.study({', '.join(['corpus', *options])})"


class _Clock:
    """Run the parts one after the other and remember how long each took."""

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
        """Run one step, or explain why it has no answer."""
        try:
            return self.time(part.id, call)
        except LexicloudError as error:
            return Missing(part.id, part.title, str(error).rstrip("."))
