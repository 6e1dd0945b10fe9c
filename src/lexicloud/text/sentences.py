"""Split text into sentences, by our own rules or by NLTK's punkt."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, MissingExtra
from lexicloud.text.language import DEFAULT_RULES, DETECT, Language, TokenRules, read_language
from lexicloud.text.tokens import stopwords

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_CLOSING: Final = "\"'”’»›)\\]}_*"
_OPENING: Final = "\"'“”‘’«‹„‚([{_*¿¡—–-"
_FOOTNOTE: Final = r"(?:[\[(][\d*]{1,4}[\])])?"
# Full stops and question marks of other scripts: Arabic, Urdu, Indic, Armenian, Ethiopic, Khmer, Burmese, Tibetan.
_OTHER_ENDS: Final = "؟۔।॥։።፧។။།‼⁇⁈⁉"
# After these no white space follows, but closing brackets and quotes may.
_UNSPACED_ENDS: Final = "。！？｡"
_UNSPACED_CLOSING: Final = "[”」』）】》〉｣)\\]]|’(?!\\w)"
# In Japanese a sentence may go on after a quotation: 「行く。」と言った。
_QUOTED_ON: Final = "(?<=[」』])[とっ、，]"
# Characters that join the mark before them to one token.
_JOINED: Final = "\ufe0f\u20e3\u200d\U0001f3fb-\U0001f3ff"


@cache
def candidate(known: Language) -> re.Pattern[str]:
    """Return the pattern of places where a sentence may end.

    These are: a mark with closing quotes or brackets and the white space after it; a blank line; the line end before a
    bullet; a mark of Chinese or Japanese without white space. If the text goes on in lower case or with a comma, it is
    no end, and it is cheapest to reject it here. All alternatives share their first character class, because the
    regular expression engine then skips quickly to the next candidate.
    """
    close = f"[{_CLOSING}{known.closing}]"
    closes = f"{close}*+{_FOOTNOTE}{close}*+"
    if known.spaced_closing:
        closes += rf"(?:[^\S\n]*+[{known.spaced_closing}])?+"
    ends = re.escape(f".!?…{_OTHER_ENDS}{known.ends}")
    # Two commas open a quotation in typewritten texts (,,Ja”).
    going_on = f"[{'' if known.small_starts else 'a-zà-öø-ÿ'};:.!?…]|,(?!,)"
    return re.compile(
        rf"[{ends}{_UNSPACED_ENDS}\n](?:"
        rf"(?<!\n)(?<![{ends}]{{2}})([{ends}{_UNSPACED_ENDS}]*+)({closes})\s++"
        rf"(?![{re.escape(_OPENING)}]*+(?:{going_on}))"
        rf"|(?<=[{_UNSPACED_ENDS}])([{_UNSPACED_ENDS}]*+)((?:{_UNSPACED_CLOSING})*+)(?![{_JOINED}])(?!{_QUOTED_ON})"
        r"|(?<=\n)(?:[^\S\n]*+\n\s*+|(?=[^\S\n]*+[•‣▪][^\S\n])))"
    )


_NEXT: Final = re.compile(rf"(?:,,)?[{re.escape(_OPENING)}]*+((?:[^\W_]|['’.\-](?=\w))*)(\.?)")
_AFTER_DASH: Final = re.compile(r"[—–-]\s++(\w)")
# More than the longest abbreviation or number before a full stop, together with the word before it.
_LOOK_BACK: Final = 40
_QUOTES: Final = frozenset("\"'”’»›“«‹‘")
_EMPHASIS: Final = frozenset("_*")
# A name may go on in the next line, but not after a blank line, which always ends a sentence.
_SPEAKER: Final = re.compile(r"(?:[A-Z][\w’'\-]*\.?(?=\s)[^\S\n]*+\n?[^\S\n]*+){1,4}(\w+)")
_ROMAN: Final = re.compile(r"[IVXLC]+")


@dataclass(frozen=True)
class Habits:
    """The sentence rules of a language, prepared for use."""

    words: Language
    starters: frozenset[str]
    longest: int
    """The length of the longest abbreviation."""
    candidate: re.Pattern[str]


@cache
def habits(language: str) -> Habits:
    """Return the sentence rules of a language; if it lists no words that begin sentences, its stop words are taken."""
    words = read_language(language)
    listed = (
        words.always_continued
        | words.capitalised_continued
        | words.usually_final
        | words.continued_by_number
        | words.sometimes_final
        | words.capitalised_sometimes_final
    )
    return Habits(
        words,
        words.starters or stopwords(language),
        max(map(len, listed), default=0),
        candidate(words),
    )


def ends(text: str, start: int, found: re.Match[str], rules: Habits) -> bool:
    """Tell whether the mark that `found` matched ends the sentence that began at `start`."""
    at, close = found.start(), found[2]
    following = _NEXT.match(text, found.end())
    word, stop = following.group(1, 2) if following else ("", "")
    if not rules.words.small_starts:  # small letters that the pattern does not reject
        said = rules.words.dashes_go_on and (text[at] != "." or close)
        after = _AFTER_DASH.match(text, found.end()) if said else None
        if (after[1] if after else word[:1]).islower():
            return False
    if text[at] != "." or found[1]:
        return _ends_loudly(text, found, word, rules)
    if close and not _EMPHASIS.issuperset(close):
        return True
    before = text[max(start, at - _LOOK_BACK) : at].rsplit(None, 2)
    if not before:
        return True
    last = before[-1].lstrip(_OPENING)
    if len(last) > rules.longest and len(before) > 1 and last.isalpha():  # by far the commonest case
        return True
    pair = f"{before[-2]}{last}".lower() if len(before) > 1 and before[-2][-1] == "." else ""  # т. п. is т.п
    if pair in rules.words.usually_final or pair in rules.words.always_continued:
        return pair in rules.words.usually_final
    if stop and len(word) == 1 and word.isalpha():  # an initial, as in "A. Smith", and not the article
        if len(last) == 1:  # z. B., J. R. R.
            return False
        word = ""
    alone = len(before) == 1 and at - start < _LOOK_BACK
    starts = word.lower() in rules.starters
    if rules.words.ordinals and last.isdigit() and len(last) < 3:
        return starts
    return _ends_after(
        last, word, before[-2] if len(before) > 1 else "", rules.words, alone=alone, starts=starts
    )


def _ends_loudly(text: str, found: re.Match[str], word: str, rules: Habits) -> bool:
    """Decide after ! ? … and runs of marks: all end a sentence but dotted leaders and “Help!” John cried."""
    if word[:1].isdigit() and found[1].startswith("."):
        return False
    return not (word and _QUOTES.intersection(found[2]) and _speaks(text, found.end(), word, rules))


def _ends_after(last: str, word: str, earlier: str, known: Language, *, alone: bool, starts: bool) -> bool:
    """Tell whether a full stop ends the sentence, by the word before it.

    `alone` says that the sentence has no other word yet, `starts` that the next word is one that begins sentences.
    """
    if len(last) == 1 and last.isupper():
        if (
            last == "I" and earlier[:1].islower()
        ):  # “said I.” is the pronoun; an initial follows a capitalised word
            return True
        return starts and not alone
    if alone and (last.isdigit() or _ROMAN.fullmatch(last)):  # the number of a list item or chapter
        return False
    bare = last.rpartition("-")[2]
    low = bare.lower()
    if low in known.usually_final:
        return True
    if low in known.always_continued or bare in known.capitalised_continued:
        return False
    if low in known.continued_by_number and word[:1].isdigit():
        return False
    if (
        low in known.sometimes_final
        or bare in known.capitalised_sometimes_final
        or ("." in last and last[-1].isalpha())
    ):
        return starts
    return True


def _speaks(text: str, after: int, word: str, rules: Habits) -> bool:
    """Tell whether a name and a verb of speaking follow: “Help!” Mrs. Bird cried."""
    if word != "I" and word.lower() in rules.starters:
        return False
    speaker = _SPEAKER.match(text, after)
    return speaker is not None and speaker[1] in rules.words.speaking


def split_sentences(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    r"""Split text into sentences, white space inside each reduced to single spaces.

    Abbreviations, initials, decimal numbers, dialogue and hard-wrapped lines are recognised; a blank line always ends a
    sentence. Cuts are made only at white space, or after the full stops of Chinese and Japanese, so that the sentences
    have the same tokens as the text.

    >>> split_sentences("“Stop!” cried Mr. J. Smith. He paid $3.50 at 4 p.m. on\nMay 3. “Why?” Anne asked.")
    ['“Stop!” cried Mr. J. Smith.', 'He paid $3.50 at 4 p.m. on May 3.', '“Why?” Anne asked.']
    >>> split_sentences("他来了。“好吗？”我问。", TokenRules(language="zh"))
    ['他来了。', '“好吗？”', '我问。']
    """
    if rules.language == DETECT:
        rules = rules.settled(text)
    pieces: Iterable[str]
    if rules.sentences == "punkt":
        pieces = _punkt(rules.language).tokenize(text)
    else:
        pieces = _pieces(text, habits(rules.language))
    return [sentence for piece in pieces if (sentence := " ".join(piece.split()))]


def _pieces(text: str, rules: Habits) -> Iterator[str]:
    start = 0
    for found in rules.candidate.finditer(text):
        if found[2] is None or ends(text, start, found, rules):
            end = found.end()
            yield text[start:end]
            start = end
    yield text[start:]


@cache
def _punkt(language: str) -> Any:
    try:
        from nltk.tokenize import PunktTokenizer
    except ImportError:
        raise MissingExtra("NLTK's punkt", "nltk") from None
    try:
        return PunktTokenizer(language)
    except LookupError:
        raise InputError(
            "NLTK's punkt needs data that is not installed: python -m nltk.downloader punkt_tab"
        ) from None
