"""The page: one HTML file that needs nothing else, not even a network.

Styles, script and data are embedded; plotly's script is embedded once, and only when there is a plot to draw.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from lexicloud.errors import InputError
from lexicloud.say.html import Html, details, join, paragraph, tag, text
from lexicloud.store.files import replace_text

# Nothing may be loaded from anywhere; what is embedded may run. `data:` images are the static figures.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class Plot:
    """An interactive plot (a plotly figure as plain values), what it shows in words, and the table behind it."""

    figure: dict[str, Any]
    title: str
    alt: str
    table: Html
    height: str = "26rem"


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own; blocks are markup, plots, or anything that is shown as text."""

    id: str
    title: str
    blocks: Sequence[object]


@dataclass(frozen=True)
class Page:
    """A whole page."""

    title: str
    subtitle: object
    sections: Sequence[Section]
    footer: object = ""
    language: str = "en"

    def render(self) -> str:
        """Return the page as one string of HTML."""
        plots = [b for section in self.sections for b in section.blocks if isinstance(b, Plot)]
        numbers = {id(plot): f"plot-{i}" for i, plot in enumerate(plots)}
        body = join(_section(section, numbers) for section in self.sections)
        links = join(tag("li", tag("a", s.title, href=f"#{s.id}")) for s in self.sections)
        shell = join(
            [
                tag("header", join([tag("h1", self.title), paragraph(self.subtitle)]), class_="top"),
                tag("nav", tag("ol", links), class_="contents", aria_label="Contents"),
                tag("main", body, id="main"),
                tag("footer", self.footer),
            ]
        )
        scripts = _scripts() if plots else ""
        return (
            f'<!DOCTYPE html>\n<html lang="{escape(self.language)}">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{_resource('style.css')}</style>\n"
            "<noscript><style>.plot{min-height:0}</style></noscript>\n</head>\n<body>\n"
            f'<a class="skip" href="#main">Skip to the content</a>\n{tag("div", shell, class_="shell")}\n'
            f"{scripts}</body>\n</html>\n"
        )

    def save(self, path: str | Path) -> Path:
        """Write the page in one step: a reader finds the old page or the new one, never half of one."""
        return write_text(path, self.render())

    def _repr_html_(self) -> str:
        return str(join(_section(section, {}) for section in self.sections))


def _section(section: Section, numbers: dict[int, str]) -> Html:
    blocks = [_block(block, numbers) for block in section.blocks]
    return tag("section", join([tag("h2", section.title), *blocks], "\n"), id=section.id)


def _block(block: object, numbers: dict[int, str]) -> Html:
    if not isinstance(block, Plot):
        return text(block)
    behind = details(f"{block.title}: the numbers", block.table)
    if id(block) not in numbers:
        return join([tag("h3", block.title), behind])
    number = numbers[id(block)]
    data = json.dumps(block.figure, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    data = data.replace("</", "<\\/")  # "</" would end the script element that carries the data
    carried = Html(f'<script type="application/json" id="{number}">{data}</script>')
    place = tag(
        "div",
        tag("noscript", "This plot needs JavaScript; its numbers stand below."),
        class_="plot",
        data_plot=number,
        role="img",
        aria_label=block.alt,
        style=f"--height:{block.height}",
    )
    caption = tag("figcaption", block.title)
    return join([tag("figure", join([place, caption])), carried, behind])


def _scripts() -> str:
    from plotly.offline import get_plotlyjs

    # As plain text it costs nothing while the page opens; page.js makes a script of it when there is something to draw.
    carried = f'<script type="text/plain" id="plotly">{get_plotlyjs()}</script>'
    return f"{carried}\n<script>\n{_resource('page.js')}</script>\n"


def _resource(name: str) -> str:
    return files("lexicloud.report").joinpath(name).read_text(encoding="utf-8")


def write_text(path: str | Path, content: str) -> Path:
    """Write a file in one step, or say in one line why it cannot be written."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file, such as {path / 'report.html'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    replace_text(path, content)
    return path
