"""The sentence index: built from sentences, kept in a folder, searched by any method."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import BrokenIndex, OptionError, StorageError, warn
from lexicloud.presets import search_options
from lexicloud.progress import track
from lexicloud.result import Result, TabularResult, columns_of_rows
from lexicloud.say.blocks import Block, Facts, Sentence, many
from lexicloud.search.candidates import ScoredRow, candidates, ignored_words
from lexicloud.search.fields import (
    field_names,
    fields_of,
    located,
    record_items,
    require_records,
    rows_being,
    rows_of_table,
    same_first,
)
from lexicloud.search.filters import column_kinds, matching_rows, unmet
from lexicloud.search.find import (
    NOWHERE,
    PageOfFinds,
    SearchOptions,
    chosen_method,
    find,
    find_many,
    in_order,
    prepare,
    retold,
    said,
)
from lexicloud.search.items import (
    DOCUMENT,
    LISTED,
    NO_WORDS,
    TITLE,
    Items,
    Suggestions,
    read_items,
    suggested,
    whole_text,
)
from lexicloud.search.merging import concat_segments
from lexicloud.search.methods.dense import AUTO, embeddings_for, model_name
from lexicloud.search.query import USUAL, corrected, meant_by, mended, read_query, read_synonyms
from lexicloud.search.records import (
    Facets,
    Record,
    facets_of,
    flat,
    ids_not_there,
    record_by_id,
    updated_items,
)
from lexicloud.search.segments import (
    Settings,
    Snapshot,
    firsts,
    in_memory,
    with_added,
    with_removed,
)
from lexicloud.search.store import KIND, open_snapshot, save_snapshot, verify_index, write_change
from lexicloud.search.syntax import Parsed, expanded, meeting, parse, said_of, with_words
from lexicloud.search.typed import plain
from lexicloud.search.whole import Whole
from lexicloud.store.bundle import PackedStrings
from lexicloud.store.folder import MANIFEST, check_place, locked
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.text.clean import Boilerplate
from lexicloud.text.language import DETECT
from lexicloud.text.records import read_weights
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.load import VectorSource, WordLookup
from lexicloud.vectors.static_embeddings import NAME, StaticEmbeddings
from lexicloud.words.lexicon import default_vectors, other_language

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Identifier
    from lexicloud.search.filters import Column, Where
    from lexicloud.search.items import Item
    from lexicloud.search.parts import Statistics
    from lexicloud.search.query import Query
    from lexicloud.search.segments import Sentences


_TITLE: Final = 2  # words; a text of more, which is the query, is among the best anyway
_BATCH: Final = 64  # queries that `search_many` answers in one go


@dataclass(frozen=True)
class IndexInfo(Result):
    """The size of an index; `bytes` is the size of its arrays, on disk, and in memory once all of them are read."""

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
    fields: dict[str, int] = field(default_factory=dict)  # the text fields of its records, with their weights
    synonyms: int = 0  # words that have synonyms of the user's own

    @property
    def bytes_per_sentence(self) -> float:
        """The bytes of the index, vocabulary and vectors included, for each sentence."""
        return self.bytes / self.sentences if self.sentences else float(self.bytes)

    @property
    def size(self) -> str:
        """`bytes` in kB, MB or GB."""
        for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
            if self.bytes >= factor:
                return f"{self.bytes / factor:,.1f} {unit}"
        return f"{self.bytes} bytes"

    def blocks(self) -> list[Block]:
        """Return what the index holds and what a sentence costs."""
        removed = f" ({self.removed:,} removed, waiting for compact)" if self.removed else ""
        columns = ", ".join(f"{name} ({kind})" for name, kind in self.kinds.items())
        weighed = ", ".join(f"{name}^{weight}" for name, weight in self.fields.items())
        facts = (
            ("sentences", f"{self.sentences:,}{removed}"),
            *([("text fields", weighed)] if self.fields else []),
            *([("synonyms", f"of {many(self.synonyms, 'word')}")] if self.synonyms else []),
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
        fields=weights if len(weights := read_weights(snapshot.settings.schema.get("text"))) > 1 else {},
        synonyms=len(snapshot.settings.schema.get("synonyms") or ()),
    )


def _warn_of_language(snapshot: Snapshot) -> None:
    """Warn if the vectors are made for another language than the sentences."""
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
        self.first_row = 0  # of a part: see `as_part`

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
        text: str | Sequence[str] | Mapping[str, int] | None = None,
        id: str | None = None,  # noqa: A002 (the column's name)
        meta: Sequence[str] | None = None,
        synonyms: Any = None,
        schema: Mapping[str, Any] | None = None,
        workers: int | None = None,
    ) -> SentenceIndex:
        """Build from strings, (id, text) pairs, (id, text, metadata) triples, dicts with `text`, a mapping or a Corpus.

        Plain strings are numbered. `split` cuts every text into sentences, named `id#0`, `id#1` …, which keep
        the text's id as their metadata `document`; the documents of a Corpus are always split. Sentences of
        more than `max_tokens` are left out. `boilerplate` takes repeated lines, quoted replies and signatures
        out first. `dense` names the sentence embeddings to keep: by default, for English, those that come with the
        package; None for none. Repeated sentences are kept; a search answers with one of them.

        Of records (dicts, or a pandas or Arrow table) `text` names the text fields, with weights where there are
        several: `text={"title": 3, "body": 1}`. `id` names the column of the id, `meta` the columns to keep (all others
        by default). A field may be empty. `synonyms` are the user's own (see `set_synonyms`).
        """
        schema = {
            **(schema or {}),
            **_given(text=text and read_weights(text), id=id, meta=meta and list(meta)),
        }
        if synonyms is not None:
            schema["synonyms"] = read_synonyms(synonyms)
        corpus = sentences if isinstance(sentences, Corpus) else None
        rules = rules or (corpus.rules if corpus else DEFAULT_RULES)
        if not isinstance(sentences, Corpus | str):
            sentences = _listed(sentences, schema, every=True)
        rules = rules if rules.language != DETECT else rules.settled(read_items(sentences).texts)
        if vectors is None and corpus is None:
            vectors = default_vectors(rules.language)
        source, looker = _source(vectors, corpus)
        if boilerplate is True:
            boilerplate = Boilerplate.fit(read_items(sentences).as_lines)
        split = split or (corpus is not None and corpus.parents is None)
        if isinstance(dense, str) and dense == AUTO:
            dense = NAME if rules.language == "english" else None
        settings = Settings(rules, split, max_tokens, boilerplate or None, model_name(dense), schema)
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
        of `build`; the language and the repeated lines are learnt from the first texts. The folder appears when it is
        complete: a build that stops leaves nothing.
        """
        from lexicloud.search.streaming import Growing, limit_of, write_index

        def first(some: list[Item]) -> Snapshot:
            return cls.build(_records_or_items(some), **options)._snapshot  # noqa: SLF001 (our own class)

        def added(now: Snapshot, some: list[Item]) -> Snapshot:
            model = options.get("dense")
            read = _listed(_records_or_items(some, now.next_number), now.settings.schema, now.next_number)
            return with_added(now, read, dense=None if isinstance(model, str) else model, merge=False)

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

    def as_part(self, whole: Statistics, first_row: int = 0) -> SentenceIndex:
        """Return the index as one part of a whole, in which its sentences begin at `first_row`; see `in_parts`."""
        part = SentenceIndex(replace(self._snapshot), self._path)
        part._snapshot.__dict__["whole"] = self._snapshot.whole
        part._snapshot.__dict__["database"] = whole.seen_by(self._snapshot)
        part.first_row = first_row
        return part

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
            self._path, self._seen = path, None
            self._reopen_if_possible(path, self._snapshot)

    def refresh(self) -> bool:
        """Take up what others have added and removed since; return whether there was anything."""
        if self._path is None or _signature(self._path) == self._seen:
            return False
        self._reopen(self._path)
        return True

    def _reopen(self, path: Path) -> None:
        seen = _signature(path)
        self._snapshot, self._path, self._seen = open_snapshot(path, self._snapshot), path, seen

    def _reopen_if_possible(self, path: Path, written: Snapshot) -> None:
        """Open what was written. If that fails, the change is saved all the same: then what is in memory answers."""
        try:
            self._reopen(path)
        except (StorageError, MemoryError):
            self._snapshot = in_memory(written)

    # ---- changing

    def add(
        self, sentences: Sentences, *, overwrite: bool = False, workers: int | None = None, dense: Any = None
    ) -> None:
        """Add sentences in any form that `build` takes; `overwrite` replaces those whose ids are there already.

        `dense` gives their embeddings, where the index keeps some of a model that has no name.
        """
        # On disk, segments are joined as they are written.
        join = concat_segments if self._path is None else Whole

        def change(now: Snapshot) -> Snapshot:
            listed = (
                sentences
                if isinstance(sentences, Corpus | str)
                else _listed(sentences, now.settings.schema, now.next_number)
            )
            return with_added(now, listed, overwrite=overwrite, workers=workers, dense=dense, join=join)

        self._change(change)

    def upsert(self, sentences: Sentences, *, workers: int | None = None, dense: Any = None) -> None:
        """Add sentences, in place of those whose ids are there already."""
        self.add(sentences, overwrite=True, workers=workers, dense=dense)

    def remove(self, ids: Collection[Identifier] | Identifier, *, strict: bool = True) -> int:
        """Remove sentences by their ids, or all sentences of documents by theirs; return how many went.

        An id that is not there is an error, and nothing is removed; without `strict` the others go, with a warning.
        """
        names = _ids(ids)
        before = self._snapshot.count
        self._change(lambda now: with_removed(now, names, strict=strict))
        return before - self._snapshot.count

    def missing(self, ids: Collection[Identifier] | Identifier) -> list[Identifier]:
        """Return which of some ids no sentence and no document has."""
        return ids_not_there(self._snapshot, _ids(ids))

    def get(self, name: Identifier) -> dict[str, Any]:
        """Return a record by its id: its text, its number of tokens, its metadata and its text fields.

        Where there is no id 7, the id "7" is meant, and the other way round; so for `update`, `remove` and `upsert`.
        """
        return flat(self.record(name))

    def record(self, name: Identifier) -> Record:
        """Return the record of `get` as a result, which can be shown."""
        return record_by_id(self._snapshot, name)

    def update(self, name: Identifier, **columns: Any) -> None:
        """Change some columns or text fields of a record and leave the others as they are; None takes one away.

        With the id of a text that was split, all of its sentences change.
        """
        self._change(lambda now: with_added(now, updated_items(now, name, columns), overwrite=True))

    def facets(self, column: str, where: Where | None = None) -> dict[Any, int]:
        """Count sentences by the values of a column, the commonest first; each entry of a list counts."""
        return self.count_values(column, where).counts

    def count_values(self, column: str, where: Where | None = None) -> Facets:
        """Return the counts of `facets` as a result, which can be shown."""
        return facets_of(self._snapshot, column, where)

    def set_synonyms(self, synonyms: Any) -> None:
        """Keep the user's own synonyms, from a file, a dict or lists of words, in place of those kept before.

        A query with a word finds its synonyms too (`related`), and the answer says so; None removes all synonyms.
        """
        read = read_synonyms(synonyms) if synonyms is not None else {}

        def change(now: Snapshot) -> Snapshot:
            schema = {**now.settings.schema, "synonyms": read}
            return replace(now, settings=replace(now.settings, schema=schema)).inheriting(now)

        self._change(change)

    @property
    def synonyms(self) -> dict[str, list[str]]:
        """The user's own synonyms."""
        return dict(self._snapshot.settings.schema.get("synonyms") or {})

    @property
    def fields(self) -> dict[str, int]:
        """The text fields of its records with their weights; none where texts are whole."""
        weights = read_weights(self.schema.get("text"))
        return weights if len(weights) > 1 else {}

    def compact(self) -> None:
        """Merge all segments into one and drop what was removed."""
        if self._path is None:
            segment = self._snapshot.compacted()
            self._snapshot = Snapshot(
                {"s": segment}, {}, self._snapshot.source, self._snapshot.settings, self._snapshot.next_number
            )
            return
        with locked(self._path):
            self.refresh()
            save_snapshot(self._path, self._snapshot)
            self._reopen_if_possible(self._path, self._snapshot)

    def _change(self, make: Callable[[Snapshot], Snapshot]) -> None:
        if self._path is None:
            self._snapshot = make(self._snapshot)
            return
        with locked(self._path):
            self.refresh()  # another process may have written since
            new = make(self._snapshot)
            write_change(self._path, self._snapshot, new)
            self._reopen_if_possible(self._path, new)

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
        sort: str | None = None,
        **options: Any,
    ) -> Suggestions:
        """Return the best sentences for a query, which may be a whole document, best first.

        `mode="related"`, the default, ranks; `mode="varied"` is set cover, for sentences that are like the query and
        unlike each other; "interleaved" takes turns between set cover and average. `method` names any method instead.
        `options` are those of `SearchOptions`: top, r, rho, weighting, keep, own_words, min_tokens, max_tokens and
        near_copy.
        `where` filters by metadata (see `lexicloud.search.filters`). With `distinct`, only one
        of several sentences with the same text is suggested; `related` keeps copies by default. Sentence embeddings are
        joined with the words where the index keeps some; `dense=None` does without, and a model, the query's vector, or
        (matrix, vector) takes their place. `context` adds so many sentences before and after each find.

        A short query may say more than words: "a phrase", +must, -not, column:value, column:>=value, field:word,
        prefix* (`syntax=False`: words alone). What was understood, and why an answer is empty, is in its `notes`.
        `offset` leaves out so many of the best, for the next page. `sort="created"` (or "-created", the last first)
        orders the hundred best finds by a column; a query without words lists all that the filters let through.
        """
        ask = self.asking(
            method,
            mode=mode,
            where=where,
            distinct=distinct,
            dense=dense,
            context=context,
            syntax=syntax,
            offset=offset,
            sort=sort,
            **options,
        )
        return ask.answer(query)

    def asking(
        self,
        method: str | None = None,
        *,
        mode: str | None = None,
        where: Where | None = None,
        distinct: bool | None = None,
        dense: Any = AUTO,
        context: int = 0,
        syntax: bool = True,
        offset: int = 0,
        sort: str | None = None,
        **options: Any,
    ) -> Ask:
        """Check the arguments of `search` once; the `Ask` returned answers queries with them."""
        options = search_options(options)
        snapshot, chosen = self._snapshot, _options(chosen_method(method, mode, options), options)
        page = PageOfFinds(chosen.top, offset, sort)
        if page.asked != chosen.top:
            chosen = replace(chosen, top=page.asked)
        return Ask(
            snapshot, _view(snapshot, where, distinct, chosen), chosen, dense, context, syntax, page, where
        )

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

        workers = workers or os.cpu_count() or 1
        if isinstance(queries, str):
            raise OptionError(
                "search_many takes a list of queries, not one string: use search, or write [query]"
            )
        ask = self.asking(
            method,
            mode=mode,
            where=where,
            distinct=distinct,
            dense=dense,
            context=context,
            syntax=syntax,
            **options,
        )
        queries = list(queries)
        size = 1 if not ask.in_batches else max(1, min(_BATCH, -(-len(queries) // (2 * workers))))
        batches = [queries[i : i + size] for i in range(0, len(queries), size)]
        with ThreadPoolExecutor(workers) as pool:
            answers = chain.from_iterable(pool.map(ask.answers, batches))
            return list(track(answers, "searching", len(queries)))

    def prepare(self) -> None:
        """Load the compiled loops before many queries; where they never ran they are compiled, which takes seconds.

        Without it they are loaded beside the first queries, which use slower loops until then.
        """
        prepare(self._snapshot.database)

    def query(self, text: str) -> Query:
        """Return a query as the methods see it."""
        return read_query(text, self.database, self._snapshot.source.embed)

    @property
    def snapshot(self) -> Snapshot:
        """The segments as they are now, for those who hold parts of an index."""
        return self._snapshot

    def settings_as_options(self) -> dict[str, Any]:
        """Return the options of `build` that make another index treat its texts as this one does."""
        kept = self._snapshot.settings
        named = {"rules": kept.rules, "split": kept.split, "max_tokens": kept.max_tokens}
        more = {"boilerplate": kept.boilerplate or False, "dense": kept.dense}
        return {**named, **more, "vectors": self._snapshot.source.name}

    @property
    def database(self) -> Database:
        """The sentences as the methods see them; of repeated sentences only the first."""
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

    def to_columns(self) -> dict[str, Any]:
        """Return the id, text, tokens and metadata of each sentence."""
        return columns_of_rows(self.records())

    def records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each sentence: its id, text, tokens, metadata and text fields."""
        return [record for _, record in self.rows()]

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield each living sentence: its number in the database, and its dictionary as in `records`."""
        database = self.database
        for row in range(len(database)):
            if database.alive is None or database.alive[row]:
                yield row, self._row(row)

    def _row(self, row: int) -> dict[str, Any]:
        database, names = self.database, field_names(self.schema)
        text = database.texts[row]
        known = {
            "id": database.identifiers[row],
            "text": whole_text(text),
            "tokens": int(database.lengths[row]),
        }
        return {**known, **self._snapshot.record(row), **fields_of(text, names)}

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


def _listed(sentences: Any, schema: Mapping[str, Any], first: int = 0, *, every: bool = False) -> Any:
    """Read a generator into a list; where the index has columns of text, read records by these columns."""
    if isinstance(sentences, Items):
        require_records(sentences, field_names(schema))
        return sentences
    rows = rows_of_table(sentences)
    rows = list(rows) if hasattr(rows, "__next__") else rows
    if not (every and schema.get("text")) and not field_names(schema) and not _by_column(rows, schema):
        return rows
    return record_items(rows, schema, first, every=every)


def _records_or_items(some: list[Item], first: int = 0) -> Any:
    """Leave records to be read by the columns that the index was built with; read texts as they are."""
    return some if all(isinstance(one, Mapping) for one in some) else read_items(some, first)


def _by_column(rows: Any, schema: Mapping[str, Any]) -> bool:
    """Tell whether all of some rows have the one column of text that an index was built with."""
    (column,) = read_weights(schema.get("text")) or [None]
    if column is None or isinstance(rows, Mapping) or not rows:
        return False
    return all(isinstance(row, Mapping) and column in row for row in rows)


def _ids(given: Any) -> list[Any]:
    """Return several ids as a list, and one as a list of it."""
    one = plain(given)
    return [one] if isinstance(one, str | int) else list(given)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        status = (path / MANIFEST).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def opened(index: Any) -> Any:
    """Return an index, opened if its folder is given; refuse what cannot be searched."""
    if isinstance(index, str | Path):
        return SentenceIndex.open(index)
    if not hasattr(index, "search"):
        raise OptionError(f"index is a {type(index).__name__}: give a SentenceIndex, or the folder of one")
    return index


def check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse what `SentenceIndex.search` would refuse, before there is a query."""
    own = {"method", "mode", "where", "distinct", "dense", "context", "syntax", "offset", "sort"}
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
    except TypeError:  # a value that cannot be hashed, such as a list: the check says what is wrong with it
        return _checked_options.__wrapped__(method, **options)


@lru_cache(maxsize=64, typed=True)
def _checked_options(method: str, **options: Any) -> SearchOptions:
    """Check options once: most searches repeat the options of the one before. `typed` tells 1 from True."""
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
class Ask:
    """How queries are answered: by which rows of which snapshot, by which method, and what goes with an answer.

    `find` looks the query up; a part of an index (see `lexicloud.cluster`) has one of its own.
    """

    snapshot: Snapshot
    database: Database
    options: SearchOptions
    dense: Any = AUTO
    context: int = 0
    syntax: bool = True
    page: PageOfFinds | None = None
    where: Where | None = None
    find: Callable[..., Suggestions] = find

    def answer(self, text: str) -> Suggestions:
        """Answer one query, written in the search syntax or in plain words."""
        asked = self.parsed(text)
        database = self.database
        signs = asked != Parsed(text)
        if signs and (own := self.itself(text)):
            return own
        if asked:
            mask = meeting(asked, database, self.snapshot.columns, self.searched)
            allowed = mask if database.allowed is None else mask & database.allowed
            database = replace(database, allowed=allowed)
        words = expanded(asked, database) if signs else text
        notes = tuple(said_of(asked, self.searched))
        if isinstance(words, str) and not words.strip() and (asked or asked.everything or self.lists):
            return self.listed(database, text, notes)
        if signs and notes and not words.strip():
            raise OptionError(notes[0])  # nothing is left to look for
        found = self.found(words, database, notes, text)
        if not found and self.says_nothing(words, database):
            if asked:
                return self.listed(database, text, notes)
            if len(words.split()) > 1 and (rows := with_words(database, words)).any():
                said = "the query has stop words alone: these texts have them one after the other"
                return self.listed(replace(database, allowed=rows), text, (*notes, said))
        return self.page.of(found, self.snapshot.columns) if self.page else found

    def says_nothing(self, words: str, database: Database) -> bool:
        """Tell whether there are stop words and punctuation alone to rank by, as in the phrase "to be or not"."""
        query = read_query(words, database, self.snapshot.source.embed)
        ignored = ignored_words(database)[query.ids]
        return bool(ignored.all()) and not bool(query.unknown_content.any())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The text fields of the index."""
        return field_names(self.snapshot.settings.schema)

    @cached_property
    def searched(self) -> tuple[str, ...]:
        """The text columns that a query may name: the fields, or the one column that the texts were read from."""
        return self.names or tuple(read_weights(self.snapshot.settings.schema.get("text")))

    def itself(self, text: str) -> Suggestions | None:
        """Return the answer by words alone if a text is exactly the query, signs included; otherwise None."""
        if self.options.method != "related" or not text.strip():
            return None
        if not self.names and not self.database.may_hold(text):
            return None
        found = replace(self, syntax=False).found(text, self.database)
        if not any(one.same for one in found):
            return None
        return self.page.of(found, self.snapshot.columns) if self.page else found

    @property
    def lists(self) -> bool:
        """Whether a query without words asks for something: the rows that a filter allows, or an order."""
        sort = self.page.sort if self.page else None
        return self.database.allowed is not None or sort is not None

    def parsed(self, text: str) -> Parsed:
        """Take a query apart."""
        if not self.syntax or not isinstance(text, str):
            return Parsed(text)
        ids = {"id", self.snapshot.settings.schema.get("id") or "id"}
        return parse(text, [*self.snapshot.columns, *self.searched, *ids], self.searched)

    def listed(self, database: Database, text: str, notes: tuple[str, ...]) -> Suggestions:
        """Return what the filters let through, by the column asked for or in the order of the index."""
        page = self.page or PageOfFinds(self.options.top)
        mask = candidates(database, self.options)
        rows = np.flatnonzero(mask).tolist()
        order = "in the order of the index"
        if page.sort is not None:
            rows = [rows[i] for i in in_order(self.snapshot.columns, page.sort, rows)]
            order = said(page.sort)
        if not rows and self.where is not None:
            notes = (*notes, *unmet(self.where, self.snapshot.columns))
        notes = (*notes, f"{NO_WORDS}: {many(len(rows), 'text')}, {order}")
        some = rows[page.offset : page.offset + page.top]
        items = [suggested(database, ScoredRow(row, 0.0, ()), LISTED) for row in some]
        return self.filled(Suggestions(items, query=text, method=LISTED, notes=notes, ranked=False))

    def found(
        self, words: str, database: Database, notes: Sequence[str] = (), text: str | None = None
    ) -> Suggestions:
        """Rank the rows of a database by words; notes name the typing errors corrected and the synonyms used."""
        query = read_query(words, database, self.snapshot.source.embed)
        meant = meant_by(words, self.snapshot.settings.schema.get("synonyms") or {}, database.rules)
        lost = [word for word in query.unknown if word not in meant] if self.syntax else []
        real = self.snapshot.source.usual(lost, USUAL)
        slips = corrected(database, [word for word in lost if word not in real])
        notes = (
            *notes,
            *(f"no text has “{slip}”: searched for “{right}”" for slip, right in slips.items()),
            *(
                f"“{word}” also stands for {', '.join(f'“{o}”' for o in others)}"
                for word, others in meant.items()
            ),
        )
        if slips:
            query = read_query(mended(words, slips), database, self.snapshot.source.embed)
        query = replace(query, synonyms=meant) if meant else query
        answer = self.ranked(database, query)
        if not answer and self.where is not None:
            notes = (*notes, *unmet(self.where, self.snapshot.columns))
        if not notes:
            return answer
        left = tuple(word for word in answer.unknown if word not in slips)
        told = [note for note in answer.notes if left or not note.startswith(NOWHERE)]
        return answer.with_items(answer, query=text or words, notes=(*notes, *told), unknown=left)

    def ranked(self, database: Database, query: Query, found: Suggestions | None = None) -> Suggestions:
        """Rank the rows of a database; texts that are the query, and records with such a title, come first."""
        if found is None:
            found = self.find(database, query, self.options, self.embeddings(query))
        answer = self.filled(found)
        if self.options.method != "related" or self.options.near_copy:
            return answer
        if not self.names and answer and (answer[0].same or len(query.text.split()) > _TITLE):
            return answer
        among = candidates(database, self.options)
        rows = rows_being(database, query, among, records=bool(self.names))[: self.options.top]
        return self.with_first(answer, rows, database, query) if rows else answer

    def with_first(
        self, answer: Suggestions, rows: list[int], database: Database, query: Query
    ) -> Suggestions:
        """Put some rows, which are the query, before the others of an answer."""
        known = {one.row: one for one in answer}
        if known and not known.keys() >= set(rows):
            only = np.zeros(len(database), dtype=bool)
            only[rows] = True
            those = replace(database, allowed=only)
            more = self.filled(self.find(those, query, self.options, self.embeddings(query)))
            known |= {one.row: one for one in more}
        # Stop words alone have no score.
        bare = [suggested(database, ScoredRow(row, 0.0, ()), "related") for row in rows]
        own = [known.get(one.row) or self.filled(answer.with_items([one]))[0] for one in bare]
        first = [one.known(same=True, weak=None if one.weak is None else False) for one in own]
        items = [*first, *(one for one in answer if one.row not in set(rows))][: self.options.top]
        return answer.with_items(items, notes=retold(answer, items, self.options.top))

    def answers(self, texts: Sequence[str]) -> list[Suggestions]:
        """Answer several queries."""
        if not self.in_batches:
            return list(map(self.answer, texts))
        embed = self.snapshot.source.embed
        asked = [read_query(text, self.database, embed) for text in texts]
        plain = [self.parsed(query.text) == Parsed(query.text) for query in asked]
        if self.snapshot.settings.schema.get("synonyms") or (
            self.syntax and not (all(plain) and not any(query.unknown for query in asked))
        ):
            return list(map(self.answer, texts))
        found = find_many(self.database, asked, self.options)
        told = [self.ranked(self.database, query, one) for query, one in zip(asked, found, strict=True)]
        return [one or self.answer(text) for one, text in zip(told, texts, strict=True)]

    @property
    def in_batches(self) -> bool:
        """Whether several queries are answered in one go."""
        auto = isinstance(self.dense, str) and self.dense == AUTO
        words_alone = (
            self.dense is None or self.dense is False or (auto and not self.database.kept_embeddings[0])
        )
        return self.options.method == "related" and words_alone

    def filled(self, found: Suggestions) -> Suggestions:
        """Add metadata, title, context and text fields to the finds of an answer."""
        columns, names = self.snapshot.columns, self.names
        if not columns and not self.context and not names:
            return found
        rules = self.database.rules
        locate = (lambda reasons, fields: located(reasons, fields, rules)) if names else None
        known = found.filled(
            lambda row: {**self.surroundings(columns, row), "_names": names, "_locate": locate}
        )
        return same_first(known) if names and self.options.method == "related" else known

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
