"""Stop words of seven languages, normalised exactly as tokens are."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from lexicloud.text.languages import language_name
from lexicloud.text.rules import TokenRules
from lexicloud.text.tokens import tokenize


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
    text = (files("lexicloud.text") / "stopword_lists" / f"{language}.txt").read_text(encoding="utf-8")
    listed = [word for line in text.splitlines() for word in line.split("#")[0].split()]
    # A listed form that the tokenizer cuts (l'autre in French) is found by its pieces, so those belong to it.
    pieces = [piece for word in listed for piece in tokenize(word, rules) if not is_punctuation(piece)]
    return frozenset(map(rules.normalise, listed)) | frozenset(map(rules.normalise, pieces))
