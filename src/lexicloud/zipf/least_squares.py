"""The straight line through log count against log rank, as the paper draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Line:
    """log₁₀ count = intercept + slope · log₁₀ rank, with the slope's interval as if the points were independent."""

    slope: float
    intercept: float
    interval: tuple[float, float]
    r_squared: float


def log_log_line(counts: NDArray[np.int64], level: float = 0.95) -> Line:
    """Fit the line by least squares; every rank weighs the same, so the rare words' steps dominate.

    The slope is biased as an estimate of −α (Clauset, Shalizi and Newman 2009, appendix A): the long flat steps of
    words seen once or twice tilt it, and sorted counts are not independent, which makes the interval far too narrow.

    >>> import numpy as np
    >>> line = log_log_line(np.array([1200, 600, 400, 300]))
    >>> round(line.slope, 2)
    -1.0
    """
    from scipy.stats import t as student

    x, y = np.log10(np.arange(1, len(counts) + 1)), np.log10(counts)
    spread, mean = ((x - x.mean()) ** 2).sum(), y.mean()
    slope = float(((x - x.mean()) * (y - mean)).sum() / spread)
    intercept = float(mean - slope * x.mean())
    left = float(((y - intercept - slope * x) ** 2).sum())
    free = len(counts) - 2
    half = float(student.ppf((1 + level) / 2, free) * np.sqrt(left / free / spread)) if free else float("nan")
    total = float(((y - mean) ** 2).sum())
    return Line(slope, intercept, (slope - half, slope + half), 1 - left / total)
