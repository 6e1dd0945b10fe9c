"""The map for files and notebooks, drawn by matplotlib: marks, regions, and names that never collide."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.say.figures import new_axes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from lexicloud.say.map_block import Colouring, Map, Region

    Box = tuple[float, float, float, float]

_MARKERS: Final = {
    "circle": "o", "triangle": "^", "square": "s", "diamond": "D", "cross": "X", "down": "v", "ring": "o",
    "star": "*", "plus": "P", "bar": "d",
}  # fmt: skip
FEW: Final = 400  # up to so many points each should have its name, at a distance if necessary
OBSTACLES: Final = 1500
NEAR_SIDES: Final = 8
_LEGEND: Final = 24  # up to so many groups have a legend beside the map
PAPER, INK = {"light": "#ffffff", "dark": "#14161a"}, {"light": "#1d1f24", "dark": "#eceae4"}


def draw_map(
    block: Map, ax: Axes | None = None, *, theme: str = "light", colouring: int = 0, legend: bool = True
) -> Axes:
    """Draw a map; `theme` is "light" or "dark", `colouring` which of the map's colourings."""
    ax = new_axes(ax, *_sheet(block))
    paper, ink = PAPER[theme], INK[theme]
    ax.figure.set_facecolor(paper)
    ax.set_facecolor(paper)
    chosen = block.colourings[colouring]
    if theme == "dark":
        groups = tuple(replace(group, colour=_on_dark(group.colour)) for group in chosen.groups)
        chosen = replace(chosen, groups=groups)
    _draw_clouds(block, ax)
    _draw_points(block, chosen, ax, paper)
    ax.set_aspect("equal", "datalim")
    ax.set_axis_off()
    _set_limits(block, ax)
    if block.title:
        ax.set_title(block.title, color=ink, fontsize=12, loc="left", parse_math=False)
    if legend:
        _legend(chosen, block, ax, ink)
    ax.figure.canvas.figure.draw_without_rendering()
    _Writer(ax, block, chosen, paper, ink).write()
    return ax


def _set_limits(block: Map, ax: Axes) -> None:
    """Leave room around the points for their names, even where all points coincide."""
    low, high = block.places.min(axis=0), block.places.max(axis=0)
    room = 0.06 * float((high - low).max()) or 1.0
    ax.set_xlim(low[0] - room, high[0] + room, auto=True)  # not fixed: the equal aspect may widen it
    ax.set_ylim(low[1] - room, high[1] + room, auto=True)


def _sheet(block: Map) -> tuple[float, float]:
    """Return width and height in inches, in the proportions of the points."""
    across, along = np.ptp(block.places, axis=0)
    return 10.5, float(np.clip(10.5 * along / max(across, 1e-12) + 0.9, 4.4, 8.4))


