"""EPUB: a zip of pages, read once each in the reading order that the book lists (its spine)."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from lexicloud.errors import InputError
from lexicloud.text.archive import Archive, Budget
from lexicloud.text.document import Extracted, first_year
from lexicloud.text.markup import decode_markup, html_to_text
from lexicloud.text.xml_events import collect_xml

if TYPE_CHECKING:
    from lexicloud.text.xml_events import Collector

_PAGES: Final = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))


def read_epub(data: bytes, source: str) -> Extracted:
    """Return the text of a book's pages in reading order; the table of contents is left out."""
    budget = Budget(len(data), source)
    try:
        book = Archive(data, budget)
        package = _package_path(book, budget)
        about = collect_xml(book.read(package), budget)
        paths, left_out = _spine(about, posixpath.dirname(package))
        pages = []
        for path in paths:
            page = decode_markup(book.read(path), f"{source}:{path}", None, "strict", "page").text
            pages.append(html_to_text(page))
            budget.spend(len(pages[-1]))
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"{source} is not a readable EPUB: {error}") from None
    text = "\n\n".join(page for page in pages if page)
    return Extracted(text, "EPUB", left_out=left_out, fields=_described(about))


def _package_path(book: Archive, budget: Budget) -> str:
    roots = collect_xml(book.read("META-INF/container.xml"), budget).of("rootfile")
    if not roots or not roots[0][0].get("full-path"):
        raise ValueError("META-INF/container.xml names no package file")
    return str(roots[0][0]["full-path"])


def _spine(about: Collector, folder: str) -> tuple[list[str], dict[str, int]]:
    """Return the paths of a book's pages in reading order, each once, and counts of what else is listed there."""
    items = {item["id"]: item for item, _ in about.of("item") if "id" in item}
    parts = [items.get(part.get("idref", "")) for part, _ in about.of("itemref")]
    parts = [item for item in parts if item is None or "nav" not in item.get("properties", "").split()]
    pages = [item for item in parts if item is not None and item.get("media-type") in _PAGES]
    paths = [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "").split("#")[0])))
        for item in pages
    ]
    once = list(dict.fromkeys(paths))
    if not once:
        raise ValueError("its spine lists no pages")
    counts = {"parts that are no pages": len(parts) - len(paths), "repeated pages": len(paths) - len(once)}
    return once, {what: count for what, count in counts.items() if count}


def _described(about: Collector) -> dict[str, Any]:
    """Return author, title, date and language from a book's package."""
    found: dict[str, Any] = {}
    for field, tag in (("author", "creator"), ("title", "title"), ("date", "date"), ("language", "language")):
        value = next((text for _, text in about.of(tag) if text), "")
        if value:
            found[field] = first_year(value) if field == "date" else value
    return {key: value for key, value in found.items() if value}
