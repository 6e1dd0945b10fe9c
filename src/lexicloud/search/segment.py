"""Segments: sentences that were added together, complete in themselves, and how several become one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.packed import PackedStrings, narrow
from lexicloud.search.database import Database, living_df
from lexicloud.search.filters import Column, join_columns, keep_rows, read_json
from lexicloud.search.soundness import require_sound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.database import Identifier, Mask
    from lexicloud.text import TokenRules
    from lexicloud.vectors.refine import Refinement

    # Where runs begin, rows, and frequencies where they are kept.
    Postings = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any] | None]

# A search by halving costs some 10 µs, a dict of 60,000 words some 15 ms: who has asked so often will ask again.
_WARM: Final = 300


class WordIds(Mapping[str, int]):
    """Word → number over packed strings that are in the order of their UTF-8 bytes.

    The first look-ups halve their way through the bytes, so that opening costs nothing; who asks for many gets a dict.
    """

    def __init__(self, words: PackedStrings) -> None:
        self._words = words
        self._asked = 0
        self._ids: dict[str, int] | None = None

    def __getitem__(self, word: str) -> int:
        if self._ids is None:
            self._asked += 1
            if self._asked <= _WARM:
                return self._halve(word)
            self.read_all()
        return self._ids[word]  # type: ignore[index]

    def read_all(self) -> None:
        """Make the dict now: many look-ups are to come."""
        if self._ids is None:
            self._ids = {w: i for i, w in enumerate(self._words.to_list())}

    def get(self, word: str, default: Any = None) -> Any:
        """Return a word's number, or the default; without the detour of the inherited method once there is a dict."""
        return super().get(word, default) if self._ids is None else self._ids.get(word, default)

    def _halve(self, word: str) -> int:
        wanted = word.encode("utf-8", "surrogatepass")
        blob, offsets = self._words.blob, self._words.offsets
        low, high = 0, len(self._words)
        while low < high:
            middle = (low + high) // 2
            if blob[offsets[middle] : offsets[middle + 1]].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        if low == len(self._words) or blob[offsets[low] : offsets[low + 1]].tobytes() != wanted:
            raise KeyError(word)
        return low

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


class Identifiers(Sequence["Identifier"]):
    """Numbers that follow each other, numbers in an array, or a mix of numbers and strings as packed JSON."""

    __slots__ = ("packed",)

    def __init__(self, packed: range | NDArray[np.int64] | PackedStrings) -> None:
        self.packed = packed

    @classmethod
    def pack(cls, identifiers: Sequence[Identifier]) -> Identifiers:
        """Choose the smaller way to keep these."""
        kinds = set(map(type, identifiers))
        wrong = kinds - {int, str}
        if wrong:
            raise OptionError(f"an id is a string or a whole number, not a {next(iter(wrong)).__name__}")
        if kinds <= {int}:
            try:
                return cls(_in_a_row(np.array(identifiers, dtype=np.int64)))
            except OverflowError:
                pass  # longer than 64 bits: kept as text
        return cls(PackedStrings.pack(list(map(as_json, identifiers))))

    def __len__(self) -> int:
        return len(self.packed)

    @overload
    def __getitem__(self, i: int) -> Identifier: ...
    @overload
    def __getitem__(self, i: slice) -> list[Identifier]: ...
    def __getitem__(self, i: int | slice) -> Identifier | list[Identifier]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if isinstance(self.packed, PackedStrings):
            name: Identifier = read_json(self.packed[i])
            return name
        return int(self.packed[i])

    def to_list(self) -> list[Identifier]:
        """Decode everything at once."""
        if isinstance(self.packed, PackedStrings):
            # One call for all is ten times faster than one for each.
            names: list[Identifier] = read_json(f"[{','.join(self.packed.to_list())}]")
            return names
        return list(self.packed) if isinstance(self.packed, range) else self.packed.tolist()

    def take(self, rows: NDArray[np.int64]) -> Identifiers:
        """Return some of them."""
        if isinstance(self.packed, PackedStrings):
            return Identifiers(self.packed.take(rows))
        return Identifiers(_in_a_row(self._numbers().take(rows)))

    def _numbers(self) -> NDArray[np.int64]:
        assert not isinstance(self.packed, PackedStrings)
        return np.asarray(self.packed, dtype=np.int64)

    def rows_of(self, names: Collection[Identifier]) -> NDArray[np.int64]:
        """Return the rows that have one of some names, ascending."""
        if isinstance(self.packed, PackedStrings):
            wanted = set(map(as_json, names))
            return np.array(
                [i for i, text in enumerate(self.packed.to_list()) if text in wanted], dtype=np.int64
            )
        numbers = [name for name in names if isinstance(name, int) and abs(name) < 2**63]
        if isinstance(self.packed, range):
            return np.array(sorted({n - self.packed.start for n in numbers if n in self.packed}), np.int64)
        return np.flatnonzero(np.isin(self.packed, np.array(numbers, dtype=np.int64)))

    @classmethod
    def join(cls, parts: Sequence[Identifiers]) -> Identifiers:
        """Put several one below the other."""
        if len(parts) == 1:
            return parts[0]
        if not any(isinstance(part.packed, PackedStrings) for part in parts):
            return cls(_in_a_row(np.concatenate([part._numbers() for part in parts])))  # noqa: SLF001
        return cls(PackedStrings.join([part.as_strings() for part in parts]))

    def as_strings(self) -> PackedStrings:
        """Return all of them as packed JSON."""
        if isinstance(self.packed, PackedStrings):
            return self.packed
        return PackedStrings.pack(list(map(str, self.packed)))