def _on_dark(colour: str, share: float = 0.32) -> str:
    """Return a colour mixed with white, for dark paper."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part + (255 - part) * share):02x}" for part in parts)


def _size(n: int) -> float:
    """Return the area of a mark in square points: large for few points, small for many."""
    return float(np.clip(14_000 / max(1, n), 2.4, 46))


def _draw_clouds(block: Map, ax: Axes) -> None:
    """Draw a faint cloud in the colour of its region behind each point, where there are few points."""
    themes = next((c for c in block.colourings if c.name == "theme"), None)
    if themes is None or len(block) > FEW:
        return
    for i, group in enumerate(themes.groups):
        for area in np.geomspace(5200, 300, 12):  # twelve faint edges make a soft one
            ax.scatter(block.places[themes.of == i, 0],
                block.places[themes.of == i, 1], s=area, c=group.colour, lw=0, alpha=0.009, zorder=0.1,
                       rasterized=True)  # fmt: skip


def _draw_points(block: Map, chosen: Colouring, ax: Axes, paper: str) -> None:
    n = len(block)
    many, area = n > 1500, _size(n)
    rest = chosen.of < 0
    if rest.any():
        ax.scatter(
            block.places[rest, 0],
            block.places[rest, 1],
            s=area,
            c="#9a9a9a",
            lw=0,
            alpha=0.6,
            rasterized=many,
        )
    for i in np.argsort([-g.size for g in chosen.groups], kind="stable"):
        group, rows = chosen.groups[i], chosen.of == i
        look: dict[str, Any] = {"c": group.colour, "linewidths": 0 if many else 0.6, "edgecolors": paper}
        if group.mark == "ring":
            look = {"facecolors": "none", "edgecolors": group.colour, "linewidths": 1.4}
        x, y = block.places[rows, 0], block.places[rows, 1]
        ax.scatter(
            x, y, s=area, marker=_MARKERS[group.mark], alpha=0.62 if many else 0.9,
            rasterized=many, **look,
        )  # fmt: skip


def _legend(chosen: Colouring, block: Map, ax: Axes, ink: str) -> None:
    """Draw the legend of colours and marks; regions, which have their names on the map, need none."""
    from matplotlib.lines import Line2D

    if chosen.name == "theme" or not 1 < len(chosen.groups) <= _LEGEND or len(chosen.groups) >= len(block):
        return
    handles = [
        Line2D([], [], color=g.colour, marker=_MARKERS[g.mark], linestyle="", label=g.name,
               markerfacecolor="none" if g.mark == "ring" else g.colour)
        for g in chosen.groups
    ]  # fmt: skip
    found = ax.legend(
        handles=handles,
        fontsize=7.5,
        frameon=False,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        labelcolor=ink,
    )
    for text in found.get_texts():
        text.set_parse_math(False)


class _Writer:
    """Writes names where there is room: regions first, then points, the weightiest first."""

    def __init__(self, ax: Axes, block: Map, chosen: Colouring, paper: str, ink: str) -> None:
        from matplotlib.patheffects import withStroke

        self.ax, self.block, self.chosen, self.ink = ax, block, chosen, ink
        self.halo = [withStroke(linewidth=2.6, foreground=paper)]
        self.pixels = ax.transData.transform(block.places)
        frame = ax.get_window_extent()
        self.frame: Box = (frame.x0, frame.y0, frame.x1, frame.y1)
        self.unit = ax.figure.dpi / 72
        self.taken = Taken()

    def write(self) -> None:
        """Write all names that have room: of few points before the regions' names, of many points after them."""
        regions = sorted(self.block.regions, key=lambda r: (r.level, -r.size))
        if len(self.block) > FEW:
            for region in regions:
                self._region(region)
        if self.block.named:
            self._names()
        if len(self.block) <= FEW:
            for region in regions:
                self._region(region)

    def _names(self) -> None:
        if len(self.block) <= OBSTACLES:  # a name must not hide another point
            reach = (_size(len(self.block)) ** 0.5 / 2 + 0.5) * self.unit
            for x, y in self.pixels.tolist():
                self.taken.add((x - reach, y - reach, x + reach, y + reach))
        middles = set()
        if len(self.chosen.groups) < len(self.block) and self.chosen.name != "theme":
            for i, group in enumerate(self.chosen.groups):
                if group.size and self.block.groups_named:
                    middle = central(self.block.places, np.flatnonzero(self.chosen.of == i))
                    middles.add(middle)
                    self._point(middle, group.name, bold=True)
        for i in np.argsort(-self.block.weights, kind="stable")[:1200].tolist():
            if not self.block.groups_named and i not in middles:
                self._point(i, self.block.names[i])

    def _region(self, region: Region) -> None:
        size = 11.0 if region.level == 0 else 7.5
        x, y = self.ax.transData.transform((region.x, region.y))
        lines = _lines(region.words)
        wide, high = self._extent(max(lines, key=len), size, bold=True)
        high *= 1.08 * len(lines)
        free = [box for box in _around(float(x), float(y), wide, high) if self._free(box, 3.0)]
        if free:
            best = min(free, key=lambda box: self._cost(box, float(x), float(y), high))
            colour = self.ink
            if region.colour and (self.chosen.name == "theme" or len(self.block) <= FEW):
                colour = _on_dark(region.colour, 0.55) if self.ink == INK["dark"] else _darker(region.colour)
            self._put("\n".join(lines), best, size, colour, bold=region.level == 0)

    def _cost(self, box: Box, x: float, y: float, high: float) -> float:
        """Return how bad a place for a name is: how many points it hides, and how far it is from its region."""
        p = self.pixels
        inside = (p[:, 0] > box[0]) & (p[:, 0] < box[2]) & (p[:, 1] > box[1]) & (p[:, 1] < box[3])
        far = np.hypot((box[0] + box[2]) / 2 - x, (box[1] + box[3]) / 2 - y) / high
        return float(inside.sum() / max(1, len(p)) * 150 + far)

    def _point(self, i: int, name: str, *, bold: bool = False) -> None:
        size = 8.2 if len(self.block) <= 60 or bold else 7.0 if len(self.block) <= 400 else 6.2
        x, y = map(float, self.pixels[i])
        wide, high = self._extent(name, size, bold=bold)
        gap = (_size(len(self.block)) ** 0.5 / 2 + 1.8) * self.unit
        sides = list(_sides(x, y, wide, high, gap))
        if len(self.block) <= FEW:
            sides += list(_farther(x, y, wide, high, gap))
        for n, box in enumerate(sides):
            if self._free(box, 0.8):
                colour = self.chosen.groups[self.chosen.of[i]].colour if self.chosen.of[i] >= 0 else self.ink
                if n >= NEAR_SIDES:
                    self._lead(x, y, box, colour)
                self._put(name, box, size, colour, bold=bold)
                return

    def _lead(self, x: float, y: float, box: Box, colour: str) -> None:
        """Draw a thin line from a point to its name, which stands farther away."""
        from matplotlib.lines import Line2D

        end = (min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3]))
        ends = self.ax.transData.inverted().transform([(x, y), end])
        # As an artist: a line that is plotted would set the limits anew, and names would end outside.
        self.ax.add_artist(Line2D(*ends.T, color=colour, linewidth=0.6, alpha=0.7, zorder=0.5))

    def _extent(self, text: str, size: float, *, bold: bool) -> tuple[float, float]:
        """Return width and height of a line of text in pixels."""
        from matplotlib.font_manager import FontProperties
        from matplotlib.textpath import text_to_path

        font = FontProperties(size=size, weight="bold" if bold else "normal")
        wide, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
        return wide * self.unit, 1.25 * size * self.unit

    def _free(self, box: Box, gap: float) -> bool:
        left, low, right, top = self.frame
        if box[0] < left or box[2] > right or box[1] < low or box[3] > top:
            return False
        gap *= self.unit
        return self.taken.leaves((box[0] - gap, box[1] - gap, box[2] + gap, box[3] + gap))

    def _put(self, text: str, box: Box, size: float, colour: str, *, bold: bool) -> None:
        self.taken.add(box)
        x, y = self.ax.transData.inverted().transform(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2))
        self.ax.text(
            x, y, text, fontsize=size, color=colour, ha="center", va="center", path_effects=self.halo,
            weight="bold" if bold else "normal", parse_math=False, linespacing=1.05, clip_on=True,
        )  # fmt: skip


