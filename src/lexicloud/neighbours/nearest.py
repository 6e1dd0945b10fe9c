"""Exact nearest neighbours among any points: distinct points, k-th distances, nearest rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]
    Numbering = tuple[NDArray[np.intp], NDArray[np.intp]]

# Up to about this dimension a k-d tree visits few of its points; above it a blocked matrix product wins
# (measured on 10,000 points).
TREE_UP_TO: Final = 12
# Rows per block are chosen so that a block of distances stays within about this many numbers (32 MiB).
_BLOCK: Final = 4_000_000
# How many additional neighbours are measured exactly, so that rounding in the product cannot hide one.
_MARGIN: Final = 8


@dataclass(frozen=True)
class Cloud:
    """Distinct points with how often each occurs."""

    points: Floats
    weights: Floats
    name: str

    @property
    def total(self) -> float:
        """The number of points, repeats included."""
        return float(self.weights.sum())

    def __len__(self) -> int:
        return len(self.points)


def as_points(X: ArrayLike, name: str) -> Floats:
    """Return a cloud as a float table, one point a row."""
    try:
        points = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"{name} is not a table of numbers") from None
    if points.ndim != 2 or points.shape[1] == 0:
        hint = f"; for points on a line write {name}[:, None]" if points.ndim == 1 else ""
        raise OptionError(f"{name} must have one point a row, but its shape is {points.shape}{hint}")
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise OptionError(f"{name} has nan or infinity in row {row}: remove such points first")
    return points


def as_counts(weights: ArrayLike | None, points: Floats, name: str) -> Floats:
    """Return how often each point occurs; once each if `weights` is None."""
    if weights is None:
        return np.ones(len(points))
    counts = np.asarray(weights, dtype=np.float64)
    if counts.shape != (len(points),):
        raise OptionError(
            f"{name} has {len(points)} points but weights of shape {counts.shape}: give one count each"
        )
    if not np.isfinite(counts).all() or (counts < 0).any() or (counts != np.round(counts)).any():
        raise OptionError(f"the weights of {name} are counts: whole numbers, none negative")
    return counts


def normalised(*clouds: Floats) -> list[Floats]:
    """Move and scale clouds together so that distances neither overflow nor lose digits."""
    largest = max((float(np.abs(c).max()) for c in clouds if c.size), default=0.0)
    if largest == 0:
        return list(clouds)
    scaled = [c / largest for c in clouds]
    centre = np.mean([c.mean(axis=0) for c in scaled if len(c)], axis=0)
    return [c - centre for c in scaled]


def distinct_points(points: Floats, weights: Floats, name: str) -> Cloud:
    """Merge points that coincide, adding up their weights; points of weight zero are left out."""
    kept = weights > 0
    unique, inverse = np.unique(points[kept], axis=0, return_inverse=True)
    counts = np.bincount(inverse.ravel(), weights[kept], minlength=len(unique))
    return Cloud(unique, counts.astype(np.float64), name)


def kth_distances(X: Cloud, Y: Cloud, k: int) -> Floats:
    """Return the distance from each point of X to its k-th nearest distinct point of Y at a distance above zero."""
    ask = min(k + 1, len(Y))
    while True:
        distances = nearest(X.points, Y.points, ask)
        positive = distances > 0
        enough = positive.sum(axis=1) >= k
        if enough.all():
            first = np.argmax(positive, axis=1)
            return np.asarray(distances[np.arange(len(X)), first + k - 1])
        if ask == len(Y):
            raise _too_few(k, int(positive.sum(axis=1).min()), Y)
        # Points that differ by less than rounding are at distance zero too, so more are needed.
        ask = min(2 * ask, len(Y))


def _too_few(k: int, others: int, Y: Cloud) -> EstimateError:
    return EstimateError(
        f"k = {k} but only {len(Y)} distinct points in {Y.name} ({others} of them besides the point itself): "
        "use a smaller k or more points"
    )


def nearest(X: Floats, Y: Floats, k: int) -> Floats:
    """Return the distances from each row of X to its `k` nearest rows of Y, nearest first, exactly."""
    if X.shape[1] <= TREE_UP_TO:
        from scipy.spatial import cKDTree

        distances, _ = cKDTree(Y).query(X, k=range(1, k + 1))
        return np.asarray(distances, dtype=np.float64)
    step = max(1, _BLOCK // max(1, len(Y)))
    blocks = [_nearest_by_product(X[i : i + step], Y, k) for i in range(0, len(X), step)]
    return np.concatenate(blocks) if blocks else np.zeros((0, k))


def _nearest_by_product(X: Floats, Y: Floats, k: int) -> Floats:
    """Find candidates by one matrix product and measure them exactly; search all where rounding may have hidden one."""
    take = min(k + _MARGIN, len(Y))
    norms_x, norms_y = np.einsum("ij,ij->i", X, X), np.einsum("ij,ij->i", Y, Y)
    squared = norms_x[:, None] + norms_y[None, :] - 2 * (X @ Y.T)
    found = np.argpartition(squared, take - 1, axis=1)[:, :take]
    offered = np.take_along_axis(squared, found, axis=1).max(axis=1)
    exact = np.sort(((Y[found] - X[:, None, :]) ** 2).sum(axis=2), axis=1)[:, :k]
    # A product of d terms errs by at most about d ulps of the norms; every point left out is at least `offered` minus
    # that away.
    error = 4 * X.shape[1] * np.finfo(np.float64).eps * (norms_x + norms_y.max())
    unsure = np.flatnonzero((exact[:, -1] > offered - error) & (take < len(Y)))
    for i in unsure:
        exact[i] = np.sort(((Y - X[i]) ** 2).sum(axis=1))[:k]
    return np.asarray(np.sqrt(exact))


def kth_neighbours(X: NDArray[np.float32], Y: NDArray[np.float32], k: int) -> NDArray[np.intp]:
    """Return for each row of X its k-th nearest distinct row of Y at a distance above zero, or -1."""
    out = np.full(len(X), -1, dtype=np.intp)
    for i, x in enumerate(X):
        # Equal rows of Y are one point, represented by the first.
        squared = ((Y - x) ** 2).sum(axis=1)
        near = np.argsort(squared, kind="stable")[: 4 * k + 8]
        for candidates in (near, np.argsort(squared, kind="stable")):
            others = candidates[squared[candidates] > 0]
            _, first = np.unique(Y[others], axis=0, return_index=True)
            if len(first) >= k:
                out[i] = others[np.sort(first)[k - 1]]
                break
    return out


# Rows that are hashed or compared at once, so that intermediate results stay in the processor's cache.
_HASHED_AT_ONCE: Final = 1024


def distinct(vectors: NDArray[np.float32]) -> Numbering:
    """Return the first row of each distinct vector, in the order of rows, and for every row the number of its vector.

    >>> first, number = distinct(np.array([[1, 2], [0, 0], [1, 2]], dtype=np.float32))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    # + 0.0 turns -0.0 into 0.0: they are equal but differ in their bytes.
    rows = np.ascontiguousarray(np.asarray(vectors, dtype=np.float32) + np.float32(0)).view(np.uint32)
    weights = np.random.default_rng(0).integers(1, 2**63, rows.shape[1], dtype=np.uint64)
    found = _by_key(_hashes(rows, weights))
    if not _agree(rows, found):  # two vectors with one hash: less than once in 10⁹ vocabularies
        found = _by_key(rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel())
    return found


