"""Lay points out on a plane, by principal components, t-SNE or scaling, and say how well the plane fits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.progress import track
from lexicloud.say.blocks import plural

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


# Multidimensional scaling: lay points out on a plane so that their distances are close to the given ones.

LANDMARKS: Final = 400
_SCALING_STEPS, _PLACING_STEPS = 200, 50
_TINY: Final = 1e-12
_PLACED: Final = 512  # points placed at once; their distances to the landmarks stay in a core's cache


def classical_scaling(distances: Floats) -> Floats:
    """Lay points out by classical scaling: the two widest axes of the doubly centred squared distances."""
    squared = distances**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, directions = np.linalg.eigh(-centred / 2)
    points = directions[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0))
    points = np.pad(points, ((0, 0), (0, 2 - points.shape[1])))
    # An eigenvector's sign is arbitrary: the largest coordinate is made positive, so that maps can be compared.
    signs = np.sign(points[np.abs(points).argmax(axis=0), range(2)])
    return np.asarray(points * np.where(signs == 0, 1, signs))


def landmark_mds(points: NDArray[np.float32], *, landmarks: int = LANDMARKS, seed: int = 0) -> Floats:
    """Lay points out so that distances to some of them, the landmarks, are kept as well as possible.

    With no more points than landmarks this is plain metric MDS.

    >>> square = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
    >>> layout = landmark_mds(square)
    >>> float(np.linalg.norm(layout[0] - layout[3]).round(3))
    1.414
    """
    from threadpoolctl import threadpool_limits

    points64 = np.asarray(points, dtype=np.float64)
    start, _ = principal_plane(points64)
    n = len(points64)
    chosen = np.arange(n)
    if n > landmarks:
        chosen = np.sort(np.random.default_rng(seed).choice(n, landmarks, replace=False))
    with threadpool_limits(1, user_api="blas"):  # threads do not pay for products this small
        layout = majorise(_distances(points64[chosen], points64[chosen]), start[chosen])
        if n > landmarks:
            _place_all(points64, chosen, layout, start)
    start[chosen] = layout
    return start


def majorise(distances: Floats, start: Floats) -> Floats:
    """Lower the stress Σ (d_ij − |x_i − x_j|)² step by step: x ← B(x) x / n, the Guttman transform."""
    x, n = start.copy(), len(start)
    for _ in range(_SCALING_STEPS):
        ratio = distances / np.maximum(_distances(x, x), _TINY)
        np.fill_diagonal(ratio, 0)
        x = (ratio.sum(axis=1)[:, None] * x - ratio @ x) / n
    return x


def _place_all(points: Floats, chosen: NDArray[np.int64], layout: Floats, coordinates: Floats) -> None:
    """Move every point to the place that fits its distances to the landmarks best."""
    for begin in track(range(0, len(points), _PLACED), "placing points among landmarks"):
        block = slice(begin, begin + _PLACED)
        wanted = _distances(points[block], points[chosen])
        coordinates[block] = _place(wanted.astype(np.float32), coordinates[block], layout)


def _place(distances: NDArray[np.float32], start: Floats, layout: Floats) -> Floats:
    """Lower the stress of single points against fixed landmarks; single precision is finer than a pixel."""
    x, marks = start.astype(np.float32), layout.astype(np.float32)
    middle = marks.mean(axis=0)
    for _ in range(_PLACING_STEPS):
        across, along = x[:, :1] - marks[:, 0], x[:, 1:] - marks[:, 1]
        ratio = distances / np.sqrt(across * across + along * along + np.float32(_TINY))
        x = middle + (ratio.sum(axis=1)[:, None] * x - ratio @ marks) / len(marks)
    return x.astype(np.float64)


def _distances(x: Floats, y: Floats) -> Floats:
    squared = (x**2).sum(axis=1)[:, None] - 2 * x @ y.T + (y**2).sum(axis=1)
    return np.asarray(np.sqrt(np.maximum(squared, 0)))


# How well a plane fits: are the points that are nearest in truth also near on the plane?

AMONG: Final = 3  # the truly nearest point should be among so many nearest on the plane
_ASKED: Final = 5_000  # points that are tested at most: the share is then accurate to about a hundredth
_GOOD, _FAIR = 0.8, 0.5


def nearest_kept(nearest: NDArray[np.integer], places: NDArray[np.float64], among: int = AMONG) -> float:
    """Return the share of points whose truly nearest point is among the `among` nearest on the plane.

    >>> places = np.array([[0.0, 0], [1, 0], [5, 0], [8, 0]])
    >>> nearest_kept(np.array([1, 0, 3, 0]), places, 1)
    0.75
    """
    from scipy.spatial import cKDTree

    n = len(places)
    asked = np.arange(n) if n <= _ASKED else np.linspace(0, n - 1, _ASKED).astype(np.int64)
    k = min(among + 1, n)
    _, found = cKDTree(places).query(places[asked], k=k)
    return float((found.reshape(len(asked), k) == np.asarray(nearest)[asked, None]).any(axis=1).mean())


def fit_said(share: float, thing: str, among: int = AMONG) -> str:
    """Return a sentence on how far the map can be trusted.

    >>> fit_said(0.97, "text")[:54]
    'The map can be read for who stands beside whom: for 97'
    """
    counts = f"for {round(100 * share)} of 100 {plural(thing)} the nearest is among the {_word(among)} nearest here"
    if share >= _GOOD:
        return (
            f"The map can be read for who stands beside whom: {counts}. "
            "Large distances mean that two differ, not how much."
        )
    if share >= _FAIR:
        return (
            f"The map shows neighbourhoods, not single neighbours: {counts}. Distances across it mean little."
        )
    return f"Two dimensions show only the rough order: {counts}. The table says who is nearest."


def _word(n: int) -> str:
    return {3: "three", 10: "ten"}.get(n, f"{n:,}")
