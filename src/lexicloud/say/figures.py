"""The colours of every figure and page, safe for colour-blind readers (Okabe and Ito), and axes to draw on."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CATEGORICAL: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
SEQUENTIAL: Final = "cividis"  # also readable in grey and for colour-blind readers
TOWARDS, APART = "#0072B2", "#D55E00"  # of words that bring texts together, and that set them apart
PARTS_OF_SPEECH: Final = {
    "noun": "#0072B2",
    "verb": "#D55E00",
    "adjective": "#009E73",
    "adverb": "#CC79A7",
    "pronoun": "#E69F00",
    "other": "#888888",
}


def new_axes(ax: Axes | None, width: float = 6.4, height: float = 4.8) -> Axes:
    """Return the axes given, or new ones: by pyplot in a notebook, elsewhere in a figure without a window."""
    if ax is not None:
        return ax
    if _in_notebook():
        # At the end of a cell Jupyter shows the figures that pyplot made.
        import matplotlib.pyplot as plt

        return plt.figure(figsize=(width, height), layout="constrained").subplots()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure.subplots()


def _in_notebook() -> bool:
    """Tell whether this runs in a Jupyter kernel."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and hasattr(running, "kernel")


def write_apart(ax: Axes, items: Sequence[tuple[float, float, str, str]], size: float = 8.0) -> None:
    """Write names beside points (x, y, name, colour), earlier ones first; a name without room is left out."""
    ax.figure.canvas.figure.draw_without_rendering()
    unit = ax.figure.dpi / 72
    taken: list[tuple[float, float, float, float]] = []
    for x, y, name, colour in items:
        px, py = ax.transData.transform((x, y))
        wide, high = 0.58 * size * len(name) * unit, 1.1 * size * unit
        for dx, dy in ((3, 2), (3, -size - 1), (-wide / unit - 3, 2), (-wide / unit - 3, -size - 1)):
            box = (px + dx * unit, py + dy * unit, px + dx * unit + wide, py + dy * unit + high)
            if not any(box[0] < o[2] and o[0] < box[2] and box[1] < o[3] and o[1] < box[3] for o in taken):
                taken.append(box)
                ax.annotate(name, (x, y), (dx, dy), textcoords="offset points", fontsize=size, color=colour,
                            parse_math=False)  # fmt: skip
                break


def named_bars(
    ax: Axes | None,
    names: Sequence[str],
    values: Sequence[float],
    what: str,
    ranges: Sequence[tuple[float, float]] | None = None,
) -> Axes:
    """Draw one bar for each name, the first on top; negative bars in another colour, `ranges` as whiskers."""
    ax = new_axes(ax, height=max(2.4, 1.0 + 0.24 * len(names)))
    rows = range(len(names))
    ax.barh(rows, values, color=[APART if value < 0 else TOWARDS for value in values])
    for row, (low, high) in enumerate(ranges or ()):
        ax.plot((low, high), (row, row), color="black", linewidth=1)
    ax.set_yticks(rows, names, parse_math=False)
    ax.invert_yaxis()
    ax.axvline(0, color="black", linewidth=0.6)
    ax.set_xlabel(what)
    return ax


def drawn(figure: Figure | Axes, kind: str, *, letters: bool = False) -> bytes:
    """Return a drawing as the bytes of a file; the same drawing gives the same bytes.

    With `letters` an SVG holds its words as text, which a search finds, and not as outlines.
    """
    from matplotlib import rc_context

    from lexicloud.errors import StorageError

    whole: Any = figure if hasattr(figure, "savefig") else figure.figure
    out = BytesIO()
    dates = {"svg": dict.fromkeys(("Date", "Creator", "Format", "Type")), "png": {"Software": None}}
    settings: Any = {"svg.hashsalt": "lexicloud", "svg.fonttype": "none" if letters else "path"}
    try:
        with rc_context(settings):
            whole.savefig(out, format=kind, dpi=150, metadata=dates.get(kind))
    except (RuntimeError, OSError) as error:  # of FreeType, or because a font file cannot be read
        raise StorageError(f"the figure cannot be drawn: {error}".replace("\n", " ")) from error
    return out.getvalue()


def save_figure(ax: Axes, path: Any) -> Path:
    """Write the figure that holds `ax` and return its path; the ending says the format, PNG if there is none."""
    from lexicloud.errors import OptionError
    from lexicloud.store.files import replace_bytes

    file = Path(path)
    if not file.suffix:
        file = file.with_name(f"{file.name}.png")
    try:
        data = drawn(ax, file.suffix[1:])
    except ValueError as error:
        raise OptionError(f"{file}: {error}".replace("\n", " ")) from None
    replace_bytes(file, data)
    return file
