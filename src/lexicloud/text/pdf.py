"""The text of a PDF's pages, each page once, with a limit on the work for it."""

from __future__ import annotations

import logging
import re
from io import BytesIO
from typing import Any, Final

from lexicloud.errors import InputError
from lexicloud.text.archive import Budget
from lexicloud.text.document import Extracted

# A word broken at a line's end has both halves in lower case; otherwise the hyphen probably belongs to the word.
_BROKEN_WORD: Final = re.compile(r"(?<=[^\W\d_A-Z])-\n(?=[^\W\d_A-Z])")
# Forms that draw other forms twice, and so on, make the work grow without bound. Each drawing operation takes a tenth
# of a millisecond and counts as this many characters: a small file may have 260,000 of them, some hundred pages.
_OPERATION: Final = 64


def read_pdf(data: bytes, source: str) -> Extracted:
    """Return the text of the pages; words broken at line ends are joined, pages without text are counted."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").addHandler(logging.NullHandler())  # our own error line replaces its messages
    budget = Budget(len(data), source)
    try:
        pages = _pages(PdfReader(BytesIO(data)), budget)
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
    return Extracted(_BROKEN_WORD.sub("", text), "PDF", notes=notes if bare else (), left_out=left_out)


def _pages(reader: Any, budget: Budget) -> list[str]:
    pages: dict[Any, str] = {}
    for number, page in enumerate(reader.pages):
        reference = getattr(page, "indirect_reference", None)
        key = getattr(reference, "idnum", None) or -number - 1
        if key not in pages:
            pages[key] = page.extract_text(visitor_operand_before=lambda *_: budget.spend(_OPERATION))
            budget.spend(len(pages[key]))
    return list(pages.values())
