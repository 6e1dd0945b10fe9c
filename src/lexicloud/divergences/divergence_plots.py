"""Figures of divergences, with matplotlib; colours are safe for colour-blind readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.plane.layout import fit_said, nearest_kept
from lexicloud.say.figures import APART, SEQUENTIAL, TOWARDS, new_axes
from lexicloud.say.map_block import Map, grouped, names_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from lexicloud.divergences.matrix import DivergenceMatrix
    from lexicloud.divergences.pair import Divergence
    from lexicloud.divergences.words import WordShift


WRITTEN: Final = 12  # up to so many documents, values are written into the cells


def heat_map(matrix: DivergenceMatrix, ax: Axes | None = None, *, raw: bool = False) -> Axes:
    """Draw all pairs, ordered by the tree so that close documents stand together; the diagonal is empty."""
    from scipy.cluster.hierarchy import leaves_list, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    distances = squareform(matrix.distances(raw=raw), checks=False)
    order = leaves_list(optimal_leaf_ordering(matrix.linkage(raw=raw), distances))
    values = matrix.ranked(raw=raw)[np.ix_(order, order)].copy()
    np.fill_diagonal(values, np.nan)
    names = [matrix.names[i] for i in order]
    small = min(9.0, max(5.0, 600 / max(1, len(names))))
    square, aside = max(2.6, (small + 3.5) * len(names) / 72), _width(names, small)
    ax = new_axes(ax, square + aside + 1.6, square + aside + 0.6)
    image = ax.imshow(values, **_colour_scale(values, standardised=_is_standardised(matrix, raw=raw)))
    ax.set_facecolor("0.75")
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=small, parse_math=False)
    ax.set_yticks(range(len(names)), names, fontsize=small, parse_math=False)
    ax.set_title(_title(matrix), fontsize=10)
    _write_cells(ax, image, values)
    ax.figure.colorbar(image, ax=ax, label=_quantity(matrix, raw=raw), shrink=0.8)
    return ax


def _width(names: Sequence[str], size: float) -> float:
    """Return about how many inches the longest name takes: a letter is a little wider than half its height."""
    return 0.6 * size * max(map(len, names), default=0) / 72


def _colour_scale(values: Any, *, standardised: bool) -> dict[str, Any]:
    """Return the colours: blue is closer than usual and orange farther, or nats from near to far.

    A single very close pair would take up the whole scale, so the outer hundredths share the end colours.
    """
    from matplotlib.colors import LinearSegmentedColormap

    low, high = np.nanquantile(values, [0.01, 0.99])
    if not standardised:
        return {"cmap": f"{SEQUENTIAL}_r", "vmin": low, "vmax": high}
    end = max(abs(low), abs(high))
    colours = LinearSegmentedColormap.from_list("closeness", [TOWARDS, "white", APART])
    return {"cmap": colours, "vmin": -end, "vmax": end}


def _write_cells(ax: Axes, image: Any, values: Any) -> None:
    """Write the values into the cells of a small matrix, in black or white, whichever can be read there."""
    if len(values) > WRITTEN:
        return
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        red, green, blue, _ = image.cmap(image.norm(values[i, j]))
        colour = "white" if 0.3 * red + 0.6 * green + 0.1 * blue < 0.5 else "black"
        ax.text(j, i, f"{values[i, j]:.2f}", ha="center", va="center", color=colour, fontsize=7)


def dendrogram(matrix: DivergenceMatrix, ax: Axes | None = None) -> Axes:
    """Draw the tree of average linkage, names coloured by label; the scale is that of the values themselves."""
    from scipy.cluster.hierarchy import dendrogram as draw

    small = min(9.0, max(5.0, 900 / max(1, len(matrix))))
    ax = new_axes(ax, 6 + _width(matrix.names, small), max(2.0, (small + 3.5) * len(matrix) / 72 + 1))
    tree, start = matrix.linkage(), matrix.moved()
    if start < 0:  # the closest pair is at zero: all branches get longer, so that its branch can be seen
        longer = 0.08 * float(np.ptp(tree[:, 2]))
        tree[:, 2] += longer
        start -= longer
    draw(
        tree,
        labels=list(matrix.names),
        orientation="left",
        ax=ax,
        color_threshold=0,
        above_threshold_color="0.4",
    )
    _name_leaves(matrix, ax, small)
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
    _true_scale(ax, start)
    ax.set_xlabel(f"{_quantity(matrix)}\n(mean of both directions)")
    ax.set_title(_title(matrix), fontsize=10)
    return ax


def _true_scale(ax: Axes, start: float) -> None:
    """Write at the horizontal axis the values that distances from `start` stand for."""
    from matplotlib.ticker import MaxNLocator

    low, high = sorted(start + x for x in ax.get_xlim())
    ticks = [v for v in MaxNLocator(6).tick_values(low, high) if low <= v <= high]
    ax.set_xticks([v - start for v in ticks], [f"{v:g}" for v in ticks])


def _name_leaves(matrix: DivergenceMatrix, ax: Axes, size: float) -> None:
    colours = dict(zip(matrix.names, _colours(matrix), strict=True))
    for tick in ax.get_yticklabels():
        tick.set_color(colours[tick.get_text()])
        tick.set_fontsize(size)


def document_map(matrix: DivergenceMatrix, ax: Axes | None = None) -> Axes:
    """Draw the documents in the plane, in colours and marks of their labels; no name covers another."""
    from lexicloud.say.map_figure import draw_map

    return draw_map(map_block(matrix), ax)


def map_block(matrix: DivergenceMatrix, places: Any = None) -> Map:
    """Return the documents in the plane as a map, with how well two dimensions fit.

    `places`, the result of `coordinates`, saves a new layout.
    """
    n = len(matrix)
    places = matrix.coordinates() if places is None else np.asarray(places)
    far = np.where(np.eye(n, dtype=bool), np.inf, matrix.distances())
    order = np.argsort(far, axis=1, kind="stable")
    told = tuple(f"nearest: {', '.join(matrix.names[j] for j in row[: min(3, n - 1)])}" for row in order)
    labels = matrix.labels or (None,) * n
    kept = nearest_kept(order[:, 0], places)
    return Map(
        "map", f"A map of {n} texts, near ones together.", "text", places, matrix.names, told, np.ones(n),
        (grouped("label", labels),), caption=fit_said(kept, "text"), title=_title(matrix),
        groups_named=names_groups(labels),
    )  # fmt: skip


def shift_bars(shift: WordShift | Divergence, ax: Axes | None = None, top: int = 30) -> Axes:
    """Draw the strongest words as bars: those to the right set the texts apart, to the left bring them together."""
    words = shift.words[:top][::-1]
    ax = new_axes(ax, 6, max(2.5, 0.22 * len(words) + 1))
    values = [w.adds for w in words]
    ax.barh(range(len(words)), values, color=[APART if v > 0 else TOWARDS for v in values])
    ax.set_yticks(
        range(len(words)), [f"{w.word} ≈ {w.near}" if w.near else w.word for w in words], fontsize=8
    )
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_xlabel("← brings together    adds to the divergence    sets apart →")
    ax.set_title(f"D({shift.a} ‖ {shift.b}) = {shift.value:.3g}", fontsize=10)
    return ax


def _colours(matrix: DivergenceMatrix) -> list[str]:
    """Return one colour for each document: its label's, as on the map; dark grey where there is none."""
    found = grouped("label", matrix.labels or [None] * len(matrix))
    return [found.groups[i].colour if i >= 0 else "0.25" for i in found.of]


def _title(matrix: DivergenceMatrix) -> str:
    k = f", k = {matrix.options['k']}" if "k" in matrix.options else ""
    return f"Divergence of {len(matrix)} documents ({matrix.method}{k})"


def _is_standardised(matrix: DivergenceMatrix, *, raw: bool) -> bool:
    return matrix.standardised or matrix.ranked(raw=raw) is not matrix.values


def _quantity(matrix: DivergenceMatrix, *, raw: bool = False) -> str:
    """Return, in words, what is drawn: deviations from what is usual for either text, or raw nats."""
    if _is_standardised(matrix, raw=raw):
        return "standardised: deviations from\nwhat is usual for either text"
    return "raw: D(row ‖ column) + D(column ‖ row)" if matrix.symmetric else "raw: D(row ‖ column)"
