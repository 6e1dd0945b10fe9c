"""Pieces of HTML, figures included; text from outside is escaped here and nowhere else."""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.progress import track
from lexicloud.say.blocks import (
    Bars,
    Block,
    Columns,
    Facts,
    Folded,
    Passage,
    Passages,
    Sentence,
    Table,
    number,
)
from lexicloud.say.blocks import Figure as FigureBlock
from lexicloud.say.blocks import table as written
from lexicloud.say.figures import APART, TOWARDS, drawn
from lexicloud.say.map_block import Map
from lexicloud.store.files import replace_bytes, replace_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Drawing = Callable[[], Axes | Figure]

_VOID = frozenset({"br", "img"})  # elements without content have no end tag


@dataclass(frozen=True)
class Html:
    """Markup that is safe to put into a page as it is."""

    markup: str

    def __str__(self) -> str:
        return self.markup

    def _repr_html_(self) -> str:
        return self.markup


def text(value: object) -> Html:
    """Make anything safe: markup stays, everything else is escaped."""
    return value if isinstance(value, Html) else Html(escape(str(value)))


def join(parts: Iterable[object], between: str = "") -> Html:
    """Put pieces together."""
    return Html(between.join(str(text(part)) for part in parts))


def tag(name: str, content: object = "", **attributes: object) -> Html:
    """Return an element; in names of attributes a trailing underscore is dropped (`class_`), others become hyphens.

    >>> str(tag("p", "a < b", class_="soft"))
    '<p class="soft">a &lt; b</p>'
    """
    listed = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{listed}>" if name in _VOID else f"<{name}{listed}>{text(content)}</{name}>")


def paragraph(content: object, kind: str | None = None) -> Html:
    """Return a paragraph; `kind` may be "lead" or "soft"."""
    return tag("p", _unbroken(content), class_=kind)


def note(content: object) -> Html:
    """Return a remark set apart from the text."""
    return tag("p", _unbroken(content), class_="note", role="note")


def _unbroken(content: object) -> object:
    """Return a text in which a percent sign stays on the line of its number."""
    return content.replace(" %", "\u00a0%") if isinstance(content, str) else content


def bullets(items: Iterable[object]) -> Html:
    """Return a plain list."""
    return tag("ul", join(tag("li", item) for item in items))


def details(summary: object, content: object, *, opened: bool = False) -> Html:
    """Return content that opens on demand; it needs no script."""
    return tag("details", join([tag("summary", summary), content]), open="" if opened else None)


def facts(items: Mapping[str, object]) -> Html:
    """Return facts with their names, as a description list."""
    return tag(
        "dl",
        join(tag("div", join([tag("dt", key), tag("dd", value)])) for key, value in items.items()),
        class_="facts",
    )


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    best: Iterable[int] = (),
) -> Html:
    """Return a table that scrolls where it is too wide; numbers are aligned to the right, rows in `best` emphasised.

    The first cell of a row is its heading.
    """
    listed = [list(row) for row in rows]
    cells = [[cell if isinstance(cell, Html) else number(cell) for cell in row] for row in listed]
    return _written_table(written(headers, listed, title=caption, best=best), cells)


FORMATS: Final = ("png", "svg")
# Thousands of points make an SVG of megabytes; above this a bitmap is smaller and opens faster.
_LARGEST_SVG: Final = 250_000


def static_figure(figure: Figure | Axes, alt: str, caption: object = "") -> Html:
    """Embed a matplotlib drawing, as SVG where that is small and as PNG otherwise; `alt` says what it shows.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> markup = str(static_figure(ax, "an empty plot", "Nothing yet"))
    >>> markup[:23], "an empty plot" in markup
    ('<figure class="static">', True)
    """
    image = static_image(figure, alt)
    parts = [image, tag("figcaption", caption)] if caption else [image]
    return tag("figure", join(parts), class_="static")


def static_image(figure: Figure | Axes, alt: str, *, bitmap: bool = False) -> Html:
    """Return a matplotlib drawing as an embedded image: SVG where that is small, PNG otherwise.

    `bitmap` says beforehand that an SVG would be large, and saves the second that drawing it takes.
    """
    kind, data = "svg+xml", b"" if bitmap else drawn(figure, "svg")
    if bitmap or len(data) > _LARGEST_SVG:
        kind, data = "png", drawn(figure, "png")
    return tag("img", src=f"data:image/{kind};base64,{b64encode(data).decode()}", alt=alt)


