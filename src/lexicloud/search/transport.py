"""The cheapest way to move one cloud of words onto another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import EstimateError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.cloud import Cloud

    Floats = NDArray[np.float64]

_STEPS: Final = 10_000_000  # of the network simplex; two sentences need a few dozen
_SOLVED: Final = 1  # the solver's code for an optimal plan


def distances_between(X: Floats, Y: Floats) -> Floats:
    """Return the Euclidean distance of every pair of rows, exactly 0 for equal rows."""
    gaps = X[:, None, :] - Y[None, :, :]
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", gaps, gaps)))


def plan(P: Cloud, Q: Cloud) -> tuple[Floats, Floats]:
    """Return the optimal transport plan between two clouds and the distances it pays."""
    D = distances_between(P.vectors, Q.vectors)
    return solve(P.mass, Q.mass, D), D


def solve(a: Floats, b: Floats, D: Floats) -> Floats:
    """Return the plan of least cost with marginals `a` and `b`."""
    if len(a) == 1 or len(b) == 1:
        return np.outer(a, b)  # the only plan there is
    # The solver itself: the checks around it take seven times as long as a problem of this size.
    from ot.lp.emd_wrap import emd_c

    T, _, _, _, status = emd_c(a, b, np.ascontiguousarray(D), _STEPS, 1)
    if status != _SOLVED:
        raise EstimateError(
            f"a transport of {len(a)} × {len(b)} words was not solved within {_STEPS:,} steps"
        )
    return np.asarray(T)
