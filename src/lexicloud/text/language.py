"""What is known about each language, from one file a language: its code, stop words and elided words."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
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
