"""The languages whose stop words are built in, by name and code."""

from __future__ import annotations

from typing import Final

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
