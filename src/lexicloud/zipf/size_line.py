"""The line through log size against log rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.errors import EstimateError
from lexicloud.zipf.least_squares import log_log_line

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SizeLine:
    """log₁₀ size = intercept + slope · log₁₀ rank, by least squares."""

    slope: float
    intercept: float
    r_squared: float

    def at(self, ranks: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the line's sizes at some ranks."""
        return np.asarray(10 ** (self.intercept + self.slope * np.log10(ranks)))


def size_line(sizes: NDArray[np.int64]) -> SizeLine:
    """Fit the paper's line to cluster sizes in any order; empty clusters have no logarithm and are left out.

    >>> round(size_line(np.array([1200, 600, 400, 300])).slope, 6)
    -1.0
    """
    ordered = np.sort(sizes[sizes > 0])[::-1]
    if len(ordered) < 2:
        raise EstimateError("all sentences fell into one cluster: one size has no slope")
    if ordered[0] == ordered[-1]:
        return SizeLine(0.0, float(np.log10(ordered[0])), 1.0)
    # That line's own interval takes sorted sizes for independent points; the bootstrap over sentences replaces it.
    line = log_log_line(ordered)
    return SizeLine(line.slope, line.intercept, line.r_squared)
