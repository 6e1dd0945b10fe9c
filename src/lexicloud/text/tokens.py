"""Text to tokens: words with their inner apostrophes and hyphens, numbers, and punctuation."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain
from typing import Any, Final

from lexicloud.errors import MissingExtra
from lexicloud.text.rules import DEFAULT_RULES, TokenRules, language_name, read_language

APOSTROPHES: Final = "'’ʼ＇"
_HYPHENS: Final = "\\-‐‑"
# What may stand before a word without being part of it, yet is one with its apostrophe: ’tis, rock ’n’
# roll, the ’90s.
_CLIPPED: Final = (
    rf"[{APOSTROPHES}](?:(?i:tis|twas|twere|twill|twould|em|til)(?!\w)|[nN][{APOSTROPHES}](?!\w)|\d\ds(?!\w))"
)
# Articles and pronouns that French and Italian write together with the next word: l’homme is two words.
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
    # Groups are repeated greedily, never possessively: Python 3.11.0 to 3.11.4 lose a letter there. Nothing follows
    # a word in the pattern, so nothing is ever tried again.
    # Joiners inside a word (soft hyphen, Persian's zero-width non-joiner) belong to it, as marks do.
    letters = rf"[^\W_]++(?:[{marks()}\u00ad\u200c\u200d]++[^\W_]*+)*"
    inner = rf"[{APOSTROPHES}{_HYPHENS}]|(?<=\d)[.,:](?=\d)|(?<=[A-Z])&(?=[A-Z])"
    word = rf"{letters}(?:(?:{inner}){letters})*"
    acronym = r"[^\W\d_]\.(?:[^\W\d_]\.)+"
    listed = read_language(language).elided
    elided = [rf"(?i:{listed})[{APOSTROPHES}](?=[^\W\d_])"] if listed else []
    other = rf"{_FLAG}|[^\w\s{_INVISIBLE}]{_EMOJI_JOINED}"
    parts = [*([_URL, _EMAIL] if web else []), *elided, acronym, word, _CLIPPED, _RUNS, other]
    return re.compile("|".join(parts))


# Runs remembered before memory is given up and begun anew (about 30 MB), and the longest run worth
# remembering.
_REMEMBERED_RUNS: Final = 2**17
_LONGEST_RUN: Final = 40


def tokenize(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    """Split text into words, numbers and punctuation, in their original case and order.

    No token holds white space. Underscores (emphasis in plain text) and invisible characters are no tokens.

    >>> tokenize("“Don’t,” said _Mr._ O’Neil--at 10:30, e.g. for $1,000.50…")
    ['“', 'Don’t', ',', '”', 'said', 'Mr', '.', 'O’Neil', '--', 'at', '10:30', ',', 'e.g.', 'for', '$',
     '1,000.50', '…']
    >>> tokenize("l’homme qu’il voit", TokenRules(language="french"))
    ['l’', 'homme', 'qu’', 'il', 'voit']
    """
    if rules.tokenizer == "nltk":
        return _nltk_tokens(text, rules)
    return list(chain.from_iterable(map(_runs(rules.language).__getitem__, text.split())))


class _Runs(dict[str, tuple[str, ...]]):
    """The tokens of each run of non-space characters met so far.

    No token spans white space, and most runs have been met before: looking them up takes half the time of
    matching the pattern, and equal tokens are one string in memory. Tuples of strings, unlike lists, are left alone by
    the garbage collector, which would otherwise walk through all of them time and again.
    """

    def __init__(self, language: str) -> None:
        self._plain = token_pattern(language)
        self._web = token_pattern(language, web=True)

    def __missing__(self, run: str) -> tuple[str, ...]:
        tokens = tuple((self._web if has_address(run) else self._plain).findall(run))
        if len(run) <= _LONGEST_RUN:
            if len(self) >= _REMEMBERED_RUNS:
                self.clear()
            self[run] = tokens
        return tokens


_runs = cache(_Runs)


def has_address(run: str) -> bool:
    """Tell whether a run may hold a web or e-mail address, which needs the slower pattern."""
    return "@" in run or "://" in run or ("." in run and "www." in run.lower())


def stopwords(language: str = "english") -> frozenset[str]:
    """Return the stop words of a language, given by name or code, in the form `TokenRules.normalise` gives
    tokens.

    Contractions are there whole (don't) and in the pieces that NLTK's tokenizer makes of them (do, n't).

    >>> {"the", "don't", "n't"} <= stopwords("english"), "ich" in stopwords("de")
    (True, True)
    """
    return _stopwords(language_name(language))


def is_stopword(token: str, rules: TokenRules | None = None) -> bool:
    """Tell whether a token, in whatever case and with whatever apostrophe, is a stop word.

    >>> is_stopword("DON’T"), is_stopword("whale")
    (True, False)
    """
    language = rules.language if rules else "english"
    return _folded(language).normalise(token) in _stopwords(language)


def is_punctuation(token: str) -> bool:
    """Tell whether a token has neither letter nor digit.

    >>> is_punctuation("--"), is_punctuation("e.g.")
    (True, False)
    """
    return not any(map(str.isalnum, token))


@cache
def _folded(language: str) -> TokenRules:
    """Return rules that fold case, whatever those of the text do."""
    return TokenRules(language=language)


@cache
def _stopwords(language: str) -> frozenset[str]:
    rules = TokenRules(language=language)
    listed = read_language(language).stop_words
    # A listed form that the tokenizer cuts (l'autre in French) is found by its pieces, so those belong to it.
    pieces = [piece for word in listed for piece in tokenize(word, rules) if not is_punctuation(piece)]
    return frozenset(map(rules.normalise, listed)) | frozenset(map(rules.normalise, pieces))


def _nltk_tokens(text: str, rules: TokenRules) -> list[str]:
    """Tokenise sentence by sentence, as NLTK's rules expect: they split a full stop off only at the end."""
    from lexicloud.text.sentences import split_sentences

    tokenizer = _nltk_tokenizer()
    return [token for sentence in split_sentences(text, rules) for token in tokenizer.tokenize(sentence)]


@cache
def _nltk_tokenizer() -> Any:
    try:
        from nltk.tokenize import NLTKWordTokenizer
    except ImportError:
        raise MissingExtra("NLTK's tokenizer", "nltk") from None
    return NLTKWordTokenizer()
