"""The nearest words of a whole vector table, for a look around.

Pillars use the exact table of `lexicloud.neighbours` over a corpus; this searches all of a file's words, in blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Metric = Literal["cosine", "euclidean"]
# 65,536 rows of 300 float32 numbers are 75 MiB: bounded memory, and large enough for BLAS to run at full speed.
BLOCK: Final = 65_536


def distances(
    matrix: NDArray[np.float32], vector: NDArray[np.float32], metric: Metric
) -> NDArray[np.float32]:
    """Return the distance of every row from `vector`; rows of zeros are infinitely far."""
    vector = np.asarray(vector, dtype=np.float32)
    out = np.empty(len(matrix), dtype=np.float32)
    for start in range(0, len(matrix), BLOCK):
        rows = np.asarray(matrix[start : start + BLOCK])
        squares = np.einsum("ij,ij->i", rows, rows)
        measure = _cosine if metric == "cosine" else _euclidean
        block = measure(rows, squares, vector)
        out[start : start + BLOCK] = np.where(squares > 0, block, np.inf)
    return out


def _cosine(
    rows: NDArray[np.float32], squares: NDArray[np.float32], vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    lengths = np.sqrt(squares) * np.linalg.norm(vector)
    return np.asarray(1 - (rows @ vector) / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _euclidean(
    rows: NDArray[np.float32], squares: NDArray[np.float32], vector: NDArray[np.float32]
) -> NDArray[np.float32]:
    return np.asarray(
        np.sqrt(np.maximum(squares - 2 * (rows @ vector) + vector @ vector, 0)), dtype=np.float32
    )


def nearest_rows(far: NDArray[np.float32], k: int) -> NDArray[np.int64]:
    """Return the rows of the k smallest distances, nearest first; equal distances go to the lower row."""
    k = min(k, len(far))
    if k < len(far):
        bound = np.partition(far, k - 1)[k - 1] if k else -np.inf
        rows = np.flatnonzero(far <= bound)
    else:
        rows = np.arange(len(far))
    rows = rows[np.argsort(far[rows], kind="stable")][:k]
    return rows[np.isfinite(far[rows])]
