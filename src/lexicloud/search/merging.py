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
from lexicloud.search.filters import keep_rows
from lexicloud.search.ids import Identifiers
from lexicloud.search.whole import FIELDS, Whole, pointers_of
from lexicloud.store.bundle import PackedStrings, narrow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Mask
    from lexicloud.text import TokenRules

    # Where runs begin, rows, and frequencies where they are kept.
    Postings = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any] | None]

# A segment of fewer than so many times the sentences of the later segments is merged with these.
RATIO: Final = 7
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
    whole = Whole(segments)
    joined: dict[str, Any] = {name: getattr(whole, name) for name in FIELDS}
    joined["columns"] = dict(whole.columns)
    joined["texts"] = PackedStrings.join([segment.texts for segment in segments])
    joined["identifiers"] = Identifiers.join([segment.identifiers for segment in segments])
    return Segment(**joined)


# ---- cutting down


def kept(segment: Segment, alive: Mask | None, rules: TokenRules) -> Segment:
    """Return a segment without its removed sentences, and without the words that only they had."""
    if alive is None or bool(alive.all()):
        return segment
    require_sound(segment)
    rows = np.flatnonzero(alive)
    df = living_df(segment.df, segment.texts, segment.word_ids, alive, rules)
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
    """Return the postings of some words, without the sentences that are not alive."""
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
