"""The figure of true labels against labels found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.divergence.plots import new_axes
from lexicloud.palette import SEQUENTIAL

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.divergence.attribution import Attribution


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
