"""Split text into tokens: words with their inner apostrophes and hyphens, numbers, and punctuation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache
from itertools import chain
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra
from lexicloud.text.language import (
    DEFAULT_RULES,
    DETECT,
    UNKNOWN,
    Language,
    TokenRules,
    language_name,
    read_language,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Segment = Callable[[str], Iterable[str]]


# Han characters with their iteration marks, hiragana and katakana.
_UNSPACED: Final = re.compile(
    "[々〆〇\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af]"
)
_SPACED: Final = re.compile(r"\w\S*")
_CHARACTERS: Final = re.compile(rf"{_UNSPACED.pattern}|(?:(?!{_UNSPACED.pattern}).)+", re.DOTALL)
# Sudachi refuses texts of more than 49,149 bytes, so longer runs are cut; real texts have none so long.
_LONGEST: Final = 8_000
_ON_REQUEST: Final = "(TokenRules(tokenizer='characters') does without: each character is a word)"


def has_unspaced(text: str) -> bool:
    """Tell whether there are Chinese or Japanese characters in a text.

    >>> has_unspaced("東京へ"), has_unspaced("Tokyo")
    (True, False)
    """
    return not text.isascii() and _UNSPACED.search(text) is not None


def about_words(text: str) -> int:
    """Return about how many words a text has, quickly: pieces between spaces; two characters where none separate them.

    >>> about_words("The ship sailed home."), about_words("这样的处理也衍生了一些问题。")
    (4, 6)
    """
    unspaced = 0 if text.isascii() else sum(1 for _ in _UNSPACED.finditer(text))
    return len(_SPACED.findall(_UNSPACED.sub(" ", text) if unspaced else text)) + unspaced // 2


def segmenter(name: str) -> Segment | None:
    """Return the function that cuts a run of characters into words; None if spaces separate them."""
    if name == "characters":
        return _CHARACTERS.findall
    if name == "jieba":
        return _jieba()
    return _sudachi() if name == "sudachi" else None


@cache
def _jieba() -> Segment:
    try:
        from rjieba import cut
    except ImportError:
        raise MissingExtra(f"finding the words of Chinese {_ON_REQUEST}", "chinese") from None
    found: Segment = cut
    return found


@cache
def _sudachi() -> Segment:
    tokenize = _sudachi_tokenizer()

    def cut(text: str) -> list[str]:
        pieces = (text[i : i + _LONGEST] for i in range(0, len(text), _LONGEST))
        return [found.surface() for piece in pieces for found in tokenize(piece)]

    return cut


@cache
def _sudachi_tokenizer() -> Callable[[str], list[Any]]:
    try:
        from sudachipy import Dictionary, SplitMode

        tokenizer, one_at_a_time = Dictionary(dict="small").tokenizer(mode=SplitMode.A), Lock()
    except ImportError:
        raise MissingExtra(f"finding the words of Japanese {_ON_REQUEST}", "japanese") from None

    def tokenize(text: str) -> list[Any]:
        with one_at_a_time:  # Sudachi's tokenizer is not safe in several threads
            return list(tokenizer.tokenize(text))

    return tokenize


def japanese_lemma(word: str) -> str:
    """Return the dictionary form of a Japanese word: 行き is 行く."""
    found = _sudachi_tokenizer()(word)
    return str(found[0].dictionary_form()) if len(found) == 1 else word


APOSTROPHES: Final = "'’ʼ＇᾽"
_HYPHENS: Final = "\\-‐‑"
# Words of every language that begin with an apostrophe (the ’90s, rock ’n’ roll); the language's file lists others.
_CLIPPED: Final = rf"[nN][{APOSTROPHES}](?!\w)|\d\ds(?!\w)"
_URL: Final = r"(?i:https?://|www\.)[^\s<>\"“”。！？，、；：」』）】]*[\w/]"
_EMAIL: Final = r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"
# Zero-width characters, byte order marks and control characters are no tokens; nor is the underscore, which marks
# emphasis.
_INVISIBLE: Final = "\x00-\x08\x0e-\x1b\x7f-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe0f"
_EMOJI_JOINED: Final = "(?:[\U0001f3fb-\U0001f3ff\ufe0f\u20e3]|\u200d[^\\w\\s])*"
_FLAG: Final = "[\U0001f1e6-\U0001f1ff]{2}"
_CLOSING: Final = frozenset(",.;:!?…)]}%”’»›。，、；：！？」』）】")
_OPENING: Final = frozenset("([{“‘«‹„‚¿¡「『（【")
_RUNS: Final = r"\.{2,}|-{2,}|—{2,}|\*{2,}|={2,}|~{2,}|''|``"


@cache
def marks() -> str:
    """Return the marks that combine with letters (as accents or Indic vowels), for a class of a regular expression."""
    # All such marks are below U+1F000, except selectors of glyph variants, which do not belong to the spelling.
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
    """Return the regular expression of a token; with `web`, web and e-mail addresses are one token each."""
    # Groups are repeated greedily, not possessively, because Python 3.11.0 to 3.11.4 lose a letter there. Nothing
    # follows a word in the pattern, so there is no backtracking.
    # Joiners inside a word (soft hyphen, Persian's zero-width non-joiner) belong to the word, as marks do.
    letters = rf"[^\W_]++(?:[{marks()}\u00ad\u200c\u200d]++[^\W_]*+)*"
    word = rf"{letters}(?:(?:{_inner(language)}){letters})*"
    acronym = r"[^\W\d_]\.(?:[^\W\d_]\.)+"
    other = rf"{_FLAG}|[^\w\s{_INVISIBLE}]{_EMOJI_JOINED}"
    known = read_language(language)
    clipped = rf"(?i:{known.clipped})(?!\w)|{_CLIPPED}" if known.clipped else _CLIPPED
    clipped = rf"[{APOSTROPHES}](?:{clipped})"
    addresses = [_URL, _EMAIL] if web else []
    return re.compile("|".join([*addresses, *_listed(known), acronym, word, clipped, _RUNS, other]))


def _inner(language: str) -> str:
    """Return a regular expression for the marks inside words of a language."""
    known = read_language(language)
    hyphens = f"[{_HYPHENS}]" if not known.hyphens_part else f"(?<=\\d)[{_HYPHENS}](?=\\d)"
    if known.enclitics:
        hyphens += rf"(?!(?i:{known.enclitics})(?!\w))"
    more = [known.inner] if known.inner else []
    return "|".join([f"[{APOSTROPHES}]", hyphens, r"(?<=\d)[.,:](?=\d)|(?<=[A-Z])&(?=[A-Z])", *more])


def _listed(known: Language) -> list[str]:
    """Return the patterns of a language's listed words: elided, with an apostrophe or hyphen, abbreviated."""
    found = []
    if known.elided:
        found.append(rf"(?i:{known.elided})[{APOSTROPHES}](?=[^\W\d_])")
    if known.final_apostrophe:
        found.append(rf"(?i:{known.final_apostrophe})[{APOSTROPHES}](?!\w)")
    if known.proclitics:
        found.append(rf"(?i:{known.proclitics})[{_HYPHENS}](?=[^\W\d_])")
    if known.enclitics:
        found.append(rf"(?<=\w)[{_HYPHENS}](?i:{known.enclitics})(?!\w)")
    dotted = [a for a in known.always_continued | known.sometimes_final | known.usually_final if "." in a]
    if dotted:
        found.append(rf"(?<!\w)(?i:{'|'.join(map(re.escape, sorted(dotted, key=len, reverse=True)))})\.")
    return found


