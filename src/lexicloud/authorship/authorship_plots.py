"""Drawings of who wrote it: confusions, hands along a text, change along a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.say.figures import CATEGORICAL, SEQUENTIAL, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.authorship.contrast import Contrast
    from lexicloud.authorship.leave_one_out import Attribution
    from lexicloud.authorship.seams import Rolling


def drift_curve(drift: Rolling, ax: Axes | None = None) -> Axes:
    """Draw the divergence along a document, with a line at every change of hand."""
    ax = new_axes(ax, 9, 3.5)
    for i, (name, values) in enumerate(zip(drift.references, drift.values, strict=True)):
        ax.plot(
            drift.positions, values, color=CATEGORICAL[i % len(CATEGORICAL)], label=f"from {name}", marker="."
        )
    for seam in drift.seams:
        label = f"change of hand, token {seam.position:,}"
        ax.axvline(seam.position, color=CATEGORICAL[-1], linestyle="--", label=label)
    ax.set_xlabel("token")
    ax.set_ylabel("divergence")
    ax.set_title(f"{drift.name}: windows of {drift.window:,} tokens ({drift.method})", fontsize=10)
    ax.legend(fontsize=8)
    return ax


def confusion_plot(result: Attribution, ax: Axes | None = None) -> Axes:
    """Draw the share of each label's texts that got each label, with the counts written in."""
    table = result.confusion
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    size = max(3.5, 0.32 * len(result.classes) + 2)
    ax = new_axes(ax, size + 0.5, size)
    ax.imshow(shares, cmap=SEQUENTIAL, vmin=0, vmax=1)
    small = min(10.0, max(5.0, 220 / len(result.classes)))
    for i, j in zip(*np.nonzero(table), strict=True):
        # cividis is dark up to about the middle, so the figures change colour there.
        colour = "white" if shares[i, j] < 0.55 else "black"
        ax.text(j, i, str(table[i, j]), ha="center", va="center", color=colour, fontsize=small)
    places = range(len(result.classes))
    ax.set_xticks(places, result.classes, rotation=90, fontsize=small)
    ax.set_yticks(places, result.classes, fontsize=small)
    ax.set_xlabel("label found")
    ax.set_ylabel("true label")
    ax.set_title(f"{result.correct} of {len(result.labels)} right ({result.method}, {result.rule})")
    return ax


def rolling_plot(found: Rolling, ax: Axes | None = None) -> Axes:
    """Draw a band for each hand that is likeliest somewhere, as strong as it is likely, and a line at each seam."""
    names, chances = found.references, found.values
    shown = [int(i) for i in np.unique(chances.argmax(axis=0))]
    ax = new_axes(ax, 10, 1.2 + 0.45 * len(shown))
    for row, hand in enumerate(shown):
        colour = "0.5" if hand == len(names) - 1 else f"C{row % 10}"
        bars = ax.bar(found.positions, 0.9, found.step, row - 0.45, color=colour)
        for bar, chance in zip(bars, chances[hand], strict=True):
            bar.set_alpha(float(np.clip(chance, 0.02, 1.0)))
    for seam in found.seams:
        ax.axvline(seam.position, color="black", linewidth=1.2, linestyle="--")
        ax.annotate(f"{seam.position:,}", (seam.position, len(shown) - 0.5), fontsize=8)
    ax.set_yticks(range(len(shown)), [names[hand] for hand in shown])
    ax.set_xlim(0, found.tokens)
    ax.set_ylim(-0.55, len(shown) - 0.2)
    ax.set_xlabel("token")
    ax.set_title(f"{found.name}: windows of {found.window:,} tokens", loc="left", fontsize=10)
    return ax


def contrast_scatter(found: Contrast, ax: Axes | None = None, top: int = 12) -> Axes:
    """Draw each key word by its frequency and its log ratio, a colour for each group; the strongest are named."""
    ax = new_axes(ax, 9, 6)
    for i, group in enumerate(found.groups):
        words = found.of(group)
        often = [max(1, sum(word.counts)) for word in words]
        colour = CATEGORICAL[i % len(CATEGORICAL)]
        ax.scatter(often, [word.adds for word in words], s=12, color=colour, label=f"more in {group}")
        for x, word in list(zip(often, words, strict=True))[:top]:
            ax.annotate(
                word.word, (x, word.adds), fontsize=8, xytext=(3, 2), textcoords="offset points", color=colour
            )
    ax.axhline(0, color="0.6", linewidth=0.8)
    ax.set_xscale("log")
    ax.set_xlabel("occurrences in all groups")
    ax.set_ylabel("log ratio (doublings)")
    ax.legend(fontsize=8)
    return ax
