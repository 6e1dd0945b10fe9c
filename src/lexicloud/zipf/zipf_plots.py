"""Draw ranks, fits, Heaps' law, parts of speech and clusters: each function takes a result and returns Axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.say.figures import CATEGORICAL, PARTS_OF_SPEECH, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.zipf.cluster_count import ClusterSweep, KChoice
    from lexicloud.zipf.clusters import ClusterSizes
    from lexicloud.zipf.fit import ZipfFit
    from lexicloud.zipf.heaps_law import Heaps
    from lexicloud.zipf.parts_of_speech import PartOfSpeechTable
    from lexicloud.zipf.power_law import PowerLaw
    from lexicloud.zipf.purity import Purity
    from lexicloud.zipf.ranks import RankFrequency

_POINTS, _LAW, _LINE = CATEGORICAL[0], CATEGORICAL[5], CATEGORICAL[7]


def _log_axes(ax: Axes | None, xlabel: str, ylabel: str) -> Axes:
    ax = new_axes(ax, 6, 4)
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    return ax


def plot_ranks(ranks: RankFrequency, ax: Axes | None = None, *, fit: ZipfFit | None = None) -> Axes:
    """Draw count against rank; of a step of equal counts only the two ends are drawn."""
    ax = _log_axes(ax, "rank", "count")
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
    ax = _log_axes(ax, "rank", "count")
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
    ax = _log_axes(ax, "count", "share of words with at least this count")
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
    ax = _log_axes(ax, "tokens read", "distinct words")
    ax.plot(growth.tokens, growth.vocabulary, ".", color=_POINTS, markersize=3, label=growth.name)
    label = f"V = {growth.K:.2f} · N^{growth.beta:.3f}"
    ax.plot(growth.tokens, growth.predict(growth.tokens), color=_LAW, linewidth=1.2, label=label)
    ax.legend(frameon=False, fontsize="small")
    return ax


_DATA, _GREY = CATEGORICAL[0], "#888888"
_NULLS = {"gaussian": (CATEGORICAL[1], "Gaussian null"), "shuffled": (CATEGORICAL[2], "shuffled-words null")}


def plot_part_ranks(table: PartOfSpeechTable, ax: Axes | None = None) -> Axes:
    """Draw count against rank on logarithmic scales, for all words and within each part."""
    ax = new_axes(ax)
    everything = np.sort(np.concatenate(list(table.counts.values())))[::-1]
    ax.loglog(
        np.arange(1, len(everything) + 1), everything, color="black", lw=2, label="all words", rasterized=True
    )
    for part, counts in table.counts.items():
        if len(counts):
            ranks = np.arange(1, len(counts) + 1)
            label = f"{part} (spread {table.spread[part]:.2f})"
            marker = {"marker": "."} if len(counts) == 1 else {}
            ax.loglog(ranks, counts, color=PARTS_OF_SPEECH[part], label=label, rasterized=True, **marker)
    ax.set(xlabel="rank", ylabel="count", title="Words by part of speech")
    ax.legend(fontsize="small")
    return ax


def plot_purity(purity: Purity, ax: Axes | None = None) -> Axes:
    """Draw purity against k for all words and each part, chance as a dashed line."""
    ax = new_axes(ax)
    order = np.argsort(purity.k)
    k = np.array(purity.k)[order]
    for i, part in enumerate(purity.parts):
        if purity.n_per_category[i]:
            label = f"{part} (chance {purity.category_chance[i]:.0f} %)"
            ax.plot(
                k, purity.per_category[i][order], color=PARTS_OF_SPEECH[part], marker=".", lw=1, label=label
            )
    ax.plot(k, purity.percent[order], color="black", marker="o", lw=2, label="all words")
    ax.axhline(purity.chance, color="black", ls="--", lw=1, label=f"chance ({purity.chance:.0f} %)")
    ax.set(xlabel="nearest words k", ylabel="same part of speech (%)", ylim=(0, 102))
    ax.set_title("Neighbours that share a word's part of speech")
    ax.legend(fontsize="small")
    return ax


def plot_cluster_sizes(found: ClusterSizes, ax: Axes | None = None) -> Axes:
    """Draw size against rank with the fitted line, and the mean sizes of the null models."""
    ax = new_axes(ax)
    ranks = np.arange(1, len(found.sizes) + 1)
    ax.loglog(ranks, found.sizes, "o", color=_DATA, ms=4, label=f"sentences ({_slope_text(found)})")
    ax.loglog(ranks, found.line.at(ranks), color=_DATA, lw=1)
    for name, model in found.null.items():
        colour, label = _NULLS[name]
        mean = model.sizes.mean(axis=0)
        label = f"{label} ({model.slope:.2f} ± {model.spread:.2f})"
        ax.loglog(
            np.arange(1, len(mean) + 1), np.where(mean > 0, mean, np.nan), color=colour, lw=1.5, label=label
        )
    ax.set(xlabel="rank of cluster", ylabel="sentences", title=f"Cluster sizes, k = {found.k}")
    ax.legend(fontsize="small")
    return ax


def _slope_text(found: ClusterSizes) -> str:
    if found.interval is None:
        return f"slope {found.slope:.2f}"
    low, high = found.interval
    return f"slope {found.slope:.2f}, {low:.2f} to {high:.2f}"


def plot_sweep(sweep: ClusterSweep, ax: Axes | None = None) -> Axes:
    """Draw slope against k, one dot per seed and a line through the means; Zipf's −1 as a dotted line."""
    ax = new_axes(ax)
    _slope_line(ax, sweep.ks, sweep.slopes, _DATA, "sentences")
    for name, slopes in sweep.null.items():
        colour, label = _NULLS[name]
        _slope_line(ax, sweep.ks, slopes, colour, label)
    ax.axhline(-1, color=_GREY, ls=":", lw=1, label="Zipf's law")
    ax.axvline(sweep.k, color=_GREY, lw=0.5)
    ax.set(xlabel="clusters k", ylabel="slope of log size against log rank", title="Slope against k")
    ax.legend(fontsize="small")
    return ax


def _slope_line(ax: Axes, ks: tuple[int, ...], slopes: Any, colour: str, label: str) -> None:
    ax.plot(ks, slopes.mean(axis=1), color=colour, marker="o", ms=4, label=label)
    for column in slopes.T:
        ax.plot(ks, column, ".", color=colour, ms=3, alpha=0.5)


def plot_choice(choice: KChoice, ax: Axes | None = None) -> Axes:
    """Draw the gap at each candidate k and mark the chosen one."""
    ax = new_axes(ax)
    ax.errorbar(choice.ks, choice.gaps, yerr=choice.errors, color=_DATA, marker="o", ms=4, capsize=2)
    ax.axvline(choice.k, color=CATEGORICAL[5], lw=1, label=f"k = {choice.k}")
    ax.set(xlabel="clusters k", ylabel="gap", title="Choosing the number of clusters")
    ax.legend(fontsize="small")
    return ax