def close(figure: Figure | Axes) -> None:
    """Release a figure; pyplot, where it is in use, would keep every figure it made."""
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close(figure if hasattr(figure, "savefig") else figure.figure)


def write_figures(drawings: Mapping[str, Drawing], folder: str | Path) -> list[Path]:
    """Draw each figure once and write it as PNG and SVG; return the files."""
    folder, written = Path(folder), []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, draw in track(drawings.items(), "drawing figures", len(drawings)):
            figure = draw()
            for kind in FORMATS:
                path = folder / f"{name}.{kind}"
                replace_bytes(path, drawn(figure, kind))
                written.append(path)
            close(figure)
    except OSError as error:
        raise InputError(f"cannot write figures to {folder}: {error.strerror}") from error
    return written


# ---- blocks


def blocks_html(blocks: Iterable[Block], *, figures: bool = True, page: bool = False) -> Html:
    """Return blocks as HTML; `figures=False` leaves out drawings, each of which takes a moment.

    A `page` has the map's script once for all maps, and titles one level higher (h3).
    """
    return join(
        _block(block, page) for block in blocks if figures or not isinstance(block, FigureBlock | Map)
    )


def _block(block: Block, page: bool) -> Html:
    if isinstance(block, Map):
        return map_html(block, script=not page)
    if isinstance(block, Sentence):
        return _said(block, "h3" if page else "h4")
    if isinstance(block, FigureBlock):
        return _figure(block)
    if isinstance(block, Folded):
        content = blocks_html(block.blocks, page=page)
        return details(block.summary, content, opened=block.opened)
    if isinstance(block, Columns):
        # Titles within columns are one level lower.
        groups = (tag("div", join(_block(b, page=False) for b in column)) for column in block.columns)
        return tag("div", join(groups), class_="columns")
    title = tag("h4", block.title) if block.title and not isinstance(block, Table) else ""
    return join([title, _DRAWN[type(block)](block)])


_PARAGRAPH: Final = {"answer": "lead", "sure": None, "why": None}


def _said(block: Sentence, heading: str) -> Html:
    if block.role == "title":
        return tag(heading, block.text, dir="auto")
    if block.role == "command":
        return tag("pre", tag("code", block.text))
    if block.role == "how":
        said = _unbroken(block.text)
        return paragraph(join([tag("strong", "How to read it. "), said]), "soft")
    return note(block.text) if block.role == "note" else paragraph(block.text, _PARAGRAPH[block.role])


def _figure(block: FigureBlock) -> Html:
    if block.chart is not None:
        found = tag("figure", join([block.chart(), tag("figcaption", block.caption)]))
    else:
        assert block.draw is not None, "a figure is drawn in one way at least"
        figure = block.draw()
        found = static_figure(figure, block.alt, block.caption)
        close(figure)
    if block.numbers is None:
        return found
    return join([found, details(f"{block.caption}: the numbers", _written_table(block.numbers))])


def _written_table(block: Table, rows: Iterable[Sequence[object]] | None = None) -> Html:
    """Return a table; `rows`, where they are given, have cells of markup."""
    heads = [
        tag("th", h, scope="col", class_="number" if i in block.numeric else None)
        for i, h in enumerate(block.columns)
    ]
    body = [
        tag("tr", _written_cells(row, block.numeric), class_="best" if i in block.best else None)
        for i, row in enumerate(block.rows if rows is None else rows)
    ]
    title = tag("caption", block.title) if block.title else ""
    whole = tag("table", join([title, tag("thead", tag("tr", join(heads))), tag("tbody", join(body))]))
    more = paragraph(block.more, "soft") if block.more else ""
    # Focusable, so that a wide table can be scrolled from the keyboard.
    region = tag(
        "div", whole, class_="scroll", tabindex="0", role="region", aria_label=block.title or "table"
    )
    return join([region, more])


def _written_cells(row: Sequence[object], numeric: Sequence[int]) -> Html:
    return join(
        tag(
            "th" if i == 0 else "td",
            cell,
            scope="row" if i == 0 else None,
            class_="number" if i in numeric else None,
            dir=None if i in numeric else "auto",
        )
        for i, cell in enumerate(row)
    )


