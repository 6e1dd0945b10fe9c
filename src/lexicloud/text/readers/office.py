"""PDF and Word files, through extras of their own."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any, Final

from lexicloud.errors import InputError, MissingExtra

# A word broken at a line's end: both halves in lower case, or the hyphen is likely to be its own.
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])")


def pdf_to_text(data: bytes, source: str) -> str:
    """Return the text of a PDF's pages; words broken at line ends are joined."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError:
        raise MissingExtra(f"reading {source}", "pdf") from None
    try:
        pages = [page.extract_text() for page in PdfReader(BytesIO(data)).pages]
    except (PyPdfError, ValueError, KeyError, TypeError, OSError) as error:
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
        from docx.opc.exceptions import PackageNotFoundError
    except ImportError:
        raise MissingExtra(f"reading {source}", "docx") from None
    from zipfile import BadZipFile

    try:
        document = docx.Document(BytesIO(data))
    except (PackageNotFoundError, BadZipFile, KeyError, ValueError) as error:
        raise InputError(f"{source} is not a readable .docx file: {error}") from None
    return "\n\n".join(text for block in document.iter_inner_content() if (text := _block(block)))


def _block(block: Any) -> str:
    if hasattr(block, "rows"):
        return "\n".join(" ".join(cell.text for cell in row.cells) for row in block.rows).strip()
    return str(block.text).strip()
