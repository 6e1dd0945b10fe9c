"""What mail programs add to what a person wrote: headers, quoted replies and signatures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

HEADER, QUOTE, SIGNATURE = "header", "quoted reply", "signature"

_QUOTED: Final = re.compile(r"\s*>")
_WROTE: Final = re.compile(
    r"\s*(on|am|le|el|il|op|em)\b.{4,300}\b(wrote|schrieb|a écrit|escribió|ha scritto|schreef|escreveu)\b.{0,80}:\s*",
    re.IGNORECASE | re.DOTALL,
)
# What tells "On 3 May, Ann <ann@x.org> wrote:" from a sentence that happens to end so.
_SENDER: Final = re.compile(r"\d|@|<")
_FORWARDED: Final = re.compile(
    r"\s*-{2,}\s*(original message|forwarded message|ursprüngliche nachricht|weitergeleitete nachricht|"
    r"message d'origine)\s*-{2,}\s*",
    re.IGNORECASE,
)
_FIELD: Final = re.compile(
    r"\s*\**(from|sent|date|to|cc|subject|reply-to|von|gesendet|an|betreff|de|envoyé|à|objet)\**\s*:",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"\s*--\s*")
_SENT_FROM: Final = re.compile(
    r"\s*(sent from my|get outlook for|von meinem .* gesendet|envoyé de mon)\b.*", re.IGNORECASE
)
_CLOSING: Final = re.compile(
    r"\s*((with )?(best|kind|warm|many)?\s*(regards|wishes|thanks)|cheers|thanks|thank you|sincerely|yours( \w+)?|"
    r"mit freundlichen grüßen)\s*[,!.]?\s*",
    re.IGNORECASE,
)
# A signature is short: RFC 3676 asks for four lines, offices write more, nobody writes a page.
_SIGNATURE_LINES: Final = 12
_SIGNATURE_WIDTH: Final = 60


def mark_mail(lines: Sequence[str], *, quotes: bool = True, signatures: bool = True) -> list[str | None]:
    """Say for every line what it is (header, quoted reply, signature), or None for what a person wrote.

    >>> mark_mail(["It works.", "", "On 3 May, Ann wrote:", "> Does it?", "-- ", "Bob"])
    [None, None, 'quoted reply', 'quoted reply', 'signature', 'signature']
    """
    marks: list[str | None] = [None] * len(lines)
    if quotes:
        _mark_quotes(lines, marks)
    if signatures:
        _mark_signature(lines, marks)
    return marks


def _mark_quotes(lines: Sequence[str], marks: list[str | None]) -> None:
    first = next((i for i, line in enumerate(lines) if line.strip()), 0)
    for i, line in enumerate(lines):
        if marks[i]:
            continue
        if _QUOTED.match(line):
            marks[i] = QUOTE
        elif length := _attribution(lines, i):
            marks[i : i + length] = [QUOTE] * length
        elif length := _headers(lines, i):
            if i == first:
                marks[i : i + length] = [HEADER] * length  # the mail's own: what follows is the message
            else:
                marks[i:] = [QUOTE] * (len(lines) - i)
                return
        elif _FORWARDED.fullmatch(line) and i != first:
            marks[i:] = [QUOTE] * (len(lines) - i)
            return


def _attribution(lines: Sequence[str], i: int) -> int:
    """Return over how many lines an "On …, … wrote:" stretches from here; 0 if there is none."""
    for length in (1, 2, 3) if lines[i].strip() else ():
        text = " ".join(lines[i : i + length])
        if not _WROTE.fullmatch(text):
            continue
        rest = next((line for line in lines[i + length :] if line.strip()), "")
        return length if _SENDER.search(text) or _QUOTED.match(rest) else 0
    return 0


def _headers(lines: Sequence[str], i: int) -> int:
    """Return the number of header lines (From, Sent, To, Subject …) from here; fewer than three are no header."""
    length = 0
    while i + length < len(lines) and _FIELD.match(lines[i + length]):
        length += 1
    return length if length >= 3 else 0


def _mark_signature(lines: Sequence[str], marks: list[str | None]) -> None:
    """Mark the last lines from a rule, a closing or a "Sent from my …" on; quotations below it may follow."""
    own = [i for i, mark in enumerate(marks) if mark is None and lines[i].strip()]
    for position in range(len(own) - 1, max(-1, len(own) - 2 - _SIGNATURE_LINES), -1):
        after = [lines[j] for j in own[position + 1 :]]
        line = lines[own[position]]
        starts = _SENT_FROM.fullmatch(line) if not after else _RULE.fullmatch(line) or _signs_off(line, after)
        # A text that is nothing but a signature is a text.
        if starts and position:
            for j in own[position:]:
                marks[j] = SIGNATURE


def _signs_off(line: str, after: Sequence[str]) -> bool:
    short = len(after) <= 6 and all(len(text.strip()) <= _SIGNATURE_WIDTH for text in after)
    return short and bool(_CLOSING.fullmatch(line))
