"""Read the pages of a Confluence space from its XML export (`entities.xml`) or HTML export, a zip file or a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Final

from lexicloud.errors import InputError
from lexicloud.text.archive import Archive, Budget
from lexicloud.text.document import Extracted
from lexicloud.text.formats import load
from lexicloud.text.markup import html_to_text
from lexicloud.text.tables import TextTable
from lexicloud.text.xml_events import parse_xml

_ENTITIES: Final = "entities.xml"
_COLUMNS: Final = ("id", "title", "body", "space", "labels", "state", "created", "updated", "author")
_PAGES: Final = frozenset(("Page", "BlogPost"))
_KEPT: Final = frozenset((*_PAGES, "BodyContent", "Label", "Labelling", "Space", "ConfluenceUserImpl"))
_MACRO: Final = re.compile(r"<ac:parameter\b[^>]*>.*?</ac:parameter>|<ri:[^>]*/?>", re.DOTALL)
_CODE: Final = re.compile(
    r"<ac:plain-text-body>\s*<!\[CDATA\[(.*?)\]\] ?>\s*</ac:plain-text-body>", re.DOTALL
)
_TITLE: Final = re.compile(r"<title>\s*(.*?)\s*</title>", re.DOTALL | re.IGNORECASE)
_MAIN: Final = re.compile(
    r'<div\b(?=[^>]*\bid="main-content")[^>]*\bclass="wiki-content[^>]*>', re.IGNORECASE
)
_END: Final = re.compile(r'<div[^>]*\bclass="pageSection[^>]*>|<div[^>]*\bid="footer"[^>]*>', re.IGNORECASE)
_META: Final = re.compile(r'<div[^>]*\bclass="page-metadata"[^>]*>(.*?)</div>', re.DOTALL | re.IGNORECASE)
_DATE: Final = re.compile(r"[A-Z][a-z]{2} \d{1,2}, \d{4}")
_AUTHOR: Final = re.compile(r"<span class=['\"]author['\"]>\s*(.*?)\s*</span>", re.DOTALL)
_NUMBER: Final = re.compile(r"(?:^|_)(\d+)$")


def read_confluence(path: Path) -> tuple[TextTable, Extracted] | None:
    """Return the pages of an export as a table; None if the file or folder is no export."""
    parts = _parts(path)
    if parts is None:
        return None
    if parts.entities is not None:
        rows, kind = _from_xml(parts), "Confluence XML"
    else:
        rows, kind = _from_html(parts), "Confluence HTML"
    if not rows:
        return None
    columns = tuple(
        c for c in _COLUMNS if c in {"id", "title", "body", "space"} or any(c in row for row in rows)
    )
    return TextTable(columns, tuple(rows), tuple(range(1, len(rows) + 1)), str(path)), Extracted("", kind)


@dataclass(frozen=True)
class _Parts:
    """The names of the files of an export, and a function that reads one of them."""

    names: list[str]
    read: Any
    budget: Budget

    @property
    def entities(self) -> str | None:
        return next((name for name in self.names if PurePosixPath(name).name == _ENTITIES), None)


def _parts(path: Path) -> _Parts | None:
    """Return the files of a zip or a folder if it may be an export, which has `entities.xml` or `index.html`."""
    if path.is_dir():
        first = (
            file for part in (_ENTITIES, "index.html") for file in (path / part, *path.glob(f"*/{part}"))
        )
        if not any(file.is_file() for file in first):
            return None
        names = sorted(
            p.relative_to(path).as_posix() for p in path.rglob("*") if p.suffix in {".xml", ".html"}
        )
        size = sum((path / name).stat().st_size for name in names)
        found = _Parts(names, lambda name: (path / name).read_bytes(), Budget(2 * size, str(path)))
    else:
        data = load(path)
        budget = Budget(len(data), str(path))
        try:
            archive = Archive(data, budget)
        except (InputError, MemoryError):
            raise
        except Exception:  # a damaged archive may raise anything; the reader of archives reports it
            return None
        found = _Parts(archive.names, archive.read, budget)
    known = {PurePosixPath(name).name for name in found.names}
    return found if _ENTITIES in known or "index.html" in known else None


# ---- XML


@dataclass
class _Object:
    """One object of the export: its kind, its id, and its properties, some of which are ids of other objects."""

    kind: str
    id: str = ""
    values: dict[str, str] = field(default_factory=dict)


class _Entities:
    """Collects the objects of `entities.xml` with their ids and properties; a property may hold another object's id."""

    def __init__(self) -> None:
        self.found: dict[str, list[_Object]] = {}
        self._object: _Object | None = None
        self._property = ""
        self._text: list[str] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "object":
            kind = attributes.get("class", "")
            self._object = _Object(kind) if kind in _KEPT else None
            self._property = ""
        elif tag in {"property", "collection"}:
            self._property = attributes.get("name", "")
        self._text = []

    def text(self, data: str) -> None:
        if self._object is not None:
            self._text.append(data)

    def end(self, tag: str) -> None:
        current = self._object
        if current is None:
            return
        said = "".join(self._text).strip()
        if tag == "id" and not self._property:
            current.id = said
        elif tag in {"id", "property"} and self._property and said:
            current.values.setdefault(self._property, said)
        if tag in {"property", "collection"}:
            self._property = ""
        if tag == "object":
            self.found.setdefault(current.kind, []).append(current)
            self._object = None
        self._text = []


