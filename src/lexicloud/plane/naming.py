"""Regions with names: dense places at two levels, each named by a function of its points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.plane.regions import regions
from lexicloud.say.map_block import Region, around

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Namer = Callable[[NDArray[np.int64]], Sequence[str]]  # the numbers of points → words


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
