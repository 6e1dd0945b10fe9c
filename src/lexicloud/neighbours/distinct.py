"""Which vectors are the same: words with one vector are one point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbering = tuple[NDArray[np.intp], NDArray[np.intp]]

_BLOCK: Final = 1024  # rows hashed or compared at once, so that what is made of them stays in the cache


def distinct(vectors: NDArray[np.float32]) -> Numbering:
    """Return the first row of each distinct vector, in the order of rows, and for every row the number of its vector.

    >>> first, number = distinct(np.array([[1, 2], [0, 0], [1, 2]], dtype=np.float32))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    # + 0.0 turns -0.0 into 0.0, which compares equal but has other bytes.
    rows = np.ascontiguousarray(np.asarray(vectors, dtype=np.float32) + np.float32(0)).view(np.uint32)
    weights = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], dtype=np.uint64)
    found = _by_key(_hashes(rows, weights))
    if not _agree(rows, found):  # two vectors with one hash: less than once in 10⁹ vocabularies
        found = _by_key(rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel())
    return found


def _hashes(rows: NDArray[np.uint32], weights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return Σ weight · coordinate modulo 2⁶⁴ of each row; sorting these is much faster than sorting rows."""
    out = np.empty(len(rows), dtype=np.uint64)
    for a in range(0, len(rows), _BLOCK):
        out[a : a + _BLOCK] = (rows[a : a + _BLOCK] * weights).sum(axis=1, dtype=np.uint64)
    return out


def _by_key(keys: NDArray[np.generic]) -> Numbering:
    """Number keys in the order of their first rows."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[inverse.ravel()]


def _agree(rows: NDArray[np.uint32], found: Numbering) -> bool:
    """Tell whether all rows that have one number are the same."""
    first, number = found
    stands_for = first[number]
    blocks = (slice(a, a + _BLOCK) for a in range(0, len(rows), _BLOCK))
    return all(np.array_equal(rows[block], rows[stands_for[block]]) for block in blocks)
