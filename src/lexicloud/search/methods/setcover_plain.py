"""The inner loops of set cover in NumPy: they answer until the compiled ones (`setcover_numba`) are ready.

They take the same arguments and find the same sentences. All sentences with a word of U are candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

CLASSES: Final = 256  # classes of lengths; the last one also holds all longer sentences
# What a word adds to a bound: its whole share for a sentence of the least length, a part in WHOLE for a longer one.
WHOLE: Final = 2**16


def gather(*arrays: Any) -> tuple[int, float, Array, Array, Array, Array]:
    """Return the candidates: rows, where the positions in U of each one's words begin, positions, and norms."""
    postings_ptr, postings, _, _, lengths, words, _, classes, _, norms, taken, *_ = arrays
    lists = [
        postings[postings_ptr[w] : postings_ptr[w + 1]] if w >= 0 else postings[:0] for w in words.tolist()
    ]
    rows = np.concatenate(lists) if lists else postings[:0]
    positions = np.repeat(np.arange(len(lists), dtype=np.int32), [len(own) for own in lists])
    good = classes[rows] > 0
    good[np.isin(rows, taken)] = False
    rows, positions = rows[good], positions[good]
    order = np.lexsort((positions, rows))
    rows, positions = rows[order], positions[order]
    distinct, first = np.unique(rows, return_index=True)
    begins = np.concatenate([first, [len(rows)]]).astype(np.int32)
    return 1, 1.0, distinct.astype(np.int32), begins, positions, norms[lengths[distinct]]


def next_candidate(
    first: Array,
    found: Array,
    norms: Array,
    scores: Array,
    left: Array,
    groups: Array,
    chosen: int,
    kept: np.float32,
) -> tuple[int, float]:
    """Cover the words of the candidate that was chosen last; then return the best, or -1 where none is positive."""
    if chosen >= 0:
        some = found[first[chosen] : first[chosen + 1]]
        left[some] = np.floor(left[some] * kept)
    if not len(scores):
        return -1, 0.0
    candidates = np.repeat(np.arange(len(scores)), np.diff(first))
    order = np.lexsort((groups[found], candidates))
    of_group = candidates[order] * (np.int64(groups.max(initial=0)) + 1) + groups[found][order]
    begins = np.flatnonzero(np.concatenate([[True], np.diff(of_group) > 0]))
    highest = np.maximum.reduceat(left[found][order], begins).astype(np.float64)
    mass = np.bincount(candidates[order][begins], highest, len(scores))
    scores[:] = np.where(scores > 0, mass / norms, 0.0)
    best = int(scores.argmax())
    return (best, float(scores[best])) if scores[best] > 0 else (-1, 0.0)
