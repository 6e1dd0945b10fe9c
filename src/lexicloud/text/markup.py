"""Markup to plain text: HTML through lxml, Markdown, and EPUB, a zip of pages."""

from __future__ import annotations

import posixpath
import re
import zipfile
from html import unescape
from io import BytesIO
from typing import Any, Final
from urllib.parse import unquote

from lexicloud.errors import InputError
from lexicloud.files import check_zip
from lexicloud.text.clean import without_comments
from lexicloud.text.document import decode


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
_TAG: Final = re.compile(r"<[^<>]*>")
_PARAGRAPH, _LINE = "\x02", "\x03"  # stand-ins that survive the collapsing of white space
_END: Final = "\ue0fe\ue0ff"  # of private use: no page holds it by chance
_LEFT_OPEN: Final = "the page leaves a tag, a comment or a menu open; what follows is read as text"
_BROKEN_OFF: Final = "the page ends inside a script or a style, which is not read"
_LAST_TAGS: Final = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_NAMED_TAG: Final = re.compile(r"<(?:(/?)([a-zA-Z][a-zA-Z0-9]*)|[!?/])[^<>]*>")
_RAW: Final = frozenset(("script", "style"))  # no tags inside
_HUGE: Final = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")  # a number of no character
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
    return read_html(page, source)[0]


