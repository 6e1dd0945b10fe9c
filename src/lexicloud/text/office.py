"""Texts of word processors (.docx, .odt, .rtf), of electronic books (.epub) and of .pdf."""

from __future__ import annotations

import logging
import posixpath
import re
from codecs import lookup
from dataclasses import dataclass, field, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from lexicloud.errors import InputError
from lexicloud.text.archive import Archive, Budget, collect_xml, parse_xml
from lexicloud.text.document import Extracted, first_year
from lexicloud.text.markup import decode_markup, html_to_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lexicloud.text.archive import Collector

_WORD: Final = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
}
_OPEN: Final = {
    f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0": name for name in ("office", "text", "table", "draw")
}
# A run of spaces is written as one mark with a number, which may be huge.
_MOST_SPACES: Final = 100


class _Blocks:
    """Collects paragraphs and tables, nested to any depth in forms, boxes and cells.

    A paragraph inside another, as in a text box, comes after it.
    """

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._words: list[list[str]] = []  # of the open paragraphs
        self._rows: list[list[str]] = []  # of the open tables
        # The finished blocks inside each open paragraph and cell.
        self._inside: list[list[str]] = []

    def say(self, text: str) -> None:
        """Add words to the open paragraph; outside of one they are ignored."""
        if self._words:
            self._words[-1].append(text)

    def open_paragraph(self) -> None:
        """Begin a paragraph."""
        self._words.append([])
        self._inside.append([])

    def close_paragraph(self) -> None:
        """End a paragraph; the blocks that were inside it follow."""
        if self._words:
            own, boxes = "".join(self._words.pop()).strip(), self._inside.pop()
            for block in (own, *boxes):
                self._put(block)

    def open_table(self) -> None:
        """Begin a table."""
        self._rows.append([])

    def close_row(self) -> None:
        """End a row."""
        if self._rows:
            self._rows[-1].append("\n")

    def open_cell(self) -> None:
        """Begin a cell."""
        self._inside.append([])

    def close_cell(self) -> None:
        """End a cell, which joins its row; outside of tables it is a block."""
        if self._inside:
            cell = "\n".join(self._inside.pop())
            if self._rows:
                self._rows[-1].append(f"{cell} ")
            else:
                self._put(cell)

    def close_table(self) -> None:
        """End a table."""
        if self._rows:
            lines = "".join(self._rows.pop()).split("\n")
            self._put("\n".join(line.strip() for line in lines).strip())

    def _put(self, block: str) -> None:
        if block:
            (self._inside[-1] if self._inside else self.blocks).append(block)

    def text(self) -> str:
        """Return all blocks."""
        return "\n\n".join(self.blocks)


class _Handler:
    """What both formats share: blocks, and tags that are skipped with their content."""

    passed_over: frozenset[str] = frozenset()
    paragraphs: frozenset[str] = frozenset()
    table, row, cells = "", "", frozenset[str]()

    def __init__(self) -> None:
        self.out = _Blocks()
        self.skipping = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take an opening tag."""
        if self.skipping or tag in self.passed_over:
            self.skipping += 1
        elif tag in self.paragraphs:
            self.out.open_paragraph()
        elif tag == self.table:
            self.out.open_table()
        elif tag in self.cells:
            self.out.open_cell()
        else:
            self.mark(tag, attributes)

    def end(self, tag: str) -> None:
        """Take a closing tag."""
        if self.skipping:
            self.skipping -= 1
        elif tag in self.paragraphs:
            self.out.close_paragraph()
        elif tag == self.table:
            self.out.close_table()
        elif tag == self.row:
            self.out.close_row()
        elif tag in self.cells:
            self.out.close_cell()

    def mark(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Take a tag inside a line."""
        raise NotImplementedError

    def text(self, data: str) -> None:
        """Take text."""
        if not self.skipping:
            self.out.say(data)


_WORD_MARKS: Final = {"w:tab": "\t", "w:br": "\n", "w:cr": "\n", "w:noBreakHyphen": "-"}


