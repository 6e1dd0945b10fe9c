"""The sentence index: built from sentences, kept in a folder, searched by any method."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import BrokenIndex, OptionError, StorageError, warn
from lexicloud.presets import search_options
from lexicloud.progress import track
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Facts, Sentence
from lexicloud.say.phrases import many
from lexicloud.search.filters import column_kinds, matching_rows, record_of
from lexicloud.search.find import SearchOptions, chosen_method, find, find_many, prepare
from lexicloud.search.items import DOCUMENT, TITLE, Suggestions, read_items
from lexicloud.search.merging import concat_segments
from lexicloud.search.methods.dense import AUTO, embeddings_for, model_name
from lexicloud.search.query import read_query
from lexicloud.search.segments import (
    Settings,
    Snapshot,
    as_written,
    firsts,
    in_memory,
    with_added,
    with_removed,
)
from lexicloud.search.store import KIND, open_snapshot, save_snapshot, verify_index, write_change
from lexicloud.search.syntax import Parsed, corrected, expanded, meeting, parse, said_of
from lexicloud.search.whole import Whole
from lexicloud.store.folder import MANIFEST, check_place, locked
from lexicloud.store.strings import PackedStrings
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.text.clean import Boilerplate
from lexicloud.text.language import DETECT
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.load import VectorSource, WordLookup
from lexicloud.vectors.static_embeddings import NAME, StaticEmbeddings
from lexicloud.words.lexicon import other_language

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Identifier
    from lexicloud.search.filters import Column, Where
    from lexicloud.search.items import Item
    from lexicloud.search.query import Query
    from lexicloud.search.segments import Sentences


_BATCH: Final = 64  # queries that `search_many` answers in one go


@dataclass(frozen=True)
class IndexInfo(Result):
    """The size of an index; `bytes` is what its arrays take, on disk as in memory once all of it is read."""

    _derived = ("bytes_per_sentence",)

    path: str | None
    sentences: int
    removed: int
    tokens: int
    words: int
    embedded: float  # the share of words with a vector, each counted once a sentence
    segments: int
    metadata: tuple[str, ...]
    kinds: dict[str, str]  # what each column of the metadata was found to hold
    vectors: str
    fingerprint: str
    dimension: int
    dense: str | None  # the static embeddings that it keeps; empty for a model without a name
    language: str
    split: bool
    bytes: int

    @property
    def bytes_per_sentence(self) -> float:
        """The cost of a sentence, vocabulary and vectors shared out among all."""
        return self.bytes / self.sentences if self.sentences else float(self.bytes)

    @property
    def size(self) -> str:
        """What it takes on disk, for people."""
        for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
            if self.bytes >= factor:
                return f"{self.bytes / factor:,.1f} {unit}"
        return f"{self.bytes} bytes"

    def blocks(self) -> list[Block]:
        """Return what the index holds and what a sentence costs."""
        removed = f" ({self.removed:,} removed, waiting for compact)" if self.removed else ""
        columns = ", ".join(f"{name} ({kind})" for name, kind in self.kinds.items())
        facts = (
            ("sentences", f"{self.sentences:,}{removed}"),
            ("tokens", f"{self.tokens:,}, {self.embedded:.1%} with a vector"),
            ("words", f"{self.words:,}"),
            ("segments", f"{self.segments:,}"),
            ("metadata", columns or "none"),
            ("vectors", f"{self.vectors}, {self.dimension} dimensions ({self.fingerprint})"),
            ("embeddings", self.dense or "none"),
            ("language", self.language),
            ("size", f"{self.size}, {self.bytes_per_sentence:,.0f} bytes a sentence"),
        )
        return [Sentence(f"An index of {many(self.sentences, 'sentence')}.", "answer"), Facts(facts)]


def describe(snapshot: Snapshot, path: str | None) -> IndexInfo:
    """Measure an index."""
    whole, database = snapshot.whole, snapshot.database
    living = whole.lengths if database.alive is None else whole.lengths[database.alive]
    df = database.df
    words = int(df.sum())
    return IndexInfo(
        path,
        sentences=database.n,
        removed=len(whole) - database.n,
        tokens=int(living.sum()),
        words=int((df > 0).sum()),
        embedded=int(df[whole.embedded].sum()) / words if words else 0.0,
        segments=len(snapshot.segments),
        metadata=tuple(snapshot.columns),
        kinds=column_kinds(snapshot.columns),
        vectors=snapshot.source.name,
        fingerprint=snapshot.source.fingerprint,
        dimension=snapshot.source.dimension,
        dense=snapshot.settings.dense,
        language=snapshot.settings.rules.language,
        split=snapshot.settings.split,
        bytes=sum(segment.nbytes for segment in snapshot.segments.values()),
    )


def _warn_of_language(snapshot: Snapshot) -> None:
    """Say it if the vectors are made for another language than the sentences."""
    whole = snapshot.whole
    counts = whole.df.astype(np.int64)
    counts[whole.punctuation] = 0
    words = whole.words.to_list() if isinstance(whole.words, PackedStrings) else whole.words
    numbers = {word: i for i, word in enumerate(words)}
    doubt = other_language(snapshot.source.name, snapshot.settings.rules.language, numbers, counts)
    if doubt:
        warn(doubt)


class SentenceIndex(TabularResult):
    """Sentences that can be searched, in memory or in a folder.

    An index that was opened from a folder, or saved to one, writes what is added and removed there at once.
    Others who have it open keep the sentences they had until they `refresh`.

    >>> index = SentenceIndex.build([
    ...     "The king ruled France for seventy years.",
    ...     "The rock band played all night long.",
    ... ])
    >>> index.search("the queen reigned over England", top=1)[0].text
    'The king ruled France for seventy years.'
    >>> index.add([("c", "Her majesty the queen was crowned in June.", {"year": 1953})])
    >>> [s.id for s in index.search("a royal coronation", where={"year": {"<": 1960}})]
    ['c']
    """

    def __init__(self, snapshot: Snapshot, path: Path | None = None) -> None:
        """For `build` and `open`, which are the ways to make one."""
        self._snapshot = snapshot
        self._path = path
        self._seen = _signature(path) if path else None

    # ---- making and keeping

    @classmethod
    def build(
        cls,
        sentences: Sentences,
        *,
        vectors: WordVectors | str | Path | None = None,
        rules: TokenRules | None = None,
        split: bool = False,
        max_tokens: int | None = None,
        boilerplate: bool | Boilerplate = False,
        dense: Any = AUTO,
        schema: Mapping[str, Any] | None = None,
        workers: int | None = None,
    ) -> SentenceIndex:
        """Build from strings, (id, text) pairs, (id, text, metadata) triples, dicts with `text`, a mapping or a Corpus.

        Plain strings are numbered. `split` cuts every text into sentences, named `id#0`, `id#1` …, which keep
        the text's id as their metadata `document`; the documents of a Corpus are always split. Sentences of
        more than `max_tokens` are left out. `boilerplate` takes repeated lines, quoted replies and signatures
        out first. `dense` names the sentence embeddings to keep: by default, for English, those that come with the
        package; None for none. Repeated sentences are kept; a search answers with one of them.
        """
        corpus = sentences if isinstance(sentences, Corpus) else None
        source, looker = _source(vectors, corpus)
        rules = rules or (corpus.rules if corpus else DEFAULT_RULES)
        if not isinstance(sentences, Corpus | str):
            sentences = _listed(sentences)
        rules = rules if rules.language != DETECT else rules.settled(read_items(sentences).texts)
        if boilerplate is True:
            boilerplate = Boilerplate.fit(read_items(sentences).texts)
        split = split or (corpus is not None and corpus.parents is None)
        if isinstance(dense, str) and dense == AUTO:
            dense = NAME if rules.language == "english" else None
        settings = Settings(
            rules, split, max_tokens, boilerplate or None, model_name(dense), dict(schema or {})
        )
        empty = Snapshot({}, {}, source, settings)
        built = cls(with_added(empty, sentences, vectors=looker, workers=workers, dense=dense))
        _warn_of_language(built._snapshot)
        return built

    @classmethod
    def build_on_disk(
        cls,
        path: str | Path,
        sentences: Iterable[Item],
        *,
        memory: int | str = "2G",
        overwrite: bool = True,
        **options: Any,
    ) -> SentenceIndex:
        """Build an index in a folder from texts that need not fit into memory, and open it.

        `sentences` may be a generator; `memory` is the limit of what the process holds at a time. `options` are those
        of `build`; a language is told, and repeated lines are learnt, from the first texts. The folder appears when it
        is whole: what stops a build leaves nothing.
        """
        from lexicloud.search.streaming import Growing, limit_of, write_index

        def first(some: list[Item]) -> Snapshot:
            return cls.build(some, **options)._snapshot  # noqa: SLF001 (our own class)

        def added(now: Snapshot, some: list[Item]) -> Snapshot:
            model = options.get("dense")
            return with_added(now, some, dense=None if isinstance(model, str) else model, merge=False)

        if isinstance(sentences, str | bytes | Corpus):
            raise OptionError("build_on_disk takes an iterable of texts: build makes an index of a corpus")
        items = sentences.items() if isinstance(sentences, Mapping) else sentences
        path = Path(path)
        write_index(path, items, limit_of(memory), Growing(first, added), overwrite=overwrite)
        return cls.open(path)

    @classmethod
    def open(cls, path: str | Path, *, vectors: WordVectors | None = None) -> SentenceIndex:
        """Open a saved index memory-mapped; `vectors`, if given, must be those it was built with."""
        path = Path(path)
        index = cls(open_snapshot(path), path)
        if vectors is not None:
            index._snapshot.source.use(vectors)
        return index

    def save(self, path: str | Path, *, overwrite: bool = True) -> None:
        """Save to a folder, in place of an index that is there; additions and removals go there from now on.

        The old index stays until the new one is whole; with `overwrite=False` it is left alone.
        """
        path = Path(path)
        check_place(path, KIND)  # before the lock, which makes the folder and a file in it
        with locked(path):
            if not overwrite and (path / MANIFEST).exists():
                raise StorageError(f"{path} holds an index already: save elsewhere, or with overwrite=True")
            save_snapshot(path, self._snapshot)
            self._reopen(path)

    def refresh(self) -> bool:
        """Take up what others have added and removed since; tell whether there was anything."""
        if self._path is None or _signature(self._path) == self._seen:
            return False
        self._reopen(self._path)
        return True

    def _reopen(self, path: Path) -> None:
        seen = _signature(path)
        self._snapshot, self._path, self._seen = open_snapshot(path, self._snapshot), path, seen

    # ---- changing

    def add(
        self, sentences: Sentences, *, overwrite: bool = False, workers: int | None = None, dense: Any = None
    ) -> None:
        """Add sentences in any form that `build` takes; `overwrite` replaces those whose ids are there already.

        `dense` gives their embeddings, where the index keeps some of a model that has no name.
        """
        if not isinstance(sentences, Corpus | str):
            sentences = _listed(sentences)
        join = (
            concat_segments if self._path is None else Whole
        )  # on disk, segments are joined as they are written
        self._change(
            lambda now: with_added(
                now, sentences, overwrite=overwrite, workers=workers, dense=dense, join=join
            )
        )

    def upsert(self, sentences: Sentences, *, workers: int | None = None, dense: Any = None) -> None:
        """Add sentences, in place of those whose ids are there already."""
        self.add(sentences, overwrite=True, workers=workers, dense=dense)

    def remove(self, ids: Collection[Identifier] | Identifier, *, strict: bool = True) -> int:
        """Remove sentences by their ids, or all sentences of documents by theirs; return how many went.

        An id that is not there is an error, and nothing is removed; without `strict` the others go, with a warning.
        """
        names = [ids] if isinstance(ids, str | int) else list(ids)
        before = self._snapshot.count
        self._change(lambda now: with_removed(now, names, strict=strict))
        return before - self._snapshot.count

    def get(self, name: Identifier) -> dict[str, Any]:
        """Return a sentence by its id: its text, its number of tokens and its metadata."""
        for segment, rows in self._snapshot.find([name]).items():
            for row in rows.tolist():
                kept = self._snapshot.segments[segment]
                if kept.identifiers[row] == name:
                    known = {"id": name, "text": kept.texts[row], "tokens": int(kept.lengths[row])}
                    return {**known, **record_of(kept.columns, row)}
        raise OptionError(f"no sentence has the id {name!r}")

    def update(self, name: Identifier, **columns: Any) -> None:
        """Change some columns of a sentence's metadata and leave the others as they are; None takes a column away."""
        record = self.get(name)
        text = record["text"]
        metadata = {k: v for k, v in record.items() if k not in {"id", "text", "tokens"}} | columns
        self.add([(name, text, {k: v for k, v in metadata.items() if v is not None})], overwrite=True)

    def facets(self, column: str, where: Where | None = None) -> dict[Any, int]:
        """Count sentences by the values of a column, the commonest first; each entry of a list counts."""
        columns, database = self._snapshot.columns, self._snapshot.database
        if column not in columns:
            raise OptionError(f"no metadata {column!r}; there are {', '.join(columns) or 'none'}")
        kept = np.ones(len(database), dtype=bool) if database.alive is None else database.alive.copy()
        if where is not None:
            kept &= matching_rows(where, columns, len(database))
        codes = columns[column].codes[kept]
        counts = np.bincount(codes[codes >= 0], minlength=len(columns[column].values)).tolist()
        found: Counter[Any] = Counter()
        for value, count in zip(columns[column].decoded(), counts, strict=True):
            for entry in value if isinstance(value, list) else [value]:
                if count:
                    found[entry if isinstance(entry, Hashable) else str(entry)] += count
        return dict(found.most_common())

    def as_written(self, names: Collection[str]) -> list[Identifier]:
        """Return the ids that texts stand for, as on a command line: a string if there is such an id, or a number."""
        return as_written(self._snapshot, names)

    def compact(self) -> None:
        """Make one segment of all and let go of what was removed."""
        if self._path is None:
            segment = self._snapshot.compacted()
            self._snapshot = Snapshot(
                {"s": segment}, {}, self._snapshot.source, self._snapshot.settings, self._snapshot.next_number
            )
            return
        with locked(self._path):
            self.refresh()
            save_snapshot(self._path, self._snapshot)
            self._reopen(self._path)

    def _change(self, make: Callable[[Snapshot], Snapshot]) -> None:
        if self._path is None:
            self._snapshot = make(self._snapshot)
            return
        with locked(self._path):
            self.refresh()  # another process may have written since
            new = make(self._snapshot)
            write_change(self._path, self._snapshot, new)
            # From here on the change counts, and nothing may say otherwise: what is in memory answers as well.
            try:
                self._reopen(self._path)
            except StorageError:
                self._snapshot = in_memory(new)

    # ---- searching

    def search(
        self,
        query: str,
        method: str | None = None,
        *,
        mode: str | None = None,
        where: Where | None = None,
        distinct: bool | None = None,
        dense: Any = AUTO,
        context: int = 0,
        syntax: bool = True,
        offset: int = 0,
        **options: Any,
    ) -> Suggestions:
        """Return the best sentences for a query, which may be a whole document, best first.

        `mode="related"`, the default, ranks; `mode="varied"` is set cover, for sentences that are like the query and
        unlike each other; "interleaved" takes turns between set cover and average. `method` names any method instead.
        `options` are those of `SearchOptions`: top, r, rho, weighting, keep, min_tokens, max_tokens, near_copy.
        `where` filters by metadata (see `lexicloud.search.filters`). With `distinct`, of sentences with the same text
        one is suggested; `related` keeps copies by default. Sentence embeddings are joined with the words where the
        index keeps some; `dense=None` does without, and a model, the query's vector, or (matrix, vector) takes their
        place. `context` adds so many sentences before and after each find.

        A short query may say more than words: "a phrase", +must, -not, column:value, prefix* (`syntax=False`: words
        alone). What was understood, and why an answer is empty, is in its `notes`. `offset` leaves out so many of the
        best, for the next page.
        """
        options = search_options(options)
        if offset:
            options = {**options, "top": _whole(offset) + options.get("top", SearchOptions.top)}
        snapshot, chosen = self._snapshot, _options(chosen_method(method, mode, options), options)
        ask = _Ask(snapshot, _view(snapshot, where, distinct, chosen), chosen, dense, context, syntax)
        found = ask.answer(query)
        return found.with_items(found[offset:]) if offset else found

    def search_many(
        self,
        queries: Iterable[str],
        method: str | None = None,
        *,
        mode: str | None = None,
        where: Where | None = None,
        distinct: bool | None = None,
        dense: Any = AUTO,
        context: int = 0,
        syntax: bool = True,
        workers: int | None = None,
        **options: Any,
    ) -> list[Suggestions]:
        """Answer many queries in parallel threads, in their order; see `search`."""
        from concurrent.futures import ThreadPoolExecutor

        workers, options = workers or os.cpu_count() or 1, search_options(options)

        if isinstance(queries, str):
            raise OptionError(
                "search_many takes a list of queries, not one string: use search, or write [query]"
            )
        snapshot, chosen = self._snapshot, _options(chosen_method(method, mode, options), options)
        ask = _Ask(snapshot, _view(snapshot, where, distinct, chosen), chosen, dense, context, syntax)
        queries = list(queries)
        size = 1 if not ask.in_batches else max(1, min(_BATCH, -(-len(queries) // (2 * workers))))
        batches = [queries[i : i + size] for i in range(0, len(queries), size)]
        with ThreadPoolExecutor(workers) as pool:
            answers = chain.from_iterable(pool.map(ask.answers, batches))
            return list(track(answers, "searching", len(queries)))

    def prepare(self) -> None:
        """Make the compiled loops ready, which takes seconds where they never ran: for who will ask many queries.

        Without it they are made ready beside the first queries, which do without until then.
        """
        prepare(self._snapshot.database)

    def query(self, text: str) -> Query:
        """Return a query as the methods see it."""
        return read_query(text, self.database, self._snapshot.source.embed)

    @property
    def database(self) -> Database:
        """The sentences as the methods see them, of repeated ones the first."""
        return self._snapshot.distinct

    # ---- what it is

    def __len__(self) -> int:
        return self._snapshot.count

    def __repr__(self) -> str:
        where = f" in {self._path}" if self._path else ""
        return f"<SentenceIndex of {len(self):,} sentences, {self._snapshot.source.name}{where}>"

    def to_dict(self) -> dict[str, Any]:
        """Return what the index holds in numbers; see `info`."""
        return self.info.to_dict()

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each sentence: its id, text, tokens and metadata."""
        import pandas as pd

        return pd.DataFrame([self._record(row) for row in self._living()])

    def _living(self) -> list[int]:
        database = self.database
        rows = np.arange(len(database)) if database.alive is None else np.flatnonzero(database.alive)
        return [int(row) for row in rows]

    def _record(self, row: int) -> dict[str, Any]:
        database = self.database
        known = {
            "id": database.identifiers[row],
            "text": database.texts[row],
            "tokens": int(database.lengths[row]),
        }
        return {**known, **self._snapshot.record(row)}

    def _repr_html_(self) -> str:
        return self.info._repr_html_()  # millions of sentences are no table for a notebook

    @property
    def path(self) -> Path | None:
        """The folder that the index is kept in, if it is."""
        return self._path

    @property
    def schema(self) -> Mapping[str, Any]:
        """Which columns of tables held the text, the id and the metadata when the index was built."""
        return self._snapshot.settings.schema

    @property
    def info(self) -> IndexInfo:
        """What the index holds and what it costs."""
        return describe(self._snapshot, str(self._path) if self._path else None)

    def verify(self) -> list[str]:
        """Read every file again and say what is wrong and in which file; an empty list means all is well."""
        if self._path is None:
            raise BrokenIndex("this index is in memory only: save it before verifying its files")
        return verify_index(self._path)


def _source(
    vectors: WordVectors | str | Path | None, corpus: Corpus | None
) -> tuple[VectorSource, WordLookup]:
    """Return a description of the vectors to build with, and the place to look words up in."""
    if corpus is not None and vectors is None:
        return corpus.lexicon.origin, corpus.lexicon
    loaded = vectors if isinstance(vectors, WordVectors) else load_vectors(vectors)
    named = str(vectors) if isinstance(vectors, str | Path) else None
    if named and Path(named).exists():
        named = str(Path(named).resolve())
    return VectorSource.of(loaded, named), loaded


def _listed(sentences: Any) -> Any:
    """Walk a generator once and for all."""
    return list(sentences) if hasattr(sentences, "__next__") else sentences


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = (path / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _whole(offset: Any) -> int:
    if not isinstance(offset, int) or isinstance(offset, bool) or offset < 0:
        raise OptionError(f"offset = {offset!r}, but it must be a whole number of at least 0")
    return offset


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse what `SentenceIndex.search` would refuse, before there is a query."""
    own = {"method", "mode", "where", "distinct", "dense", "context", "syntax", "offset"}
    options = {name: value for name, value in arguments.items() if name not in own}
    method, where = (
        chosen_method(arguments.get("method"), arguments.get("mode"), options),
        arguments.get("where"),
    )
    _options(method, options)
    if where is not None and not (callable(where) or isinstance(where, Mapping)):
        raise OptionError(f"where is a {type(where).__name__}: give a dict of conditions or a function")


def _options(method: str, options: dict[str, Any]) -> SearchOptions:
    try:
        return _checked_options(method, **options)
    except TypeError:  # a value that cannot be remembered, a list say: refused with a word of explanation
        return _checked_options.__wrapped__(method, **options)


@lru_cache(maxsize=64, typed=True)
def _checked_options(method: str, **options: Any) -> SearchOptions:
    """Check options once: those of a search are mostly those of the one before. 1 and True are not the same."""
    known = [name for name in SearchOptions.__dataclass_fields__ if name != "method"]
    wrong = sorted(set(options) - set(known))
    if wrong:
        raise OptionError(f"no option {', '.join(wrong)} of a search: there are {', '.join(known)}")
    return SearchOptions(method=method, **options)


def _view(snapshot: Snapshot, where: Where | None, distinct: bool | None, options: SearchOptions) -> Database:
    """Return the database cut down to the rows that may be answered with."""
    distinct = options.method != "related" if distinct is None else distinct
    if where is None:
        return snapshot.distinct if distinct else snapshot.database
    database = snapshot.database
    allowed = matching_rows(where, snapshot.columns, len(database))
    among = allowed if database.alive is None else allowed & database.alive
    return database.filtered(allowed, firsts(snapshot.whole.digests, among) if distinct else None)


@dataclass(frozen=True, eq=False)
class _Ask:
    """How queries are answered: by which rows of which snapshot, by which method, and what goes with an answer."""

    snapshot: Snapshot
    database: Database
    options: SearchOptions
    dense: Any = AUTO
    context: int = 0
    syntax: bool = True

    def answer(self, text: str) -> Suggestions:
        """Answer one query, with the signs that it is written with."""
        asked = (
            parse(text, list(self.snapshot.columns))
            if self.syntax and isinstance(text, str)
            else Parsed(text)
        )
        if not asked:
            return self.found(text, self.database, asked.notes)
        mask = meeting(asked, self.database, self.snapshot.columns)
        allowed = mask if self.database.allowed is None else mask & self.database.allowed
        words = expanded(asked, self.database)
        return self.found(words or text, replace(self.database, allowed=allowed), tuple(said_of(asked)), text)

    def found(
        self, words: str, database: Database, notes: Sequence[str] = (), text: str | None = None
    ) -> Suggestions:
        """Rank the rows of a database by words; a slip of the hand is mended, and that is said."""
        query = read_query(words, database, self.snapshot.source.embed)
        slips = corrected(database, query.unknown) if self.syntax and query.unknown else {}
        if slips:
            notes = (
                *notes,
                *(f"no text has “{slip}”: searched for “{meant}”" for slip, meant in slips.items()),
            )
            query = read_query(f"{words} {' '.join(slips.values())}", database, self.snapshot.source.embed)
        answer = self.filled(find(database, query, self.options, self.embeddings(query)))
        if not notes and not slips:
            return answer
        lost = [word for word in answer.unknown if word not in slips]
        return answer.with_items(
            answer, query=text or words, notes=(*notes, *answer.notes), unknown=tuple(lost)
        )

    def answers(self, texts: Sequence[str]) -> list[Suggestions]:
        """Answer several queries."""
        if not self.in_batches:
            return list(map(self.answer, texts))
        embed = self.snapshot.source.embed
        asked = [read_query(text, self.database, embed) for text in texts]
        if self.syntax and any(query.unknown or parse(query.text) != Parsed(query.text) for query in asked):
            return list(map(self.answer, texts))
        return list(map(self.filled, find_many(self.database, asked, self.options)))

    @property
    def in_batches(self) -> bool:
        """Whether several queries are answered in one go."""
        auto = isinstance(self.dense, str) and self.dense == AUTO
        words_alone = (
            self.dense is None or self.dense is False or (auto and not self.database.kept_embeddings[0])
        )
        return self.options.method == "related" and words_alone

    def filled(self, found: Suggestions) -> Suggestions:
        """Add what goes with the rows of an answer."""
        columns = self.snapshot.columns
        if not columns and not self.context:
            return found
        return found.filled(lambda row: self.surroundings(columns, row))

    def embeddings(
        self, query: Query
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]] | StaticEmbeddings | None:
        """Return the embeddings that a ranked search joins with the words."""
        if self.options.method != "related":
            if (
                self.dense is None
                or self.dense is False
                or (isinstance(self.dense, str) and self.dense == AUTO)
            ):
                return None
            raise OptionError(f"dense goes with mode 'related', not with method {self.options.method!r}")
        return embeddings_for(self.database, query, self.dense, self.snapshot.settings.dense)

    def surroundings(self, columns: Mapping[str, Column], row: int) -> dict[str, Any]:
        """Return the metadata of a row, its source's title, and the sentences around it."""
        record = self.snapshot.record(row)
        title = next((str(record[key]) for key in (TITLE, DOCUMENT) if record.get(key) is not None), "")
        return {
            "metadata": record,
            "title": title,
            "context": self.around(record.get(DOCUMENT), columns, row),
        }

    def around(self, document: Any, columns: Mapping[str, Column], row: int) -> tuple[str, ...]:
        """Return the sentences of the same document before and after a row, in order, the row's own among them."""
        if not self.context or document is None:
            return ()
        codes, texts = columns[DOCUMENT].codes, self.database.texts
        near = range(max(0, row - self.context), min(len(codes), row + self.context + 1))
        return tuple(texts[i] for i in near if codes[i] == codes[row])
