"""Where sentences come from: the demo, an index or a folder named at the start, or texts dropped onto a page."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Literal

from lexicloud.errors import warn
from lexicloud.web.faults import Fault, fault_of

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import AttributionModel
    from lexicloud.search import SentenceIndex
    from lexicloud.vectors import WordVectors
    from lexicloud.web.settings import Settings

log = logging.getLogger("lexicloud.web")
Kind = Literal["demo", "index", "folder", "texts"]
_YEAR: Final = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_HANDS: Final = 3  # models of one source that are kept
_WARM: Final = "The ships sailed home before the winter storms."  # any sentence: compiles what a search runs


@dataclass(frozen=True)
class Text:
    """One text as a person knows it: its name, who wrote it, when."""

    name: str
    text: str
    author: str | None = None
    year: int | None = None

    @property
    def metadata(self) -> dict[str, Any]:
        """What an index keeps beside each of its sentences."""
        about = {"title": self.name, "author": self.author, "year": self.year}
        return {key: value for key, value in about.items() if value is not None}


@dataclass(eq=False)
class Source:
    """A collection of texts that can be searched and explored once it is ready."""

    id: str
    title: str
    kind: Kind
    load: Callable[[], list[Text]] | None = None
    opened: SentenceIndex | None = None
    texts: list[Text] = field(default_factory=list)
    fault: Fault | None = None
    vectors: Callable[[], WordVectors | None] = lambda: None
    _corpus: Corpus | None = None
    _hands: dict[frozenset[str], AttributionModel] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)
    _learning: Any = field(default_factory=Lock)
    writing: Any = field(default_factory=Lock)
    prepared: Any = field(default_factory=Event)

    @property
    def state(self) -> str:
        """`preparing`, `ready` or `failed`."""
        if self.fault is not None:
            return "failed"
        return "ready" if self.opened is not None else "preparing"

    @property
    def index(self) -> SentenceIndex:
        """The sentences; 503 while they are being prepared."""
        if self.fault is not None:
            raise self.fault
        if self.opened is None:
            raise Fault(
                503, f"{self.title} is being prepared", "ask again in a second", headers={"retry-after": "1"}
            )
        return self.opened

    @property
    def corpus(self) -> Corpus:
        """The texts, counted; made when they are first asked for."""
        with self._lock:
            if self._corpus is None:
                self._corpus = corpus_of(self.whole_texts(), self.vectors())
            return self._corpus

    def hands(self, without: frozenset[str] = frozenset()) -> AttributionModel:
        """Return the authors' hands, without some texts; learnt when they are first asked for, the last few kept."""
        import lexicloud as lc

        corpus = self.corpus
        with self._learning:
            if without not in self._hands:
                labelled = zip(corpus.names, corpus.labels or (), strict=False)
                named = [name for name, label in labelled if label and name not in without]
                while len(self._hands) >= _HANDS:
                    del self._hands[next(iter(self._hands))]
                self._hands[without] = lc.train(corpus.subset(named))
            return self._hands[without]

    def whole_texts(self) -> list[Text]:
        """The texts; those of an index are put together from its sentences when they are first asked for."""
        index = self.index
        if not self.texts:
            self.texts = _texts_of(index)
        return self.texts

    def changed(self) -> None:
        """Forget what was worked out before an index was written to."""
        with self._lock:
            self._corpus, self._hands, self.texts = None, {}, []

    @property
    def years(self) -> dict[str, int]:
        """The year of each text that has one."""
        return {text.name: text.year for text in self.texts if text.year is not None}

    def prepare(self) -> None:
        """Read the texts and index their sentences."""
        from lexicloud.search import SentenceIndex

        try:
            if self.load is not None:
                self.texts = self.load()
                items = [(text.name, text.text, text.metadata) for text in self.texts]
                made = SentenceIndex.build(items, split=True, vectors=self.vectors(), workers=1)
                warm(made)
                self.opened = made
            elif self.opened is not None:
                self.vectors()
                warm(self.opened)
        except Exception as error:  # whatever it was, the page must not wait for ever
            self.fault = fault_of(error)
            log.warning("%s cannot be used: %s", self.title, error)
        finally:
            self.prepared.set()

    def to_dict(self) -> dict[str, Any]:
        """Return what a page shows in its list."""
        plain: dict[str, Any] = {"id": self.id, "title": self.title, "kind": self.kind, "state": self.state}
        if self.fault is not None:
            return {**plain, **self.fault.to_dict()}
        authors = sorted({text.author for text in self.texts if text.author})
        return {
            **plain,
            "sentences": len(self.opened) if self.opened is not None else None,
            "texts": [text.name for text in self.texts],
            "authors": authors,
            "dated": bool(self.years),
            "writable": self.kind == "index",
        }


def warm(index: SentenceIndex) -> None:
    """Compile and read what the first searches would otherwise wait for."""
    from lexicloud.web.schemas import LOOKS

    if len(index):
        for way in LOOKS.values():
            index.search(_WARM, **way)


def corpus_of(texts: Sequence[Text], vectors: WordVectors | None = None) -> Corpus:
    """Count texts."""
    from lexicloud.corpus import Corpus

    return Corpus.from_texts(
        {text.name: text.text for text in texts},
        labels=[text.author for text in texts],
        vectors=vectors,
        workers=1,
    )


