"""Convert HTML and Markdown to plain text, in time linear in the length."""

from __future__ import annotations

import re
from collections import Counter
from html import unescape
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.text.document import Extracted, extract

if TYPE_CHECKING:
    from collections.abc import Iterator


def tag_names(listed: str) -> frozenset[str]:
    """Return the names in a text, which spaces separate."""
    return frozenset(listed.split())


# Tags whose content is not text of the page: menus, forms, pictures, and data for programs.
_DROPPED: Final = tag_names(
    """
    nav noscript template title svg math iframe object audio video canvas button select textarea
    """
)
_BLOCKS: Final = tag_names(
    """
    address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html li main ol p pre section summary table tbody tfoot thead
    tr ul
    """
)
_CELLS: Final = frozenset(("td", "th"))
_RAW: Final = frozenset(("script", "style"))  # a tag inside these is not a tag
_DECLARED: Final = re.compile(
    rb"<meta[^>]{1,1000}charset\s*=\s*[\"']?\s*([\w-]+)|<\?xml[^>]{1,1000}encoding\s*=\s*[\"']([\w-]+)",
    re.IGNORECASE,
)
_XHTML: Final = re.compile(r"\s*<\?xml|\s*<html\s[^>]{0,1000}xmlns", re.IGNORECASE)
_MARKUP: Final = re.compile(r"<(?:(/?)([a-zA-Z][^\s/>]*)|[!?/])")
_QUOTE_OR_END: Final = re.compile(r"[\"'>]")
PARAGRAPH, LINE = "\x02", "\x03"  # marks for line ends, which survive when white space is collapsed
_LEFT_OPEN: Final = "the page leaves a tag, a comment or a menu open; what follows is read as text"
_BROKEN_OFF: Final = "the page ends inside a script or a style, which is not read"
_HUGE: Final = re.compile(r"&#(?:[0-9]{8,}|[xX][0-9a-fA-F]{8,});?")  # a number of no character
_SMALL: Final = {ord(letter): letter.lower() for letter in ascii_uppercase}
_CONTROLS: Final = dict.fromkeys(range(9), " ")


def decode_markup(data: bytes, source: str, encoding: str | None, errors: str, kind: str) -> Extracted:
    """Decode a page by the encoding given, else by the one it declares if that fits, else by detection."""
    declared = _DECLARED.search(data[:4096])
    if encoding is None and declared and not data.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")):
        try:
            return extract(data, source, (declared[1] or declared[2]).decode("ascii"), "strict", kind)
        except (InputError, ValueError):
            pass  # the declared encoding is wrong, so it is detected
    return extract(data, source, encoding, errors, kind)


def html_to_text(page: str) -> str:
    r"""Return the readable text of a page, its blocks separated by blank lines.

    >>> html_to_text("<h1>One</h1><p>A <b>bold</b>&nbsp;word.<script>x()</script></p>")
    'One\n\nA bold word.'
    """
    return read_html(page)[0]


def read_html(page: str) -> tuple[str, tuple[str, ...]]:
    """Return the readable text of a page, and a note if it ends inside a tag, a comment or a script.

    The page is read tag by tag, in linear time, without a tree, so that it may be nested to any depth. A tag or comment
    that is never closed is text.
    """
    return _HtmlReader(page.translate(_CONTROLS)).read()


