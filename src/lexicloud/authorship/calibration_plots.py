"""Plots of the calibration of likelihood ratios, as in forensic practice: reliability, Tippett and ECE plots."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.say.figures import CATEGORICAL, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.authorship.likelihood_ratio import PairCalibration

    Floats = NDArray[np.float64]


def reliability(found: PairCalibration, ax: Axes | None = None) -> Axes:
    """Draw the share of pairs by one author against the stated probability; on the diagonal they are equal."""
    ax = new_axes(ax, 5, 5)
    stated, right, pairs = np.array(found.reliability).T
    ax.plot([0, 1], [0, 1], color="0.6", linewidth=1)
    ax.scatter(stated, right, s=20 + 200 * pairs / pairs.max(), color=CATEGORICAL[0])
    ax.set_xlabel("probability stated")
    ax.set_ylabel("share by one hand")
    ax.set_title(f"reliability: {found}", fontsize=9)
    return ax


def tippett(found: PairCalibration, ax: Axes | None = None) -> Axes:
    """Draw, for each kind of pair, the share with at least a given likelihood ratio (a Tippett plot)."""
    ax = new_axes(ax, 7, 4.5)
    for i, (values, label) in enumerate(((found.same, "one hand"), (found.different, "two hands"))):
        ordered = np.sort(values) / np.log(10)
        ax.step(ordered, 1 - np.arange(len(ordered)) / len(ordered), color=CATEGORICAL[i], label=label)
    for limit in found.thresholds:
        ax.axvline(limit / np.log(10), color="0.5", linestyle="--", linewidth=1)
    ax.set_xlabel("log₁₀ of the likelihood ratio")
    ax.set_ylabel("share with at least that")
    ax.set_title("Tippett plot; verdicts lie outside the dashed lines", fontsize=9)
    ax.legend(fontsize=8)
    return ax


def ece(found: PairCalibration, ax: Axes | None = None) -> Axes:
    """Draw the empirical cross-entropy over prior odds: of these ratios, of the best possible, of no evidence."""
    ax = new_axes(ax, 7, 4.5)
    prior = np.linspace(-2.5, 2.5, 101)
    curves = {
        "as it is": (found.same, found.different),
        "best possible": best_possible(found.same, found.different),
        "no evidence": (np.zeros(1), np.zeros(1)),
    }
    for i, (label, sides) in enumerate(curves.items()):
        style = ":" if label == "no evidence" else "-"
        ax.plot(prior, [cross_entropy(*sides, p) for p in prior], style, color=CATEGORICAL[i], label=label)
    ax.set_xlabel("log₁₀ of the prior odds")
    ax.set_ylabel("empirical cross-entropy (bits)")
    ax.set_title("ECE: below “no evidence” the ratios help", fontsize=9)
    ax.legend(fontsize=8)
    return ax


def cross_entropy(same: Floats, different: Floats, prior: float) -> float:
    """Return the empirical cross-entropy at prior odds of 10 to the power of `prior`; at 0 it is Cllr.

    >>> cross_entropy(np.zeros(1), np.zeros(1), 0.0)
    1.0
    """
    odds = prior * np.log(10)
    p = 1 / (1 + np.exp(-odds))
    one = np.logaddexp(0, -(same + odds)).mean() / np.log(2)
    two = np.logaddexp(0, different + odds).mean() / np.log(2)
    return float(p * one + (1 - p) * two)


def best_possible(same: Floats, different: Floats) -> tuple[Floats, Floats]:
    """Return the log ratios of an isotonic curve fitted to the same pairs (PAV)."""
    from sklearn.isotonic import IsotonicRegression

    scores = np.concatenate([same, different])
    kind = np.concatenate([np.ones(len(same)), np.zeros(len(different))])
    weight = np.concatenate([np.full(len(each), 1 / len(each)) for each in (same, different)])
    p = IsotonicRegression(y_min=1e-6, y_max=1 - 1e-6).fit_transform(scores, kind, sample_weight=weight)
    ratios = np.log(p / (1 - p))
    return ratios[: len(same)], ratios[len(same) :]
