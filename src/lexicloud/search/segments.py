"""The state of an index at one moment: its segments, and what was removed from them.

Adding and removing make a new snapshot that shares segments with the one before.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import BrokenIndex, LexicloudError, OptionError, warn
from lexicloud.progress import stage
from lexicloud.search.arrays import Database, Segment, digests_of
from lexicloud.search.filters import Column, columns_of, read_json, record_of
from lexicloud.search.ids import Identifiers
from lexicloud.search.items import DOCUMENT, Items, read_items
from lexicloud.search.merging import concat_segments, is_stale, kept, merge_from
from lexicloud.search.methods.dense import kept_embedder
from lexicloud.search.methods.hybrid import signs_of
from lexicloud.search.postings import count_texts, not_collecting
from lexicloud.search.typed import plain
from lexicloud.search.whole import Whole
from lexicloud.store.bundle import PackedStrings, narrow
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.text.clean import Boilerplate
from lexicloud.vectors.load import VectorSource, WordLookup

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Identifier, Mask
    from lexicloud.search.items import Item, Items
    from lexicloud.search.postings import CutTexts
    from lexicloud.vectors.load import WordLookup

    Sentences = Iterable[Item] | Mapping[Identifier, str] | Corpus | Items


@dataclass(frozen=True)
class Settings:
    """How an index turns its input into sentences; additions are treated as the first sentences were."""

    rules: TokenRules = DEFAULT_RULES
    split: bool = False
    max_tokens: int | None = None  # longer sentences are left out
    boilerplate: Boilerplate | None = None
    dense: str | None = None  # the model of the embeddings that are kept; empty: one without a name
    schema: Mapping[str, Any] = field(default_factory=dict)  # which columns of tables hold what


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Segments by name, each with the rows removed from it, ascending."""

    segments: dict[str, Segment]
    removed: dict[str, NDArray[np.int32]]
    source: VectorSource
    settings: Settings
    next_number: int = 0  # the id that the next sentence without one gets
    # the scores that random queries reach, measured when it was saved
    chance: tuple[float, ...] | None = None

    @property
    def count(self) -> int:
        """The number of sentences that are alive; known without joining the segments."""
        return sum(map(len, self.segments.values())) - sum(map(len, self.removed.values()))

    @cached_property
    def whole(self) -> Segment:
        """All segments as one, without copying them."""
        segments = list(self.segments.values())
        return segments[0] if len(segments) == 1 else Whole(segments)

    def inheriting(self, before: Snapshot | None) -> Snapshot:
        """Take the joined segments over from an earlier snapshot of the same segments, if it has joined them."""
        if before and list(before.segments) == list(self.segments) and "whole" in before.__dict__:
            self.__dict__["whole"] = before.__dict__["whole"]
        return self

    @cached_property
    def alive(self) -> Mask | None:
        """Which rows of the whole were not removed; None: all."""
        if not any(len(rows) for rows in self.removed.values()):
            return None
        return np.concatenate([living(len(s), self.removed.get(name)) for name, s in self.segments.items()])

    @cached_property
    def database(self) -> Database:
        """The view that search methods work on."""
        return Database(
            self.whole, self.source.refinement, self.settings.rules, chance=self.chance, alive=self.alive
        )

    @cached_property
    def distinct(self) -> Database:
        """The database, in which an answer holds no text twice."""
        return self.database.filtered(None, firsts(self.whole.digests, self.alive))

    @property
    def columns(self) -> Mapping[str, Column]:
        """The metadata of the whole."""
        return self.whole.columns

    def record(self, row: int) -> dict[str, Any]:
        """Return the metadata of one sentence."""
        part = self.database.part_of(row)
        return record_of(part.segment.columns, row - part.first)

    def compacted(self) -> Segment:
        """Return what is alive as one segment, the same as a fresh build would make."""
        return kept(concat_segments(list(self.segments.values())), self.alive, self.settings.rules)

    def find(self, names: Collection[Identifier]) -> dict[str, NDArray[np.int32]]:
        """Return the living rows of each segment whose id, or the id of whose document, is among `names`."""
        found, names = {}, plain(list(names))
        for name, segment in self.segments.items():
            rows = segment.identifiers.rows_of(names)
            if DOCUMENT in segment.columns:
                rows = np.union1d(rows, rows_with(segment.columns[DOCUMENT], names))
            rows = np.setdiff1d(rows, self.removed.get(name, np.zeros(0, np.int32)))
            found[name] = rows.astype(np.int32)
        return found

    def without(self, rows: dict[str, NDArray[np.int32]]) -> dict[str, NDArray[np.int32]]:
        """Return the removed rows of each segment, these rows included."""
        none = np.zeros(0, np.int32)
        return {
            name: np.union1d(self.removed.get(name, none), rows.get(name, none)).astype(np.int32)
            for name in self.segments
        }


