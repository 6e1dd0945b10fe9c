"""Lemmas of words, by simplemma's dictionaries; one is in memory at a time, because each takes up to 400 MB."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.text.language import language_code, language_name, read_language
from lexicloud.text.rules import TokenRules
from lexicloud.text.segment import japanese_lemma

if TYPE_CHECKING:
    from collections.abc import Callable

# Codes of simplemma that differ from ours.
_DICTIONARIES: Final = {"no": "nb", "hr": "hbs", "sr": "hbs", "bs": "hbs"}


class Lemmatizer:
    """Finds the lemmas of a language's words, in lower case.

    A word that the dictionary does not know is its own lemma. Context is ignored: *saw* has one lemma, as noun and as
    verb.

    >>> lemma = Lemmatizer("english")
    >>> lemma("Mice"), lemma("xyzzy")
    ('mouse', 'xyzzy')
    """

    def __init__(self, language: str) -> None:
        self.language = language_name(language)
        self.rules = TokenRules(language=self.language)
        known = read_language(self.language)
        # Dictionaries list German nouns and names with their capital, so case is kept unless letters must be folded.
        folded = known.dotless_i or known.fold_grave
        self._asked = self.rules if folded else TokenRules(language=self.language, lowercase=False)
        self._lemma = _lookup(self.language)
        self._known: dict[str, str] = {}

    def __call__(self, word: str) -> str:
        """Return the lemma of a word."""
        if word not in self._known:
            asked = self._asked.normalise(word)
            found = self._lemma(asked) if any(map(str.isalpha, asked)) else asked
            self._known[word] = self.rules.normalise(found)
        return self._known[word]


@cache
def lemmatizer(language: str) -> Lemmatizer:
    """Return the lemmatizer of a language, made once."""
    return Lemmatizer(language)


def _dictionary_codes() -> frozenset[str]:
    try:
        from simplemma.strategies.dictionaries.dictionary_factory import SUPPORTED_LANGUAGES
    except ImportError:
        raise MissingExtra("finding lemmas", "lemmas") from None
    found: frozenset[str] = SUPPORTED_LANGUAGES
    return found


def _lookup(language: str) -> Callable[[str], str]:
    """Return the function that finds the lemma of a normalised word."""
    if language == "japanese":
        return japanese_lemma
    code = language_code(language)
    code = _DICTIONARIES.get(code, code)
    if code not in _dictionary_codes():
        raise OptionError(f"there are no lemmas for {language}: count its words as they are written")
    lemmatizer = _simplemma()

    def found(word: str) -> str:
        return str(lemmatizer.lemmatize(word, code))

    return found


@cache
def _simplemma() -> Any:
    from simplemma import Lemmatizer as Simplemma
    from simplemma.strategies import DefaultStrategy
    from simplemma.strategies.dictionaries import DefaultDictionaryFactory

    return Simplemma(
        lemmatization_strategy=DefaultStrategy(dictionary_factory=DefaultDictionaryFactory(cache_max_size=1))
    )
