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
    from collections.abc import Callable

    from lexicloud.text.document import ReadOptions
    from lexicloud.text.tables import Table

# A word broken at a line's end: both halves in lower case, or the hyphen is likely to be its own.
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])")


def pdf_to_text(data: bytes, source: str) -> str:
    """Return the text of a PDF's pages; words broken at line ends are joined."""
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
    return _BROKEN_WORD.sub("", text)


def docx_to_text(data: bytes, source: str) -> str:
    """Return the paragraphs and table cells of a Word file, in their order."""
    try:
        import docx
    except ImportError:
        raise MissingExtra(f"reading {source}", "docx") from None
    try:
        check_zip(data, source)
        blocks = docx.Document(BytesIO(data)).iter_inner_content()
        return "\n\n".join(text for block in blocks if (text := _block(block)))
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable .docx file: {error}") from None


def _block(block: Any) -> str:
    if hasattr(block, "rows"):
        return "\n".join(" ".join(cell.text for cell in row.cells) for row in block.rows).strip()
    return str(block.text).strip()


Extracted = tuple[str, tuple[str, ...]]  # a text, and notes on how it was got


class NoText(InputError):
    """A file was read but holds no text; in a folder it is left out."""


def _plain(data: bytes, source: str, options: ReadOptions) -> Extracted:
    return decode(data, source, options.encoding, options.errors)


def _markdown(data: bytes, source: str, options: ReadOptions) -> Extracted:
    from lexicloud.text.markup import markdown_to_text

    text, notes = _plain(data, source, options)
    return markdown_to_text(text), notes


def _html(data: bytes, source: str, options: ReadOptions) -> Extracted:
    from lexicloud.text.markup import decode_html, html_to_text

    page, notes = decode_html(data, source, options.encoding, options.errors)
    return html_to_text(page, source), notes


def _epub(data: bytes, source: str, options: ReadOptions) -> Extracted:  # noqa: ARG001
    from lexicloud.text.markup import epub_to_text

    return epub_to_text(data, source), ()


def _pdf(data: bytes, source: str, options: ReadOptions) -> Extracted:  # noqa: ARG001

    return pdf_to_text(data, source), ()


def _docx(data: bytes, source: str, options: ReadOptions) -> Extracted:  # noqa: ARG001

    return docx_to_text(data, source), ()


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
