"""Sources of texts: the demo, indexes and folders named at the start, and texts that people bring to a page."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Final, Literal

from lexicloud.errors import warn
from lexicloud.operations.asked import NamedText, corpus_of, settled
from lexicloud.web.faults import Fault, fault_of
from lexicloud.web.processes import note
from lexicloud.web.security import browser

if TYPE_CHECKING:
    from lexicloud.authorship import AttributionModel
    from lexicloud.corpus import Corpus
    from lexicloud.search import SentenceIndex
    from lexicloud.vectors import WordVectors
    from lexicloud.web.settings import ServerSettings
    from lexicloud.web.shelf import ShelfSource

log = logging.getLogger("lexicloud.web")
Kind = Literal["demo", "index", "folder", "texts", "shelf"]
SHELF: Final = "shelf"  # the id by which every browser names its own shelf
_BROUGHT: Final = ("texts", "shelf")
_YEAR: Final = re.compile(r"(?<!\d)(1[0-9]{3}|20[0-9]{2})(?!\d)")
_HANDS: Final = 3  # models of one source that are kept
_NEAR: Final = 200  # sentences among which an example is looked for
# An example: a capital letter, words without quotation marks, a full stop.
_BEGINS: Final = re.compile(r"[A-Z][\w ,’'-]{35,90}\.$")
_EXAMPLES: Final = (
    "The farmers suffer from drought and falling prices.",
    "Our ships were attacked on the high seas.",
    "I dreamed of a house by the sea where nobody was afraid.",
)
# Any sentence: its search compiles the loops.
_WARM: Final = "The ships sailed home before the winter storms."


@dataclass(eq=False)
class Source:
    """A collection of texts that can be searched and explored once it is ready."""

    id: str
    title: str
    kind: Kind
    load: Callable[[], list[NamedText]] | None = None
    opened: SentenceIndex | None = None
    texts: list[NamedText] = field(default_factory=list)
    fault: Fault | None = None
    browser: str | None = None  # the browser it belongs to; None: to everybody
    vectors: Callable[[], WordVectors | None] = lambda: None
    _version: int = 0
    _examples: tuple[int, list[str]] | None = None
    _corpus: Corpus | None = None
    _hands: dict[frozenset[str], AttributionModel] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)
    _learning: Any = field(default_factory=Lock)
    writing: Any = field(default_factory=Lock)
    prepared: Any = field(default_factory=Event)

    @property
    def characters(self) -> int:
        """How many characters its texts have."""
        return sum(len(text.text) for text in self.texts)

    @property
    def version(self) -> int:
        """A number that grows with every change."""
        return self._version

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
        """The texts as a corpus, made when it is first asked for."""
        texts = self.whole_texts()  # before the lock, since a shelf may reset the corpus
        with self._lock:
            if self._corpus is None:
                self._corpus = corpus_of(texts, self.vectors())
                note(f"corpus of {self.id} ({self._version})")
            return self._corpus

    def hands(self, without: frozenset[str] = frozenset()) -> AttributionModel:
        """Return a model of the authors, learnt without some texts; the last few models are kept."""
        import lexicloud as lc

        corpus = self.corpus
        with self._learning:
            if without not in self._hands:
                labelled = zip(corpus.names, corpus.labels or (), strict=False)
                named = [name for name, label in labelled if label and name not in without]
                while len(self._hands) >= _HANDS:
                    del self._hands[next(iter(self._hands))]
                self._hands[without] = lc.train(corpus.subset(named))
                if not without:
                    note(f"hands of {self.id} ({self._version})")
            return self._hands[without]

    def whole_texts(self) -> list[NamedText]:
        """Return the texts; those of an index are joined from its sentences when they are first asked for."""
        if not self.texts:
            self.texts = _texts_of(self.index)
            note(f"texts of {self.id} ({self._version})")
        return self.texts

    def changed(self) -> None:
        """Forget what was computed before an index was written to."""
        with self._lock:
            self._corpus, self._hands, self.texts = None, {}, []
            self._version += 1

    @property
    def years(self) -> dict[str, int]:
        """The year of each text that has one."""
        return {text.name: text.year for text in self.texts if text.year is not None}

    def renew_locks(self) -> None:
        """Make new locks in a new process, where threads that held the old ones do not exist."""
        self._lock, self._learning, self.writing = Lock(), Lock(), Lock()

    def prepare(self) -> None:
        """Read the texts and index their sentences."""
        try:
            if self.load is not None:
                self.texts = self.load()
                self.take(self.built())
            elif self.opened is not None:
                self.vectors()
                warm(self.opened)
        except Exception as error:  # after any error, a page must not wait for ever
            self.fault = fault_of(error)
            log.warning("%s cannot be used: %s", self.title, error)
        finally:
            self.prepared.set()

    def built(self) -> SentenceIndex:
        """Index the sentences of the texts."""
        from lexicloud.search import SentenceIndex

        items = [(text.name, text.text, text.metadata) for text in self.texts]
        rules, vectors, _ = settled((text.text for text in self.texts), self.vectors())
        return SentenceIndex.build(items, split=True, vectors=vectors, rules=rules, workers=1)

    def take(self, made: SentenceIndex) -> None:
        """Use an index from now on."""
        warm(made)
        self.opened = made
        self.prepared.set()

    def to_dict(self) -> dict[str, Any]:
        """Return its line in a page's list of sources."""
        plain: dict[str, Any] = {"id": self.id, "title": self.title, "kind": self.kind, "state": self.state}
        if self.fault is not None:
            return {**plain, **self.fault.to_dict()}
        authors = sorted({text.author for text in self.texts if text.author})
        return {
            **plain,
            "sentences": len(self.opened) if self.opened is not None else None,
            "texts": [text.name for text in self.texts],
            "authors": authors,
            "by": {text.name: text.author for text in self.texts if text.author},
            "dated": bool(self.years),
            "writable": self.kind == "index",
            "examples": self.examples(),
        }

    def examples(self) -> list[str]:
        """Return example queries: sentences of the texts of a usual length, from three places."""
        if self.kind == "demo":
            return list(_EXAMPLES)
        if self.opened is None or not len(self.opened):
            return []
        if self._examples is None or self._examples[0] != self._version:
            self._examples = self._version, _some_sentences(self.opened.database.texts)
        return self._examples[1]


