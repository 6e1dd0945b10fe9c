"""Markup to plain text: HTML through lxml, Markdown, and EPUB, a zip of pages."""

from __future__ import annotations

import posixpath
import re
import zipfile
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote

from lexicloud.errors import InputError
from lexicloud.text.decoding import decode


def _tags(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_DROPPED: Final = _tags(
    """
    script style nav noscript template head svg math iframe object audio video canvas button select textarea
    """
)
_BLOCKS: Final = _tags(
    """
    address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main ol p pre section summary table tbody tfoot thead
    tr ul
    """
)
_CELLS: Final = frozenset(("td", "th"))
_DECLARED: Final = re.compile(
    rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)|<\?xml[^>]+encoding\s*=\s*[\"']([\w-]+)", re.IGNORECASE
)
_XML_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>")
_PARAGRAPH, _LINE = "\x02", "\x03"  # stand-ins that survive the collapsing of white space
_CONTROLS: Final = dict.fromkeys(range(9), " ")


def decode_html(data: bytes, source: str, encoding: str | None, errors: str) -> tuple[str, tuple[str, ...]]:
    """Decode a page by the encoding asked for, else the one it declares if that is true, else detected."""
    declared = _DECLARED.search(data[:4096])
    if encoding is None and declared and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        try:
            return decode(data, source, (declared[1] or declared[2]).decode("ascii"), "strict")[0], ()
        except (InputError, ValueError):
            pass  # pages lie about their encoding; detection decides
    return decode(data, source, encoding, errors)


def html_to_text(page: str, source: str = "the page") -> str:
    r"""Return the readable text of a page, its blocks separated by blank lines.

    >>> html_to_text("<h1>One</h1><p>A <b>bold</b>&nbsp;word.<script>x()</script></p>")
    'One\n\nA bold word.'
    """
    from lxml import etree, html

    page = _XML_DECLARATION.sub("", page).translate(_CONTROLS)
    try:
        root = html.document_fromstring(page)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        if not re.sub(r"<[^>]*>", "", page).strip():
            return ""
        raise InputError(f"{source} cannot be read as HTML") from None
    pieces: list[str] = []
    _collect(root, pieces)
    return _layout("".join(pieces))


def _collect(root: Any, pieces: list[str]) -> None:
    """Walk the tree with a stack of our own: pages nest deeper than Python's recursion limit."""
    stack: list[Any] = [root]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        tag = item.tag if isinstance(item.tag, str) else None  # comments and instructions have no name
        after = [item.tail] if item.tail and item is not root else []
        if tag is None or tag in _DROPPED:
            pieces.extend(after)
            continue
        edge = _edge(tag)
        pieces.append(edge)
        pieces.append(item.text or "")
        stack.extend(reversed([*item, edge if tag != "br" else "", *after]))


def _edge(tag: str) -> str:
    if tag in _BLOCKS:
        return _PARAGRAPH
    if tag == "br":
        return _LINE
    return " " if tag in _CELLS else ""


def _layout(text: str) -> str:
    paragraphs = []
    for block in text.split(_PARAGRAPH):
        lines = (" ".join(line.split()) for line in block.split(_LINE))
        if paragraph := "\n".join(lines).strip():
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


_FLAGS: Final = re.MULTILINE
# In order: what hides other markup (code, comments) goes first, emphasis last.
_STEPS: Final = tuple(
    (re.compile(pattern, _FLAGS | re.DOTALL if dotall else _FLAGS), replacement)
    for pattern, replacement, dotall in (
        (r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", "", True),  # YAML front matter
        (r"\A\+\+\+[ \t]*\n.*?\n\+\+\+[ \t]*(?:\n|\Z)", "", True),  # TOML front matter
        (r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", "", True),  # fenced code
        (r"<!--.*?-->", "", True),
        (r"<(script|style)\b.*?</\1\s*>", "", True),
        (r"^\[[^\]\n]+\]:\s*\S+.*$", "", False),  # link definitions
        (r"^(?:=+|-{2,})[ \t]*$", "", False),  # underlines of headings; also rules of hyphens
        (r"^[ \t]*(?:[-*_][ \t]*){3,}$", "", False),  # rules
        (
            r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$",
            "",
            False,
        ),  # the rule below a table's head
        (r"^[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", r"\n\1\n", False),  # headings are paragraphs
        (r"^[ \t]*(?:>[ \t]?)+", "", False),  # quotations
        (r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", "", False),  # list items
        (r"!\[([^\]]*)\]\([^)]*\)", r"\1", False),  # images keep their description
        (r"\[([^\]]+)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)", r"\1", False),  # links
        (r"\[([^\]^]+)\]\[[^\]]*\]", r"\1", False),
        (r"\[\^[^\]]+\]:?", "", False),  # footnote marks
        (r"<((?:https?://|mailto:)[^>\s]+)>", r"\1", False),
        (r"</?[A-Za-z][^>\n]*>", "", False),  # inline HTML
        (r"(`+)(.+?)\1", r"\2", False),
        (r"(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1", r"\2", False),
        (r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", False),
        (r"\\([\\`*_{}\[\]()#+\-.!|>~])", r"\1", False),  # escapes
        (r"[ \t]*\|[ \t]*", " ", False),  # the cells of tables
        (r"\n{3,}", "\n\n", False),
    )
)


def markdown_to_text(source: str) -> str:
    r"""Return the readable text of a Markdown file.

    >>> markdown_to_text("# Call me *Ishmael*\nSome [years](http://a.b) ago.")
    'Call me Ishmael\n\nSome years ago.'
    """
    from html import unescape

    text = source.replace("\r\n", "\n")
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    return unescape(text).strip()


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
