"""Nearest points, means of word vectors, k-means and cosines for arrays of any library: torch, CuPy, JAX.

They use only the array API standard (https://data-apis.org/array-api), so that they run where the arrays are, for
instance on a GPU. They are tested with array-api-strict and with torch on the processor, but not on a GPU. For NumPy
arrays the library uses its own faster functions (`table`, `zipf.kmeans`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from lexicloud.errors import MissingExtra, OptionError, VectorsError

SCORES: Final = 1 << 24  # numbers held at once
_SPARE: Final = 8  # additional candidates, because rounding in a product may swap near-equal ones


def is_foreign(array: Any) -> bool:
    """Tell whether a value is an array of another library than NumPy.

    >>> is_foreign(np.zeros(3)), is_foreign([1.0])
    (False, False)
    """
    if isinstance(array, np.ndarray | list | tuple) or not hasattr(array, "shape"):
        return False
    return bool(_compat().is_array_api_obj(array))


def _compat() -> Any:
    try:
        import array_api_compat
    except ImportError as error:
        raise MissingExtra("an array that is not NumPy's", "arrays") from error
    return array_api_compat


def namespace(*arrays: Any) -> Any:
    """Return the array API namespace of arrays."""
    return _compat().array_namespace(*arrays)


def to_numpy(array: Any) -> np.ndarray[Any, Any]:
    """Return an array of any device as a NumPy array."""
    if isinstance(array, np.ndarray):
        return array
    try:
        return np.from_dlpack(array)
    except (BufferError, RuntimeError, TypeError, AttributeError):
        return np.asarray(_compat().to_device(array, "cpu"))


def checked(vectors: Any) -> Any:
    """Return a table of vectors on its device, in single or double precision; raise an error if it cannot be used.

    Half precision and whole numbers become single precision, and a tensor of a model in training leaves its gradient.
    """
    xp = namespace(vectors)
    vectors = vectors.detach() if hasattr(vectors, "detach") else vectors
    if vectors.dtype not in (xp.float32, xp.float64):
        vectors = xp.astype(vectors, xp.float32)
    require_table(tuple(vectors.shape), finite=bool(xp.all(xp.isfinite(vectors))))
    return vectors


def require_table(shape: tuple[int, ...], *, finite: bool) -> None:
    """Refuse vectors that are no table, or whose numbers are not finite."""
    if len(shape) != 2:
        raise VectorsError(f"vectors must be a table of words × dimensions, not an array of shape {shape}")
    if not finite:
        raise VectorsError("a vector holds nan or infinity: load the vectors again, or mask that word out")


def nearest(points: Any, k: int, queries: Any | None = None) -> tuple[Any, Any]:
    """Return for each query the places of its k nearest points and the distances, nearest first.

    Without `queries`, the nearest other points of each point are returned. Candidates come from |y|² − 2 x·y, a block
    of queries at a time; they are then measured exactly. Points at equal distance are in the order of their places.
    """
    xp = namespace(points)
    own, queries = queries is None, points if queries is None else queries
    size, take = points.shape[0], min(k + _SPARE, points.shape[0] - (1 if queries is points else 0))
    if not 1 <= k <= size - (1 if own else 0):
        raise OptionError(f"k = {k} nearest of {size:,} points: choose a smaller k, of at least 1")
    mean = xp.mean(points, axis=0)
    centred = points - mean
    squares = xp.sum(centred * centred, axis=1)
    ids, distances = [], []
    step = max(1, SCORES // size)
    for start in range(0, queries.shape[0], step):
        block = queries[start : min(start + step, queries.shape[0]), :]
        scores = squares[None, :] - 2 * xp.matmul(block - mean, xp.matrix_transpose(centred))
        if own:
            at = xp.arange(start, start + block.shape[0], device=_compat().device(points))
            here = at[:, None] == xp.arange(size, device=_compat().device(points))[None, :]
            scores = xp.where(here, xp.asarray(xp.inf, dtype=scores.dtype), scores)
        # By place, so that the stable sort below keeps points at equal distance in this order.
        near = xp.sort(xp.argsort(scores, axis=1)[:, :take], axis=1)
        found = _measured(xp, block, points, near, k)
        ids.append(found[0])
        distances.append(found[1])
    return xp.concat(ids, axis=0), xp.concat(distances, axis=0)


def _measured(xp: Any, block: Any, points: Any, near: Any, k: int) -> tuple[Any, Any]:
    rows, width = near.shape
    gathered = xp.reshape(xp.take(points, xp.reshape(near, (-1,)), axis=0), (rows, width, points.shape[1]))
    gaps = gathered - block[:, None, :]
    squares = xp.sum(gaps * gaps, axis=2)
    order = xp.argsort(squares, axis=1, stable=True)[:, :k]
    flat = order + xp.arange(rows, device=_compat().device(near))[:, None] * width
    pick = xp.reshape(flat, (-1,))
    ids = xp.take(xp.reshape(near, (-1,)), pick, axis=0)
    distances = xp.sqrt(xp.take(xp.reshape(squares, (-1,)), pick, axis=0))
    return xp.reshape(ids, (rows, k)), xp.reshape(distances, (rows, k))


def means(stream: Any, bounds: Any, vectors: Any) -> Any:
    """Return the mean vector of each text, or zeros for an empty one; text i is `stream[bounds[i]:bounds[i + 1]]`.

    Texts are taken in blocks and padded to the longest of a block, with the number of a row of zeros.
    """
    xp, device = namespace(vectors), _compat().device(vectors)
    words, ends = np.asarray(stream), np.asarray(bounds)
    zeros = xp.zeros((1, vectors.shape[1]), dtype=vectors.dtype, device=device)
    padded = xp.concat([vectors, zeros], axis=0)
    lengths, out, start = np.diff(ends), [], 0
    while start < len(lengths):
        longest = np.maximum.accumulate(np.maximum(lengths[start:], 1)) * np.arange(
            1, len(lengths) - start + 1
        )
        count = max(1, int(np.searchsorted(longest * vectors.shape[1], SCORES, side="right")))
        some = lengths[start : start + count]
        table = np.full((len(some), max(1, int(some.max()))), vectors.shape[0], np.int64)
        table[np.arange(table.shape[1]) < some[:, None]] = words[ends[start] : ends[start + len(some)]]
        picked = xp.take(padded, xp.asarray(table.ravel(), device=device), axis=0)
        sums = xp.sum(xp.reshape(picked, (*table.shape, vectors.shape[1])), axis=1)
        sizes = xp.asarray(np.maximum(some, 1)[:, None].astype(np.float64), device=device)
        out.append(sums / xp.astype(sizes, vectors.dtype))
        start += len(some)
    return xp.concat(out, axis=0) if out else padded[:0, :]


def k_means(points: Any, centres: Any, iterations: int = 25) -> tuple[Any, Any, Any]:
    """Run Lloyd's algorithm from some centres; return centres, each point's cluster and its squared distance.

    A cluster that loses its points moves to the point farthest from its own centre.
    """
    xp = namespace(points, centres)
    labels, squared = _assigned(xp, points, centres)
    for _ in range(iterations):
        moved = _moved(xp, points, labels, squared, centres.shape[0])
        before, (labels, squared) = labels, _assigned(xp, points, moved)
        centres = moved
        if bool(xp.all(before == labels)):
            break
    return centres, labels, squared


def _assigned(xp: Any, points: Any, centres: Any) -> tuple[Any, Any]:
    labels, squared, step = [], [], max(1, SCORES // centres.shape[0])
    middle = xp.mean(centres, axis=0)
    weights = centres - middle
    lengths = xp.sum(weights * weights, axis=1)
    for start in range(0, points.shape[0], step):
        block = points[start : min(start + step, points.shape[0]), :] - middle
        scores = lengths[None, :] - 2 * xp.matmul(block, xp.matrix_transpose(weights))
        labels.append(xp.argmin(scores, axis=1))
        squared.append(xp.min(scores, axis=1) + xp.sum(block * block, axis=1))
    found = xp.concat(squared, axis=0)
    return xp.concat(labels, axis=0), xp.where(found > 0, found, xp.zeros_like(found))


def _moved(xp: Any, points: Any, labels: Any, squared: Any, k: int) -> Any:
    device = _compat().device(points)
    numbers = xp.arange(k, device=device, dtype=labels.dtype)
    sums = xp.zeros((k, points.shape[1]), dtype=points.dtype, device=device)
    sizes = xp.zeros((k,), dtype=points.dtype, device=device)
    step = max(1, SCORES // k)
    for start in range(0, points.shape[0], step):
        part = slice(start, min(start + step, points.shape[0]))
        member = xp.astype(numbers[:, None] == labels[part][None, :], points.dtype)
        sums = sums + xp.matmul(member, points[part, :])
        sizes = sizes + xp.sum(member, axis=1)
    empty = sizes == 0
    centres = sums / xp.where(empty, xp.ones_like(sizes), sizes)[:, None]
    if not bool(xp.any(empty)):
        return centres
    # The first empty cluster takes the farthest point, the second the next, and so on.
    far = xp.take(points, xp.argsort(squared, descending=True, stable=True)[:k], axis=0)
    rank = xp.cumulative_sum(xp.astype(empty, labels.dtype)) - 1
    place = xp.where(empty, rank, xp.zeros_like(rank))
    return xp.where(empty[:, None], xp.take(far, place, axis=0), centres)


def cosines(vectors: Any, asked: Any) -> np.ndarray[Any, Any]:
    """Return the cosine of each row with a vector, computed where the rows are, as a NumPy array."""
    vectors, xp = checked(vectors), namespace(vectors)
    asked = to_numpy(checked(asked[None, :])) if is_foreign(asked) else np.asarray(asked)
    query = xp.asarray(asked.ravel(), dtype=vectors.dtype, device=_compat().device(vectors))
    lengths = xp.sqrt(xp.sum(vectors * vectors, axis=1)) * xp.sqrt(xp.sum(query * query))
    tiny = xp.asarray(1e-12, dtype=vectors.dtype, device=_compat().device(vectors))
    found = xp.matmul(vectors, query) / xp.where(lengths > tiny, lengths, tiny)
    return to_numpy(found).astype(np.float32)
