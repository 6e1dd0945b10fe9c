"""The page: one HTML file that needs nothing else, not even a network.

Styles, drawings and data are embedded; the map's script is embedded once, and only when there is a map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from lexicloud.errors import InputError
from lexicloud.say.blocks import Block
from lexicloud.say.html import Html, blocks_html, join, map_script, paragraph, tag
from lexicloud.store.files import replace_text

# Nothing may be loaded from elsewhere; embedded scripts and styles may run. `data:` images are the static figures.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own, and blocks or markup below it."""

    id: str
    title: str
    blocks: Sequence[Block | Html]


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
        body = join(map(_section, self.sections))
        links = join(tag("li", tag("a", s.title, href=f"#{s.id}")) for s in self.sections)
        shell = join(
            [
                tag("header", join([tag("h1", self.title), paragraph(self.subtitle)]), class_="top"),
                tag("nav", tag("ol", links), class_="contents", aria_label="Contents"),
                tag("main", body, id="main"),
                tag("footer", self.footer),
            ]
        )
        scripts = f"<script>\n{map_script()}</script>\n" if 'class="lexmap"' in str(body) else ""
        return (
            f'<!DOCTYPE html>\n<html lang="{escape(self.language)}">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
            f"<title>{escape(self.title)}</title>\n<style>\n{_resource('style.css')}</style>\n"
            "</head>\n<body>\n"
            f'<a class="skip" href="#main">Skip to the content</a>\n{tag("div", shell, class_="shell")}\n'
            f"{scripts}</body>\n</html>\n"
        )

    def save(self, path: str | Path) -> Path:
        """Write the page in one step, so that a reader finds either the old page or the new one."""
        return write_text(path, self.render())

    def _repr_html_(self) -> str:
        body = str(join(map(_section, self.sections)))
        return f"{body}<script>\n{map_script()}</script>" if 'class="lexmap"' in body else body


def _section(section: Section) -> Html:
    shown = (b if isinstance(b, Html) else blocks_html([b], page=True) for b in section.blocks)
    return tag("section", join([tag("h2", section.title), *shown], "\n"), id=section.id)


def _resource(name: str) -> str:
    return files("lexicloud.report").joinpath(name).read_text(encoding="utf-8")


def write_text(path: str | Path, content: str) -> Path:
    """Write a file in one step; the error says in one line why it cannot be written."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file, such as {path / 'report.html'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
    replace_text(path, content)
    return path
