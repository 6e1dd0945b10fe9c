"""Figures as small bitmaps: a scatter of thousands of words would be megabytes as SVG."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO
from typing import TYPE_CHECKING, Final

from lexicloud.palette import CATEGORICAL, PARTS_OF_SPEECH
from lexicloud.report.html import Html, join, tag

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DPI: Final = 110
_SHADES: Final = 15  # of each colour towards white, for the edges of dots and letters


def png_of(figure: Figure) -> bytes:
    """Return a figure as a PNG of few colours, a quarter of the size of a full one."""
    from PIL import Image

    raw, small = BytesIO(), BytesIO()
    figure.savefig(raw, format="png", dpi=_DPI, metadata={"Software": None})
    colours = Image.new("P", (1, 1))
    # The palette is given, not found: a rare colour (pronouns) would be merged into its neighbour otherwise.
    colours.putpalette(_palette())
    image = Image.open(raw).convert("RGB").quantize(palette=colours, dither=Image.Dither.NONE)
    image.save(small, format="png", optimize=True)
    return small.getvalue()


def _palette() -> list[int]:
    """Return black and every colour of the figures, each in shades up to white."""
    named = ["#000000", *dict.fromkeys([*CATEGORICAL, *PARTS_OF_SPEECH.values()])]
    values = []
    for colour in named:
        rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
        for step in range(_SHADES):
            share = step / (_SHADES - 1)
            values += [round(part + (255 - part) * share) for part in rgb]
    return values


def embedded(png: bytes, alt: str, caption: str) -> Html:
    """Return a figure for the page, the picture inside it."""
    image = tag("img", src=f"data:image/png;base64,{b64encode(png).decode()}", alt=alt)
    image = Html(str(image).removesuffix("</img>"))  # an image has no end tag
    return tag("figure", join([image, tag("figcaption", caption)]), class_="static")
