"""Interactive plots as plain values for plotly: results in, dictionaries out, nothing computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.say.figures import APART, CATEGORICAL, PARTS_OF_SPEECH, TOWARDS
from lexicloud.say.phrases import cut, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.report.chapters.divergence_map import DivergenceMapChapter
    from lexicloud.zipf import ClusterSizes, PartOfSpeechTable, Projection, Purity, RankFrequency, ZipfFit

# Near, usual, far: the colours of words that bring together and that set apart, with paper between them.
DIVERGING: Final = [[0.0, TOWARDS], [0.5, "#f4f1ea"], [1.0, APART]]
INK: Final = "@ink"  # the page's script puts the colour of the text in its place
_LABELLED: Final = 90
GREY: Final = "#8a8a8a"  # readable on light and dark paper alike


def name(text: object, width: int = 34) -> str:
    """Return a name as plotly may show it: plotly reads tags, so a name's own signs are escaped.

    >>> name("a<b>")
    'a&lt;b&gt;'
    """
    return escape(cut(str(text), width), quote=False)


def numbers(values: Iterable[Any], digits: int = 4) -> list[float | None]:
    """Return numbers with so many significant digits, None for what is not a number."""
    plain = (float(v) for v in values)
    return [float(f"{v:.{digits}g}") if v == v and abs(v) != float("inf") else None for v in plain]  # noqa: PLR0124


def label_colours(labels: Sequence[str | None]) -> dict[str | None, str]:
    """Return a colour for each label; beyond eight labels one colour for all, since more cannot be told apart."""
    distinct = [label for label in dict.fromkeys(labels) if label is not None]
    if len(distinct) > len(CATEGORICAL):
        return dict.fromkeys(distinct, CATEGORICAL[0]) | {None: GREY}
    return dict(zip(distinct, CATEGORICAL, strict=False)) | {None: CATEGORICAL[0] if not distinct else GREY}


def colour_bar(title: str) -> dict[str, Any]:
    """Return the legend of a heat map's colours."""
    heading = {"text": title, "side": "right", "font": {"size": 12}}
    return {"title": heading, "thickness": 12, "outlinewidth": 0}