class _Word(_Handler):
    # A second copy of a text box for old programs; properties; moved or deleted text; codes of fields.
    passed_over = frozenset(("mc:Fallback", "w:pPr", "w:moveFrom", "w:del", "w:instrText"))
    paragraphs = frozenset(("w:p",))
    table, row, cells = "w:tbl", "w:tr", frozenset(("w:tc",))

    def __init__(self) -> None:
        super().__init__()
        self.words = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        super().start(tag, attributes)
        self.words += tag == "w:t" and not self.skipping

    def end(self, tag: str) -> None:
        self.words -= tag == "w:t" and not self.skipping
        super().end(tag)

    def mark(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self.out.say(_WORD_MARKS.get(tag, ""))

    def text(self, data: str) -> None:
        if self.words:
            super().text(data)


class _WordNotes(_Word):
    table, cells = "", frozenset(("w:footnote", "w:endnote"))


def read_docx(data: bytes, source: str, keep: frozenset[str]) -> Extracted:
    """Return the text of a Word file, with forms, text boxes, tables and insertions in place, and notes on request."""
    budget = Budget(len(data), source)
    try:
        archive = Archive(data, budget)
        handler, notes = _Word(), _WordNotes()
        parse_xml(archive.pieces(_main_part(archive)), handler, budget, prefixes=_WORD)
        for name in {"word/footnotes.xml", "word/endnotes.xml"} & set(archive.names):
            parse_xml(archive.pieces(name), notes, budget, prefixes=_WORD)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable .docx file: {error}") from None
    return _with_notes(handler.out.text(), "Word", notes.out.blocks, keep)


def _main_part(archive: Archive) -> str:
    named = [name for name in archive.names if name.startswith("word/document") and name.endswith(".xml")]
    return "word/document.xml" if "word/document.xml" in named or not named else named[0]


def _with_notes(text: str, kind: str, notes: list[str], keep: frozenset[str], **others: int) -> Extracted:
    """Append notes to the text if they are wanted, else count them."""
    left_out = {what: count for what, count in others.items() if count}
    if notes and "notes" in keep:
        text = "\n\n".join([text, *notes])
    elif notes:
        left_out["notes"] = len(notes)
    return Extracted(text, kind, left_out=left_out)


class _OpenDocument(_Handler):
    passed_over = frozenset(
        (
            "text:tracked-changes",
            "office:annotation",
            "text:note-citation",
            "office:forms",
            "text:table-of-content",
        )
    )
    paragraphs = frozenset(("text:p", "text:h"))
    table, row = "table:table", "table:table-row"
    cells = frozenset(("table:table-cell", "table:covered-table-cell"))

    def __init__(self, budget: Budget) -> None:
        super().__init__()
        self.notes = _Blocks()
        self._body, self._budget = self.out, budget
        self.comments = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "text:note-body" and not self.skipping:
            self.out = self.notes
        self.comments += tag == "office:annotation"
        super().start(tag, attributes)

    def end(self, tag: str) -> None:
        if tag == "text:note-body" and not self.skipping:
            self.out = self._body
        super().end(tag)

    def mark(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "text:s":
            wanted = attributes.get("text:c", "1")
            count = min(int(wanted), _MOST_SPACES) if wanted.isdecimal() else 1
            self._budget.spend(count)
            self.out.say(" " * count)
        else:
            self.out.say({"text:tab": "\t", "text:line-break": "\n"}.get(tag, ""))


def read_odt(data: bytes, source: str, keep: frozenset[str]) -> Extracted:
    """Return the text of an OpenDocument file; deleted text and comments are left out, notes come on request."""
    budget = Budget(len(data), source)
    try:
        archive = Archive(data, budget)
        handler = _OpenDocument(budget)
        parse_xml(archive.pieces("content.xml"), handler, budget, prefixes=_OPEN)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable .odt file: {error}") from None
    return _with_notes(
        handler.out.text(), "OpenDocument", handler.notes.blocks, keep, comments=handler.comments
    )


# Rich Text Format, read control word by control word, in linear time.

_RTF_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)|(\\)"
)
_RTF_WORDS: Final = {
    b"par": "\n\n", b"sect": "\n\n", b"page": "\n\n", b"row": "\n", b"line": "\n", b"tab": "\t", b"cell": " ",
    b"nestcell": " ", b"nestrow": "\n", b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’",
    b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
# Groups without running text. Groups marked with \*, which old programs do not know, have none either.
_RTF_PASSED_OVER: Final = frozenset(
    (b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"headerl", b"headerr", b"headerf",
     b"footer", b"footerl", b"footerr", b"footerf", b"fldinst", b"listtable", b"listoverridetable", b"generator", b"xe",
     b"tc", b"annotation", b"themedata", b"datastore", b"latentstyles", b"rsidtbl", b"nonshppict", b"private")
)  # fmt: skip
# Character sets of fonts, as Windows numbers them.
_RTF_CHARSETS: Final = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_DEEPEST: Final = 10_000  # groups inside groups; word processors write some twenty


@dataclass(frozen=True)
class _Group:
    """The settings inside one pair of braces."""

    shown: bool = True
    font_table: bool = False
    encoding: str = "cp1252"
    fallback: int = 1  # characters after \u that old programs show instead of it


@dataclass
class _Reader:
    budget: Budget
    keep_notes: bool
    group: _Group = field(default_factory=_Group)
    stack: list[_Group] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)  # bytes that are not decoded yet, all in one encoding
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    base: str = "cp1252"
    notes: int = 0
    skip: int = 0
    starred: bool = False

    def read(self, data: bytes) -> None:
        for token in _RTF_TOKEN.finditer(data):
            word, number, code, symbol, brace, text, _ = token.groups()
            if brace:
                self._brace(brace)
            elif word:
                self._word(word, int(number) if number else None)
            elif code:
                self._bytes(bytes((int(code, 16),)))
            elif symbol:
                self._symbol(symbol)
            elif text:
                self._bytes(text)
        self._flush()

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self.starred, self.skip = False, 0
        if brace == b"{":
            if len(self.stack) >= _DEEPEST:
                raise InputError(f"{self.budget.source} nests groups deeper than any text: save it again")
            self.stack.append(self.group)
        elif self.stack:
            self.group = self.stack.pop()

    def _word(self, word: bytes, number: int | None) -> None:
        if word == b"u" and number is not None:
            self._say(chr(number % 0x10000))
            self.skip = self.group.fallback
        elif word in _RTF_WORDS:
            self._say(_RTF_WORDS[word])
        elif word == b"footnote":
            self.notes += 1
            self._say(" ")
            self.group = replace(self.group, shown=self.group.shown and self.keep_notes)
        elif word in _RTF_PASSED_OVER or self.starred:
            self.group = replace(
                self.group, shown=False, font_table=word == b"fonttbl" or self.group.font_table
            )
        elif number is not None:
            self._setting(word, number)
        self.starred = False

    def _setting(self, word: bytes, number: int) -> None:
        if word == b"ansicpg":
            self.base = _known(f"cp{number}")
            self._use(self.base)
        elif word == b"uc":
            self.group = replace(self.group, fallback=max(0, min(number, 100)))
        elif word == b"fcharset" and self.group.font_table:
            self.fonts[self.font] = _RTF_CHARSETS.get(number, "")
        elif word == b"f":
            self.font = number
            if not self.group.font_table:
                self._use(self.fonts.get(number) or self.base)

    def _use(self, encoding: str) -> None:
        if encoding != self.group.encoding:
            self._flush()
            self.group = replace(self.group, encoding=encoding)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self.starred = True
            return
        said = {b"~": "\xa0", b"_": "-", b"\n": "\n\n", b"\r": "\n\n", b"\t": "\t", b"-": ""}
        self._say(said.get(symbol, symbol.decode("latin-1")))

    def _bytes(self, data: bytes) -> None:
        kept = data[self.skip :]
        self.skip = max(0, self.skip - len(data))
        if self.group.shown:
            self.raw += kept

    def _say(self, text: str) -> None:
        self._flush()
        if self.group.shown:
            self.budget.spend(len(text))
            self.pieces.append(text)

    def _flush(self) -> None:
        if self.raw:
            text = self.raw.decode(self.group.encoding, "replace")
            self.raw.clear()
            self.budget.spend(len(text))
            self.pieces.append(text)