class _HtmlReader:
    """Reads the text of one page."""

    def __init__(self, page: str) -> None:
        self.page, self.small = page, page.translate(_SMALL)  # lower() could change the length
        # For each text that was searched for: from where, and where it was found. A tag of many values repeats the
        # search.
        self.found: dict[str, tuple[int, int]] = {}
        self.xhtml = bool(_XHTML.match(page))
        self.pieces: list[str] = []
        self.dropping: list[tuple[str, int]] = []  # open tags whose text is dropped, and where it began
        self.open: Counter[str] = Counter()
        self.left_open = False

    def read(self) -> tuple[str, tuple[str, ...]]:
        """Return the text and the notes."""
        place, text_from = 0, 0
        while found := _MARKUP.search(self.page, place):
            end = self._end_of(found)
            if end is None:  # a < that begins nothing is text
                place, self.left_open = found.end(), True
                continue
            self.pieces.append(_unescaped(self.page[text_from : found.start()]))
            tag = (found[2] or "").lower()
            if tag in _RAW and not found[1] and not self._is_empty(end):
                end = self._find(f"</{tag}", end)
                if end < 0:
                    return self._text(_BROKEN_OFF)
            elif tag:
                self._take(tag, closing=bool(found[1]), empty=self._is_empty(end))
            place = text_from = end
        self.pieces.append(_unescaped(self.page[text_from:]))
        return self._text(_LEFT_OPEN if self.left_open or self.dropping else None)

    def _text(self, note: str | None) -> tuple[str, tuple[str, ...]]:
        return layout("".join(self.pieces)), (note,) if note else ()

    def _take(self, tag: str, *, closing: bool, empty: bool) -> None:
        """Handle a tag: begin or end dropped text, and mark the edge of a block."""
        if tag in _DROPPED and not closing and not empty:
            self.dropping.append((tag, len(self.pieces)))
            self.open[tag] += 1
        elif closing and self.open[tag]:
            while True:  # tags that were left open inside end here, too
                name, start = self.dropping.pop()
                self.open[name] -= 1
                if name == tag:
                    break
            del self.pieces[start:]
        self.pieces.append(_edge(tag))

    def _is_empty(self, end: int) -> bool:
        """Tell whether a tag closes itself, which only XHTML allows."""
        return self.xhtml and self.page[end - 2 : end] == "/>"

    def _end_of(self, found: re.Match[str]) -> int | None:
        """Return where a tag or a comment ends; None if it does not."""
        if self.page.startswith("<!--", found.start()):
            end = self._find("-->", found.start() + 2)
            return end + 3 if end >= 0 else None
        if not found[2]:
            end = self._find(">", found.end())
            return end + 1 if end >= 0 else None
        return self._end_of_tag(found.end())

    def _end_of_tag(self, place: int) -> int | None:
        """Return where a tag ends; a > between the quotes of a value does not end it."""
        begin = place
        while self._find(">", place) >= 0 and (found := _QUOTE_OR_END.search(self.page, place)):
            place = found.end()
            if found[0] == ">":
                return place
            if self.page[max(begin, found.start() - 99) : found.start()].rstrip().endswith("="):
                closed = self._find(found[0], place)
                if closed < 0:
                    self.left_open = True
                place = closed + 1 or place
        return None

    def _find(self, what: str, place: int) -> int:
        """Return where a text occurs next, or -1; a search that found nothing is not repeated."""
        begin, found = self.found.get(what, (0, 0))
        if found >= 0 and not begin <= place <= found:
            found = self.small.find(what, place)
            self.found[what] = place, found
        return found


def _unescaped(text: str) -> str:
    return unescape(_HUGE.sub("\ufffd", text)) if "&" in text else text


def _edge(tag: str) -> str:
    if tag in _BLOCKS:
        return PARAGRAPH
    if tag == "br":
        return LINE
    return " " if tag in _CELLS else ""


def layout(text: str) -> str:
    """Collapse white space, and turn the marks for paragraphs and lines into line ends."""
    paragraphs = []
    for block in text.split(PARAGRAPH):
        lines = (" ".join(line.split()) for line in block.split(LINE))
        if paragraph := "\n".join(lines).strip():
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


