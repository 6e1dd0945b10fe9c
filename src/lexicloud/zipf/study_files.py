"""A study on disk: figures, tables, JSON, and one page that needs nothing but itself."""

from __future__ import annotations

import io
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.progress import track
from lexicloud.result import as_json, csv_text
from lexicloud.storage import replace_bytes, replace_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from lexicloud.zipf.study import ZipfStudy

TITLES: Final = {
    "ranks": "Words by rank",
    "power_law": "Power law of word frequencies",
    "heaps": "Growth of the vocabulary",
    "parts_of_speech": "Parts of speech",
    "purity": "Neighbours with the same part of speech",
    "choice": "The number of clusters",
    "clusters": "Sizes of sentence clusters",
    "sweep": "Slope against the number of clusters",
    "projection": "Words on a plane",
}
_STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;font-size:.9rem}"
    "th,td{padding:.2rem .6rem;text-align:left;border-bottom:1px solid #ddd}"
    "svg{max-width:100%;height:auto}section{margin:2.5rem 0;overflow-x:auto}.note{color:#666}"
)


def write_study(study: ZipfStudy, folder: str | Path, name: str = "zipf") -> list[Path]:
    """Write all files of a study and return them, the page first."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    drawings = {name: _draw(plot) for name, plot in track(study.figures().items(), "drawing")}
    files = []
    for figure, (png, svg) in drawings.items():
        replace_bytes(folder / f"{figure}.png", png)
        replace_text(folder / f"{figure}.svg", svg)
        files += [folder / f"{figure}.png", folder / f"{figure}.svg"]
    for title, table in study.tables().items():
        replace_text(folder / f"{title}.csv", csv_text(table))
        files.append(folder / f"{title}.csv")
    replace_text(folder / f"{name}.json", as_json({**study.to_dict(), "options": study.options}, 2) + "\n")
    replace_text(folder / "index.html", page(study, {name: svg for name, (_, svg) in drawings.items()}))
    return [folder / "index.html", folder / f"{name}.json", *files]


def _draw(plot: Callable[[Any], Any]) -> tuple[bytes, str]:
    """Draw one figure and return it as PNG and as SVG; no clock and no random ids, so that files can be compared."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "lexicloud", "svg.fonttype": "none"}):
        figure = Figure(figsize=(7, 4.6), layout="constrained")
        FigureCanvasAgg(figure)
        plot(figure.subplots())
        png, svg = io.BytesIO(), io.StringIO()
        figure.savefig(png, format="png", dpi=150)
        figure.savefig(svg, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return png.getvalue(), svg.getvalue()


def page(study: ZipfStudy, drawings: dict[str, str]) -> str:
    """Return the page: the summary, then a section for each figure."""
    summary = "".join(f"<li>{escape(line)}</li>" for line in study.summary())
    notes = "".join(f'<p class="note">{escape(line)}</p>' for line in study.notes)
    sections = "".join(_section(study, name, svg) for name, svg in drawings.items())
    title = f"Zipf’s law: {escape(study.ranks.name)}"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>"
        f"<body><h1>{title}</h1><ul>{summary}</ul>{notes}{sections}</body></html>\n"
    )


def _section(study: ZipfStudy, name: str, svg: str) -> str:
    heading = f'<section id="{name}"><h2>{TITLES[name]}</h2>'
    if name == "projection" and study.projection is not None:
        return f"{heading}{study.projection.to_html()}</section>"
    drawing = svg[svg.index("<svg") :]
    return f"{heading}{drawing}{_words_of(study, name)}</section>"


def _words_of(study: ZipfStudy, name: str) -> str:
    """Return the tables below a figure."""
    if name == "ranks":
        return study.fit._repr_html_() + _documents(study)
    result = getattr(study, name)
    html: str = result._repr_html_()
    if name == "power_law":
        tests = "".join(f"<li>{escape(str(test))}</li>" for test in study.alternatives)
        html += (f"<p>{escape(str(study.goodness))}</p>" if study.goodness else "") + (
            f"<ul>{tests}</ul>" if tests else ""
        )
    return html


def _documents(study: ZipfStudy) -> str:
    if not study.documents:
        return ""
    table: str = study.tables()["documents"].to_html(index=False, float_format=lambda x: f"{x:.3f}")
    return f"<h3>Each document</h3>{table}"
