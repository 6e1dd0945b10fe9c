"""The rules by which text becomes words; every corpus and index keeps its own."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal

from lexicloud.errors import OptionError, warn
from lexicloud.text.language import DETECT, LANGUAGES, language_name, read_language

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["DEFAULT_RULES", "LANGUAGES", "TokenRules", "language_name", "read_language"]

# One spelling for apostrophes and inner hyphens that look different; the invisible soft hyphen is removed.
_ONE_SPELLING: Final = str.maketrans(
    {
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{MODIFIER LETTER APOSTROPHE}": "'",
        "\N{FULLWIDTH APOSTROPHE}": "'",
        "\N{GREEK KORONIS}": "'",
        "\N{HEBREW PUNCTUATION GERESH}": "'",
        "\N{HEBREW PUNCTUATION GERSHAYIM}": '"',
        "\N{ARABIC TATWEEL}": None,
        "\N{HYPHEN}": "-",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{SOFT HYPHEN}": None,
    }
)
# Whole tokens that printers and transcribers write in different ways. The choice depends on the edition, not on the
# author, and must not make two texts differ.
_ONE_MARK: Final = {
    **dict.fromkeys("“”„‟«»〝〞＂", '"'),
    **dict.fromkeys(("``", "''"), '"'),
    **dict.fromkeys(("–", "—", "―", "---", "----"), "--"),
    "…": "...",
    **dict.fromkeys("‹›‚‛", "'"),
}
_CHOICES: Final = {"tokenizer": ("rules", "nltk", "characters"), "sentences": ("rules", "punkt")}


@dataclass(frozen=True)
class TokenRules:
    """How text becomes words: the language, whether case counts, and which rules cut tokens and sentences.

    `tokenizer="nltk"` and `sentences="punkt"` use NLTK. `tokenizer="characters"` takes every Chinese or Japanese
    character as a word, which needs no package that finds their words. A language is given by name or ISO 639 code;
    `language="detect"` finds it in the text. With `lemmas`, the forms of a word (go, went, gone) are counted as one;
    this needs the extra `lemmas`.

    >>> TokenRules(language="en") == TokenRules()
    True
    >>> TokenRules().normalise("Don’t")
    "don't"
    """

    language: str = "english"
    lowercase: bool = True
    tokenizer: Literal["rules", "nltk", "characters"] = "rules"
    sentences: Literal["rules", "punkt"] = "rules"
    lemmas: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", language_name(self.language))
        for option in ("lowercase", "lemmas"):
            if not isinstance(getattr(self, option), bool):
                raise OptionError(f"{option}={getattr(self, option)!r} is neither True nor False")
        if self.lemmas and not self.lowercase:
            raise OptionError("lemmas are counted in lower case: leave lowercase=True")
        for option, allowed in _CHOICES.items():
            if (value := getattr(self, option)) not in allowed:
                raise OptionError(
                    f"{option}={value!r} is not known; choose {' or '.join(map(repr, allowed))}"
                )

    def settled(self, texts: str | Iterable[str]) -> TokenRules:
        """Return these rules with the language found in the texts, if it is to be detected, else unchanged.

        For texts in several languages, the one with the most letters is taken and a warning names the others. If no
        language is recognised, English is taken, with a warning.

        >>> TokenRules(language="detect").settled("Le chat dort sur la chaise de la cuisine.").language
        'french'
        """
        if self.language != DETECT:
            return self
        from lexicloud.text.detection import settle

        rules, notes = settle(self, texts)
        for note in notes:
            warn(note)
        return rules

    def normalise(self, token: str) -> str:
        """Return the form in which a token is counted: composed, with plain apostrophes, in lower case or as its lemma.

        Texts and stop words are normalised alike. Except for lemmas, normalising twice changes nothing more.
        """
        if self.lemmas:
            from lexicloud.text.lemmas import lemmatizer

            return lemmatizer(self.language)(token)
        if not token.isascii():
            token = token.translate(_ONE_SPELLING) or token
            token = unicodedata.normalize("NFC", token)
        token = _ONE_MARK.get(token, token)
        if not self.lowercase:
            return token
        fold = None if self.language == "english" else _fold(self.language)
        if fold:
            token = fold(token)
        # Lower-casing can decompose a letter (İ), so composition comes last.
        return token.lower() if token.isascii() else unicodedata.normalize("NFC", token.lower())


_DOTLESS: Final = str.maketrans({"I": "ı", "İ": "i"})
_GRAVE, _ACUTE = "\N{COMBINING GRAVE ACCENT}", "\N{COMBINING ACUTE ACCENT}"


@cache
def _fold(language: str) -> Callable[[str], str] | None:
    """Return the function that changes a token of a language before lower-casing; None for most languages."""
    if language == DETECT:
        return None
    known = read_language(language)
    if known.dotless_i:
        return lambda token: token.translate(_DOTLESS)
    if known.fold_grave:
        return lambda token: unicodedata.normalize("NFD", token).replace(_GRAVE, _ACUTE)
    return None


DEFAULT_RULES: Final = TokenRules()