def _known(encoding: str) -> str:
    try:
        return lookup(encoding).name
    except LookupError:
        return "cp1252"


def read_rtf(data: bytes, source: str, keep: frozenset[str]) -> Extracted:
    """Return the text of an RTF file, without headers, footers and pictures, and with footnotes on request."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise InputError(f"{source} is not a readable .rtf file: it does not begin with {{\\rtf")
    reader = _Reader(Budget(len(data), source), "notes" in keep)
    reader.read(data)
    # A character beyond the first 65,536 is written as two halves; this joins them.
    text = "".join(reader.pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
    left_out = {"notes": reader.notes} if reader.notes and not reader.keep_notes else {}
    return Extracted(text, "RTF", reader.base, left_out=left_out)


# EPUB: a zip of pages, read once each in the reading order that the book lists (its spine).

_EPUB_PAGES: Final = frozenset(("application/xhtml+xml", "text/html", "application/x-dtbook+xml"))


def read_epub(data: bytes, source: str) -> Extracted:
    """Return the text of a book's pages in reading order; the table of contents is left out."""
    budget = Budget(len(data), source)
    try:
        book = Archive(data, budget)
        package = _package_path(book, budget)
        about = collect_xml(book.read(package), budget)
        paths, left_out = _epub_spine(about, posixpath.dirname(package))
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
    return Extracted(text, "EPUB", left_out=left_out, fields=_epub_fields(about))