def living(rows: int, removed: NDArray[np.int32] | None) -> Mask:
    """Return which rows are not removed."""
    alive = np.ones(rows, dtype=bool)
    if removed is not None:
        alive[removed] = False
    return alive


def rows_with(column: Column, values: Collection[object]) -> NDArray[np.int64]:
    """Return the rows whose value is among `values`."""
    wanted = set(values)
    # Code -1, a missing value, points at the last entry.
    return np.flatnonzero(
        np.array([*(v in wanted for v in column.decoded()), False], dtype=bool)[column.codes]
    )


def firsts(digests: NDArray[np.uint64], among: Mask | None) -> Mask | None:
    """Return the first row of each distinct text (among some rows); None if no text is repeated."""
    rows = np.arange(len(digests)) if among is None else np.flatnonzero(among)
    distinct, first = np.unique(digests[rows], return_index=True)
    if len(distinct) == len(rows):
        return None
    mask = np.zeros(len(digests), dtype=bool)
    mask[rows[first]] = True
    return mask


def new_name() -> str:
    """Return a name for a segment that no other segment ever had."""
    return f"s{secrets.token_hex(6)}"


@not_collecting()
def build_segment(
    items: Items,
    vectors: WordLookup,
    rules: TokenRules,
    workers: int | None = None,
    embed: Callable[[Sequence[str], CutTexts], Any] | None = None,
) -> Segment:
    """Count the words and terms of sentences and look their vectors up."""
    read = items.counted
    counted = count_texts(read, rules, workers)
    words, rows, columns, terms = counted.words, counted.by_row, counted.by_word, counted.by_term
    with stage("looking up vectors", None):
        found = vectors.lookup(words)
    texts = PackedStrings.pack(items.texts)
    dense = np.zeros((len(items), 0), np.float32) if embed is None else embed(read, counted.runs)
    return Segment(
        words=PackedStrings.pack(words),
        vectors=found.matrix,
        embedded=found.status > 0,
        stopwords=counted.stopwords,
        punctuation=counted.punctuation,
        df=counted.df,
        indptr=narrow(rows.indptr.astype(np.int64)),
        indices=rows.indices.astype(np.int32),
        counts=rows.data,
        postings_ptr=columns.indptr.astype(np.int64),
        postings=columns.indices.astype(np.int32),
        terms=PackedStrings.pack(counted.terms),
        term_starts=terms.indptr.astype(np.int64),
        term_rows=terms.indices.astype(np.int32),
        term_tf=terms.data,
        term_lengths=counted.term_lengths,
        lengths=items.own_lengths(counted.lengths, lambda texts: count_texts(texts, rules, workers).lengths),
        digests=digests_of(texts),
        dense=dense,
        signs=signs_of(dense),
        texts=texts,
        identifiers=Identifiers.pack(items.identifiers),
        columns=columns_of(items.metadata),
    )


def with_added(
    snapshot: Snapshot,
    sentences: Sentences,
    *,
    vectors: WordLookup | None = None,
    overwrite: bool = False,
    workers: int | None = None,
    dense: Any = None,
    merge: bool = True,
    join: Callable[[Sequence[Segment]], Segment] = concat_segments,
) -> Snapshot:
    """Return the snapshot with one more segment, merged with others where the policy says so.

    `join` makes one segment of several; with `Whole` they are joined only as they are written to disk.

    An id that is there already is an error unless `overwrite` is set.
    """
    raw = read_items(sentences, snapshot.next_number)
    if overwrite:
        raw = replace(raw, identifiers=as_kept(snapshot, raw.identifiers))
    raw.check_distinct()
    removed = _make_room(snapshot, raw.identifiers, overwrite=overwrite)
    items = _prepared(raw, snapshot.settings, sentences)
    if not len(items) and snapshot.segments:
        return replace(snapshot, removed=removed)
    looker = vectors or _vectors(snapshot)
    embed = kept_embedder(dense, snapshot.settings.dense)
    segment = build_segment(items, looker, snapshot.settings.rules, workers, embed)
    if snapshot.settings.max_tokens is not None:
        segment = kept(segment, segment.lengths <= snapshot.settings.max_tokens, snapshot.settings.rules)
    grown = replace(
        snapshot,
        segments={**snapshot.segments, new_name(): segment},
        removed=removed,
        next_number=_next_number(snapshot.next_number, raw),
    )
    return merged(grown, join) if merge else grown


