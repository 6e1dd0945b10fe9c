"""Texts of word processors, .docx and .odt, read in order without building a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError
from lexicloud.text.archive import Archive, Budget
from lexicloud.text.document import Extracted
from lexicloud.text.xml_events import parse_xml

if TYPE_CHECKING:
    from collections.abc import Mapping

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
