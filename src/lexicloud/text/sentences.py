"""Text to sentences: our own rules, or NLTK's punkt on request."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from lexicloud.errors import InputError, MissingExtra
from lexicloud.text.boundaries import CANDIDATE, ENGLISH, Habits, ends
from lexicloud.text.rules import DEFAULT_RULES, TokenRules
from lexicloud.text.stopwords import stopwords

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def split_sentences(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    r"""Split text into sentences, white space inside each reduced to single spaces.

    Abbreviations, initials, decimal numbers, dialogue and hard-wrapped lines are survived; a blank line
    always ends a sentence. Cuts are made at white space only, so that the tokens of the sentences are those
    of the text.

    >>> split_sentences("“Stop!” cried Mr. J. Smith. He paid $3.50 at 4 p.m. on\nMay 3. “Why?” Anne asked.")
    ['“Stop!” cried Mr. J. Smith.', 'He paid $3.50 at 4 p.m. on May 3.', '“Why?” Anne asked.']
    """
    pieces: Iterable[str]
    if rules.sentences == "punkt":
        pieces = _punkt(rules.language).tokenize(text)
    else:
        pieces = _pieces(text, _habits(rules.language))
    return [sentence for piece in pieces if (sentence := " ".join(piece.split()))]


def _pieces(text: str, habits: Habits) -> Iterator[str]:
    start = 0
    for found in CANDIDATE.finditer(text):
        if found.lastindex is None or ends(text, start, found, habits):
            end = found.end()
            yield text[start:end]
            start = end
    yield text[start:]


@cache
def _habits(language: str) -> Habits:
    """Stop words begin sentences in every language; for English there is a list tuned to it."""
    if language == "english":
        return ENGLISH
    return Habits(stopwords(language), ordinals=language == "german")


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