def _hashes(rows: NDArray[np.uint32], weights: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return Σ weight · coordinate modulo 2⁶⁴ of each row; sorting these is much faster than sorting rows."""
    out = np.empty(len(rows), dtype=np.uint64)
    for a in range(0, len(rows), _HASHED_AT_ONCE):
        out[a : a + _HASHED_AT_ONCE] = (rows[a : a + _HASHED_AT_ONCE] * weights).sum(axis=1, dtype=np.uint64)
    return out


def _by_key(keys: NDArray[np.generic]) -> Numbering:
    """Number distinct keys in the order of their first rows; see `distinct`."""
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return first[order], place[inverse.ravel()]


def _agree(rows: NDArray[np.uint32], found: Numbering) -> bool:
    """Tell whether all rows with the same number are equal."""
    first, number = found
    stands_for = first[number]
    blocks = (slice(a, a + _HASHED_AT_ONCE) for a in range(0, len(rows), _HASHED_AT_ONCE))
    return all(np.array_equal(rows[block], rows[stands_for[block]]) for block in blocks)


Metric = Literal["cosine", "euclidean"]
# 65,536 rows of 300 float32 numbers are 75 MiB, which bounds memory and is large enough for BLAS at full speed.
BLOCK: Final = 65_536


def distances(
    matrix: NDArray[np.float32], vector: NDArray[np.float32], metric: Metric
) -> NDArray[np.float32]:
    """Return the distance of every row from `vector`; infinity for rows of zeros."""
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
    """Return the rows of the k smallest distances, nearest first; at equal distances the lower row comes first."""
    k = min(k, len(far))
    if k < len(far):
        bound = np.partition(far, k - 1)[k - 1] if k else -np.inf
        rows = np.flatnonzero(far <= bound)
    else:
        rows = np.arange(len(far))
    rows = rows[np.argsort(far[rows], kind="stable")][:k]
    return rows[np.isfinite(far[rows])]
