"""Where sentences end: the decision at one mark, by the word before it and the word after it.

Nothing else is looked at, so that a sentence cut once is not cut again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lexicloud.text.abbreviations import (
    ALWAYS_CONTINUED,
    CAPITALISED_CONTINUED,
    CAPITALISED_SOMETIMES_FINAL,
    CONTINUED_BY_NUMBER,
    LONGEST,
    SOMETIMES_FINAL,
    SPEAKING,
    STARTERS,
)

_CLOSING: Final = "[\"'”’»›)\\]}_*]"
_OPENING: Final = "\"'“”‘’«‹„‚([{_*¿¡—–-"
_FOOTNOTE: Final = r"(?:[\[(][\d*]{1,4}[\])])?"
# A mark with what closes after it and the white space that follows; a blank line; the line end before a
# bullet.
# What goes on in lower case or with a comma is no end, and is turned down here, where it is cheap. All
# alternatives share their first character class, because the pattern engine then skips quickly to the next
# candidate.
CANDIDATE: Final = re.compile(
    r"[.!?…\n](?:"
    rf"(?<!\n)(?<![.!?…]{{2}})([.!?…]*+)({_CLOSING}*+{_FOOTNOTE}{_CLOSING}*+)\s++"
    rf"(?![{re.escape(_OPENING)}]*+[a-zà-öø-ÿ,;:.!?…])"
    r"|(?<=\n)(?:[^\S\n]*+\n\s*+|(?=[^\S\n]*+[•‣▪][^\S\n])))"
)
_NEXT: Final = re.compile(rf"[{re.escape(_OPENING)}]*+((?:[^\W_]|['’.\-](?=\w))*+)(\.?)")
# No abbreviation or number before a full stop is longer, with the word before it.
_LOOK_BACK: Final = 40
_QUOTES: Final = frozenset("\"'”’»›")
_EMPHASIS: Final = frozenset("_*")
# Names may go on in the next line, but not beyond a blank one, where the sentence ends in any case.
_SPEAKER: Final = re.compile(r"(?:[A-Z][\w’'\-]*\.?(?=\s)[^\S\n]*+\n?[^\S\n]*+){1,4}(\w+)")
_ROMAN: Final = re.compile(r"[IVXLC]+")


@dataclass(frozen=True)
class Habits:
    """What differs between languages: the words that begin sentences, and whether 3. is an ordinal (am 3. Mai)."""

    starters: frozenset[str] = STARTERS
    ordinals: bool = False


ENGLISH: Final = Habits()


def ends(text: str, start: int, found: re.Match[str], habits: Habits = ENGLISH) -> bool:
    """Tell whether the mark that `found` matched ends the sentence that began at `start`."""
    at, close = found.start(), found[2]
    following = _NEXT.match(text, found.end())
    word, stop = following.group(1, 2) if following else ("", "")
    if word[:1].islower():  # letters beyond those the pattern turns down
        return False
    if text[at] != "." or found[1]:
        return _ends_loudly(text, found, word)
    if close and not _EMPHASIS.issuperset(close):
        return True
    before = text[max(start, at - _LOOK_BACK) : at].rsplit(None, 2)
    if not before:
        return True
    last = before[-1].lstrip(_OPENING)
    if len(last) > LONGEST and len(before) > 1 and last.isalpha():  # most ends by far
        return True
    if stop and len(word) == 1 and word.isalpha():  # an initial: A. is no article then
        if len(last) == 1:  # z. B., J. R. R.
            return False
        word = ""
    alone = len(before) == 1 and at - start < _LOOK_BACK
    starts = word.lower() in habits.starters
    if habits.ordinals and last.isdigit() and len(last) < 3:
        return starts
    return _ends_after(last, word, before[-2] if len(before) > 1 else "", alone=alone, starts=starts)


def _ends_loudly(text: str, found: re.Match[str], word: str) -> bool:
    """Decide after ! ? … and runs of marks: only dotted leaders and “Help!” John cried go on."""
    if word[:1].isdigit() and found[1].startswith("."):
        return False
    return not (word and _QUOTES.intersection(found[2]) and _speaks(text, found.end(), word))


def _ends_after(last: str, word: str, earlier: str, *, alone: bool, starts: bool) -> bool:
    """Decide on a full stop by the word it follows.

    `alone`: the sentence has no other word yet; `starts`: the next word is one that begins sentences.
    """
    if len(last) == 1 and last.isupper():
        if last == "I" and earlier[:1].islower():  # “said I.” speaks; an initial follows a name or a title
            return True
        return starts and not alone
    if alone and (last.isdigit() or _ROMAN.fullmatch(last)):  # the number of a list item or chapter
        return False
    bare = last.rpartition("-")[2]
    low = bare.lower()
    if low in ALWAYS_CONTINUED or bare in CAPITALISED_CONTINUED:
        return False
    if low in CONTINUED_BY_NUMBER and word[:1].isdigit():
        return False
    if low in SOMETIMES_FINAL or bare in CAPITALISED_SOMETIMES_FINAL or ("." in last and last[-1].isalpha()):
        return starts
    return True


def _speaks(text: str, after: int, word: str) -> bool:
    """Tell whether a name and a verb of speaking follow: “Help!” Mrs. Bird cried."""
    if word != "I" and word.lower() in STARTERS:
        return False
    speaker = _SPEAKER.match(text, after)
    return speaker is not None and speaker[1] in SPEAKING
