"""Values, axes and names as plotly takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.plotting import APART, CATEGORICAL, TOWARDS
from lexicloud.report.phrases import cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