def read_html(page: str, source: str) -> tuple[str, tuple[str, ...]]:
    """Return the readable text of a page, and a note where it is broken off inside a tag, a comment or a script.

    A mark at the end shows whether all of the page was read.
    """
    from lxml import etree, html

    # What follows the end of a page is shown by browsers; lxml would drop it.
    page = _LAST_TAGS.sub("<hr>", _XML_DECLARATION.sub("", page)).translate(_CONTROLS)
    parser = html.HTMLParser(huge_tree=True)
    try:
        root = html.document_fromstring(f"{page}{_END}", parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        raise InputError(f"{source} cannot be read as HTML") from None
    pieces: list[str] = []
    if not any(error.level_name == "FATAL" for error in parser.error_log):
        _collect(root, pieces)
    text = "".join(pieces)
    if _END in text:
        return _layout(text.replace(_END, "")), ()
    # Nested deeper than lxml goes, or left open: read tag by tag, there is no depth.
    text = _without_tree(f"{page}{_END}")
    notes = (_LEFT_OPEN,) if pieces and _END in text else () if _END in text else (_BROKEN_OFF,)
    return _layout(text.replace(_END, "")), notes


def _without_tree(page: str) -> str:
    """Return the text of a page tag by tag, in time linear in its length; what is not closed is text."""
    page, _ = without_comments(page)
    small = page.lower()
    pieces: list[str] = []
    dropping: list[tuple[str, int]] = []  # open tags whose text is dropped, and where it began
    place = 0
    while found := _NAMED_TAG.search(page, place):
        pieces.append(_unescaped(page[place : found.start()]))
        closing, tag, place = found[1], (found[2] or "").lower(), found.end()
        if tag in _RAW and not closing:
            end = small.find(f"</{tag}", place)
            if end < 0:
                return "".join(pieces)
            place = end
        elif tag in _DROPPED and not closing:
            dropping.append((tag, len(pieces)))
        elif closing and dropping and dropping[-1][0] == tag:
            del pieces[dropping.pop()[1] :]
        pieces.append(_edge(tag))
    return "".join([*pieces, _unescaped(page[place:])])


def _unescaped(text: str) -> str:
    return unescape(_HUGE.sub("\ufffd", text)) if "&" in text else text


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


# Quotations and lists hold blocks but no words. Taking their marks off first leaves nothing to nest, so a file
# nested deeper than the parser goes loses no text.
_RULE: Final = r"[ \t]*(?:[-*_][ \t]*){3,}$"
_CONTAINER: Final = re.compile(
    rf"^(?!{_RULE})[ \t]*(?:>[ \t]*|(?:[-*+]|\d{{1,9}}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*", re.MULTILINE
)
_FRONT_MATTER: Final = re.compile(
    r"\A(?:---[ \t]*\n.*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_FOOTNOTE: Final = re.compile(
    r"^[ \t]*\[\^[^\]\n]+\]:[ \t]*", re.MULTILINE
)  # its text stays, its number goes
_FOOTNOTE_MARK: Final = re.compile(r"\[\^[^\]\[\n]+\]")
_HIDDEN: Final = re.compile(r"<(script|style)\b", re.IGNORECASE)


def markdown_to_text(source: str) -> str:
    r"""Return the readable text of a Markdown file; fenced code goes, indented text is taken for text.

    >>> markdown_to_text("# Call me *Ishmael*\nSome [years](http://a.b) ago.")
    'Call me Ishmael\n\nSome years ago.'
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.disable(["blockquote", "list", "code"])
    text = _FRONT_MATTER.sub("", source.replace("\r\n", "\n"))
    text = _FOOTNOTE.sub("", _CONTAINER.sub("", text))
    lines, last = text.rstrip("\n").count("\n") + 1, text.rstrip("\n").rsplit("\n", 1)[-1].strip()
    blocks: list[str] = []
    for token in parser.parse(text):
        if token.type == "inline":
            blocks.append(_inline(token.children or []))
        elif (
            token.type == "fence" and token.map and token.map[1] >= lines and not _closes(last, token.markup)
        ):
            blocks.append(f"{_PARAGRAPH}{token.content}{_PARAGRAPH}")  # it would hide the rest of the file
        elif token.type == "html_block":
            blocks.append(_html_block(token.content))
        elif token.type in _MARKDOWN_EDGES:
            blocks.append(_MARKDOWN_EDGES[token.type])
    return _layout("".join(blocks).replace("\n", _LINE))


# Cells stand beside each other and rows below each other; every other block is a paragraph.
_MARKDOWN_EDGES: Final = {
    **dict.fromkeys(("paragraph_close", "heading_close", "table_open", "table_close"), _PARAGRAPH),
    **dict.fromkeys(("th_close", "td_close"), " "),
    "tr_close": _LINE,
}


def _closes(line: str, fence: str) -> bool:
    """Tell whether a line ends a block of code; one without an end begins nothing."""
    return line.startswith(fence) and not line.strip(fence[0])


def _html_block(block: str) -> str:
    """Read a block of HTML inside Markdown; one that is no HTML at all, say an open comment, is plain text."""
    try:
        text = html_to_text(block)
    except InputError:
        text = _TAG.sub("", block)
    return _PARAGRAPH + text.replace("\n\n", _PARAGRAPH) + _PARAGRAPH


def _inline(tokens: list[Any]) -> str:
    """Join the words of a block; links and images keep their text."""
    words: list[str] = []
    hidden = ""  # the element whose content is no text: a script or a style
    for token in tokens:
        if token.type == "html_inline":
            opened = _HIDDEN.match(token.content)
            hidden = (
                opened[1].lower() if opened else "" if token.content.startswith(f"</{hidden}") else hidden
            )
        elif token.type in ("softbreak", "hardbreak"):
            words.append("\n")
        elif not hidden:
            inner = _inline(token.children) if token.children else token.content
            words.append(inner if token.type == "code_inline" else _FOOTNOTE_MARK.sub("", inner))
    return "".join(words)


_PAGES: Final = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))


def epub_to_text(data: bytes, source: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of an EPUB's pages, in reading order, and what was no page; the table of contents is left out."""
    try:
        check_zip(data, source)
        with zipfile.ZipFile(BytesIO(data)) as book:
            package = _package_path(book)
            paths, others = _spine(book, package)
            pages = [_page(book, path, source) for path in paths]
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged archive may raise anything
        raise InputError(f"{source} is not a readable EPUB: {error}") from None
    notes = (f"{others:,} of {others + len(paths):,} parts are no pages and left out",) if others else ()
    return "\n\n".join(page for page in pages if page), notes


def _page(book: zipfile.ZipFile, path: str, source: str) -> str:
    page, _ = decode_html(book.read(path), f"{source}:{path}", None, "strict")
    return html_to_text(page, f"{source}:{path}")


def _xml(data: bytes) -> Any:
    from lxml import etree

    # Entities are not expanded and nothing is fetched: a book is not trusted.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=True)
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


def _spine(book: zipfile.ZipFile, package: str) -> tuple[list[str], int]:
    """Return the paths of a book's pages, and how many other parts are listed among them."""
    root = _xml(book.read(package))
    items = {
        item.get("id"): item for item in root.xpath("//*[local-name()='manifest']/*[local-name()='item']")
    }
    spine = [items.get(i) for i in root.xpath("//*[local-name()='spine']/*[local-name()='itemref']/@idref")]
    folder = posixpath.dirname(package)
    parts = [item for item in spine if item is None or "nav" not in item.get("properties", "").split()]
    paths = [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "").split("#")[0])))
        for item in parts
        if item is not None and item.get("media-type") in _PAGES
    ]
    if not paths:
        raise ValueError("its spine lists no pages")
    return paths, len(parts) - len(paths)
