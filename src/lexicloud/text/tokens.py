"""Tokens."""

from __future__ import annotations

import re

from lexicloud.text.rules import DEFAULT_RULES, TokenRules

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*|\w+(?:['’\-]\w+)*|\.{2,}|[^\w\s]")


def tokenize(text: str, rules: TokenRules = DEFAULT_RULES) -> list[str]:
    """Split text into words, numbers and punctuation, in their original case."""
    return _TOKEN.findall(text)
