"""Balls that count every repeat of a point: the count-aware policy of `knn_divergence`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import EstimateError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.divergence.points import Cloud

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

_BLOCK: Final = 2_000_000  # distances held at once (16 MiB)


def counted_balls(x: Cloud, y: Cloud, k: int) -> tuple[Floats, Floats, Counts, Counts]:
    """Return ρ, υ and how many points each ball holds, for each distinct point of X."""
    rho, k_rho = _balls(x, x, k, own=1)
    upsilon, k_upsilon = _balls(x, y, k, own=0)
    return rho, upsilon, k_rho, k_upsilon


def _balls(x: Cloud, y: Cloud, k: int, own: int) -> tuple[Floats, Counts]:
    """Grow the smallest ball of positive radius around each point of X that holds at least k points of Y.

    `own` points are taken off at the centre: the point itself, where Y is X. Points at the same distance
    enter together, so that the answer does not depend on their order.
    """
    from scipy.spatial.distance import cdist

    radii, held = np.empty(len(x)), np.empty(len(x), dtype=np.int64)
    step = max(1, _BLOCK // max(1, len(y)))
    for start in range(0, len(x), step):
        distances = cdist(x.points[start : start + step], y.points)
        for i, row in enumerate(distances, start):
            radii[i], held[i] = _ball(row, y, k, own)
    return radii, held


def _ball(distances: Floats, y: Cloud, k: int, own: int) -> tuple[float, int]:
    shells, inverse = np.unique(distances, return_inverse=True)
    inside = np.cumsum(np.bincount(inverse.ravel(), y.weights)) - own
    reached = np.flatnonzero((shells > 0) & (inside >= k))
    if not len(reached):
        raise EstimateError(
            f"k = {k} but only {inside[-1]:.0f} points of {y.name} in {len(shells)} distinct places around a "
            "point: use a smaller k or more points"
        )
    return float(shells[reached[0]]), int(inside[reached[0]])
