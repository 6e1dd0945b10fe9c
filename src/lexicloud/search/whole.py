"""Several segments as one: rows one below the other, all words and terms in the order of their bytes.

Arrays that grow with the texts are joined only when asked for. A search walks the segments as they are; a merge writes
each array in blocks, so that the whole is never in memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from lexicloud.search.arrays import OF_SENTENCES, OF_WORDS, Part, Segment
from lexicloud.search.checks import require_sound
from lexicloud.search.filters import join_columns
from lexicloud.search.ids import WordIds
from lexicloud.store.bundle import Blocks, PackedStrings, let_go_of_file, narrow, released
from lexicloud.vectors.lookup import HashedWords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.filters import Column

FIELDS: Final = tuple(part.name for part in fields(Segment))
_FEW: Final = 2_000  # so few new words are found faster by binary search than by building hashes
_BLOCK: Final = 2**21  # postings that are joined at a time
_POSTINGS: Final = {"postings": "words", "term_rows": "terms", "term_tf": "terms"}
_STARTS: Final = {"words": "postings_ptr", "terms": "term_starts"}


class Whole(Segment):
    """Several segments as one; each of its arrays is joined when it is first asked for."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.__dict__["segments"] = tuple(segments)

    segments: tuple[Segment, ...]

    @classmethod
    def over(
        cls,
        segments: Sequence[Segment],
        words: PackedStrings,
        terms: PackedStrings,
        of_words: Mapping[str, NDArray[Any]],
    ) -> Whole:
        """Return segments as one over a larger list of words and terms; `of_words` holds the arrays of all words."""
        whole, numbers = cls(segments), {}
        for name, strings in (("words", words), ("terms", terms)):
            find = HashedWords.build(strings).find
            numbers[name] = strings, [find(getattr(s, name)).astype(np.int32) for s in segments]
        whole.__dict__.update(of_words, _union=numbers, word_ids=WordIds(words), term_ids=WordIds(terms))
        return whole

    def __len__(self) -> int:
        return sum(map(len, self.segments))

    def __getattr__(self, name: str) -> Any:
        """Join an array, and keep it."""
        if name not in FIELDS:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = self.__dict__[name] = self._joined(name)
        return found

    def _joined(self, name: str) -> Any:
        if name in {"words", "terms"}:
            return self._union[name][0]
        if name == "columns":
            return JoinedColumns(self.segments)
        if name == "texts":
            return Chained([segment.texts for segment in self.segments])
        if name == "identifiers":
            return Chained([segment.identifiers for segment in self.segments])
        return self.blocks(name).joined()

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The segments, each with the place of its rows, words and terms in the whole."""
        firsts = np.cumsum([0, *map(len, self.segments)]).tolist()
        (_, words), (_, terms) = self._union["words"], self._union["terms"]
        return tuple(map(Part, self.segments, firsts[:-1], words, terms))

    @cached_property
    def _union(self) -> dict[str, tuple[PackedStrings, list[NDArray[np.int32]]]]:
        return {name: union([getattr(s, name) for s in self.segments]) for name in ("words", "terms")}

    @cached_property
    def word_ids(self) -> Mapping[str, int]:
        """Word → number; each segment is asked for its own."""
        return _Ids(self.words, [(part.segment.word_ids, part.words) for part in self.parts])

    @cached_property
    def term_ids(self) -> Mapping[str, int]:
        """Term → number."""
        return _Ids(self.terms, [(part.segment.term_ids, part.terms) for part in self.parts])

    # ---- arrays

    def blocks(self, name: str) -> Blocks:
        """Return an array of the whole in blocks, which are made only as they are written."""
        if name in _POSTINGS or name in {"indices", "counts"}:
            for segment in self.segments:
                require_sound(segment)
                let_go_of_file(segment.indices)
        own = [getattr(segment, name) for segment in self.segments]
        if name in {*_STARTS.values(), "indptr"}:
            of_texts = name == "indptr"
            sizes = np.concatenate([np.diff(array) for array in own]) if of_texts else self._counts(name)
            self._let_go()
            return Blocks.of(narrow(pointers_of(sizes)) if of_texts else pointers_of(sizes))
        rows = len(self.words) if name in OF_WORDS or name == "df" else sum(map(len, own))
        return Blocks(
            np.result_type(*own), (rows, *own[0].shape[1:]), lambda: self._read_once(self._made(name, own))
        )

    def _read_once(self, made: Iterator[NDArray[Any]]) -> Iterator[NDArray[Any]]:
        """Yield blocks, and let go of what was read of the segments' files for them."""
        yield from made
        self._let_go()

    def _let_go(self) -> None:
        for segment in self.segments:
            let_go_of_file(segment.indices)

    def _made(self, name: str, own: Sequence[NDArray[Any]]) -> Iterator[NDArray[Any]]:
        if name in OF_WORDS or name == "df":
            return iter([join_words(own, [part.words for part in self.parts], len(self.words))])
        if name in _POSTINGS:
            return self._postings(name, own)
        if name == "indices":
            return self._indices()
        assert name in {*OF_SENTENCES, "counts"}
        return (part for array in own for part in released(array, _BLOCK))

    def _counts(self, name: str) -> NDArray[np.int64]:
        """Return how many postings there are of each word (or term)."""
        counts = np.zeros(len(self.words if name == "postings_ptr" else self.terms), np.int64)
        for part in self.parts:
            counts[part.words if name == "postings_ptr" else part.terms] += np.diff(
                getattr(part.segment, name)
            )
        return counts

    def _indices(self) -> Iterator[NDArray[Any]]:
        for part in self.parts:
            for some in released(part.segment.indices, _BLOCK):
                yield some if part.words is None else part.words[some]

    def _postings(self, name: str, own: Sequence[NDArray[Any]]) -> Iterator[NDArray[Any]]:
        """Yield postings of some words at a time: for every word those of the first segment, then of the second."""
        starts = _STARTS[_POSTINGS[name]]
        ends = np.cumsum(self._counts(starts))
        low = 0
        while low < len(ends):
            before = int(ends[low - 1]) if low else 0
            high = max(low + 1, int(np.searchsorted(ends, before + _BLOCK, side="right")))
            out = np.empty(int(ends[high - 1]) - before, np.result_type(*own))
            filled = pointers_of(np.diff(ends[low:high], prepend=before))[:-1]  # how far each word has come
            for part in self.parts:
                _fill(out, filled, part, name, low)
            yield out
            low = high

    def strings(self, name: str) -> tuple[Blocks, Blocks]:
        """Return the bytes of strings in blocks, and where each begins."""
        if name in {"words", "terms"}:
            packed = getattr(self, name)
            return Blocks.of(packed.blob), Blocks.of(packed.offsets)
        own = [segment.texts for segment in self.segments]
        for strings in own:
            strings.check()
        sizes = np.concatenate([np.diff(strings.offsets) for strings in own])
        total = sum(len(strings.blob) for strings in own)
        blob = Blocks(
            np.dtype(np.uint8),
            (total,),
            lambda: (part for strings in own for part in released(strings.blob, 16 * _BLOCK)),
        )
        return blob, Blocks.of(narrow(pointers_of(sizes)))


