"""Project Gutenberg's licence text before and after a book."""

from __future__ import annotations

import re
from typing import Final, Literal

from lexicloud.errors import OptionError

Gutenberg = Literal["auto", "keep", "cut"]

# The marker may be broken over two lines where the title is long; the second form is that of the 1990s.
_START: Final = re.compile(
    r"^\s*\*{3}\s*START OF (?:THE |THIS )?PROJECT GUTENBERG E(?:BOOK|TEXT)[^*]{0,400}\*{3}[^\n]*$"
    r"|^\s*\*END\*?\s*THE SMALL PRINT![^\n]*\*END\*\s*$",
    re.MULTILINE | re.IGNORECASE,
)
_END: Final = re.compile(
    r"^\s*\*{3}\s*END OF (?:THE |THIS )?PROJECT GUTENBERG|^\s*End of (?:the )?Project Gutenberg",
    re.MULTILINE | re.IGNORECASE,
)


def cut_gutenberg(text: str, mode: Gutenberg = "auto") -> tuple[str, tuple[str, ...]]:
    r"""Return the text between Project Gutenberg's marker lines, and a note of what was cut.

    "auto" cuts where the lines are there, "cut" also notes when they are not, "keep" leaves the text alone.

    >>> before, after = "*** START OF THE PROJECT GUTENBERG EBOOK ***", "*** END OF THE PROJECT GUTENBERG"
    >>> cut_gutenberg(f"Licence\n{before}\nIt was.\n{after} EBOOK")[0]
    'It was.'
    """
    if mode not in {"auto", "keep", "cut"}:
        raise OptionError(f"gutenberg={mode!r} is not known; choose 'auto', 'keep' or 'cut'")
    if mode == "keep":
        return text, ()
    start = _START.search(text)
    begin = start.end() if start else 0
    end = _END.search(text, begin)
    if not (start or end):
        return text, ("no Project Gutenberg marker lines found",) if mode == "cut" else ()
    stop = end.start() if end else len(text)
    if not text[
        begin:stop
    ].strip():  # markers with nothing between them: the text is about Gutenberg, not from it
        return text, ()
    removed = [f"{begin:,} characters before"] if start else []
    removed += [f"{len(text) - stop:,} after"] if end else []
    return text[begin:stop].strip(), (f"Project Gutenberg licence cut ({', '.join(removed)})",)
