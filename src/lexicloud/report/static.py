"""Static figures: matplotlib drawings as files, and embedded in a page."""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.files import replace_bytes
from lexicloud.progress import track
from lexicloud.report.html import Html, join, tag

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    Drawing = Callable[[], Axes | Figure]

FORMATS: Final = ("png", "svg")
# Thousands of points make an SVG of megabytes; above this a bitmap is smaller and opens faster.
_LARGEST_SVG: Final = 250_000
_SETTINGS: Final[Any] = {
    "svg.hashsalt": "lexicloud",
    "svg.fonttype": "path",
}  # the same drawing, the same bytes


def static_figure(figure: Figure | Axes, alt: str, caption: object = "") -> Html:
    """Embed a matplotlib drawing, as SVG where that is small and as PNG otherwise; `alt` says what it shows.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().subplots()
    >>> markup = str(static_figure(ax, "an empty plot", "Nothing yet"))
    >>> markup[:23], "an empty plot" in markup
    ('<figure class="static">', True)
    """
    kind, data = "svg+xml", drawn(figure, "svg")
    if len(data) > _LARGEST_SVG:
        kind, data = "png", drawn(figure, "png")
    image = tag("img", src=f"data:image/{kind};base64,{b64encode(data).decode()}", alt=alt)
    parts = [image, tag("figcaption", caption)] if caption else [image]
    return tag("figure", join(parts), class_="static")


def drawn(figure: Figure | Axes, kind: str) -> bytes:
    """Return a drawing as the bytes of a file; the same drawing gives the same bytes."""
    from matplotlib import rc_context

    whole: Any = figure if hasattr(figure, "savefig") else figure.figure
    out = BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with rc_context(_SETTINGS):
        whole.savefig(out, format=kind, dpi=150, metadata=metadata)
    return out.getvalue()


def embedded(drawings: Mapping[str, Drawing]) -> Html:
    """Draw and embed some figures, as a notebook shows them."""
    shown = []
    for name, draw in drawings.items():
        figure = draw()
        shown.append(static_figure(figure, name.replace("_", " ")))
        close(figure)
    return join(shown)


def close(figure: Figure | Axes) -> None:
    """Let go of a figure; pyplot, where it is in use, would keep every figure it made."""
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
