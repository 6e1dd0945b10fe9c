"""How text becomes words: the rules that travel with every result, and what is known about each language."""

from __future__ import annotations

import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final, Literal

from lexicloud.errors import OptionError

LANGUAGES: Final = {
    "en": "english",
    "fr": "french",
    "de": "german",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "ru": "russian",
}


def language_name(language: str) -> str:
    """Return the full name of a language given by name or code, whatever its case.

    >>> language_name("FR")
    'french'
    """
    name = str(language).strip().lower().split("-")[0].split("_")[0]
    name = LANGUAGES.get(name, name)
    if name not in LANGUAGES.values():
        known = ", ".join(f"{full} ({code})" for code, full in LANGUAGES.items())
        raise OptionError(f"there are no rules for the language {language!r}; there are {known}")
    return name


@dataclass(frozen=True)
class Language:
    """The contents of a language's file; a new language is a new file in `languages/` and a line in `LANGUAGES`."""

    name: str
    code: str
    stop_words: tuple[str, ...]
    elided: str = ""
    """A pattern of words that lose their vowel before another word (l' in French); empty where there are none."""
    common_words: str = ""
    """The words that a ranked search passes over; empty: all stop words."""


@cache
def read_language(name: str) -> Language:
    """Read the file of a language, given by name or code.

    >>> read_language("fr").code
    'fr'
    """
    name = language_name(name)
    found = tomllib.loads(
        (files("lexicloud.text") / "languages" / f"{name}.toml").read_text(encoding="utf-8")
    )
    lines = found.pop("stop_words").splitlines()
    return Language(name, stop_words=tuple(w for line in lines for w in line.split("#")[0].split()), **found)


# One spelling for marks that differ only in looks: apostrophes, inner hyphens, and the invisible soft hyphen.
_ONE_SPELLING: Final = str.maketrans(
    {
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "\N{LEFT SINGLE QUOTATION MARK}": "'",
        "\N{MODIFIER LETTER APOSTROPHE}": "'",
        "\N{FULLWIDTH APOSTROPHE}": "'",
        "\N{HYPHEN}": "-",
        "\N{NON-BREAKING HYPHEN}": "-",
        "\N{SOFT HYPHEN}": None,
    }
)
# Whole tokens that printers and transcribers write in different ways: which of them a file has says something about the
# edition, not about the author, and must not set two texts apart.
_ONE_MARK: Final = {
    **dict.fromkeys("“”„‟«»〝〞＂", '"'),
    **dict.fromkeys(("``", "''"), '"'),
    **dict.fromkeys(("–", "—", "―", "---", "----"), "--"),
    "…": "...",
    **dict.fromkeys("‹›‚‛", "'"),
}
_CHOICES: Final = {"tokenizer": ("rules", "nltk"), "sentences": ("rules", "punkt")}


@dataclass(frozen=True)
class TokenRules:
    """How text becomes words: the language, whether case counts, and whose rules cut tokens and sentences.

    `tokenizer="nltk"` and `sentences="punkt"` ask for NLTK's. A language may be given by its code.

    >>> TokenRules(language="en") == TokenRules()
    True
    >>> TokenRules().normalise("Don’t")
    "don't"
    """

    language: str = "english"
    lowercase: bool = True
    tokenizer: Literal["rules", "nltk"] = "rules"
    sentences: Literal["rules", "punkt"] = "rules"

    def __post_init__(self) -> None:
        object.__setattr__(self, "language", language_name(self.language))
        if not isinstance(self.lowercase, bool):
            raise OptionError(f"lowercase={self.lowercase!r} is neither True nor False")
        for option, allowed in _CHOICES.items():
            if (value := getattr(self, option)) not in allowed:
                raise OptionError(
                    f"{option}={value!r} is not known; choose {' or '.join(map(repr, allowed))}"
                )

    def normalise(self, token: str) -> str:
        """Return the form of a token under which it is counted: composed, plain apostrophes, lower case if
        asked.

        Text and stop words both go through here, and applying it twice changes nothing.
        """
        if not token.isascii():
            token = token.translate(_ONE_SPELLING) or token
            token = unicodedata.normalize("NFC", token)
        token = _ONE_MARK.get(token, token)
        if not self.lowercase:
            return token
        # Lower-casing can decompose (İ) and composing can follow it, so composition comes last.
        return token.lower() if token.isascii() else unicodedata.normalize("NFC", token.lower())


DEFAULT_RULES: Final = TokenRules()
