"""Charts of a page as SVG, with names on hover: values in, markup out.

They need no script, can be printed, and take the colours of text and lines from the page (`currentColor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any, Final

from lexicloud.say.blocks import cut, number
from lexicloud.say.html import Html, join, tag

if TYPE_CHECKING:
    from numpy.typing import NDArray

INK: Final = "currentColor"
_TALL: Final = 500.0  # a taller drawing may fill a page when printed
GREY: Final = "#8a8a8a"  # readable on light and on dark pages
_WIDTH: Final = 760.0
_LETTER: Final = 6.6  # approximate width in pixels of a letter of size 12
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 14.0, 12.0, 46.0


@dataclass(frozen=True)
class Series:
    """Points of one kind: `look` is "line", "dashed" or "dots"; `titles` appear when a point is pointed at."""

    name: str
    x: Sequence[Any] | NDArray[Any]
    y: Sequence[Any] | NDArray[Any]
    colour: str
    look: str = "line"
    titles: Sequence[str] = ()
    width: float = 2.0


def svg(width: float, height: float, alt: str, parts: Iterable[object]) -> Html:
    """Return a drawing in a frame that scrolls where the screen is too narrow to read it."""
    kind = "chart tall" if height > _TALL else "chart"
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    drawn = Html(
        f'<svg class="{kind}" {size} {_attribute("aria-label", alt)} role="img" font-size="12">{join(parts)}</svg>'
    )
    return tag("div", drawn, class_="scroll", tabindex="0", role="region", aria_label=cut(alt, 80))


def _attribute(name: str, value: str) -> str:
    return str(tag("i", **{name.replace("-", "_"): value})).removeprefix("<i ").removesuffix("></i>")


def mark(name: str, content: object = "", **attributes: object) -> Html:
    """Return an element of a drawing; numbers are cut to tenths of a pixel."""
    plain = {k: f"{v:.1f}" if isinstance(v, float) else v for k, v in attributes.items()}
    return tag(name, content, **plain)


def write(x: float, y: float, content: object, **attributes: object) -> Html:
    """Return a line of text."""
    return mark("text", content, x=float(x), y=float(y), fill=INK, **attributes)


def legend(items: Iterable[tuple[str, str]]) -> Html:
    """Return a legend: names with their colours."""
    spans = (
        tag(
            "span",
            join([tag("span", "●", style=f"color:{colour}", aria_hidden="true"), f" {name}"]),
            class_="key",
        )
        for name, colour in items
    )
    return tag("p", join(spans, " "), class_="legend")


@dataclass(frozen=True)
class _Axis:
    """An axis of a plot, linear or logarithmic: it maps values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool

    def at(self, value: float) -> float:
        low, high, v = (log10(max(w, 1e-12)) if self.log else w for w in (self.low, self.high, value))
        return self.start + (v - low) / ((high - low) or 1.0) * (self.end - self.start)

    @property
    def ticks(self) -> list[float]:
        if self.log:
            powers = range(floor(log10(self.low)), floor(log10(self.high)) + 2)
            return [10.0**p for p in powers if self.low * 0.999 <= 10.0**p <= self.high * 1.001]
        rough = ((self.high - self.low) or 1.0) / 5
        unit = 10 ** floor(log10(rough))
        step = next(m * unit for m in (1, 2, 5, 10) if m * unit >= rough * 0.999)
        first = -floor(-self.low / step)
        return [i * step for i in range(first, floor(self.high / step + 1e-9) + 1)]


def _axis(values: Iterable[float], span: tuple[float, float], *, log: bool, least: float | None) -> _Axis:
    found = [float(v) for v in values if isfinite(v) and (v > 0 or not log)] or [1.0]
    low, high = min(found), max(found)
    low = min(low, least) if least is not None else low
    return _Axis(low, high * (1.25 if log else 1.0) or 1.0, *span, log)


