"""Sentences."""

from __future__ import annotations

import re

from lexicloud.text.rules import DEFAULT_RULES, TokenRules


def split_sentences(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    """Split text into sentences."""
    parts = re.split(r"(?<=[.!?])[\"'”’)]*\s+(?=[\"'“‘A-Z])|\n\s*\n", text)
    return [" ".join(p.split()) for p in parts if p and p.strip()]