def _texts_of(index: SentenceIndex) -> list[Text]:
    """Put the sentences of an index together again, by the text that each came from."""
    rows: list[Any] = index.to_pandas().to_dict("records")
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(str(row["id"]).rpartition("#")[0] or str(row["id"]), []).append(row)
    return [
        Text(
            name, " ".join(row["text"] for row in own), _told(own[0], "author", "label"), _year(own[0], name)
        )
        for name, own in found.items()
    ]


def _told(row: dict[str, Any], *keys: str) -> str | None:
    """Return the first of some metadata that a sentence has."""
    return next((str(row[key]) for key in keys if isinstance(row.get(key), str) and row[key]), None)


def _year(row: dict[str, Any], name: str) -> int | None:
    given = row.get("year")
    return int(given) if isinstance(given, int | float) and isfinite(given) else year_in(name)


def year_in(name: str) -> int | None:
    """Return the first year in a name.

    >>> year_in("1863 Lincoln"), year_in("letters-1916-03.txt"), year_in("Emma"), year_in("30000 words")
    (1863, 1916, None, None)
    """
    found = _YEAR.search(name)
    return int(found[1]) if found else None


def demo_texts() -> list[Text]:
    """Read the State of the Union addresses."""
    from lexicloud.report.demo import demo_texts as addresses

    return [Text(name, text, president, year_in(name)) for name, text, president in addresses()]


def folder_texts(folder: Path) -> list[Text]:
    """Read a folder; authors come from its table or from names such as `Austen_Emma.txt`.

    A file that cannot be read stops no server: it is left out, and a warning names it.
    """
    from lexicloud.text import labels_from_names, read_documents

    documents = read_documents(folder, skip_bad=True)
    for note in documents[0].notes:
        if "left out" in note:
            warn(note)
    guessed = labels_from_names([document.name for document in documents])
    return [
        Text(document.name, document.text, document.label or guess, year_in(document.name))
        for document, guess in zip(documents, guessed, strict=True)
    ]


class Library:
    """All sources of a server; dropped texts live in memory only, and the oldest make room for new ones."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._sources: dict[str, Source] = {}
        self._lock = Lock()

    @cached_property
    def vectors(self) -> WordVectors:
        """The vectors, with the dictionary of their words, which makes looking a single one up quick."""
        from lexicloud.vectors import load_vectors

        loaded = load_vectors(self._settings.vectors)
        assert loaded.index
        return loaded

    @cached_property
    def refined(self) -> WordVectors:
        """The same without what all words share."""
        return self.vectors.refined()

    def load_vectors(self) -> WordVectors:
        """Return the vectors; for sources, which are made before anything is read."""
        return self.vectors

    def open(self) -> None:
        """Open what was named at the start; indexes at once, the rest behind the first page."""
        from lexicloud.search import SentenceIndex

        settings = self._settings
        for path in settings.indexes:
            self._put(
                Source(
                    _slug(path.name),
                    path.name,
                    "index",
                    opened=SentenceIndex.open(path),
                    vectors=self.load_vectors,
                )
            )
        for path in settings.folders:
            self._put(
                Source(
                    _slug(path.name),
                    path.name,
                    "folder",
                    load=lambda path=path: folder_texts(path),  # type: ignore[misc]
                    vectors=self.load_vectors,
                )
            )
        if settings.demo:
            title = "State of the Union addresses"
            self._put(Source("demo", title, "demo", load=demo_texts, vectors=self.load_vectors))
        # Not a job: whoever stops the server while it still reads does not want to wait for that.
        Thread(target=self._prepare, args=(list(self._sources.values()),), daemon=True).start()

    def _prepare(self, sources: list[Source]) -> None:
        for source in sources:
            source.prepare()

    def _put(self, source: Source) -> Source:
        while source.id in self._sources:
            source.id += "-2"
        self._sources[source.id] = source
        return source

    def add_texts(self, title: str, texts: list[Text]) -> Source:
        """Take dropped texts in; they are indexed by `prepare`."""
        with self._lock:
            mine = [source for source in self._sources.values() if source.kind == "texts"]
            for old in mine[: max(0, len(mine) - self._settings.limits.sources + 1)]:
                del self._sources[old.id]
            identifier = f"texts-{secrets.token_hex(6)}"
            return self._put(
                Source(identifier, title, "texts", load=lambda: texts, vectors=self.load_vectors)
            )

    def remove(self, identifier: str) -> None:
        """Forget dropped texts; what was named at the start stays."""
        if self.get(identifier).kind != "texts":
            raise Fault(
                403, f"{identifier!r} was named at the start and stays", "restart the server without it"
            )
        with self._lock:
            self._sources.pop(identifier, None)

    def get(self, identifier: str | None = None) -> Source:
        """Return a source by its id; without one, the first."""
        if identifier is None:
            if not self._sources:
                raise Fault(
                    404, "this server has no texts", "start it with --index or --folder, or drop texts"
                )
            return next(iter(self._sources.values()))
        found = self._sources.get(identifier)
        if found is None:
            known = ", ".join(list(self._sources)[:10]) or "none"
            raise Fault(404, f"there is no source {identifier[:80]!r}", f"choose one of: {known}")
        return found

    def __iter__(self) -> Any:
        return iter(list(self._sources.values()))


def _slug(name: str) -> str:
    """Return a name as it may stand in an address.

    >>> _slug("My Books (new)")
    'my-books-new'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "source"