def _from_xml(parts: _Parts) -> list[dict[str, Any]]:
    """Return the current pages, without drafts and earlier versions."""
    entities = _Entities()
    try:
        parse_xml([parts.read(parts.entities)], entities, parts.budget)
    except ValueError as error:
        raise InputError(f"{parts.budget.source}: {_ENTITIES} cannot be read: {error}") from None
    found = entities.found
    bodies = {
        one.values.get("content", ""): one.values.get("body", "") for one in found.get("BodyContent", ())
    }
    names = {one.id: one.values.get("name", "") for one in found.get("Label", ())}
    labels: dict[str, list[str]] = {}
    for one in found.get("Labelling", ()):
        labels.setdefault(one.values.get("content", ""), []).append(
            names.get(one.values.get("label", ""), "")
        )
    spaces = {one.id: one.values.get("key", "") for one in found.get("Space", ())}
    pages = [page for kind in sorted(_PAGES) for page in found.get(kind, ())]
    return [
        _page(page, bodies.get(page.id, ""), labels.get(page.id, []), spaces)
        for page in pages
        if "originalVersion" not in page.values and page.values.get("contentStatus", "current") == "current"
    ]


def _page(page: _Object, body: str, labels: list[str], spaces: Mapping[str, str]) -> dict[str, Any]:
    values = page.values
    row = {
        "id": page.id,
        "title": values.get("title", ""),
        "body": _storage_text(body),
        "space": spaces.get(values.get("space", ""), ""),
        "labels": sorted(filter(None, labels)),
        "state": values.get("contentStatus", ""),
        "created": values.get("creationDate", ""),
        "updated": values.get("lastModificationDate", ""),
    }
    return {key: value for key, value in row.items() if value or key in {"id", "title", "body", "space"}}


def _storage_text(page: str) -> str:
    """Return the text of Confluence's storage format; of macros their text, without their parameters."""
    page = _CODE.sub(lambda code: f"<pre>{code[1].replace('&', '&amp;').replace('<', '&lt;')}</pre>", page)
    return html_to_text(_MACRO.sub(" ", page))


# ---- HTML


def _from_html(parts: _Parts) -> list[dict[str, Any]]:
    """Return the pages of an HTML export, without its list of pages."""
    rows = []
    for name in parts.names:
        bare = PurePosixPath(name)
        if bare.suffix != ".html" or bare.name == "index.html":
            continue
        page = parts.read(name).decode("utf-8", "replace")
        main = _MAIN.search(page)
        if main is not None:
            rows.append(_html_page(page, main, bare.stem))
    return rows


def _html_page(page: str, main: re.Match[str], stem: str) -> dict[str, Any]:
    end = _END.search(page, main.end())
    title = html_to_text(found[1]) if (found := _TITLE.search(page)) else stem
    space, colon, rest = title.partition(" : ")
    number = _NUMBER.search(stem)
    meta = found[1] if (found := _META.search(page)) else ""
    dates = _DATE.findall(html_to_text(meta))
    author = _AUTHOR.search(meta)
    row = {
        "id": number[1] if number else stem,
        "title": rest if colon else title,
        "body": html_to_text(page[main.end() : end.start() if end else len(page)]),
        "space": space if colon else "",
        "updated": dates[-1] if dates else "",
        "author": html_to_text(author[1]) if author else "",
    }
    return {key: value for key, value in row.items() if value or key in {"id", "title", "body", "space"}}
