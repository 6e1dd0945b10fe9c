"""The map as HTML: its data, a picture for paper and for readers without scripts, and the script that draws it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lexicloud.say.html import Html, blocks_html, close, join, static_image, tag
from lexicloud.say.map_block import Map
from lexicloud.store.files import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lexicloud.say.blocks import Block

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
