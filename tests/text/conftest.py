"""Cases kept as data: named classes of inputs with what should come out."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import settings

# The first example pays for imports and compiled patterns; no test depends on the clock.
settings.register_profile("text", deadline=None)
settings.load_profile("text")

CASES = Path(__file__).parent / "cases"


def token_cases(kind: str) -> list[tuple[str, list[str]]]:
    return [(text, tokens) for text, tokens in json.loads((CASES / "tokens.json").read_text("utf-8"))[kind]]


def language_cases() -> dict[str, list[tuple[str, str, list[list[str]]]]]:
    """Return classes of (language, text, its sentences as tokens)."""
    found = json.loads((CASES / "languages.json").read_text("utf-8"))
    return {
        kind: [(language, text, right) for language, text, right in cases] for kind, cases in found.items()
    }


def sentence_cases(kind: str) -> list[list[str]]:
    """Texts are separated by blank lines; each line of a text is one sentence."""
    lines = (CASES / f"sentences_{kind}.txt").read_text("utf-8").splitlines()
    kept = "\n".join(line for line in lines if not line.startswith("#"))
    return [block.split("\n") for block in kept.strip().split("\n\n")]