def names_axis(names: list[str]) -> dict[str, Any]:
    """Return an axis with a name at 0, 1, 2 and so on; beyond 90 they are shown on hover only."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": names,
        "tickfont": {"size": 11 if len(names) <= 50 else 8},
        "showticklabels": len(names) <= _LABELLED,
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "showline": False,
    }


def bare_axis() -> dict[str, Any]:
    """Return an axis that shows nothing: places on a map have no unit."""
    return {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "", "showline": False}


def log_axis(title: str) -> dict[str, Any]:
    """Return a logarithmic axis with a label at each power of ten."""
    return {"type": "log", "title": {"text": title, "standoff": 8}, "dtick": 1, "exponentformat": "power"}


def margins(**more: Any) -> dict[str, Any]:
    """Return the layout that all plots share."""
    return {"margin": {"l": 56, "r": 16, "t": 16, "b": 60}, "hovermode": "closest", **more}


def above() -> dict[str, Any]:
    """Return a legend that stands above the plot, where it takes no width on a phone."""
    return {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "itemsizing": "constant"}


# A plot about as wide as the page's column and as high as the map, in pixels; text of 11 pixels.
_WIDTH, _HEIGHT = 760.0, 570.0
_LETTER, _LINE, _GAP = 6.4, 14.0, 11.0
_DOT: Final = 3.5
_SIDES: Final = ("top center", "bottom center", "middle right", "middle left")


def place_names(names: Sequence[str], points: NDArray[np.float64]) -> list[str | None]:
    """Return on which side of its point each name has room; None where it would cover another (hover shows it).

    >>> place_names(["left", "right"], np.array([[0.0, 0.0], [1.0, 0.0]]))
    ['top center', 'top center']
    >>> place_names(["one"] * 3, np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 9.0]]))
    ['top center', 'bottom center', 'top center']
    """
    spread = np.ptp(points, axis=0)
    pixels = (points - points.min(axis=0)) / np.where(spread > 0, spread, 1.0) * [_WIDTH, _HEIGHT]
    # The points themselves are in the way too.
    taken = [(x - _DOT, y - _DOT, x + _DOT, y + _DOT) for x, y in pixels.tolist()]
    places: list[str | None] = []
    for text, (x, y) in zip(names, pixels, strict=True):
        free = next(((side, box) for side, box in _boxes(text, x, y) if not _covers(box, taken)), None)
        places.append(free[0] if free else None)
        taken += [free[1]] if free else []
    return places


def _boxes(text: str, x: float, y: float) -> Iterator[tuple[str, tuple[float, float, float, float]]]:
    """Yield the box that the name would fill on each side: left, bottom, right, top."""
    width = _LETTER * len(text)
    starts = {
        "top center": (x - width / 2, y + _GAP - _LINE / 2),
        "bottom center": (x - width / 2, y - _GAP - _LINE / 2),
        "middle right": (x + _GAP, y - _LINE / 2),
        "middle left": (x - _GAP - width, y - _LINE / 2),
    }
    for side in _SIDES:
        left, bottom = starts[side]
        yield side, (left, bottom, left + width, bottom + _LINE)


def _covers(box: tuple[float, float, float, float], taken: Sequence[Any]) -> bool:
    return any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken)


_ON_A_PHONE: Final = {"margin": {"l": 24, "r": 24, "t": 24, "b": 24}}
_WRITTEN: Final = 70  # points with their names beside them


def heat_map(part: DivergenceMapChapter) -> dict[str, Any]:
    """Return all pairs in the order of the tree; the diagonal is empty."""
    order = list(part.texts.tree.leaves)
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


def _colours(part: DivergenceMapChapter) -> dict[str, Any]:
    if not part.standardised:
        return {"colorscale": "Cividis", "reversescale": True}
    off = part.shown.values[~np.eye(len(part.names), dtype=bool)]
    edge = float(np.quantile(np.abs(off), 0.98)) or 1.0
    return {"colorscale": DIVERGING, "zmin": -edge, "zmax": edge}


def dendrogram(part: DivergenceMapChapter) -> dict[str, Any]:
    """Return the tree, root to the right, names coloured by label."""
    x: list[float | None] = []
    y: list[float | None] = []
    for heights, positions in zip(part.texts.tree.heights, part.texts.tree.positions, strict=True):
        x += [*numbers(heights), None]
        y += [*numbers(positions), None]
    line = {"type": "scatter", "mode": "lines", "x": x, "y": y, "hoverinfo": "skip", "showlegend": False}
    line["line"] = {"color": GREY, "width": 1.4}
    colours = label_colours(part.labels)
    ends = [_end(part, i, colours) for i in part.texts.tree.leaves]
    n = len(ends)
    axis = {**names_axis(ends), "range": [-0.7, n - 0.3], "showline": False}
    layout = margins(
        yaxis=axis,
        xaxis={"title": {"text": "distance at which they join", "standoff": 8}, "rangemode": "tozero"},
    )
    layout["margin"] = {**layout["margin"], "t": 8}
    return {"data": [line], "layout": layout}


def _end(part: DivergenceMapChapter, i: int, colours: dict[str | None, str]) -> str:
    shown = name(part.names[i], 30)
    label = part.labels[i]
    return f'<span style="color:{colours[label]}">{shown}</span>' if label is not None else shown


def document_map(part: DivergenceMapChapter) -> dict[str, Any]:
    """Return texts as points, one trace for each label where colours can tell them apart."""
    colours = label_colours(part.labels)
    few = len(set(colours.values())) > 1
    groups = dict.fromkeys(part.labels) if few else {None: None}
    places = place_names([name(n, 22) for n in part.names], part.texts.points)
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
    part: DivergenceMapChapter, rows: list[int], places: list[str | None], label: str | None, colour: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text" if len(part.names) <= _WRITTEN else "markers",
        "x": numbers(part.texts.points[rows, 0]),
        "y": numbers(part.texts.points[rows, 1]),
        "text": [name(part.names[i], 22) if places[i] else "" for i in rows],
        "customdata": [_hover(part, i) for i in rows],
        "hovertemplate": "%{customdata}<extra></extra>",
        "textposition": [places[i] or "top center" for i in rows],
        "textfont": {"size": 11},
        "name": name(label) if label is not None else "no label",
        "marker": {"color": colour, "size": 8, "line": {"width": 0.5, "color": "#ffffff"}},
        "cliponaxis": False,
    }


def _hover(part: DivergenceMapChapter, i: int) -> str:
    near = ", ".join(name(c.b) for c in part.neighbours[part.names[i]])
    return f"<b>{name(part.names[i], 60)}</b><br>nearest: {near}"


_BLUE, _ORANGE = CATEGORICAL[0], CATEGORICAL[5]
_NULLS = {"gaussian": (CATEGORICAL[1], "Gaussian cloud"), "shuffled": (CATEGORICAL[2], "shuffled words")}


def corners(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places where descending counts change, both ends of each step: the rest lies on a flat line."""
    change = np.flatnonzero(np.diff(counts))
    return np.unique(np.concatenate([[0], change, change + 1, [len(counts) - 1]]))