class Taken:
    """The boxes that are taken, listed by the squares of a grid that they touch, so that few are looked at."""

    def __init__(self, side: float = 40.0) -> None:
        self.side = side  # pixels: about the height of three lines
        self.squares: dict[tuple[int, int], list[Box]] = {}

    def add(self, box: Box) -> None:
        """Take a box."""
        for square in self._touched(box):
            self.squares.setdefault(square, []).append(box)

    def leaves(self, box: Box) -> bool:
        """Return whether no taken box overlaps this one."""
        a, b, c, d = box
        return not any(
            a < o[2] and o[0] < c and b < o[3] and o[1] < d
            for square in self._touched(box)
            for o in self.squares.get(square, ())
        )

    def _touched(self, box: Box) -> Iterator[tuple[int, int]]:
        left, low, right, top = (int(edge // self.side) for edge in box)
        return ((i, j) for i in range(left, right + 1) for j in range(low, top + 1))


def _lines(words: tuple[str, ...]) -> list[str]:
    """Put the words of a region on two lines where there are three or more."""
    return [" · ".join(words)] if len(words) < 3 else [" · ".join(words[:2]), " · ".join(words[2:])]


def _sides(x: float, y: float, wide: float, high: float, gap: float) -> Iterator[Box]:
    """Yield the places for a name next to its point: right, left, above, below, and at the corners."""
    yield x + gap, y - high / 2, x + gap + wide, y + high / 2
    yield x - gap - wide, y - high / 2, x - gap, y + high / 2
    for side in (gap, -gap - high):
        yield x - wide / 2, y + side, x + wide / 2, y + side + high
    for side in (gap / 2, -gap / 2 - high):
        yield x + gap / 2, y + side, x + gap / 2 + wide, y + side + high
        yield x - gap / 2 - wide, y + side, x - gap / 2, y + side + high


def _farther(x: float, y: float, wide: float, high: float, gap: float) -> Iterator[Box]:
    """Yield places for a name around its point, farther and farther away."""
    for ring in (2.2, 3.4, 4.8, 6.4):
        for step in range(12):
            angle = np.pi * step / 6
            dx, dy = np.cos(angle), np.sin(angle)
            left = x + dx * (gap + ring * high) + (0 if dx > 0.3 else -wide if dx < -0.3 else -wide / 2)
            low = y + dy * (gap + ring * high) - high / 2
            yield left, low, left + wide, low + high


def _around(x: float, y: float, wide: float, high: float) -> Iterator[Box]:
    """Yield places for the name of a region: its middle, then around it."""
    for ring in (0.0, 0.5, 1.0, 1.6, 2.4, 3.4):
        for step in range(1 if ring == 0 else 12):
            cx = x + np.cos(np.pi * step / 6) * ring * (high + wide / 4)
            cy = y + np.sin(np.pi * step / 6) * ring * high
            yield cx - wide / 2, cy - high / 2, cx + wide / 2, cy + high / 2


def _darker(colour: str) -> str:
    return "#" + "".join(f"{round(int(colour[i : i + 2], 16) * 0.62):02x}" for i in (1, 3, 5))


def central(places: Any, rows: Any) -> int:
    """Return the point of a group that is nearest to the group's middle."""
    middle = np.median(places[rows], axis=0)
    return int(rows[((places[rows] - middle) ** 2).sum(axis=1).argmin()])
