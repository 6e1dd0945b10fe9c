"""Regions with names: dense places at two levels, each named by a function of its points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.say.map_block import Region, around

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Namer = Callable[[NDArray[np.int64]], Sequence[str]]  # the numbers of points → words


_CELLS: Final = 128  # along each side of the grid on which points are counted
_WIDTHS: Final = tuple(float(w) for w in np.geomspace(12, 1.2, 16))  # of the smoothing kernel, in cells
_SHARE: Final = 0.25  # a region has at least this share of the points of an average region
_LARGE: Final = 2.5  # a region with more than this many times the points of an average one is divided again


def regions(points: NDArray[np.float64], about: int) -> NDArray[np.int64]:
    """Return the region of each point, of about as many regions as `about` says.

    The points are counted on a grid and smoothed to a density. Each cell belongs to the peak that the steepest way up
    leads to. The smoothing is the widest that gives as many peaks as asked for. Small regions join the nearest one.

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
    """Return the cell of each point, with the same scale in both directions, and the number of points in each cell."""
    low, spread = points.min(axis=0), max(float(np.ptp(points, axis=0).max(initial=0)), 1e-12)
    cells = np.minimum((points - low) / spread * _CELLS, _CELLS - 1).astype(np.int64)
    counts = np.zeros((_CELLS, _CELLS))
    np.add.at(counts, (cells[:, 0], cells[:, 1]), 1.0)
    return cells, counts


def _tops(counts: NDArray[np.float64], width: float) -> NDArray[np.int64]:
    """Return for each cell the number of the peak that the steepest way up leads to."""
    from scipy.ndimage import gaussian_filter

    height = np.pad(gaussian_filter(counts, width, mode="constant"), 1, constant_values=-1.0)
    own = np.arange(height.size).reshape(height.shape)
    height += own * (1e-9 * height.max() / height.size)  # so that a plateau has one peak
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
    """Number the regions by size, the largest first; small ones join the region with the nearest middle."""
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


def named_regions(
    places: NDArray[np.float64], about: tuple[int, int], name: Namer
) -> tuple[tuple[Region, ...], NDArray[np.int64]]:
    """Return the regions of a plane, the coarse ones first, and the coarse region of each point.

    `about` has the wanted number of coarse and of fine regions; 0 leaves a level out. A fine region has the colour of
    the coarse region with most of its points.
    """
    coarse = regions(places, about[0]) if about[0] else np.zeros(len(places), np.int64)
    middles = _middles(places, coarse)
    colours = around(middles, places.mean(axis=0))
    found = []
    for i, (x, y) in enumerate(middles):
        rows = np.flatnonzero(coarse == i)
        found.append(Region(tuple(name(rows)), float(x), float(y), len(rows), 0, colours[i]))
    if about[1]:
        fine = regions(places, about[1])
        for i, (x, y) in enumerate(_middles(places, fine)):
            rows = np.flatnonzero(fine == i)
            home = int(np.bincount(coarse[rows]).argmax())
            found.append(Region(tuple(name(rows)), float(x), float(y), len(rows), 1, colours[home]))
    said: set[str] = set()
    kept = []
    for region in found:  # drop a fine region whose first word names an earlier one
        if region.level == 0 or (region.words and region.words[0] not in said):
            kept.append(region)
            said.update(region.words)
    return tuple(kept), coarse


def _middles(places: NDArray[np.float64], of: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the median place of each region, which outliers hardly move."""
    return np.array([np.median(places[of == i], axis=0) for i in range(int(of.max(initial=0)) + 1)])


def distinct_words(words: Sequence[str], top: int) -> tuple[str, ...]:
    """Return the first `top` words without forms of the same word: bank, but not banks or banking.

    >>> distinct_words(["bank", "banks", "banking", "gold", "money"], 3)
    ('bank', 'gold', 'money')
    """
    kept: list[str] = []
    for word in words:
        if not any(_alike(word, other) for other in kept):
            kept.append(word)
        if len(kept) == top:
            break
    return tuple(kept)


def _alike(a: str, b: str) -> bool:
    """Tell whether two words share their first letters: two thirds of the shorter word, and at least three."""
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return shared >= max(3.0, 0.65 * min(len(a), len(b)))
