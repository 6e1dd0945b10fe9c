"""Accuracy by method and length, and the confusion table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lexicloud.palette import CATEGORICAL
from lexicloud.report.plots.values import GREY, above, colour_bar, margins, name, names_axis, numbers

if TYPE_CHECKING:
    from lexicloud.report.parts.attribution import AttributionPart


def accuracy(part: AttributionPart) -> dict[str, Any]:
    """Return bars of accuracy, a group for each length of text, with chance as a dotted line."""
    groups = ["whole texts", *(f"{e.words:,} words" for e in part.excerpts)]
    traces: list[dict[str, Any]] = []
    for i, (method, result) in enumerate(part.results.items()):
        shares = [result.accuracy, *(e.accuracy.get(method, float("nan")) for e in part.excerpts)]
        traces.append(
            {
                "type": "bar",
                "name": method,
                "x": groups,
                "y": numbers([100 * s for s in shares]),
                "marker": {"color": CATEGORICAL[i % len(CATEGORICAL)]},
                "hovertemplate": method + ": %{y:.1f} %<extra></extra>",
            }
        )
    chance = 100 * part.main.chance
    line = {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": chance, "y1": chance}
    line["line"] = {"color": GREY, "dash": "dot", "width": 1.5}
    layout = margins(
        barmode="group",
        legend=above(),
        shapes=[line],
        yaxis={"title": {"text": "found (%)"}, "range": [0, 102]},
        annotations=[
            {
                "text": "chance", "xref": "paper", "x": 1, "xanchor": "right", "y": chance, "yanchor": "bottom",
                "showarrow": False, "font": {"size": 11},
            }
        ],
    )  # fmt: skip
    return {"data": traces, "layout": layout}


def confusion(part: AttributionPart) -> dict[str, Any]:
    """Return true labels against labels found; the diagonal is right."""
    table = part.main.confusion
    names = [name(label, 24) for label in part.main.classes]
    shares = table / table.sum(axis=1, keepdims=True).clip(1)
    axis = names_axis(names)
    trace = {
        "type": "heatmap",
        "z": [[None if not n else s for n, s in zip(row, numbers(share), strict=True)]
              for row, share in zip(table.tolist(), shares, strict=True)],
        "customdata": table.tolist(),
        "colorscale": [[0.0, CATEGORICAL[1]], [1.0, CATEGORICAL[0]]],
        "zmin": 0,
        "zmax": 1,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{y}<br>found: %{x}<br>%{customdata} texts<extra></extra>",
        "colorbar": colour_bar("share of the row’s texts"),
    }  # fmt: skip
    layout = margins(
        xaxis={**axis, "tickangle": -60, "title": {"text": f"{part.kind} found", "standoff": 8}},
        yaxis={**axis, "autorange": "reversed"},
    )
    narrow = {
        "xaxis": {**axis, "showticklabels": False, "title": {"text": f"{part.kind} found", "standoff": 8}}
    }
    return {"data": [trace], "layout": layout, "narrow": narrow, "narrowData": {"showscale": False}}
