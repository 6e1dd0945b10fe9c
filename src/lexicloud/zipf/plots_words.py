"""Figures of words by rank, of their frequencies and of a growing vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.palette import CATEGORICAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.zipf.fit import ZipfFit
    from lexicloud.zipf.heaps_law import Heaps
    from lexicloud.zipf.power_law import PowerLaw
    from lexicloud.zipf.ranks import RankFrequency

_POINTS, _LAW, _LINE = CATEGORICAL[0], CATEGORICAL[5], CATEGORICAL[7]


def _axes(ax: Axes | None, xlabel: str, ylabel: str) -> Axes:
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots(figsize=(6, 4), layout="constrained")[1]
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    return ax


def plot_ranks(ranks: RankFrequency, ax: Axes | None = None, *, fit: ZipfFit | None = None) -> Axes:
    """Draw count against rank; the points of a step of equal counts are drawn as its two ends."""
    ax = _axes(ax, "rank", "count")
    counts = ranks.counts
    change = np.flatnonzero(np.diff(counts))
    ends = np.unique(np.concatenate([[0], change, change + 1, [len(counts) - 1]]))
    ax.plot(ends + 1, counts[ends], ".", color=_POINTS, markersize=3, label=ranks.name)
    if fit is not None:
        plot_fit(fit, ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_fit(fit: ZipfFit, ax: Axes | None = None) -> Axes:
    """Draw a fitted law and the least-squares line."""
    ax = _axes(ax, "rank", "count")
    ranks = np.geomspace(1, fit.words, 200)
    ax.plot(
        ranks, fit.line(ranks), "--", color=_LINE, linewidth=1, label=f"least squares, slope {fit.slope:.2f}"
    )
    if fit.converged:
        label = f"Zipf–Mandelbrot, α = {fit.alpha:.2f}, β = {fit.beta:.2f}"
        ax.plot(ranks, fit.predict(ranks), color=_LAW, linewidth=1.2, label=label)
    ax.set_ylim(bottom=0.5)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_power_law(law: PowerLaw, ax: Axes | None = None) -> Axes:
    """Draw the share of words that occur at least so often, with the fitted tail."""
    ax = _axes(ax, "count", "share of words with at least this count")
    share = np.cumsum(law.multiplicities[::-1])[::-1] / law.words
    ax.plot(law.values, share, ".", color=_POINTS, markersize=3, label="words")
    if law.converged:
        x = np.geomspace(law.x_min, law.values[-1], 200)
        label = f"power law, α = {law.alpha:.2f} from {law.x_min}"
        ax.plot(x, law.survival(x) * law.n_tail / law.words, color=_LAW, linewidth=1.2, label=label)
    ax.legend(frameon=False, fontsize="small")
    return ax


def plot_heaps(growth: Heaps, ax: Axes | None = None) -> Axes:
    """Draw the number of distinct words against the number of tokens read, with the fitted law."""
    ax = _axes(ax, "tokens read", "distinct words")
    ax.plot(growth.tokens, growth.vocabulary, ".", color=_POINTS, markersize=3, label=growth.name)
    label = f"V = {growth.K:.2f} · N^{growth.beta:.3f}"
    ax.plot(growth.tokens, growth.predict(growth.tokens), color=_LAW, linewidth=1.2, label=label)
    ax.legend(frameon=False, fontsize="small")
    return ax
