"""Lay points out on a plane: by principal components, t-SNE from neighbours, or t-SNE and scaling from distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.plane.scaling import classical_scaling, majorise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PERPLEXITY: Final = 30.0
# A perplexity's Gaussian kernel has all but died away after three times as many neighbours.
NEIGHBOURS: Final = 91
# With fewer points, threads wait for each other longer than they work.
_THREADS_FROM: Final = 5_000
# Fewer points have too few neighbours for t-SNE; metric scaling shows their distances nearly as they are.
_SCALED_BELOW: Final = 12
_FEWEST: Final = 10  # neighbours: a perplexity of 3
# Dimensions that are kept before neighbours are looked for among many points: the usual first step of t-SNE.
_KEPT: Final = 50
# Few points settle later, and cheaply. The first 250 steps pull groups together.
_STEPS: Final = 500
_STEPS_OF_FEW: Final = 2000
_FEW: Final = 500
# As many neighbours are kept as at 0.5, in seven tenths of the time.
_ANGLE: Final = 0.8
_BLOCK: Final = 4_000_000  # distances measured at once: 16 MB


def principal_plane(points: NDArray[Any]) -> tuple[Floats, Floats]:
    """Return the points' first two principal components, and the share of the variance along each.

    Signs are fixed (the largest loading is positive), so that figures do not flip from run to run.

    >>> plane, shares = principal_plane(np.array([[0, 0], [2, 0], [4, 0]]))
    >>> plane[:, 0].tolist(), shares[0].item()
    ([-2.0, 0.0, 2.0], 1.0)
    """
    centred, axes, variances = _principal(points)
    top = axes[:, :2]
    plane = centred @ top
    if plane.shape[1] < 2:  # one-dimensional vectors lie on a line
        plane = np.column_stack([plane[:, 0], np.zeros(len(plane))])
    shares = np.zeros(2)
    largest = np.maximum(variances[:2], 0)
    shares[: len(largest)] = largest / max(float(variances.sum()), np.finfo(float).tiny)
    return plane, shares


def _principal(points: NDArray[Any]) -> tuple[Floats, Floats, Floats]:
    """Return the centred points, all principal axes (the widest first, signs fixed) and the variances along them."""
    centred = np.asarray(points, dtype=np.float64) - np.mean(points, axis=0, dtype=np.float64)
    variances, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1]
    return (
        centred,
        axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]),
        variances[::-1],
    )


def tsne(
    points: NDArray[Any],
    neighbours: NDArray[np.integer],
    distances: NDArray[np.floating],
    *,
    seed: int = 0,
) -> Floats:
    """Lay points out by t-SNE, from their nearest neighbours (rows of numbers and distances, nearest first).

    It starts from the principal plane, so that the large-scale order has a meaning and the seed matters little.
    """
    return _optimised(principal_plane(points)[0], neighbours, distances, seed)


def _optimised(
    start: Floats,
    neighbours: NDArray[np.integer],
    distances: NDArray[np.floating],
    seed: int,
) -> Floats:
    """Run t-SNE from a cloud much smaller than its result."""
    from scipy.sparse import csr_array
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    n, k = neighbours.shape
    # Each point comes first in its own row, as scikit-learn has it, and it asks for 3 · perplexity + 1 neighbours.
    ids = np.column_stack([np.arange(n), neighbours])
    far = np.column_stack([np.zeros(n), distances])
    graph = csr_array((far.ravel(), ids.ravel(), np.arange(0, ids.size + 1, k + 1)), shape=(n, n))
    layout = TSNE(
        perplexity=min(PERPLEXITY, (k - 1) / 3),
        init=(start * (1e-4 / max(float(start[:, 0].std()), 1e-12))).astype(np.float32),
        metric="precomputed",
        max_iter=_STEPS if n >= _FEW else _STEPS_OF_FEW,
        angle=_ANGLE,
        random_state=seed,
    )
    with threadpool_limits(None if n >= _THREADS_FROM else 1, "openmp"):
        places = layout.fit_transform(graph)
    # Directions have no meaning in t-SNE, so the widest one is put across the page.
    return principal_plane(places)[0]


def lay_out_distances(distances: Floats, *, seed: int = 0) -> Floats:
    """Lay points out from the distances of all pairs, so that near ones are together.

    By t-SNE, because a map shows who is beside whom. On 43 presidents and on 237 addresses it puts the nearest
    text among the three nearest on the map for 98 and 97 in 100, metric scaling for 79 and 50, classical scaling for
    63 and 26. Fewer than twelve points are laid out by metric scaling.

    >>> line = np.abs(np.subtract.outer([0.0, 1.0, 5.0], [0.0, 1.0, 5.0]))
    >>> places = lay_out_distances(line)
    >>> bool(np.linalg.norm(places[0] - places[1]) < np.linalg.norm(places[1] - places[2]))
    True
    """
    start, n = classical_scaling(distances), len(distances)
    if n < _SCALED_BELOW or not np.ptp(start[:, 0]) > 0:
        return majorise(distances, start) if n > 2 else start
    k = min(NEIGHBOURS, max(_FEWEST, 3 * n // 8))  # a perplexity of an eighth of the texts, 30 at most
    far = np.where(np.eye(n, dtype=bool), np.inf, distances)
    near = np.argsort(far, axis=1, kind="stable")[:, :k]
    return _optimised(start, near, np.take_along_axis(far, near, axis=1), seed)


def lay_out_points(points: NDArray[Any], *, seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    """Lay many points out by t-SNE; return the places, and the nearest points of each, nearest first.

    Neighbours are found in the fifty widest dimensions. Fewer than twelve points are put on the principal plane.
    """
    centred, axes, _ = _principal(points)
    kept = (centred @ axes[:, :_KEPT]).astype(np.float32)
    near, far = nearest_points(kept, min(NEIGHBOURS, len(kept) - 1))
    if len(kept) < _SCALED_BELOW:
        return principal_plane(points)[0], near
    start = np.pad(kept[:, :2].astype(np.float64), ((0, 0), (0, max(0, 2 - kept.shape[1]))))
    return _optimised(start, near, far, seed), near


def nearest_points(points: NDArray[np.float32], k: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return for each point the numbers and distances of its k nearest others, nearest first.

    >>> nearest_points(np.array([[0.0], [1.0], [5.0]], dtype=np.float32), 1)[0].ravel().tolist()
    [1, 0, 1]
    """
    n = len(points)
    ids, far = np.empty((n, k), np.int64), np.empty((n, k), np.float32)
    squares = np.einsum("ij,ij->i", points, points)
    step = max(1, _BLOCK // max(1, n))
    for begin in range(0, n, step):
        rows = np.arange(begin, min(n, begin + step))
        squared = squares[rows, None] - 2 * (points[rows] @ points.T) + squares
        squared[np.arange(len(rows)), rows] = np.inf
        found = np.argpartition(squared, k - 1, axis=1)[:, :k]
        near = np.take_along_axis(squared, found, axis=1)
        order = np.lexsort((found, near), axis=1)
        ids[rows] = np.take_along_axis(found, order, axis=1)
        far[rows] = np.sqrt(np.maximum(np.take_along_axis(near, order, axis=1), 0))
    return ids, far
