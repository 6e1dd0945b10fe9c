"""The one place that says how text becomes words; it travels with every result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class TokenRules:
    """How text becomes words."""

    language: str = "english"
    lowercase: bool = True
    tokenizer: Literal["rules", "nltk"] = "rules"
    sentences: Literal["rules", "punkt"] = "rules"

    def normalise(self, token: str) -> str:
        """Return the form of a token under which it is counted."""
        token = token.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        return token.lower() if self.lowercase else token


DEFAULT_RULES: Final = TokenRules()
