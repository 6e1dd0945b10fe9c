"""The token pattern, put together from named parts.

Every alternative matches inside one run of non-space characters and looks at nothing beyond it. `tokenize`
relies on
that: it can cut at white space first, and cutting a text into sentences never changes its tokens.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

APOSTROPHES: Final = "'’ʼ＇"
_HYPHENS: Final = "\\-‐‑"
# What may stand before a word without being part of it, yet is one with its apostrophe: ’tis, rock ’n’
# roll, the ’90s.
_CLIPPED: Final = (
    rf"[{APOSTROPHES}](?:(?i:tis|twas|twere|twill|twould|em|til)(?!\w)|[nN][{APOSTROPHES}](?!\w)|\d\ds(?!\w))"
)
# Articles and pronouns that French and Italian write together with the next word: l’homme is two words.
_ELIDED: Final = {
    "french": "[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|quoiqu",
    "italian": "[ldcsmtvn]|un|gl|all|dell|dall|nell|sull|coll|quell|quest|bell|sant|anch|com|dov|cos|senz|tutt",
}
_URL: Final = r"(?i:https?://|www\.)[^\s<>\"“”]*[\w/]"
_EMAIL: Final = r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"
# Zero-width characters, byte order marks and controls are not tokens; nor is the underscore, which marks
# emphasis.
_INVISIBLE: Final = "\x00-\x08\x0e-\x1b\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe0f"
_EMOJI_JOINED: Final = "(?:[\U0001f3fb-\U0001f3ff\ufe0f\u20e3]|\u200d[^\\w\\s])*"
_FLAG: Final = "[\U0001f1e6-\U0001f1ff]{2}"
_RUNS: Final = r"\.{2,}|-{2,}|—{2,}|\*{2,}|={2,}|~{2,}|''|``"


@cache
def marks() -> str:
    """Return, as a class of a pattern, the marks that combine with letters (é written as e and an accent,
    Indic vowels).
    """
    # The last mark lies below U+1F000 but for the selectors of glyph variants, which are no part of a
    # spelling.
    points = [p for p in range(0x300, 0x1F000) if unicodedata.category(chr(p)) in {"Mn", "Mc"}]
    points = [p for p in points if not 0xFE00 <= p <= 0xFE0F]
    runs: list[list[int]] = []
    for p in points:
        if runs and runs[-1][1] == p - 1:
            runs[-1][1] = p
        else:
            runs.append([p, p])
    return "".join(f"{chr(a)}-{chr(b)}" if a < b else chr(a) for a, b in runs)


@cache
def token_pattern(language: str = "english", *, web: bool = False) -> re.Pattern[str]:
    """Return the compiled pattern; with `web`, addresses and e-mails are one token each."""
    # Joiners inside a word (soft hyphen, Persian's zero-width non-joiner) belong to it, as marks do.
    letters = rf"[^\W_]++(?:[{marks()}\u00ad\u200c\u200d]++[^\W_]*+)*+"
    inner = rf"[{APOSTROPHES}{_HYPHENS}]|(?<=\d)[.,:](?=\d)|(?<=[A-Z])&(?=[A-Z])"
    word = rf"{letters}(?:(?:{inner}){letters})*+"
    acronym = r"[^\W\d_]\.(?:[^\W\d_]\.)++"
    elided = [rf"(?i:{_ELIDED[language]})[{APOSTROPHES}](?=[^\W\d_])"] if language in _ELIDED else []
    other = rf"{_FLAG}|[^\w\s{_INVISIBLE}]{_EMOJI_JOINED}"
    parts = [*([_URL, _EMAIL] if web else []), *elided, acronym, word, _CLIPPED, _RUNS, other]
    return re.compile("|".join(parts))
