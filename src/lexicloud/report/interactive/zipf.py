"""Rank plots, purity, cluster sizes and the vocabulary on a plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.plotting import CATEGORICAL, PARTS_OF_SPEECH
from lexicloud.report.interactive.axes import GREY, INK, above, bare_axis, log_axis, margins, name, numbers
from lexicloud.report.phrases import signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.zipf import ClusterSizes, PartOfSpeechTable, Projection, Purity, RankFrequency, ZipfFit

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
