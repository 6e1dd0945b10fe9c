"""How segments become one: which are merged after an addition, and how removed sentences go for good.

The policy is log-structured. After an addition the newest segments are merged into one where that costs little: a
segment joins those behind it once they have grown to a share of it (`RATIO`). So each sentence is rewritten a number of
times that grows with the logarithm of the index, and there are never more than `MOST` segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.search.arrays import OF_SENTENCES, OF_WORDS, Segment, living_df
from lexicloud.search.checks import require_sound
from lexicloud.search.filters import join_columns, keep_rows
from lexicloud.search.ids import Identifiers, WordIds
from lexicloud.store.strings import PackedStrings, narrow
from lexicloud.vectors.word_hash import HashedWords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Mask
    from lexicloud.text import TokenRules

    # Where runs begin, rows, and frequencies where they are kept.
    Postings = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any] | None]

RATIO: Final = 7  # a segment of fewer than so many times the sentences behind it is merged with them
MOST: Final = 8  # segments
_STALE: Final = 0.5  # a segment that has lost more than this share of its sentences is written anew


def merge_from(sizes: Sequence[int]) -> int:
    """Return the first segment of those that are to be merged, given their sizes in order; all that follow go with it.

    >>> merge_from([1000, 10]), merge_from([1000, 100, 20]), merge_from([60, 10]), merge_from([])
    (1, 1, 0, 0)
    """
    first, behind = max(len(sizes) - 1, 0), 0
    for i in range(len(sizes) - 1, -1, -1):
        if sizes[i] < RATIO * behind:
            first = i
        behind += sizes[i]
    return min(first, MOST - 1)


def is_stale(rows: int, removed: int) -> bool:
    """Tell whether a segment has lost so many sentences that it is worth writing anew."""
    return removed > _STALE * rows


# ---- joining


def concat_segments(segments: Sequence[Segment]) -> Segment:
    """Put segments one below the other over the union of their vocabularies."""
    if len(segments) == 1:
        return segments[0]
    for segment in segments:
        require_sound(segment)
    words, maps = union([segment.words for segment in segments])
    terms, term_maps = union([segment.terms for segment in segments])
    of_words: dict[str, Any] = {
        name: join_words([getattr(s, name) for s in segments], maps, len(words)) for name in OF_WORDS
    }
    of_sentences: dict[str, Any] = {
        name: np.concatenate([getattr(s, name) for s in segments]) for name in OF_SENTENCES
    }
    rows = list(map(len, segments))
    by_word: list[Postings] = [(s.postings_ptr, s.postings, None) for s in segments]
    by_term: list[Postings] = [(s.term_starts, s.term_rows, s.term_tf) for s in segments]
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
        indptr=narrow(pointers_of(np.concatenate([np.diff(s.indptr) for s in segments]))),
        indices=np.concatenate([m[s.indices] for m, s in zip(maps, segments, strict=True)]),
        counts=np.concatenate([s.counts for s in segments]),
        postings_ptr=postings_ptr,
        postings=postings,
        texts=PackedStrings.join([s.texts for s in segments]),
        identifiers=Identifiers.join([s.identifiers for s in segments]),
        columns=join_columns([(s.columns, len(s)) for s in segments]),
    )


def union(lists: Sequence[PackedStrings]) -> tuple[PackedStrings, list[NDArray[np.int32]]]:
    """Return the union of sorted lists, sorted, and where the entries of each have gone.

    The longest is taken as it is, and what others add is put in between: in most unions that is little.
    """
    longest = max(lists, key=len)
    base, every = HashedWords.build(longest), np.arange(len(longest))
    found = [every if own is longest else base.find(own) for own in lists]
    lost = [own.take(np.flatnonzero(at < 0)).to_list() for own, at in zip(lists, found, strict=True)]
    new = sorted(set().union(*lost))
    ids = WordIds(longest)
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


def pointers_of(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each run begins, and at last where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def join_words(parts: Sequence[NDArray], maps: Sequence[NDArray[np.int32]], size: int) -> NDArray:  # type: ignore[type-arg]
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
    pointers = pointers_of(runs.sum(axis=0))
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
        indptr=narrow(pointers_of(np.diff(segment.indptr)[rows])),
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
    return pointers_of(_count_between(living, starts)[words]), *left


def _count_between(flags: Mask, pointers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the true flags of each run that the pointers mark off."""
    running = np.concatenate([[0], np.cumsum(flags, dtype=np.int64)])
    counts: NDArray[np.int64] = running[pointers[1:]] - running[pointers[:-1]]
    return counts