def _in_a_row(numbers: NDArray[np.int64]) -> range | NDArray[np.int64]:
    """Return numbers as a range where each is one more than the one before."""
    if len(numbers) and bool((np.diff(numbers) == 1).all()):
        return range(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers


def as_json(name: Identifier) -> str:
    """Write a name as JSON."""
    return encode_basestring(name) if isinstance(name, str) else str(name)


# What a segment keeps in arrays: name → (type, number of dimensions).
OF_WORDS: Final = {
    "vectors": ("float32", 2),
    "embedded": ("bool", 1),
    "stopwords": ("bool", 1),
    "punctuation": ("bool", 1),
}
OF_SENTENCES: Final = {
    "lengths": ("int32", 1),
    "term_lengths": ("uint8", 1),
    "digests": ("uint64", 1),
    "dense": ("float32", 2),
}
ARRAYS: Final = {
    **OF_WORDS,
    **OF_SENTENCES,
    "df": ("int32", 1),
    "indptr": ("uint32|int64", 1),
    "indices": ("int32", 1),
    "counts": ("uint8|uint16", 1),
    "postings_ptr": ("int64", 1),
    "postings": ("int32", 1),
    "term_starts": ("int64", 1),
    "term_rows": ("int32", 1),
    "term_tf": ("uint8", 1),
}
# The nearest words of every word, kept by an index that was saved as one segment; a segment has all of these or none.
NEAREST: Final = {
    "refined_ids": ("int32", 2),
    "refined_distances": ("float32", 2),
    "raw_ids": ("int32", 2),
    "raw_distances": ("float32", 2),
}


@dataclass(frozen=True, eq=False)
class Segment:
    """Sentences and their vocabulary; see `Database` for what the arrays hold."""

    words: PackedStrings
    vectors: NDArray[np.float32]
    embedded: Mask
    stopwords: Mask
    punctuation: Mask
    df: NDArray[np.int32]
    indptr: NDArray[np.int64] | NDArray[np.uint32]
    indices: NDArray[np.int32]
    counts: NDArray[np.uint16] | NDArray[np.uint8]
    postings_ptr: NDArray[np.int64]
    postings: NDArray[np.int32]
    terms: PackedStrings
    term_starts: NDArray[np.int64]
    term_rows: NDArray[np.int32]
    term_tf: NDArray[np.uint8]
    term_lengths: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    digests: NDArray[np.uint64]  # a hash of each text, by which repeated sentences are told
    dense: NDArray[np.float32]
    texts: PackedStrings
    identifiers: Identifiers
    columns: Mapping[str, Column] = field(default_factory=dict)
    nearest: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def nbytes(self) -> int:
        """The size of all arrays together."""
        names = self.identifiers.packed
        packed = [self.words, self.terms, self.texts, *(column.values for column in self.columns.values())]
        plain: list[NDArray[Any]] = [getattr(self, name) for name in ARRAYS]
        plain += [*self.nearest.values(), *(column.codes for column in self.columns.values())]
        if isinstance(names, PackedStrings):
            packed.append(names)
        elif not isinstance(names, range):
            plain.append(names)
        return sum(p.blob.nbytes + p.offsets.nbytes for p in packed) + sum(a.nbytes for a in plain)


def as_database(
    segment: Segment,
    alive: Mask | None,
    rules: TokenRules,
    refinement: Refinement,
    chance: tuple[float, ...] | None = None,
) -> Database:
    """Return the view that search methods work on; nothing is copied, and nothing is read."""
    shared: dict[str, Any] = {name: getattr(segment, name) for name in ARRAYS if name != "df"}
    return Database(
        words=segment.words,
        ids=WordIds(segment.words),
        terms=segment.terms,
        term_ids=WordIds(segment.terms),
        df_of_all=segment.df,
        refinement=refinement,
        chance=chance,
        nearest=segment.nearest if alive is None else {},  # a word may have lost its neighbours
        texts=segment.texts,
        identifiers=segment.identifiers,
        rules=rules,
        alive=alive,
        **shared,
    )


# ---- joining


def concat_segments(segments: Sequence[Segment]) -> Segment:
    """Put segments one below the other over the union of their vocabularies."""
    if len(segments) == 1:
        return segments[0]
    for segment in segments:
        require_sound(segment)
    words, maps = _union([segment.words for segment in segments])
    terms, term_maps = _union([segment.terms for segment in segments])
    of_words: dict[str, Any] = {
        name: _join_words([getattr(s, name) for s in segments], maps, len(words)) for name in OF_WORDS
    }
    of_sentences: dict[str, Any] = {
        name: np.concatenate([getattr(s, name) for s in segments]) for name in OF_SENTENCES
    }
    rows = list(map(len, segments))
    by_word = [(s.postings_ptr, s.postings, None) for s in segments]
    by_term = [(s.term_starts, s.term_rows, s.term_tf) for s in segments]
    postings_ptr, postings, _ = _join_postings(by_word, rows, maps, len(words))
    term_starts, term_rows, term_tf = _join_postings(by_term, rows, term_maps, len(terms))
    df = np.zeros(len(words), np.int32)
    for numbers, segment in zip(maps, segments, strict=True):
        df[numbers] += segment.df
    return Segment(
        words=words,
        **of_words,
        **of_sentences,
        terms=terms,
        term_starts=term_starts,
        term_rows=term_rows,
        term_tf=np.zeros(0, np.uint8) if term_tf is None else term_tf,
        df=df,
        indptr=narrow(_pointers(np.concatenate([np.diff(s.indptr) for s in segments]))),
        indices=np.concatenate([m[s.indices] for m, s in zip(maps, segments, strict=True)]),
        counts=np.concatenate([s.counts for s in segments]),
        postings_ptr=postings_ptr,
        postings=postings,
        texts=PackedStrings.join([s.texts for s in segments]),
        identifiers=Identifiers.join([s.identifiers for s in segments]),
        columns=join_columns([(s.columns, len(s)) for s in segments]),
    )


def _union(lists: Sequence[PackedStrings]) -> tuple[PackedStrings, list[NDArray[np.int32]]]:
    """Return the union of sorted lists, sorted, and where the entries of each have gone."""
    decoded = [strings.to_list() for strings in lists]
    union = sorted(set().union(*decoded))
    numbers = {string: i for i, string in enumerate(union)}
    return PackedStrings.pack(union), [np.array([numbers[s] for s in own], dtype=np.int32) for own in decoded]


def _pointers(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each run begins, and at last where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _join_words(parts: Sequence[NDArray], maps: Sequence[NDArray[np.int32]], size: int) -> NDArray:  # type: ignore[type-arg]
    """Spread what each segment knows of its words over the union of words."""
    out = np.zeros((size, *parts[0].shape[1:]), dtype=parts[0].dtype)
    for part, numbers in zip(parts, maps, strict=True):
        out[numbers] = part
    return out


def _join_postings(
    lists: Sequence[Postings], sizes: Sequence[int], maps: Sequence[NDArray[np.int32]], words: int
) -> Postings:
    """For every word, the postings of the first segment, then those of the second, and so on.

    `sizes` says how many sentences each segment has, `maps` where its words are in the union of `words`.
    """
    runs = np.zeros((len(lists), words), dtype=np.int64)
    for part, (own, _, _), numbers in zip(runs, lists, maps, strict=True):
        part[numbers] = np.diff(own)
    pointers = _pointers(runs.sum(axis=0))
    starts = pointers[:-1] + np.cumsum(runs, axis=0) - runs
    rows = np.empty(pointers[-1], dtype=np.int32)
    frequencies = None if lists[0][2] is None else np.empty(pointers[-1], dtype=lists[0][2].dtype)
    first = 0
    for start, (own, own_rows, tf), numbers, size in zip(starts, lists, maps, sizes, strict=True):
        places = np.arange(len(own_rows)) + np.repeat(start[numbers] - own[:-1], np.diff(own))
        rows[places] = own_rows + np.int32(first)
        if frequencies is not None:
            frequencies[places] = tf
        first += size
    return pointers, rows, frequencies


# ---- cutting down


def kept(segment: Segment, alive: Mask | None, rules: TokenRules) -> Segment:
    """Return a segment without its removed sentences, and without the words that only they had."""
    if alive is None or bool(alive.all()):
        return segment
    require_sound(segment)
    rows = np.flatnonzero(alive)
    df = living_df(segment.df, segment.texts, WordIds(segment.words), alive, rules)
    words, word_numbers = np.flatnonzero(df), np.cumsum(df > 0, dtype=np.int32) - 1
    postings_ptr, postings, _ = _keep_postings((segment.postings_ptr, segment.postings, None), alive, words)
    terms = np.flatnonzero(_count_between(alive[segment.term_rows], segment.term_starts))
    term_starts, term_rows, term_tf = _keep_postings(
        (segment.term_starts, segment.term_rows, segment.term_tf), alive, terms
    )
    tokens = np.repeat(alive, np.diff(segment.indptr))
    of_words: dict[str, Any] = {name: getattr(segment, name)[words] for name in OF_WORDS}
    of_sentences: dict[str, Any] = {name: getattr(segment, name)[rows] for name in OF_SENTENCES}
    return Segment(
        words=segment.words.take(words),
        **of_words,
        **of_sentences,
        df=df[words],
        indptr=narrow(_pointers(np.diff(segment.indptr)[rows])),
        indices=word_numbers[segment.indices[tokens]].astype(np.int32),
        counts=segment.counts[tokens],
        postings_ptr=postings_ptr,
        postings=postings,
        terms=segment.terms.take(terms),
        term_starts=term_starts,
        term_rows=term_rows,
        term_tf=np.zeros(0, np.uint8) if term_tf is None else term_tf,
        texts=segment.texts.take(rows),
        identifiers=segment.identifiers.take(rows),
        columns=keep_rows(segment.columns, rows),
    )


def _keep_postings(lists: Postings, alive: Mask, words: NDArray[np.int64]) -> Postings:
    """Return what is left of the postings when some sentences go, and all words but some."""
    starts, rows, tf = lists
    living = alive[rows]
    row_numbers = np.cumsum(alive, dtype=np.int32) - 1
    left = row_numbers[rows[living]].astype(np.int32), None if tf is None else tf[living]
    return _pointers(_count_between(living, starts)[words]), *left


def _count_between(flags: Mask, pointers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the true flags of each run that the pointers mark off."""
    running = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    counts: NDArray[np.int64] = running[pointers[1:]] - running[pointers[:-1]]
    return counts
