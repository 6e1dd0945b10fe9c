"""HTML to plain text, through lxml: block elements become paragraphs, scripts and navigation go."""

from __future__ import annotations

import re
from typing import Any, Final

from lexicloud.errors import InputError
from lexicloud.text.readers.decoding import decode


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
