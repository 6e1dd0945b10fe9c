"""The map: named points on a plane with regions. `map.js` draws it in browsers, `map_figure` for files."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

# Okabe and Ito's colours, with brown in place of yellow, which cannot be seen on white.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#B8860B", "#2F9FD0", "#8B5A2B", "#6B6B6B")
# Eight colours are not enough for forty authors: the ninth author has the first colour and the second mark.
MARKS: Final = ("circle", "triangle", "square", "diamond", "cross", "down", "ring", "star", "plus", "bar")
SCALE: Final = 10_000  # coordinates are whole numbers up to this: finer than a pixel, and short to write


@dataclass(frozen=True)
class Group:
    """Points that are drawn alike: their common name, colour and mark, and their number."""

    name: str
    colour: str
    mark: str = "circle"
    size: int = 0


@dataclass(frozen=True, eq=False)
class Colouring:
    """One way to colour the points: what it shows ("author"), its groups, and the group of each point (−1: none)."""

    name: str
    groups: tuple[Group, ...]
    of: NDArray[np.int64]


@dataclass(frozen=True)
class Region:
    """A part of the map, named by its most typical words; `level` 0 is shown first, 1 where there is room."""

    words: tuple[str, ...]
    x: float
    y: float
    size: int
    level: int = 0
    colour: str = ""

    @property
    def title(self) -> str:
        """Its words as they are written on the map."""
        return " · ".join(self.words)


@dataclass(frozen=True, eq=False)
class Map:
    """Points on a plane, one scale for both directions.

    `names` are written beside points where there is room, those of greater weight first. `told` is what a click on
    each point shows, and `thing` says what a point is: a word, a sentence, a text. `caption` says how well two
    dimensions fit.
    """

    name: str
    alt: str
    thing: str
    places: NDArray[np.float64]
    names: tuple[str, ...]
    told: tuple[str, ...]
    weights: NDArray[np.float64]
    colourings: tuple[Colouring, ...]
    regions: tuple[Region, ...] = ()
    caption: str = ""
    title: str = ""
    named: bool = True  # whether names are written on the map; a sentence is too long for it
    # whether each group's name is written once, instead of the names of its points
    groups_named: bool = False

    def __len__(self) -> int:
        return len(self.names)

    def data(self) -> dict[str, Any]:
        """Return plain values for JSON and the browser."""
        import numpy as np

        low, unit = self._scale()
        x, y = np.rint((self.places - low) * unit).astype(int).T
        return {
            "name": self.name,
            "alt": self.alt,
            "title": self.title,
            "thing": self.thing,
            "x": x.tolist(),
            "y": y.tolist(),
            "names": list(self.names),
            "told": list(self.told),
            "weights": [round(float(w), 3) for w in self.weights],
            "named": self.named,
            "groupsNamed": self.groups_named,
            "colourings": [_coloured(c) for c in self.colourings],
            "regions": [self._region(region, low, unit) for region in self.regions],
            "caption": self.caption,
        }

    def _scale(self) -> tuple[NDArray[np.float64], float]:
        import numpy as np

        low = self.places.min(axis=0)
        return low, SCALE / max(float(np.ptp(self.places, axis=0).max(initial=0)), 1e-12)

    def _region(self, region: Region, low: NDArray[np.float64], unit: float) -> dict[str, Any]:
        import numpy as np

        x, y = (np.array([region.x, region.y]) - low) * unit
        return {
            "title": region.title,
            "x": round(float(x)),
            "y": round(float(y)),
            "size": region.size,
            "level": region.level,
            "colour": region.colour,
        }


def _coloured(colouring: Colouring) -> dict[str, Any]:
    groups = [{"name": g.name, "colour": g.colour, "mark": g.mark, "size": g.size} for g in colouring.groups]
    return {"name": colouring.name, "groups": groups, "of": colouring.of.tolist()}


def grouped(name: str, labels: Sequence[str | None], colours: dict[str, str] | None = None) -> Colouring:
    """Colour points by labels, the commonest first: eight colours, then the same ones with another mark.

    >>> [(g.name, g.colour, g.mark) for g in grouped("author", ["a", "b", None, "b"]).groups]
    [('b', '#0072B2', 'circle'), ('a', '#D55E00', 'circle')]
    """
    import numpy as np

    sizes = Counter(label for label in labels if label is not None)
    order = [label for label, _ in sizes.most_common()]
    number = {label: i for i, label in enumerate(order)}
    groups = tuple(
        Group(
            label,
            (colours or {}).get(label) or COLOURS[i % len(COLOURS)],
            "circle" if colours else mark_of(i),
            sizes[label],
        )
        for i, label in enumerate(order)
    )
    return Colouring(
        name, groups, np.array([-1 if label is None else number[label] for label in labels], np.int64)
    )


_FEW_TEXTS: Final = 60  # up to so many texts are named one by one


def names_groups(labels: Sequence[str | None]) -> bool:
    """Tell whether to write labels on a map, not the names of points: there are many points, several to a label."""
    there = [label for label in labels if label is not None]
    return len(there) > _FEW_TEXTS and len(set(there)) * 2 <= len(there)


def mark_of(i: int) -> str:
    """Return the mark of the i-th group.

    >>> mark_of(7), mark_of(8)
    ('circle', 'triangle')
    """
    return MARKS[i // len(COLOURS) % len(MARKS)]


def by_region(regions: Sequence[Region], of: NDArray[np.int64]) -> Colouring:
    """Colour points by the region they lie in."""
    import numpy as np

    sizes = np.bincount(of[of >= 0], minlength=len(regions))
    groups = tuple(
        Group(region.title, region.colour or COLOURS[i % len(COLOURS)], "circle", int(sizes[i]))
        for i, region in enumerate(regions)
    )
    return Colouring("theme", groups, of)


def around(places: NDArray[np.float64], middle: NDArray[np.float64]) -> list[str]:
    """Return a colour for each region; its hue follows the direction from the middle, so that neighbours look alike.

    >>> import numpy as np
    >>> around(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.zeros(2))[0][0]
    '#'
    """
    import numpy as np

    towards = places - middle
    # Hues are evenly spaced in the order of the directions, so that no two regions share one.
    order = np.argsort(np.argsort(np.arctan2(towards[:, 1], towards[:, 0]), kind="stable"), kind="stable")
    light = [0.60, 0.52, 0.66]
    return [_oklch(light[k % 3], 0.135, 360.0 * k / max(1, len(places)) + 25) for k in order.tolist()]


def _oklch(lightness: float, chroma: float, hue: float) -> str:
    """Return a colour of OKLCH as hexadecimal sRGB (Ottosson 2020)."""
    import numpy as np

    a, b = chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))
    cubed = np.array([
        lightness + 0.3963377774 * a + 0.2158037573 * b,
        lightness - 0.1055613458 * a - 0.0638541728 * b,
        lightness - 0.0894841775 * a - 1.2914855480 * b,
    ]) ** 3  # fmt: skip
    linear = np.array([
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]) @ cubed  # fmt: skip
    linear = np.clip(linear, 0, 1)
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * float(v)):02x}" for v in srgb)
