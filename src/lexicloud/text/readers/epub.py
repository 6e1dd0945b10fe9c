"""EPUB: a zip of pages, read in the order of its spine."""

from __future__ import annotations

import posixpath
import zipfile
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote

from lexicloud.errors import InputError
from lexicloud.text.readers.html import decode_html, html_to_text

_PAGES: Final = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))


def epub_to_text(data: bytes, source: str) -> str:
    """Return the text of an EPUB's pages, in reading order; the table of contents is left out."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as book:
            package = _package_path(book)
            pages = [_page(book, path, source) for path in _spine(book, package)]
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, ValueError) as error:
        raise InputError(f"{source} is not a readable EPUB: {error}") from None
    return "\n\n".join(page for page in pages if page)


def _page(book: zipfile.ZipFile, path: str, source: str) -> str:
    page, _ = decode_html(book.read(path), f"{source}:{path}", None, "strict")
    return html_to_text(page, f"{source}:{path}")


def _xml(data: bytes) -> Any:
    from lxml import etree

    # Entities are not expanded and nothing is fetched: a book is not trusted.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(f"damaged XML, {error}") from None
    if root is None:
        raise ValueError("damaged XML")
    return root


def _package_path(book: zipfile.ZipFile) -> str:
    found = _xml(book.read("META-INF/container.xml")).xpath("//*[local-name()='rootfile']/@full-path")
    if not found:
        raise ValueError("META-INF/container.xml names no package file")
    return str(found[0])


def _spine(book: zipfile.ZipFile, package: str) -> list[str]:
    root = _xml(book.read(package))
    items = {
        item.get("id"): item for item in root.xpath("//*[local-name()='manifest']/*[local-name()='item']")
    }
    spine = [items.get(i) for i in root.xpath("//*[local-name()='spine']/*[local-name()='itemref']/@idref")]
    folder = posixpath.dirname(package)
    paths = [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "").split("#")[0])))
        for item in spine
        if item is not None
        and item.get("media-type") in _PAGES
        and "nav" not in item.get("properties", "").split()
    ]
    if not paths:
        raise ValueError("its spine lists no pages")
    return paths
