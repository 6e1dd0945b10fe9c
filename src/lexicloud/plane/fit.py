"""How well a plane fits: are the points that are nearest in truth also near on the plane?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.say.blocks import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