def ranks(ranked: RankFrequency, fit: ZipfFit | None) -> dict[str, Any]:
    """Return count against rank with the fitted laws."""
    places = corners(ranked.counts)
    words = ranked.words or [""] * len(ranked)
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "markers", "name": "words",
            "x": (places + 1).tolist(), "y": ranked.counts[places].tolist(),
            "text": [name(words[i], 30) for i in places],
            "marker": {"color": _BLUE, "size": 5},
            "hovertemplate": "%{text}<br>rank %{x:,}, %{y:,} times<extra></extra>",
        }
    ]  # fmt: skip
    if fit is not None:
        x = np.geomspace(1, fit.words, 80)
        data.append(_line(x, fit.line(x), f"least squares, slope {signed(fit.slope)}", GREY, "dash"))
        if fit.converged:
            title = f"Zipf–Mandelbrot, α = {fit.alpha:.2f}, β = {signed(fit.beta)}"
            data.append(_line(x, fit.predict(x), title, _ORANGE))
    top = float(np.log10(max(2, ranked.counts[0]))) + 0.4
    layout = margins(
        xaxis=log_axis("rank"), yaxis={**log_axis("count"), "range": [-0.3, top]}, legend=above()
    )
    return {"data": data, "layout": layout}


def _line(x: Any, y: Any, title: str, colour: str, dash: str = "solid") -> dict[str, Any]:
    return {
        "type": "scatter", "mode": "lines", "name": title, "x": numbers(x), "y": numbers(y),
        "line": {"color": colour, "width": 2, "dash": dash}, "hoverinfo": "skip",
    }  # fmt: skip


def part_ranks(table: PartOfSpeechTable) -> dict[str, Any]:
    """Return count against rank within each part of speech, and for all words."""
    everything = np.sort(np.concatenate(list(table.counts.values())))[::-1]
    data = [_steps(everything, "all words", INK, 3)]
    data += [
        _steps(counts, part, PARTS_OF_SPEECH[part], 1.8)
        for part, counts in table.counts.items()
        if len(counts)
    ]
    layout = margins(xaxis=log_axis("rank within the part"), yaxis=log_axis("count"), legend=above())
    return {"data": data, "layout": layout}


def _steps(counts: NDArray[np.int64], title: str, colour: str, width: float) -> dict[str, Any]:
    places = corners(counts)
    return {
        "type": "scatter", "mode": "lines" if len(places) > 1 else "markers", "name": title,
        "x": (places + 1).tolist(), "y": counts[places].tolist(),
        "line": {"color": colour, "width": width},
        "hovertemplate": title + "<br>rank %{x:,}, %{y:,} times<extra></extra>",
    }  # fmt: skip