def _some_sentences(texts: Sequence[str], n: int = 3) -> list[str]:
    """Return some whole sentences of a usual length, spread over the texts.

    >>> _some_sentences(["Yes.", "The ship sailed home before the winter storms came."])
    ['The ship sailed home before the winter storms came.']
    """
    found: dict[str, None] = {}
    for part in range(n):
        start = len(texts) * (2 * part + 1) // (2 * n)
        near = (texts[i] for i in range(start, min(start + _NEAR, len(texts))))
        found |= dict.fromkeys([text for text in near if _BEGINS.match(text)][:1])
    return list(found) or [text for text in texts[:_NEAR] if _BEGINS.match(text)][:1]


def warm(index: SentenceIndex) -> None:
    """Run some searches, so that the first real ones need not wait for compiling and reading."""
    from lexicloud.operations.search import LOOKS

    if len(index):
        for way in LOOKS.values():
            index.search(_WARM, **way)


def _texts_of(index: SentenceIndex) -> list[NamedText]:
    """Return the texts of an index, joined from their sentences."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in index.records():
        found.setdefault(str(row["id"]).rpartition("#")[0] or str(row["id"]), []).append(row)
    return [
        NamedText(
            name, " ".join(row["text"] for row in own), _told(own[0], "author", "label"), _year(own[0], name)
        )
        for name, own in found.items()
    ]


def _told(row: dict[str, Any], *keys: str) -> str | None:
    """Return the first of some metadata keys that a sentence has as a text."""
    return next((str(row[key]) for key in keys if isinstance(row.get(key), str) and row[key]), None)


def _year(row: dict[str, Any], name: str) -> int | None:
    given = row.get("year", row.get("date"))
    return int(given) if isinstance(given, int | float) and isfinite(given) else year_in(name)


def year_in(name: str) -> int | None:
    """Return the first year in a name.

    >>> year_in("1863 Lincoln"), year_in("letters-1916-03.txt"), year_in("Emma"), year_in("30000 words")
    (1863, 1916, None, None)
    """
    found = _YEAR.search(name)
    return int(found[1]) if found else None


def demo_texts() -> list[NamedText]:
    """Read the State of the Union addresses."""
    from lexicloud.report.demo import demo_texts as addresses

    return [NamedText(name, text, president, year_in(name)) for name, text, president in addresses()]


def folder_texts(folder: Path) -> list[NamedText]:
    """Read a folder; authors come from the files, a table or names, as `lexicloud.corpus.labels` finds them.

    A file that cannot be read is left out, and a warning names it.
    """
    from lexicloud.corpus.labels import find_labels
    from lexicloud.errors import InputError
    from lexicloud.text import read_documents

    documents = read_documents(folder, skip_bad=True)
    for told in documents[0].notes:
        if "left out" in told:
            warn(told)
    try:
        found = find_labels(documents)
    except InputError:  # several columns may hold the authors
        found = None
    authors = found.labels if found else (None,) * len(documents)
    return [
        NamedText(document.name, document.text, author, _year(dict(document.fields), document.name))
        for document, author in zip(documents, authors, strict=True)
    ]


class Library:
    """All sources of a server; texts that people bring are only in memory, and the oldest make room for new ones."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._sources: dict[str, Source] = {}
        self._lock = Lock()

    @cached_property
    def vectors(self) -> WordVectors:
        """The vectors, with the dictionary of their words made, so that looking up a single word is fast."""
        from lexicloud.vectors import load_vectors

        loaded = load_vectors(self._settings.vectors)
        assert loaded.index
        return loaded

    @cached_property
    def refined(self) -> WordVectors:
        """The refined vectors."""
        return self.vectors.refined()

    def load_vectors(self) -> WordVectors:
        """Return the vectors; sources take this function, since they are made before anything is read."""
        return self.vectors

    def open(self) -> None:
        """Open what was named at the start: indexes at once, folders and the demo in the background."""
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
        # A daemon thread and not a job: stopping the server does not wait for it.
        Thread(target=self._prepare, args=(list(self._sources.values()),), daemon=True).start()

    def _prepare(self, sources: list[Source]) -> None:
        for source in sources:
            source.prepare()

    def _put(self, source: Source) -> Source:
        while source.id in self._sources:
            source.id += "-2"
        self._sources[source.id] = source
        return source

    def add_texts(self, title: str, texts: list[NamedText]) -> Source:
        """Add texts for the browser that brought them; an `Intake` indexes them.

        If there are too many, the oldest are dropped: first those of the same browser, then those of all.
        """
        limits, whose = self._settings.limits, browser.get()
        identifier = f"texts-{secrets.token_hex(16)}"
        new = Source(identifier, title, "texts", texts=texts, browser=whose, vectors=self.load_vectors)
        with self._lock:
            self._make_room(limits.sources - 1, lambda source: source.browser == whose)
            self._make_room(limits.all_sources - 1, lambda _: True, limits.dropped - new.characters)
            return self._put(new)

    def shelf(self) -> ShelfSource:
        """Return the shelf of the browser that asks, made when it is first asked for."""
        from lexicloud.web.shelf import ShelfSource

        limits, whose = self._settings.limits, browser.get()
        with self._lock:
            found = next((one for one in self._shelves() if one.browser == whose), None)
            if found is None:
                self._make_room(limits.all_sources - 1, lambda _: True)
                identifier = f"shelf-{secrets.token_hex(16)}"
                found = ShelfSource(
                    identifier,
                    "Your texts",
                    "shelf",
                    browser=whose,
                    vectors=self.load_vectors,
                    most=limits.rows,
                )
                if whose is not None:
                    self._put(found)
            return found

    def _shelves(self) -> list[ShelfSource]:
        return [one for one in self._sources.values() if one.kind == "shelf"]  # type: ignore[misc]

    def make_room(self, shelf: ShelfSource) -> None:
        """Drop the oldest texts of other browsers if a shelf has grown too large."""
        with self._lock:
            self._sources[shelf.id] = self._sources.pop(shelf.id, shelf)  # the latest comes last
            self._make_room(self._settings.limits.all_sources, lambda _: True, self._settings.limits.dropped)

    def _make_room(
        self, most: int, counts: Callable[[Source], bool], characters: float = float("inf")
    ) -> None:
        """Drop the oldest texts that people brought until there are few enough, with few enough characters."""
        dropped = [one for one in self._sources.values() if one.kind in _BROUGHT and counts(one)]
        while dropped and (len(dropped) > most or sum(one.characters for one in dropped) > characters):
            del self._sources[dropped.pop(0).id]

    def discard(self, source: Source) -> None:
        """Forget a source that could not be prepared."""
        with self._lock:
            self._sources.pop(source.id, None)

    def renew_locks(self) -> None:
        """Make new locks, in a new process."""
        self._lock = Lock()
        for source in self._sources.values():
            source.renew_locks()

    def remove(self, identifier: str) -> None:
        """Forget texts that people brought; refuse to remove what was named at the start."""
        if self.get(identifier).kind not in _BROUGHT:
            raise Fault(
                403, f"{identifier!r} was named at the start and stays", "restart the server without it"
            )
        with self._lock:
            self._sources.pop(identifier, None)

    def get(self, source: str | None = None) -> Source:
        """Return a source by its id; without one, the first."""
        if source is None:
            first = next(iter(self), None)
            if first is None:
                raise Fault(
                    404, "this server has no texts", "start it with --index or --folder, or drop texts"
                )
            return first
        if source == SHELF:
            return self.shelf()
        found = self._sources.get(source)
        if found is None or not _is_seen(found):
            known = ", ".join([one.id for one in self][:10]) or "none"
            raise Fault(404, f"there is no source {source[:80]!r}", f"choose one of: {known}")
        return found

    def __iter__(self) -> Iterator[Source]:
        """Return the sources that the browser that asks may see."""
        return iter([source for source in list(self._sources.values()) if _is_seen(source)])

    def everything(self) -> list[Source]:
        """Return all sources, for counting them."""
        return list(self._sources.values())


def _is_seen(source: Source) -> bool:
    """Tell whether the browser that asks may see a source: texts that people bring are seen by their browser alone."""
    return source.kind not in _BROUGHT or source.browser == browser.get()


def _slug(name: str) -> str:
    """Return a name in a form that can be part of an address.

    >>> _slug("My Books (new)")
    'my-books-new'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "source"
