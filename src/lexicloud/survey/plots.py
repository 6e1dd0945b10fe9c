"""Figures of results: shares and strengths with their intervals, as files (matplotlib) and in the page (plotly)."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from lexicloud.plotting import CATEGORICAL, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lexicloud.survey.resample import Interval
    from lexicloud.survey.results import ArmResults


def draw_shares(arm: ArmResults, ax: Axes | None = None) -> Axes:
    """Draw how often each method was chosen, with its interval, beside chance."""
    ax = new_axes(ax, height=1.4 + 0.4 * len(arm.shares))
    _draw_intervals(ax, {s.method: s.share for s in arm.shares}, 100)
    if arm.shares:
        ax.axvline(100 * arm.shares[0].chance, color="#666666", linestyle="--", linewidth=1)
    ax.set_xlabel(f"{'chosen' if arm.arm.task == 'choose' else 'won'} (%), 95 % interval; dashed: chance")
    ax.set_title(f"{arm.arm.name}, {arm.participants} participants")
    return ax


def draw_strengths(arm: ArmResults, ax: Axes | None = None) -> Axes:
    """Draw Bradley–Terry strengths with their intervals."""
    ax = new_axes(ax, height=1.4 + 0.4 * len(arm.strengths))
    _draw_intervals(ax, arm.strengths, 1)
    ax.axvline(0, color="#666666", linestyle="--", linewidth=1)
    ax.set_xlabel("Bradley–Terry strength (log odds), 95 % interval; dashed: the mean")
    ax.set_title(f"{arm.arm.name}, {arm.participants} participants")
    return ax


def _draw_intervals(ax: Any, found: Any, scale: float) -> None:
    for row, interval in enumerate(found.values()):
        if interval.low is not None:
            ax.plot(
                [scale * interval.low, scale * interval.high], [row, row], color=CATEGORICAL[0], linewidth=2
            )
        ax.plot([scale * interval.value], [row], "o", color=CATEGORICAL[0])
    ax.set_yticks(range(len(found)), list(found))
    ax.set_ylim(len(found) - 0.5, -0.5)


def interval_figure(
    found: dict[str, Interval], scale: float, title: str, line: float | None
) -> dict[str, Any]:
    """Return a plotly figure of values with intervals, one row each, and a dashed line."""
    rows = list(reversed(found.items()))  # plotly counts from below
    values = [round(scale * interval.value, 3) for _, interval in rows]
    above = [_arm(interval.high, interval.value, scale) for _, interval in rows]
    below = [_arm(interval.value, interval.low, scale) for _, interval in rows]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": values,
        "y": [escape(name, quote=False) for name, _ in rows],  # plotly reads tags
        "marker": {"size": 10, "color": CATEGORICAL[0]},
        "error_x": {"type": "data", "symmetric": False, "array": above, "arrayminus": below},
        "hovertemplate": "%{y}: %{x}<extra></extra>",
    }
    shape = {"type": "line", "xref": "x", "yref": "paper", "x0": line, "x1": line, "y0": 0, "y1": 1}
    shapes = [] if line is None else [{**shape, "line": {"dash": "dash", "width": 1, "color": "#8a8a8a"}}]
    layout = {
        "margin": {"l": 56, "r": 16, "t": 16, "b": 60},
        "xaxis": {"title": {"text": title, "standoff": 8}},
        "yaxis": {"automargin": True, "type": "category"},
        "shapes": shapes,
        "showlegend": False,
    }
    return {"data": [trace], "layout": layout}


def _arm(high: float | None, low: float | None, scale: float) -> float:
    """Return the length of an error bar, 0 where there is none."""
    return 0.0 if high is None or low is None else round(scale * (high - low), 3)