# The marks of quotations and lists are removed first. Then nothing is nested, and text that is nested deeper than the
# parser allows is not lost.
_RULE: Final = r"[ \t]*(?:[-*_][ \t]*){3,}$"
_CONTAINER: Final = re.compile(
    rf"^(?!{_RULE})[ \t]*(?:>[ \t]*|(?:[-*+]|\d{{1,9}}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)*", re.MULTILINE
)
_FRONT_MATTER: Final = re.compile(
    r"\A(?:---[ \t]*\n.*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
# The mark before a footnote, which is removed; the footnote's text stays.
_FOOTNOTE: Final = re.compile(r"^[ \t]*\[\^[^\]\n]+\]:[ \t]*", re.MULTILINE)
_FOOTNOTE_MARK: Final = re.compile(r"\[\^[^\]\[\n]+\]")
_LONG_BLOCK: Final = 100_000  # characters: no paragraph has as many
_HIDDEN: Final = re.compile(r"<(script|style)\b", re.IGNORECASE)


def markdown_to_text(source: str) -> str:
    r"""Return the readable text of a Markdown file, without fenced code; indented lines are text.

    >>> markdown_to_text("# Call me *Ishmael*\nSome [years](http://a.b) ago.")
    'Call me Ishmael\n\nSome years ago.'
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.disable(
        ["blockquote", "list", "code", "inline"]
    )  # what stands in a block is read below, block by block
    text = _FRONT_MATTER.sub("", source.replace("\r\n", "\n"))
    text = _FOOTNOTE.sub("", _CONTAINER.sub("", text))
    lines, last = text.rstrip("\n").count("\n") + 1, text.rstrip("\n").rsplit("\n", 1)[-1].strip()
    blocks: list[str] = []
    known: dict[str, Any] = {}  # where links lead
    for token in parser.parse(text, known):
        if token.type == "inline":
            blocks += (_inline(_marks(parser, piece, known)) for piece in _pieces(token.content))
        elif (
            token.type == "fence" and token.map and token.map[1] >= lines and not _closes(last, token.markup)
        ):
            blocks.append(f"{PARAGRAPH}{token.content}{PARAGRAPH}")  # without an end, it hides the rest
        elif token.type == "html_block":
            blocks.append(_html_block(token.content))
        elif token.type in _MARKDOWN_EDGES:
            blocks.append(_MARKDOWN_EDGES[token.type])
    return layout("".join(blocks).replace("\n", LINE))


# Cells of a row are side by side, rows one below the other; every other block is a paragraph.
_MARKDOWN_EDGES: Final = {
    **dict.fromkeys(("paragraph_close", "heading_close", "table_open", "table_close"), PARAGRAPH),
    **dict.fromkeys(("th_close", "td_close"), " "),
    "tr_close": LINE,
}


def _pieces(block: str) -> Iterator[str]:
    """Cut a very long block between words: each mark in it takes half a kilobyte while the block is read."""
    begin = 0
    while begin < len(block):
        blank = block.find(" ", begin + _LONG_BLOCK)
        end = len(block) if blank < 0 else blank + 1
        yield block[begin:end]
        begin = end


def _marks(parser: Any, block: str, known: dict[str, Any]) -> list[Any]:
    """Return the words and marks of a block."""
    found: list[Any] = []
    parser.inline.parse(block, parser, known, found)
    return found


def _closes(line: str, fence: str) -> bool:
    """Tell whether a line ends a block of code that began with `fence`."""
    return line.startswith(fence) and not line.strip(fence[0])


def _html_block(block: str) -> str:
    """Read a block of HTML inside Markdown."""
    return PARAGRAPH + html_to_text(block).replace("\n\n", PARAGRAPH) + PARAGRAPH


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


# ---- Jira's wiki markup

_OPENED: Final = re.compile(r"\{(code|noformat)(?::[^}\n]{0,200})?\}")
_MACROS: Final = "code|noformat|quote|color|panel|anchor|expand|section|column|tip|info|note|warning"
_WIKI: Final = tuple(
    (re.compile(mark, re.MULTILINE), text)
    for mark, text in (
        (rf"\{{(?:{_MACROS})(?::[^}}\n]{{0,200}})?\}}", ""),
        (r"^[ \t]*(?:h[1-6]|bq)\.[ \t]+", ""),
        (r"^[ \t]*(?:[*#]{1,6}|-)[ \t]+", ""),
        (r"^[ \t]*-{4,}[ \t]*$", ""),
        (r"\[~(?:accountid:)?([^\]\n|]{1,100})\]", r"\1"),
        (r"\[([^\]\[\n|]{1,500})\|[^\]\n]{1,2000}\]", r"\1"),
        (r"\[((?:https?|ftp|mailto):[^\]\s]{1,2000})\]", r"\1"),
        (r"\[\^([^\]\n]{1,200})\]", r"\1"),
        (r"![^!\s|]{1,200}\.\w{2,4}(?:\|[^!\n]{0,100})?!", " "),
        (r"\{\{([^}\n]{1,500})\}\}", r"\1"),
        (r"(?<![\w*])\*(\S(?:[^*\n]{0,500}?\S)?)\*(?![\w*])", r"\1"),
        (r"(?<![\w_])_(\S(?:[^_\n]{0,500}?\S)?)_(?![\w_])", r"\1"),
        (r"\\\\[ \t]*$", ""),
    )
)
_ROW: Final = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.MULTILINE)


def wiki_to_text(source: str) -> str:
    r"""Return the readable text of Jira's markup; code and logs stay as they are.

    >>> wiki_to_text("h2. Steps\n# See [the manual|https://a.b] and [~anna]: *now*!\n{code:java}\nint _x_;\n{code}")
    'Steps\nSee the manual and anna: now!\n\nint _x_;'
    """
    text, place, pieces = source.replace("\r\n", "\n"), 0, list[str]()
    while opened := _OPENED.search(text, place):
        end = text.find(f"{{{opened[1]}}}", opened.end())
        if end < 0:
            break
        pieces += [_without_wiki(text[place : opened.start()]), text[opened.end() : end]]
        place = end + len(opened[1]) + 2
    return "".join([*pieces, _without_wiki(text[place:])]).strip()


def _without_wiki(text: str) -> str:
    for mark, plain in _WIKI:
        text = mark.sub(plain, text)
    return _ROW.sub(lambda row: " ".join(cell.strip() for cell in row[1].split("|") if cell.strip()), text)