def _package_path(book: Archive, budget: Budget) -> str:
    roots = collect_xml(book.read("META-INF/container.xml"), budget).of("rootfile")
    if not roots or not roots[0][0].get("full-path"):
        raise ValueError("META-INF/container.xml names no package file")
    return str(roots[0][0]["full-path"])


def _epub_spine(about: Collector, folder: str) -> tuple[list[str], dict[str, int]]:
    """Return the paths of a book's pages in reading order, each once, and counts of what else is listed there."""
    items = {item["id"]: item for item, _ in about.of("item") if "id" in item}
    parts = [items.get(part.get("idref", "")) for part, _ in about.of("itemref")]
    parts = [item for item in parts if item is None or "nav" not in item.get("properties", "").split()]
    pages = [item for item in parts if item is not None and item.get("media-type") in _EPUB_PAGES]
    paths = [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href", "").split("#")[0])))
        for item in pages
    ]
    once = list(dict.fromkeys(paths))
    if not once:
        raise ValueError("its spine lists no pages")
    counts = {"parts that are no pages": len(parts) - len(paths), "repeated pages": len(paths) - len(once)}
    return once, {what: count for what, count in counts.items() if count}


def _epub_fields(about: Collector) -> dict[str, Any]:
    """Return author, title, date and language from a book's package."""
    found: dict[str, Any] = {}
    for name, tag in (("author", "creator"), ("title", "title"), ("date", "date"), ("language", "language")):
        value = next((text for _, text in about.of(tag) if text), "")
        if value:
            found[name] = first_year(value) if name == "date" else value
    return {key: value for key, value in found.items() if value}


# PDF: the text of its pages, each page once, with a limit on the work for it.

# A word broken at a line's end has both halves in lower case; otherwise the hyphen probably belongs to the word.
_PDF_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])")
# Forms that draw other forms twice, and so on, make the work grow without bound. Each drawing operation takes a tenth
# of a millisecond and counts as this many characters: a small file may have 260,000 of them, some hundred pages.
_PDF_OPERATION: Final = 64


def read_pdf(data: bytes, source: str) -> Extracted:
    """Return the text of the pages; words broken at line ends are joined, pages without text are counted."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # our own error line replaces its messages
    budget = Budget(len(data), source)
    try:
        pages = _pdf_pages(PdfReader(BytesIO(data)), budget)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable PDF: {error}") from None
    text = "\n\n".join(page.strip() for page in pages if page.strip())
    if pages and not text:
        raise InputError(
            f"{source} has {len(pages)} pages but no text: it is probably a scan, which needs OCR first"
        )
    bare = [str(number) for number, page in enumerate(pages, 1) if not page.strip()]
    notes = (
        f"{len(bare):,} of {len(pages):,} pages have no text: {', '.join(bare[:5])}{', …' * (len(bare) > 5)}",
    )
    left_out = {"pages without text": len(bare)} if bare else {}
    return Extracted(_PDF_BROKEN_WORD.sub("", text), "PDF", notes=notes if bare else (), left_out=left_out)


def _pdf_pages(reader: Any, budget: Budget) -> list[str]:
    pages: dict[Any, str] = {}
    for number, page in enumerate(reader.pages):
        reference = getattr(page, "indirect_reference", None)
        key = getattr(reference, "idnum", None) or -number - 1
        if key not in pages:
            pages[key] = page.extract_text(visitor_operand_before=lambda *_: budget.spend(_PDF_OPERATION))
            budget.spend(len(pages[key]))
    return list(pages.values())
