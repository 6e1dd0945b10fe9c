"""Multidimensional scaling: lay points out on a plane so that their distances are close to the given ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LANDMARKS: Final = 400
_STEPS, _PLACING_STEPS = 200, 50
_TINY: Final = 1e-12
_BLOCK: Final = 512  # points placed at once; their distances to the landmarks stay in a core's cache


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

    from lexicloud.plane.layout import principal_plane

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
    for _ in range(_STEPS):
        ratio = distances / np.maximum(_distances(x, x), _TINY)
        np.fill_diagonal(ratio, 0)
        x = (ratio.sum(axis=1)[:, None] * x - ratio @ x) / n
    return x


def _place_all(points: Floats, chosen: NDArray[np.int64], layout: Floats, coordinates: Floats) -> None:
    """Move every point to the place that fits its distances to the landmarks best."""
    for begin in track(range(0, len(points), _BLOCK), "placing points among landmarks"):
        block = slice(begin, begin + _BLOCK)
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
