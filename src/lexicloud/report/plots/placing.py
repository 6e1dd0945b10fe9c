"""Names beside points without names on top of each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
