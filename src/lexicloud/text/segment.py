"""Find the words of Chinese and Japanese, which have no spaces, by jieba and Sudachi or character by character."""

from __future__ import annotations

import re
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra

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
