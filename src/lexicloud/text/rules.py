"""The one place that says how text becomes words; it travels with every result."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from lexicloud.errors import OptionError
from lexicloud.text.language import language_name

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