def purity(found: Purity) -> dict[str, Any]:
    """Return the share of neighbours with the same part of speech against k, chance dotted."""
    data = []
    for i, part in enumerate(found.parts):
        if found.n_per_category[i]:
            data.append(
                {
                    "type": "scatter", "mode": "lines+markers", "name": part, "x": list(found.k),
                    "y": numbers(found.per_category[i]), "line": {"color": PARTS_OF_SPEECH[part], "width": 1.5},
                    "hovertemplate": part + ": %{y:.1f} % of %{x}<extra></extra>",
                }
            )  # fmt: skip
    data.append(
        {
            "type": "scatter", "mode": "lines+markers", "name": "all words", "x": list(found.k),
            "y": numbers(found.percent),
            "line": {"color": INK, "width": 3.5}, "hovertemplate": "all words: %{y:.1f} % of %{x}<extra></extra>",
        }
    )  # fmt: skip
    line = {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": found.chance,
        "y1": found.chance,
        "line": {"color": GREY, "dash": "dot"},
    }
    layout = margins(
        xaxis={"title": {"text": "nearest words k"}, "type": "log", "tickmode": "array", "tickvals": list(found.k),
               "ticktext": [str(k) for k in found.k]},
        yaxis={"title": {"text": "same part of speech (%)"}, "range": [0, 103]},
        legend=above(), shapes=[line],
        annotations=[{"text": "chance", "xref": "paper", "x": 1, "xanchor": "right", "y": found.chance,
                      "yanchor": "bottom", "showarrow": False, "font": {"size": 11}}],
    )  # fmt: skip
    return {"data": data, "layout": layout}


def clusters(found: ClusterSizes) -> dict[str, Any]:
    """Return cluster size against rank, with its line and the sizes of points without themes."""
    places = np.arange(1, len(found.sizes) + 1)
    data: list[dict[str, Any]] = [
        {
            "type": "scatter", "mode": "markers", "name": f"sentences, slope {signed(found.slope)}",
            "x": places.tolist(), "y": found.sizes.tolist(), "marker": {"color": _BLUE, "size": 8},
            "text": [name(" ".join(c.words[:6]), 60) for c in found.clusters],
            "hovertemplate": "%{y:,} sentences<br>%{text}<extra></extra>",
        },
        {**_line(places, found.line.at(places), "fitted line", _BLUE), "showlegend": False},
    ]  # fmt: skip
    for key, model in found.null.items():
        colour, title = _NULLS[key]
        mean = np.where(model.sizes.mean(axis=0) > 0, model.sizes.mean(axis=0), np.nan)
        x = np.arange(1, len(mean) + 1)
        data.append(_line(x, mean, f"{title}, slope {signed(model.slope)}", colour, "dash"))
    layout = margins(
        xaxis={
            **log_axis("rank of the cluster"),
            "tickmode": "array",
            "tickvals": [1, 2, 5, 10, 20, 50, 100],
        },
        yaxis=log_axis("sentences in it"),
        legend=above(),
    )
    return {"data": data, "layout": layout}


def projection(found: Projection) -> dict[str, Any]:
    """Return the words as points in the colour of their part of speech."""
    parts = np.array(found.parts)
    data = []
    for part, colour in PARTS_OF_SPEECH.items():
        rows = np.flatnonzero(parts == part)
        if len(rows):
            x, y = found.coordinates[rows].T
            data.append(
                {
                    "type": "scatter", "mode": "markers", "name": part,
                    "x": numbers(x, 3), "y": numbers(y, 3),
                    "text": [name(found.words[i], 30) for i in rows], "customdata": found.counts[rows].tolist(),
                    "marker": {"color": colour, "size": 4.5, "opacity": 0.75},
                    "hovertemplate": "%{text}<br>" + part + ", %{customdata:,} times<extra></extra>",
                }
            )  # fmt: skip
    bare = bare_axis()
    layout = margins(xaxis=bare, yaxis=bare, legend=above(), dragmode="pan")
    layout["margin"] = {"l": 12, "r": 12, "t": 12, "b": 12}
    return {"data": data, "layout": layout, "config": {"scrollZoom": False}}