def _fill(out: NDArray[Any], filled: NDArray[np.int64], part: Part, name: str, low: int) -> None:
    """Put a segment's postings of some words, those from `low` on, to where the segments before it have come."""
    kind = _POSTINGS[name]
    numbers = part.words if kind == "words" else part.terms
    assert numbers is not None
    first, last = np.searchsorted(numbers, [low, low + len(filled)])
    starts = getattr(part.segment, _STARTS[kind])[first : last + 1]
    sizes, words = np.diff(starts), numbers[first:last] - low
    (some,) = released(getattr(part.segment, name)[starts[0] : starts[-1]], None)
    places = np.arange(len(some)) + np.repeat(filled[words] - (starts[:-1] - starts[0]), sizes)
    out[places] = some if name == "term_tf" else some + np.int32(part.first)
    filled[words] += sizes


def pointers_of(sizes: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each run begins, followed by the end of the last one."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]).astype(np.int64)


def join_words(
    own: Sequence[NDArray[Any]], maps: Sequence[NDArray[np.int32] | None], size: int
) -> NDArray[Any]:
    """Join arrays with a value for each word (or term) of a part into one over all words; whole numbers are added."""
    out = np.zeros((size, *own[0].shape[1:]), dtype=own[0].dtype)
    for array, numbers in zip(own, maps, strict=True):
        if np.issubdtype(array.dtype, np.integer):
            out[numbers] += array
        else:
            out[numbers] = array
        let_go_of_file(array)
    return out


def union(lists: Sequence[PackedStrings]) -> tuple[PackedStrings, list[NDArray[np.int32]]]:
    """Return the union of sorted lists, sorted, and the place in it of each entry of each list.

    The longest list is kept as it is and the few entries that others add are put in between.
    """
    longest = max(lists, key=len)
    every, ids = np.arange(len(longest)), WordIds(longest)
    if sum(map(len, lists)) - len(longest) <= _FEW:
        find: Callable[[PackedStrings], NDArray[np.int64]] = ids.find
    else:
        find = HashedWords.build(longest).find
    found = [every if own is longest else find(own) for own in lists]
    lost = [own.take(np.flatnonzero(at < 0)).to_list() for own, at in zip(lists, found, strict=True)]
    new = sorted(set().union(*lost))
    before = np.array([ids.place(word) for word in new], np.int64)
    old_places = every + np.searchsorted(before, every, side="right")
    new_places = before + np.arange(len(new))
    numbers = dict(zip(new, new_places.tolist(), strict=True))
    maps = []
    for at, more in zip(found, lost, strict=True):
        places = np.empty(len(at), np.int32)
        places[at >= 0] = old_places[at[at >= 0]]
        places[at < 0] = [numbers[word] for word in more]
        maps.append(places)
    order = np.empty(len(longest) + len(new), np.int64)
    order[old_places], order[new_places] = every, len(longest) + np.arange(len(new))
    return PackedStrings.join([longest, PackedStrings.pack(new)]).take(order), maps


class _Ids(Mapping[str, int]):
    """Word → number over several segments, looked up in each segment's own numbers."""

    def __init__(
        self, words: PackedStrings, parts: Sequence[tuple[Mapping[str, int], NDArray[np.int32] | None]]
    ) -> None:
        self._words, self._parts = words, parts
        self.place = WordIds(words).place  # where a word would stand

    def __getitem__(self, word: str) -> int:
        for ids, numbers in self._parts:
            own = ids.get(word, -1)
            if own >= 0:
                return own if numbers is None else int(numbers[own])
        raise KeyError(word)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


class JoinedColumns(Mapping[str, "Column"]):
    """The metadata of several segments; a column is joined when it is first asked for."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._names = sorted({name for segment in segments for name in segment.columns})
        self._joined: dict[str, Column] = {}

    def __getitem__(self, name: str) -> Column:
        if name not in self._joined:
            if name not in self._names:
                raise KeyError(name)
            own = [(s.columns.get(name), len(s)) for s in self._segments]
            some = [({} if column is None else {name: column}, rows) for column, rows in own]
            self._joined[name] = join_columns(some)[name]
        return self._joined[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Chained(Sequence[Any]):
    """Sequences one after the other, none of them copied."""

    def __init__(self, parts: Sequence[Sequence[Any]]) -> None:
        self._parts = parts
        self._firsts = np.cumsum([0, *map(len, parts)]).tolist()

    def __len__(self) -> int:
        return int(self._firsts[-1])

    @overload
    def __getitem__(self, i: int) -> Any: ...
    @overload
    def __getitem__(self, i: slice) -> list[Any]: ...
    def __getitem__(self, i: int | slice) -> Any:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        i = i + len(self) if i < 0 else i
        if not 0 <= i < len(self):
            raise IndexError(i)
        at = bisect_right(self._firsts, i) - 1
        return self._parts[at][i - self._firsts[at]]
