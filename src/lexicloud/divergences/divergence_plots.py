"""Figures of divergences, with matplotlib; colours are safe for colour-blind readers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.say.figures import APART, CATEGORICAL, SEQUENTIAL, TOWARDS, new_axes

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

    A single very close pair would take the whole scale: the outer hundredths share the end colours.
    """
    from matplotlib.colors import LinearSegmentedColormap

    low, high = np.nanquantile(values, [0.01, 0.99])
    if not standardised:
        return {"cmap": f"{SEQUENTIAL}_r", "vmin": low, "vmax": high}
    end = max(abs(low), abs(high))
    colours = LinearSegmentedColormap.from_list("closeness", [TOWARDS, "white", APART])
    return {"cmap": colours, "vmin": -end, "vmax": end}


def _write_cells(ax: Axes, image: Any, values: Any) -> None:
    """Write the values into the cells of a small matrix, in the colour that can be read there."""
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
    if start < 0:  # the closest pair is at zero: longer branches, so that it has one
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
    """Draw the documents in the plane, coloured by label; names stand beside their points, not over one
    another.
    """
    ax = new_axes(ax, 9, 7)
    points, colours = matrix.coordinates(), _colours(matrix)
    ax.scatter(points[:, 0], points[:, 1], c=colours, s=25)
    ax.margins(0.12)
    size = min(8.0, max(5.0, 300 / max(1, len(matrix))))
    ax.set_xticks([])
    ax.set_yticks([])
    ax.set_title(f"{_title(matrix)}, classical scaling", fontsize=10)
    # Settles the frame, without which points have no place on the page yet.
    ax.figure.canvas.figure.draw_without_rendering()
    points_of_type = 72 / ax.figure.dpi
    typographic = ax.transData.transform(points) * points_of_type
    frame = ax.get_window_extent()
    offsets = _label_offsets(
        typographic, matrix.names, size, (frame.x0 * points_of_type, frame.x1 * points_of_type)
    )
    for name, point, offset, colour in zip(matrix.names, points, offsets, colours, strict=True):
        where = (float(point[0]), float(point[1]))
        ax.annotate(
            name, where, offset, textcoords="offset points", fontsize=size, color=colour, parse_math=False
        )
    _legend(matrix, ax)
    return ax


def _label_offsets(
    places: Any, names: Sequence[str], height: float, frame: tuple[float, float]
) -> list[tuple[float, float]]:
    """Place each name at the first of some spots around its point where it covers no point and no name
    placed before, and stays inside the frame.
    """
    placed: list[tuple[float, float, float, float]] = [(x - 2, y - 2, x + 2, y + 2) for x, y in places]
    chosen = []
    for (x, y), name in zip(places, names, strict=True):
        width = 0.6 * height * len(name)  # a letter is a little wider than half its height
        spots = [
            (side, step * height)
            for step in (0.3, -0.7, -1.5, 1.2, -2.5, 2.2)
            for side in (5.0, -width - 5.0)
        ]
        boxes = [(x + dx, y + dy, x + dx + width, y + dy + height) for dx, dy in spots]
        inside = [i for i, box in enumerate(boxes) if frame[0] <= box[0] and box[2] <= frame[1]] or [0]
        free = [i for i in inside if not any(_overlap(boxes[i], other) for other in placed)]
        best = free[0] if free else inside[0]
        placed.append(boxes[best])
        chosen.append(spots[best])
    return chosen


def _overlap(a: tuple[float, float, float, float], b: tuple[float, float, float, float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _legend(matrix: DivergenceMatrix, ax: Axes) -> None:
    """Name the colours, where there are labels."""
    from matplotlib.lines import Line2D

    named = {label: c for label, c in zip(matrix.labels or (), _colours(matrix), strict=False) if label}
    if 1 < len(named) <= len(CATEGORICAL):
        points = [
            Line2D([], [], color=c, marker="o", linestyle="", label=label) for label, c in named.items()
        ]
        ax.legend(handles=points, fontsize=8)


def shift_bars(shift: WordShift | Divergence, ax: Axes | None = None, top: int = 30) -> Axes:
    """Draw the strongest words as bars: right sets apart, left brings together."""
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
    """Return one colour for each label; dark grey where there is none, and where they exceed the palette."""
    labels = [label for label in dict.fromkeys(matrix.labels or ()) if label is not None]
    palette = dict(zip(labels, CATEGORICAL, strict=False)) if len(labels) <= len(CATEGORICAL) else {}
    return [palette.get(label or "", "0.25") for label in (matrix.labels or [None] * len(matrix))]


def _title(matrix: DivergenceMatrix) -> str:
    k = f", k = {matrix.options['k']}" if "k" in matrix.options else ""
    return f"Divergence of {len(matrix)} documents ({matrix.method}{k})"


def _is_standardised(matrix: DivergenceMatrix, *, raw: bool) -> bool:
    return matrix.standardised or matrix.ranked(raw=raw) is not matrix.values


def _quantity(matrix: DivergenceMatrix, *, raw: bool = False) -> str:
    """Say what is drawn: standard deviations from what is usual for either text, or raw nats."""
    if _is_standardised(matrix, raw=raw):
        return "standardised: deviations from\nwhat is usual for either text"
    return "raw: D(row ‖ column) + D(column ‖ row)" if matrix.symmetric else "raw: D(row ‖ column)"
