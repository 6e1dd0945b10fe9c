"""Regions of a plane: where points lie dense, as many as a reader can take in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CELLS: Final = 128  # along each side of the grid on which points are counted
_WIDTHS: Final = tuple(float(w) for w in np.geomspace(12, 1.2, 16))  # of the kernel in cells, widest first
_SHARE: Final = 0.25  # a region has at least this share of the points that it would have if all were equal
_LARGE: Final = 2.5  # a region with more than this many times its equal share is divided once more


def regions(points: NDArray[np.float64], about: int) -> NDArray[np.int64]:
    """Return the region of each point: about so many dense places, with what lies downhill from each.

    The points are counted on a grid and smoothed; every cell belongs to the top that it climbs to. The kernel is the
    widest that shows as many tops as asked for. What is too small joins the nearest region.

    >>> places = np.array([[0, 0], [0, 0.1], [9, 9], [9, 9.1]])
    >>> regions(places, 2).tolist()
    [0, 0, 1, 1]
    """
    found = _regions(points, about)
    sizes = np.bincount(found)
    for large in np.flatnonzero(sizes > max(_LARGE * len(points) / about, 2 * _LARGE)).tolist():
        rows = np.flatnonzero(found == large)
        parts = _regions(points[rows], round(len(rows) * about / len(points)))
        found[rows] = np.where(parts == 0, large, found.max() + parts)
    order = np.argsort(np.argsort(-np.bincount(found), kind="stable"), kind="stable")
    return np.asarray(order[found])


def _regions(points: NDArray[np.float64], about: int) -> NDArray[np.int64]:
    cells, counts = _counted(points)
    best = np.zeros(len(points), np.int64)
    for width in _WIDTHS:
        found = _large_enough(_tops(counts, width)[cells[:, 0], cells[:, 1]], points, about)
        if found.max(initial=0) > best.max(initial=0):
            best = found
        if best.max(initial=0) + 1 >= about:
            break
    return best


def _counted(points: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cell of each point, one scale for both directions, and how many points each cell has."""
    low, spread = points.min(axis=0), max(float(np.ptp(points, axis=0).max(initial=0)), 1e-12)
    cells = np.minimum((points - low) / spread * _CELLS, _CELLS - 1).astype(np.int64)
    counts = np.zeros((_CELLS, _CELLS))
    np.add.at(counts, (cells[:, 0], cells[:, 1]), 1.0)
    return cells, counts


def _tops(counts: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Return for each cell the number of the top that it climbs to by the steepest way."""
    from scipy.ndimage import gaussian_filter

    height = np.pad(gaussian_filter(counts, width, mode="constant"), 1, constant_values=-1.0)
    own = np.arange(height.size).reshape(height.shape)
    height += own * (1e-9 * height.max() / height.size)  # a plateau has one top
    best, goal = height.copy(), own.copy()
    for across in (-1, 0, 1):
        for along in (-1, 0, 1):
            moved = np.roll(height, (across, along), (0, 1))
            higher = moved > best
            best = np.where(higher, moved, best)
            goal = np.where(higher, np.roll(own, (across, along), (0, 1)), goal)
    to = goal.ravel()
    while not np.array_equal(to[to], to):
        to = to[to]
    return to.reshape(height.shape)[1:-1, 1:-1]


def _large_enough(tops: NDArray[np.int64], points: NDArray[np.float64], about: int) -> NDArray[np.int64]:
    """Number the regions by size, the largest first; small ones join the large one whose middle is nearest."""
    _, of, sizes = np.unique(tops, return_inverse=True, return_counts=True)
    least = max(1.0, _SHARE * len(points) / about)
    order = np.argsort(-sizes, kind="stable")
    large = [int(i) for i in order if sizes[i] >= least] or [int(order[0])]
    middles = np.array([points[of == i].mean(axis=0) for i in large])
    number = {i: n for n, i in enumerate(large)}
    nearest = [
        number[i]
        if i in number
        else int(((middles - points[of == i].mean(axis=0)) ** 2).sum(axis=1).argmin())
        for i in range(len(sizes))
    ]
    return np.array(nearest, np.int64)[of]
