"""One file to its documents: the table of formats."""

from __future__ import annotations

import logging
import re
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, MissingExtra
from lexicloud.files import check_zip, gunzip
from lexicloud.text.clean import cut_gutenberg
from lexicloud.text.document import Document, decode, readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lexicloud.text.document import ReadOptions
    from lexicloud.text.tables import Table

# A word broken at a line's end: both halves in lower case, or the hyphen is likely to be its own.
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])")


Extracted = tuple[str, tuple[str, ...]]  # a text, and notes on how it was got


def pdf_to_text(data: bytes, source: str) -> Extracted:
    """Return the text of a PDF's pages; words broken at line ends are joined, pages without text are counted."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise MissingExtra(f"reading {source}", "pdf") from None
    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # what it says goes into one line of ours
    try:
        pages = [page.extract_text() for page in PdfReader(BytesIO(data)).pages]
    except MemoryError:
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
    return _BROKEN_WORD.sub("", text), notes if bare else ()


def docx_to_text(data: bytes, source: str) -> Extracted:
    """Return the text of a Word file in its order, forms, text boxes and insertions included; footnotes are counted."""
    try:
        import docx
    except ImportError:
        raise MissingExtra(f"reading {source}", "docx") from None
    try:
        check_zip(data, source)
        document = docx.Document(BytesIO(data))
        text = "\n\n".join(block for block in _blocks(document.element.body) if block)
        unread = sum(map(_notes_in, document.part.rels.values()))
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable .docx file: {error}") from None
    return text, ((f"{unread:,} footnotes and endnotes are not read",) if unread else ())


_WORD: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PARAGRAPH, _TABLE, _ROW, _CELL, _WORDS = (_WORD + name for name in ("p", "tbl", "tr", "tc", "t"))
_BREAKS: Final = {_WORD + "tab": "\t", _WORD + "br": "\n", _WORD + "cr": "\n", _WORD + "noBreakHyphen": "-"}
# The same text box once more, for old programs; the position of tab stops; a text that was moved elsewhere.
_PASSED_OVER: Final = frozenset(
    (
        "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
        _WORD + "pPr",
        _WORD + "moveFrom",
    )
)


def _blocks(element: Any) -> Iterator[str]:
    """Yield paragraphs and tables, however deep they lie in forms or text boxes."""
    for child in element:
        if child.tag == _PARAGRAPH:
            yield from _paragraph(child)
        elif child.tag == _TABLE:
            rows = (" ".join(map(_cell, _own(row, _CELL))) for row in _own(child, _ROW))
            yield "\n".join(rows).strip()
        elif child.tag not in _PASSED_OVER:
            yield from _blocks(child)


def _own(element: Any, tag: str) -> Iterator[Any]:
    """Yield the rows of a table or the cells of a row, without those of tables inside."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag != _TABLE:
            yield from _own(child, tag)


def _cell(cell: Any) -> str:
    return "\n".join(block for block in _blocks(cell) if block)


def _paragraph(paragraph: Any) -> Iterator[str]:
    """Yield the text of a paragraph, then those of the text boxes that are anchored in it."""
    words: list[str] = []
    boxes: list[Any] = []
    stack = [*reversed(paragraph)]
    while stack:
        element = stack.pop()
        if element.tag in {_PARAGRAPH, _TABLE}:
            boxes.append(element)
        elif element.tag not in _PASSED_OVER:
            words.append(element.text or "" if element.tag == _WORDS else _BREAKS.get(element.tag, ""))
            stack.extend(reversed(element))
    yield "".join(words).strip()
    yield from _blocks(boxes)


def _notes_in(relation: Any) -> int:
    """Count the footnotes or endnotes of a part that hold words."""
    from lxml import etree

    kind = relation.reltype.rsplit("/", 1)[-1]
    if relation.is_external or kind not in {"footnotes", "endnotes"}:
        return 0
    notes = etree.fromstring(
        relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True)
    )
    return sum(any(text.text for text in note.iter(_WORDS)) for note in notes.iter(_WORD + kind[:-1]))


class NoText(InputError):
    """A file was read but holds no text; in a folder it is left out."""


def _plain(data: bytes, source: str, options: ReadOptions) -> Extracted:
    return decode(data, source, options.encoding, options.errors)


def _markdown(data: bytes, source: str, options: ReadOptions) -> Extracted:
    from lexicloud.text.markup import markdown_to_text

    text, notes = _plain(data, source, options)
    return markdown_to_text(text), notes


def _html(data: bytes, source: str, options: ReadOptions) -> Extracted:
    from lexicloud.text.markup import decode_html, read_html

    page, notes = decode_html(data, source, options.encoding, options.errors)
    text, said = read_html(page, source)
    return text, notes + said


def _epub(data: bytes, source: str, options: ReadOptions) -> Extracted:  # noqa: ARG001
    from lexicloud.text.markup import epub_to_text

    return epub_to_text(data, source)


def _pdf(data: bytes, source: str, options: ReadOptions) -> Extracted:  # noqa: ARG001
    return pdf_to_text(data, source)


def _docx(data: bytes, source: str, options: ReadOptions) -> Extracted:  # noqa: ARG001
    return docx_to_text(data, source)


_TEXTS: Final[dict[str, Callable[[bytes, str, ReadOptions], Extracted]]] = {
    ".txt": _plain,
    ".md": _markdown,
    ".html": _html,
    ".htm": _html,
    ".epub": _epub,
    ".pdf": _pdf,
    ".docx": _docx,
}
_TABLES: Final = frozenset((".csv", ".tsv", ".jsonl"))
KNOWN: Final = (*_TEXTS, *sorted(_TABLES))


def kind(name: str) -> str:
    """Return a file's ending without `.gz`, in lower case; empty where it is no known one.

    >>> kind("Emma.TXT.gz"), kind("cover.jpg")
    ('.txt', '')
    """
    suffix = PurePosixPath(name.lower().removesuffix(".gz")).suffix
    return suffix if suffix in KNOWN else ""


def is_table(name: str) -> bool:
    """Tell whether a file holds rows."""
    return kind(name) in _TABLES


def stem(name: str) -> str:
    """Return a file's name without its known ending.

    >>> stem("novels/Emma.v2.txt.gz")
    'novels/Emma.v2'
    """
    bare = name[:-3] if name.lower().endswith(".gz") else name
    return bare[: -len(kind(name))] if kind(name) else bare


def load(path: Path) -> bytes:
    """Return a file's bytes, unpacked where it is gzipped."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    return gunzip(data, str(path)) if path.name.lower().endswith(".gz") and data else data


def read_text(data: bytes, name: str, source: str, options: ReadOptions) -> Document:
    """Read one file that holds one text."""
    if not data.strip():
        raise InputError(f"{source} is empty")
    text, notes = _TEXTS[kind(name) or ".txt"](data, source, options)
    text, cut = cut_gutenberg(text, options.gutenberg)
    if not text.strip():
        raise NoText(f"{source} holds no text")
    name = readable(name)
    said = tuple(f"{name}: {note}" for note in notes + cut)
    return Document(stem(name), text, None, readable(source), said)


def read_table(data: bytes, name: str, source: str, options: ReadOptions) -> tuple[Table, tuple[str, ...]]:
    """Read one file that holds rows, and say how it was decoded."""
    from lexicloud.text.tables import read_csv, read_jsonl

    if not data.strip():
        raise InputError(f"{source} is empty")
    text, notes = decode(data, source, options.encoding, options.errors)
    if kind(name) == ".jsonl":
        return read_jsonl(text, source), notes
    return read_csv(text, source, "\t" if kind(name) == ".tsv" else None), notes