def merged(snapshot: Snapshot, join: Callable[[Sequence[Segment]], Segment] = concat_segments) -> Snapshot:
    """Return the snapshot with its newest segments merged, and stale ones without their removed sentences."""
    living_sizes = [
        len(segment) - len(snapshot.removed.get(name, ())) for name, segment in snapshot.segments.items()
    ]
    first = merge_from(living_sizes)
    segments: dict[str, Segment] = {}
    tail: list[Segment] = []
    for i, (name, segment) in enumerate(snapshot.segments.items()):
        gone = snapshot.removed.get(name, ())
        if i < first and not is_stale(len(segment), len(gone)):
            segments[name] = segment
            continue
        alive = living(len(segment), snapshot.removed.get(name)) if len(gone) else None
        left = kept(segment, alive, snapshot.settings.rules)
        if i < first:
            segments[new_name()] = left
        elif len(snapshot.segments) - first == 1 and left is segment:
            segments[name] = segment
        else:
            tail.append(left)
    if tail:
        some = [s for s in tail if len(s)] or tail[:1]
        segments[new_name()] = some[0] if len(some) == 1 else join(some)
    removed = {name: rows for name, rows in snapshot.removed.items() if name in segments}
    return replace(snapshot, segments=segments, removed=removed)


def in_memory(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with every `Whole` joined into one segment in memory."""
    segments = {
        name: concat_segments(segment.segments) if isinstance(segment, Whole) else segment
        for name, segment in snapshot.segments.items()
    }
    return replace(snapshot, segments=segments)


def _prepared(items: Items, settings: Settings, sentences: Sentences) -> Items:
    """Take boilerplate out and split, as the index was set up to do; a corpus of sentences is split already."""
    if items.prepared:
        return items
    if settings.boilerplate:
        items = items.cleaned(settings.boilerplate)
    split = sentences.parents is None if isinstance(sentences, Corpus) else settings.split
    return items.split(settings.rules) if split else items


def _make_room(
    snapshot: Snapshot, names: Collection[Identifier], *, overwrite: bool
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    there = snapshot.find(names) if snapshot.segments else {}
    if not overwrite and (segment := next((s for s, rows in there.items() if len(rows)), None)):
        name = snapshot.segments[segment].identifiers[int(there[segment][0])]
        count = sum(map(len, there.values()))
        raise OptionError(
            f"{name!r} is in the index already ({count:,} of the new ids are): remove it first, or overwrite it"
        )
    return snapshot.without(there)


def _vectors(snapshot: Snapshot) -> WordLookup:
    try:
        return snapshot.source.load()
    except BrokenIndex:
        raise
    except LexicloudError as error:
        raise BrokenIndex(
            f"the vectors {snapshot.source.name} of this index cannot be loaded ({error}): open it with vectors="
        ) from error


def _next_number(first: int, items: Items) -> int:
    numbers = (name for name in items.identifiers if isinstance(name, int))
    return max(first + len(items), 1 + max(numbers, default=-1))


def with_removed(snapshot: Snapshot, names: Collection[Identifier], *, strict: bool = True) -> Snapshot:
    """Return the snapshot without the sentences (or all sentences of the documents) of these ids."""
    names = as_kept(snapshot, names)
    rows = snapshot.find(names)
    _check_found(snapshot, names, strict=strict)
    left = replace(snapshot, removed=snapshot.without(rows))
    if any(is_stale(len(s), len(left.removed[name])) for name, s in left.segments.items() if len(s)):
        return merged(left)
    return left.inheriting(snapshot)


def ids_there(snapshot: Snapshot, names: Collection[Identifier]) -> set[Identifier]:
    """Return which of some ids living sentences, or documents that were split, have."""
    there: set[Identifier] = set()
    for segment, rows in snapshot.find(names).items():
        own = snapshot.segments[segment]
        there.update(own.identifiers[row] for row in rows.tolist())
        if DOCUMENT in own.columns:
            column = own.columns[DOCUMENT]
            codes = np.unique(column.codes[rows])
            there.update(read_json(column.values[int(code)]) for code in codes[codes >= 0])
    return there


def as_kept(snapshot: Snapshot, names: Collection[Any]) -> list[Any]:
    """Return ids as the index has them: "7" where 7 is asked for and only "7" is there, or the other way round."""
    given: list[Any] = plain(list(names))
    given = [int(name) if isinstance(name, float) and name.is_integer() else name for name in given]
    others = {name: _otherwise(name) for name in given}
    there = ids_there(snapshot, {*others, *others.values()} - {None})
    return [others[name] if name not in there and others[name] in there else name for name in given]


def _otherwise(name: Any) -> Identifier | None:
    """Return a number as text, and a text that spells a number as that number; None for others."""
    if isinstance(name, str):
        return int(name) if _NUMBER.fullmatch(name) else None
    return str(name) if isinstance(name, int) and not isinstance(name, bool) else None


_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})", re.ASCII)


def _check_found(snapshot: Snapshot, names: Collection[Identifier], *, strict: bool) -> None:
    missing = set(names) - ids_there(snapshot, names)
    if missing and not strict:
        listed = sorted(map(str, missing))
        more = f" and {len(listed) - 10:,} more" if len(listed) > 10 else ""
        warn(f"no sentence or document has the id {', '.join(listed[:10])}{more}: the others were removed")
    elif missing:
        first = min(missing, key=str)
        more = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
        raise OptionError(f"no sentence or document has the id {first!r}{more}: nothing was removed")