def xy_chart(
    series: Sequence[Series],
    alt: str,
    *,
    names: tuple[str, str],
    log: tuple[bool, bool] = (False, False),
    height: float = 400.0,
    ticks: Sequence[float] | None = None,
    line: tuple[float, str] | None = None,
    top: float | None = None,
) -> Html:
    """Draw series over two axes; `ticks` are those of the first axis, `line` a dotted level with its name."""
    xs, ys = ([float(v) for s in series for v in getattr(s, key)] for key in "xy")
    ys += [line[0]] if line else []
    ys += [top] if top is not None else []
    across = _axis(xs, (_LEFT, _WIDTH - _RIGHT), log=log[0], least=None)
    up = _axis(ys, (height - _BOTTOM, _TOP), log=log[1], least=None if log[1] else 0.0)
    parts: list[object] = [*_grid(across, up, height, names, ticks)]
    if line:
        y = up.at(line[0])
        parts += [mark("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, stroke=GREY, stroke_dasharray="2 4"),
                  write(_WIDTH - _RIGHT, y - 5, line[1], text_anchor="end", font_size=11)]  # fmt: skip
    parts += [part for s in series for part in _drawn(s, across, up)]
    keys = [(s.name, s.colour) for s in series if s.name]
    return join([legend(keys) if len(keys) > 1 else "", svg(_WIDTH, height, alt, parts)])


def _grid(
    across: _Axis, up: _Axis, height: float, names: tuple[str, str], ticks: Sequence[float] | None
) -> Iterable[Html]:
    right, low = _WIDTH - _RIGHT, height - _BOTTOM
    for tick in up.ticks:
        y = up.at(tick)
        yield mark("line", x1=_LEFT, x2=right, y1=y, y2=y, stroke=INK, stroke_opacity="0.14")
        yield write(_LEFT - 7, y + 4, _tick(tick), text_anchor="end")
    for tick in across.ticks if ticks is None else ticks:
        yield write(across.at(tick), low + 18, _tick(tick), text_anchor="middle")
    yield mark("line", x1=_LEFT, x2=right, y1=low, y2=low, stroke=INK, stroke_opacity="0.5")
    yield write((_LEFT + right) / 2, height - 6, names[0], text_anchor="middle")
    middle = (_TOP + low) / 2
    yield write(13, middle, names[1], text_anchor="middle", transform=f"rotate(-90 13 {middle:.0f})")


def _tick(value: float) -> str:
    return number(int(value) if float(value).is_integer() else round(value, 6))


def _drawn(series: Series, across: _Axis, up: _Axis) -> Iterable[Html]:
    points = [
        (i, across.at(float(x)), up.at(float(y)))
        for i, (x, y) in enumerate(zip(series.x, series.y, strict=True))
        if isfinite(float(y)) and (float(y) > 0 or not up.log)
    ]
    if series.look != "dots" and len(points) > 1:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for _, x, y in points)
        dash = "6 4" if series.look == "dashed" else None
        yield mark(
            "path",
            d=path,
            fill="none",
            stroke=series.colour,
            stroke_width=series.width,
            stroke_dasharray=dash,
        )
        if not series.titles:
            return
    for i, x, y in points:
        title = mark("title", series.titles[i]) if series.titles else ""
        yield mark("circle", title, cx=x, cy=y, r=3.2, fill=series.colour)


def heat_chart(
    names: Sequence[str],
    colour: Callable[[int, int], str | None],
    title: Callable[[int, int], str],
    alt: str,
    *,
    across: str = "",
) -> Html:
    """Draw a square of cells, names on both sides; a cell without a colour stays empty."""
    n = len(names)
    cell = min(26.0 if n > 8 else 44.0, max(9.0, 620.0 / max(1, n)))
    size = min(12.0, max(7.5, cell * 0.95))
    room = min(200.0, _LETTER * size / 12 * max(map(len, names), default=1) + 12)
    side = cell * n
    parts: list[object] = []
    for i, name in enumerate(names):
        parts.append(write(room - 6, (i + 0.5) * cell + size * 0.35, name, text_anchor="end", font_size=size))
        x, y = room + (i + 0.5) * cell + size * 0.35, side + 8
        parts.append(
            write(x, y, name, text_anchor="end", font_size=size, transform=f"rotate(-90 {x:.1f} {y:.1f})")
        )
        for j in range(n):
            shade = colour(i, j)
            if shade is not None:
                parts.append(
                    mark("rect", mark("title", title(i, j)), x=room + j * cell, y=i * cell, width=cell - 0.6,
                         height=cell - 0.6, fill=shade)
                )  # fmt: skip
    if across:
        parts.append(write(room + side / 2, side + room + 10, across, text_anchor="middle"))
    return svg(room + side + 4, side + room + (20 if across else 8), alt, parts)


def tree_chart(
    names: Sequence[str], colours: Sequence[str], joins: Iterable[tuple[Sequence[float], Sequence[float]]], alt: str,
    what: str,
) -> Html:  # fmt: skip
    """Draw a tree, its leaves named to the left; a join is four points as (heights, positions)."""
    rows = [(list(map(float, h)), list(map(float, p))) for h, p in joins]
    line, n = 17.0, len(names)
    room = min(230.0, _LETTER * max(map(len, names), default=1) + 14)
    far = max((max(h) for h, _ in rows), default=1.0) or 1.0
    high = line * n

    def at(height: float, position: float) -> str:
        return f"{room + height / far * (_WIDTH - room - 12):.1f} {high - (position + 0.5) * line:.1f}"

    parts: list[object] = [
        mark("path", d="M" + "L".join(at(h, p) for h, p in zip(*row, strict=True)), fill="none", stroke=GREY,
             stroke_width=1.4)
        for row in rows
    ]  # fmt: skip
    for i, (name, colour) in enumerate(zip(names, colours, strict=True)):
        y = high - (i + 0.5) * line + 4
        parts.append(mark("text", name, x=room - 7, y=y, text_anchor="end", fill=colour))
    axis = _Axis(0.0, far, room, _WIDTH - 12, log=False)
    parts += [write(axis.at(t), high + 16, _tick(t), text_anchor="middle") for t in axis.ticks]
    parts.append(write((room + _WIDTH) / 2, high + 36, what, text_anchor="middle"))
    return svg(_WIDTH, high + 44, alt, parts)


