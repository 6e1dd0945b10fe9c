"""Markdown to plain text: the words stay, the markup goes."""

from __future__ import annotations

import re
from typing import Final

_FLAGS: Final = re.MULTILINE
# In order: what hides other markup (code, comments) goes first, emphasis last.
_STEPS: Final = tuple(
    (re.compile(pattern, _FLAGS | re.DOTALL if dotall else _FLAGS), replacement)
    for pattern, replacement, dotall in (
        (r"\A---[ \t]*\n.*?\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", "", True),  # YAML front matter
        (r"\A\+\+\+[ \t]*\n.*?\n\+\+\+[ \t]*(?:\n|\Z)", "", True),  # TOML front matter
        (r"^[ \t]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", "", True),  # fenced code
        (r"<!--.*?-->", "", True),
        (r"<(script|style)\b.*?</\1\s*>", "", True),
        (r"^\[[^\]\n]+\]:\s*\S+.*$", "", False),  # link definitions
        (r"^(?:=+|-{2,})[ \t]*$", "", False),  # underlines of headings; also rules of hyphens
        (r"^[ \t]*(?:[-*_][ \t]*){3,}$", "", False),  # rules
        (
            r"^[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*$",
            "",
            False,
        ),  # the rule below a table's head
        (r"^[ \t]{0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$", r"\n\1\n", False),  # headings are paragraphs
        (r"^[ \t]*(?:>[ \t]?)+", "", False),  # quotations
        (r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?", "", False),  # list items
        (r"!\[([^\]]*)\]\([^)]*\)", r"\1", False),  # images keep their description
        (r"\[([^\]]+)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)", r"\1", False),  # links
        (r"\[([^\]^]+)\]\[[^\]]*\]", r"\1", False),
        (r"\[\^[^\]]+\]:?", "", False),  # footnote marks
        (r"<((?:https?://|mailto:)[^>\s]+)>", r"\1", False),
        (r"</?[A-Za-z][^>\n]*>", "", False),  # inline HTML
        (r"(`+)(.+?)\1", r"\2", False),
        (r"(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1", r"\2", False),
        (r"(?<!\w)(_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", False),
        (r"\\([\\`*_{}\[\]()#+\-.!|>~])", r"\1", False),  # escapes
        (r"[ \t]*\|[ \t]*", " ", False),  # the cells of tables
        (r"\n{3,}", "\n\n", False),
    )
)


def markdown_to_text(source: str) -> str:
    r"""Return the readable text of a Markdown file.

    >>> markdown_to_text("# Call me *Ishmael*\nSome [years](http://a.b) ago.")
    'Call me Ishmael\n\nSome years ago.'
    """
    from html import unescape

    text = source.replace("\r\n", "\n")
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    return unescape(text).strip()