# The most runs that are remembered (about 30 MB) before all are forgotten, and the longest run that is remembered.
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
    if rules.language == DETECT:
        rules = rules.settled(text)
    if rules.tokenizer == "nltk":
        return _nltk_tokens(text, rules)
    runs = _runs(rules.language, rules.tokenizer == "characters")
    return list(chain.from_iterable(map(runs.__getitem__, text.split())))


class _Runs(dict[str, tuple[str, ...]]):
    """The tokens of each run of non-space characters seen so far.

    No token has white space, and most runs were seen before. Looking them up takes half the time of matching the
    pattern, and equal tokens are one string in memory. They are tuples because the garbage collector skips tuples of
    strings, but walks through lists time and again.
    """

    def __init__(self, language: str, characters: bool = False) -> None:
        self._plain = token_pattern(language)
        self._web = token_pattern(language, web=True)
        self._segment = segmenter("characters" if characters else read_language(language).segmenter)

    def __missing__(self, run: str) -> tuple[str, ...]:
        tokens = tuple((self._web if has_address(run) else self._plain).findall(run))
        if self._segment and has_unspaced(run):
            cut = (self._segment(token) if has_unspaced(token) else (token,) for token in tokens)
            tokens = tuple(chain.from_iterable(cut))
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
    """Return the stop words of a language, given by name or code, normalised as tokens are.

    Contractions are listed whole (don't) and in the pieces of NLTK's tokenizer (do, n't).

    >>> {"the", "don't", "n't"} <= stopwords("english"), "ich" in stopwords("de")
    (True, True)
    """
    return _stopwords(language_name(language))


def is_stopword(token: str, rules: TokenRules | None = None) -> bool:
    """Tell whether a token, in any case and with any apostrophe, is a stop word.

    >>> is_stopword("DON’T"), is_stopword("whale")
    (True, False)
    """
    language = rules.language if rules else "english"
    if language == DETECT:
        language = UNKNOWN
    return _folded(language).normalise(token) in _stopwords(language)


def is_punctuation(token: str) -> bool:
    """Tell whether a token has neither letter nor digit.

    >>> is_punctuation("--"), is_punctuation("e.g.")
    (True, False)
    """
    return not any(map(str.isalnum, token))


def prose(tokens: Sequence[str]) -> str:
    """Return tokens as running text: marks beside their words, no spaces between Chinese or Japanese characters.

    A straight quotation mark opens and closes in turn.

    >>> prose(["“", "Well", ",", "(", "nearly", ")", "home", ".", "”"]), prose(["猫", "喜欢", "鱼", "。"])
    ('“Well, (nearly) home.”', '猫喜欢鱼。')
    """
    out: list[str] = []
    apart, quoted = False, False
    for piece in tokens:
        closes = piece[0] in _CLOSING or (piece == '"' and quoted)
        together = apart and has_unspaced(piece[0]) and has_unspaced(out[-1][-1])
        out += [" "] if apart and not closes and not together else []
        out.append(piece)
        quoted ^= piece == '"'
        apart = piece[-1] not in _OPENING and not (piece == '"' and quoted)
    return "".join(out)


@cache
def _folded(language: str) -> TokenRules:
    """Return rules of a language that ignore case."""
    return TokenRules(language=language)


@cache
def _stopwords(language: str) -> frozenset[str]:
    rules = TokenRules(language=language)
    listed = read_language(language).stop_words
    # If the tokenizer cuts a listed form (l'autre in French), its pieces are stop words too.
    cut = [] if read_language(language).segmenter else listed
    pieces = [piece for word in cut for piece in tokenize(word, rules) if not is_punctuation(piece)]
    return frozenset(map(rules.normalise, listed)) | frozenset(map(rules.normalise, pieces))


def _nltk_tokens(text: str, rules: TokenRules) -> list[str]:
    """Tokenise sentence by sentence: NLTK splits off a full stop only at the end of its input."""
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