def bar_chart(
    groups: Sequence[str], series: Sequence[tuple[str, str, Sequence[float]]], alt: str, *, name: str,
    line: tuple[float, str] | None = None,
) -> Html:  # fmt: skip
    """Draw bars in percent, in groups; `series` are (name, colour, values)."""
    height = 330.0
    up = _Axis(0.0, 100.0, height - _BOTTOM, _TOP, log=False)
    across = _Axis(0.0, float(len(groups)), _LEFT, _WIDTH - _RIGHT, log=False)
    parts: list[object] = [*_grid(_Axis(-2, -1, 0, 0, log=False), up, height, ("", name), ())]
    wide = (across.at(1) - across.at(0)) * 0.8 / max(1, len(series))
    for g, group in enumerate(groups):
        start = across.at(g) + wide * len(series) * 0.125
        parts.append(write(across.at(g + 0.5), height - _BOTTOM + 18, group, text_anchor="middle"))
        for i, (label, colour, values) in enumerate(series):
            if isfinite(values[g]):
                y = up.at(values[g])
                title = mark("title", f"{label}: {values[g]:.1f} %")
                parts.append(mark("rect", title, x=start + i * wide, y=y, width=wide - 1.5,
                                  height=up.at(0) - y, fill=colour))  # fmt: skip
    if line:
        y = up.at(line[0])
        parts += [mark("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, stroke=INK, stroke_dasharray="2 4"),
                  write(_WIDTH - _RIGHT, y - 5, line[1], text_anchor="end", font_size=11)]  # fmt: skip
    return join([legend((label, colour) for label, colour, _ in series), svg(_WIDTH, height, alt, parts)])


def interval_chart(
    rows: Sequence[tuple[str, float, float | None, float | None]], alt: str, *, name: str, colour: str,
    line: float | None = None,
) -> Html:  # fmt: skip
    """Draw values with their intervals, one row each, and a dashed line."""
    there = [v for _, *values in rows for v in values if v is not None and isfinite(v)]
    low, high = (
        min([*there, *([line] if line is not None else [])]),
        max([*there, *([line] if line is not None else [])]),
    )
    room = min(220.0, _LETTER * max((len(row[0]) for row in rows), default=1) + 14)
    pad = 0.06 * ((high - low) or 1.0)
    axis, step = _Axis(low - pad, high + pad, room, _WIDTH - 20, log=False), 30.0
    deep = step * len(rows) + 8
    parts: list[object] = []
    if line is not None:
        parts.append(
            mark(
                "line", x1=axis.at(line), x2=axis.at(line), y1=4, y2=deep, stroke=GREY, stroke_dasharray="5 4"
            )
        )
    for i, (label, value, least, most) in enumerate(rows):
        y = (i + 0.5) * step + 4
        parts.append(write(room - 8, y + 4, label, text_anchor="end"))
        if least is not None and most is not None:
            parts.append(
                mark("line", x1=axis.at(least), x2=axis.at(most), y1=y, y2=y, stroke=colour, stroke_width=2)
            )
        parts.append(
            mark(
                "circle", mark("title", f"{label}: {value:.3g}"), cx=axis.at(value), cy=y, r=5.0, fill=colour
            )
        )
    parts += [write(axis.at(t), deep + 16, _tick(t), text_anchor="middle") for t in axis.ticks]
    parts.append(write((room + _WIDTH) / 2, deep + 36, name, text_anchor="middle"))
    return svg(_WIDTH, deep + 44, alt, parts)


def mixed(share: float, low: str, high: str, middle: str = "#f4f1ea") -> str:
    """Return a colour between two: `low` at 0, `high` at 1, and `middle` halfway.

    >>> mixed(0.0, "#0072B2", "#D55E00"), mixed(0.5, "#0072B2", "#D55E00")
    ('#0072b2', '#f4f1ea')
    """
    share = min(1.0, max(0.0, share))
    a, b, t = (low, middle, 2 * share) if share < 0.5 else (middle, high, 2 * share - 1)
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(x + (y - x) * t):02x}" for x, y in pairs)
