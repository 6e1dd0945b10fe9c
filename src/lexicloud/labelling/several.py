"""Texts with several labels: a probability for each label alone, and the threshold from which a text has it.

P(label) = 1 / (1 + exp(−(slope · score + level))), with one slope for all labels and a level for each, shrunk to their
mean (Platt's calibration). Slope, levels and thresholds are fitted to the scores of held-out examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEVELS: Final = 1.0  # how far levels differ between labels: a standard deviation in log odds
# The common threshold weighs as much as so many examples of a label.
_COMMON_EXAMPLES: Final = 20.0
_TRIED: Final = np.round(np.arange(0.1, 0.91, 0.02), 2)


@dataclass(frozen=True, eq=False)
class SeveralLabels:
    """How scores become probabilities of each label alone, and the thresholds from which a text has a label."""

    slope: float
    levels: Floats
    thresholds: Floats

    @classmethod
    def fit(cls, scores: Floats, targets: Floats) -> SeveralLabels:
        """Fit slope, levels and thresholds to the scores of held-out texts (texts × labels) and their labels."""
        slope, levels = _calibrated(scores, targets)
        P = _probabilities(slope * scores + levels)
        common = _best_threshold(P.ravel(), targets.ravel())
        own = np.array([_best_threshold(p, t) for p, t in zip(P.T, targets.T, strict=True)])
        sizes = targets.sum(axis=0)
        mixed = (sizes * own + _COMMON_EXAMPLES * common) / (sizes + _COMMON_EXAMPLES)
        return cls(slope, levels, mixed)

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log odds of each label (columns) for each text."""
        return self.slope * scores + self.levels

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each label alone."""
        return _probabilities(self.log_odds(scores))

    def chosen(self, P: Floats) -> NDArray[np.bool_]:
        """Return which labels each text has: those above their thresholds, or else the one nearest to its own."""
        above = self.thresholds <= P
        best = (P / self.thresholds).argmax(axis=1)
        above[np.arange(len(P)), best] = True
        return np.asarray(above)


def _probabilities(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))


def _calibrated(scores: Floats, targets: Floats) -> tuple[float, Floats]:
    """Return the slope and the levels that make the labels likeliest."""
    from scipy.optimize import minimize

    labels = scores.shape[1]

    def loss(x: Floats) -> tuple[float, Floats]:
        slope, middle, apart = np.exp(x[0]), x[1], x[2:]
        z = slope * scores + middle + apart
        wrong = _probabilities(z) - targets
        value = float(np.logaddexp(0, z).sum() - (targets * z).sum() + (apart**2).sum() / (2 * _LEVELS**2))
        by_label = wrong.sum(axis=0)
        return value, np.concatenate(
            [[slope * (wrong * scores).sum(), by_label.sum()], by_label + apart / _LEVELS**2]
        )

    found = minimize(
        loss, np.zeros(labels + 2), jac=True, method="L-BFGS-B", bounds=[(-5, 3), *[(-30, 30)] * (labels + 1)]
    )
    return float(np.exp(found.x[0])), found.x[1] + found.x[2:]


def _best_threshold(P: Floats, targets: Floats) -> float:
    """Return the threshold with the largest F1; of several the middle one."""
    given = P[:, None] >= _TRIED
    both = (given * targets[:, None]).sum(axis=0)
    f1 = 2 * both / np.maximum(given.sum(axis=0) + targets.sum(), 1)
    best = np.flatnonzero(f1 >= f1.max() - 1e-12)
    return float(_TRIED[best[len(best) // 2]])