def _drawn_bars(block: Bars) -> Html:
    both = bool(block.left) or any(bar.length < 0 for bar in block.bars)
    heads = tag("tr", join(tag("th", h, scope="col") for h in ("", "", "", *block.columns)))
    rows = []
    for bar in block.bars:
        colour = (APART if bar.length > 0 else TOWARDS) if both else TOWARDS
        width = f"calc({abs(bar.length):.3f}*var(--longest,120px))"
        drawn_ = tag("div", style=f"background:{colour};height:0.8em;min-width:1px;width:{width}")
        cells = [
            tag("th", bar.name, scope="row", dir="auto"),
            tag("td", bar.value, class_="number"),
            tag("td", drawn_),
        ]
        rows.append(tag("tr", join([*cells, *(tag("td", cell, class_="number") for cell in bar.cells)])))
    head = tag("thead", heads) if block.columns else ""
    sides = ", ".join(f"{s} {side}" for s, side in (("+", block.right), ("−", block.left)) if side)
    return join(
        [
            tag("table", join([head, tag("tbody", join(rows))]), class_="bars"),
            paragraph(sides, "soft") if sides else "",
        ]
    )


def _drawn_passages(block: Passages) -> Html:
    return tag("ol", join(tag("li", _passage(item), dir="auto") for item in block.items), class_="passages")


def _passage(item: Passage) -> Html:
    parts: list[object] = []
    end = 0
    for start, stop in item.marks:
        parts += [item.text[end:start], tag("mark", item.text[start:stop])]
        end = stop
    below = " · ".join(part for part in (item.source, item.remark) if part)
    return join([*parts, item.text[end:], tag("div", below, class_="soft") if below else ""])


_DRAWN: Final[dict[type, Callable[[Any], Html]]] = {
    Facts: lambda block: facts(dict(block.items)),
    Table: _written_table,
    Bars: _drawn_bars,
    Passages: _drawn_passages,
}


_PAGE: Final = (
    ":root{color-scheme:light dark}body{margin:0 auto;max-width:76rem;padding:1rem;font:16px/1.5 system-ui,sans-serif}"
    ".lead{font-size:1.2rem}td,th{padding:.2rem .8rem .2rem 0;text-align:left}.number{text-align:right}"
)
# From so many points on, a picture of them is smaller as a bitmap.
_BITMAP_FROM: Final = 1000
# Without scripts and in print the picture replaces the map.
_STYLE: Final = (
    ".lexmap-drawn~.lexmap-picture{display:none}"
    "@media print{.lexmap{display:none}.lexmap-drawn~.lexmap-picture{display:block;break-inside:avoid}}"
    ".lexmap-picture img{max-width:100%;height:auto}"
)


@cache
def map_script() -> str:
    """Return the script that draws maps."""
    return files("lexicloud.say").joinpath("map.js").read_text(encoding="utf-8")


def map_html(block: Map, *, script: bool = True, height: str = "38rem") -> Html:
    """Return a map that can be moved, searched and pointed at; `script=False` for pages that have the script."""
    from lexicloud.say.map_figure import draw_map

    data = json.dumps(block.data(), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = data.replace("<", "\\u003c")  # "</" would end the script element that carries the data
    axes = draw_map(block)
    picture = tag(
        "div", static_image(axes, block.alt, bitmap=len(block) > _BITMAP_FROM), class_="lexmap-picture"
    )
    close(axes)
    parts: list[object] = [
        Html(f"<style>{_STYLE}</style>"),
        tag("div", "", class_="lexmap", style=f"--height:{height}"),
        picture,
        Html(f'<script type="application/json" class="lexmap-data">{data}</script>'),
        tag("figcaption", block.caption) if block.caption else "",
    ]
    whole = tag("figure", join(parts), class_="lexmap-figure", style="margin:1rem 0")
    # Every figure has the script: a notebook shows each output by itself, and running it twice does no harm.
    return join([whole, Html(f"<script>\n{map_script()}</script>")]) if script else whole


def write_map_page(blocks: Iterable[Block], path: str | Path) -> Path:
    """Write blocks with a map as one page that needs nothing else."""
    found = list(blocks)
    title = next((block.alt for block in found if isinstance(block, Map)), "A map")
    head = join([Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
                 tag("title", title[:80]), Html(f"<style>{_PAGE}</style>")])  # fmt: skip
    body = tag("body", tag("main", blocks_html(found)))
    page = f'<!doctype html>\n<html lang="en"><head>{head}</head>{body}</html>\n'
    path = Path(path)
    replace_text(path, page)
    return path
