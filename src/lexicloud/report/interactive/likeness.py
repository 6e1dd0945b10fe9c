"""Heat map, dendrogram and map of the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.report.interactive.axes import (
    DIVERGING,
    GREY,
    bare_axis,
    colour_bar,
    label_colours,
    margins,
    name,
    names_axis,
    numbers,
    place_names,
)

if TYPE_CHECKING:
    from lexicloud.report.chapters.likeness import LikenessChapter

_ON_A_PHONE: Final = {"margin": {"l": 24, "r": 24, "t": 24, "b": 24}}
_WRITTEN: Final = 70  # points with their names beside them


def heat_map(part: LikenessChapter) -> dict[str, Any]:
    """Return all pairs in the order of the tree; the diagonal is empty."""
    order = list(part.tree.leaves)
    values = part.shown.values[np.ix_(order, order)].copy()
    np.fill_diagonal(values, np.nan)
    names = [name(part.names[i], 26) for i in order]
    quantity = "closer or farther than usual" if part.standardised else "divergence"
    trace: dict[str, Any] = {
        "type": "heatmap",
        "z": [numbers(row, 3) for row in values],
        "hovertemplate": "%{y}<br>from %{x}<br>%{z:.2f}<extra></extra>",
        "colorbar": colour_bar(quantity),
        **_colours(part),
    }
    axis = names_axis(names)
    layout = margins(
        xaxis={**axis, "tickangle": -60, "side": "bottom"}, yaxis={**axis, "autorange": "reversed"}
    )
    narrow = {"xaxis": {**axis, "showticklabels": False}}
    return {"data": [trace], "layout": layout, "narrow": narrow, "narrowData": {"showscale": False}}


def _colours(part: LikenessChapter) -> dict[str, Any]:
    if not part.standardised:
        return {"colorscale": "Cividis", "reversescale": True}
    off = part.shown.values[~np.eye(len(part.names), dtype=bool)]
    edge = float(np.quantile(np.abs(off), 0.98)) or 1.0
    return {"colorscale": DIVERGING, "zmin": -edge, "zmax": edge}


def dendrogram(part: LikenessChapter) -> dict[str, Any]:
    """Return the tree, root to the right, names coloured by label."""
    x: list[float | None] = []
    y: list[float | None] = []
    for heights, positions in zip(part.tree.heights, part.tree.positions, strict=True):
        x += [*numbers(heights), None]
        y += [*numbers(positions), None]
    line = {"type": "scatter", "mode": "lines", "x": x, "y": y, "hoverinfo": "skip", "showlegend": False}
    line["line"] = {"color": GREY, "width": 1.4}
    colours = label_colours(part.labels)
    ends = [_end(part, i, colours) for i in part.tree.leaves]
    n = len(ends)
    axis = {**names_axis(ends), "range": [-0.7, n - 0.3], "showline": False}
    layout = margins(
        yaxis=axis,
        xaxis={"title": {"text": "distance at which they join", "standoff": 8}, "rangemode": "tozero"},
    )
    layout["margin"] = {**layout["margin"], "t": 8}
    return {"data": [line], "layout": layout}


def _end(part: LikenessChapter, i: int, colours: dict[str | None, str]) -> str:
    shown = name(part.names[i], 30)
    label = part.labels[i]
    return f'<span style="color:{colours[label]}">{shown}</span>' if label is not None else shown


def document_map(part: LikenessChapter) -> dict[str, Any]:
    """Return texts as points, one trace for each label where colours can tell them apart."""
    colours = label_colours(part.labels)
    few = len(set(colours.values())) > 1
    groups = dict.fromkeys(part.labels) if few else {None: None}
    places = place_names([name(n, 22) for n in part.names], part.points)
    traces = []
    for label in groups:
        rows = [i for i, own in enumerate(part.labels) if not few or own == label]
        traces.append(_points(part, rows, places, label, colours[label] if few else colours[part.labels[0]]))
    bare = bare_axis()
    layout = margins(xaxis=bare, yaxis=bare)
    layout["showlegend"] = few
    layout["margin"] = {"l": 110, "r": 110, "t": 28, "b": 28}  # names stand out beyond the points
    layout["legend"] = {"orientation": "h", "y": -0.02, "yanchor": "top"}
    return {"data": traces, "layout": layout, "narrow": _ON_A_PHONE, "narrowData": {"mode": "markers"}}


def _points(
    part: LikenessChapter, rows: list[int], places: list[str | None], label: str | None, colour: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text" if len(part.names) <= _WRITTEN else "markers",
        "x": numbers(part.points[rows, 0]),
        "y": numbers(part.points[rows, 1]),
        "text": [name(part.names[i], 22) if places[i] else "" for i in rows],
        "customdata": [_hover(part, i) for i in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
        "textposition": [places[i] or "top center" for i in rows],
        "textfont": {"size": 11},
        "name": name(label) if label is not None else "no label",
        "marker": {"color": colour, "size": 8, "line": {"width": 0.5, "color": "#ffffff"}},
        "cliponaxis": False,
    }


def _hover(part: LikenessChapter, i: int) -> str:
    near = ", ".join(name(c.b) for c in part.neighbours[part.names[i]])
    return f"<b>{name(part.names[i], 60)}</b><br>nearest: {near}"
