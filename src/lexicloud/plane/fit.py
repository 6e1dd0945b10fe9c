"""How well two dimensions fit: who stands beside whom on the plane, against who is near in truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.say.phrases import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

AMONG: Final = 3  # the nearest on the plane among which the truly nearest is looked for
_ASKED: Final = 5_000  # points asked at most: a share to about a hundredth
_GOOD, _FAIR = 0.8, 0.5


def nearest_kept(nearest: NDArray[np.integer], places: NDArray[np.float64], among: int = AMONG) -> float:
    """Return the share of points whose truly nearest point is among so many nearest on the plane.

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
    """Say in words how far the map can be trusted.

    >>> fit_said(0.97, "text")[:54]
    'The map can be read for who stands beside whom: for 97'
    """
    counts = f"for {round(100 * share)} of 100 {plural(thing)} the nearest is among the {_word(among)} nearest here"
    if share >= _GOOD:
        return f"The map can be read for who stands beside whom: {counts}. What lies far apart is unlike, not how much."
    if share >= _FAIR:
        return (
            f"The map shows neighbourhoods, not single neighbours: {counts}. Distances across it mean little."
        )
    return f"Two dimensions hold only the rough order: {counts}. Ask the table who is nearest."


def _word(n: int) -> str:
    return {3: "three", 10: "ten"}.get(n, f"{n:,}")
