"""Values as plotly takes them: short numbers, safe names, the palette."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final

from lexicloud.palette import APART, CATEGORICAL, TOWARDS
from lexicloud.report.wording import cut

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
