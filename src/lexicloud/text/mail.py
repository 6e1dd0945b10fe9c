"""Mail: .eml and .mbox. Quoted replies and signatures are left out unless the user asks for them."""

from __future__ import annotations

import re
from collections import Counter
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.parser import BytesParser
from email.utils import parseaddr
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.text.archive import Budget
from lexicloud.text.clean import HEADER, QUOTE, SIGNATURE, mark_mail
from lexicloud.text.document import Extracted, decode, first_year
from lexicloud.text.markup import html_to_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

# `From ann@example.org Thu Jan  1 10:00:00 2026`; a sentence that begins with From has no year at its end.
_BEGINS: Final = re.compile(rb"^From (?:[^\n]{0,400}\d{4}[^\n]{0,20}|- [^\n]{0,400})$", re.MULTILINE)
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
# Parts inside parts: the parser looks for the end of every level in every line, so that many levels take long.
_MOST_PARTS: Final = 200
_HEADER_LENGTH: Final = 2_000


def read_eml(data: bytes, source: str, keep: frozenset[str]) -> Extracted:
    """Return the text and the fields of one mail."""
    return _message(data, source, keep, Budget(len(data), source))


def read_mbox(data: bytes, source: str, keep: frozenset[str]) -> list[Extracted]:
    """Return the text and the fields of each mail of a mailbox; a mail begins at a line `From …`."""
    budget = Budget(len(data), source)
    found = []
    for number, raw in enumerate(_messages(data), 1):
        mail = _message(_ESCAPED.sub(rb"\1", raw), f"{source}, mail {number:,}", keep, budget)
        found.append(Extracted(mail.text, "mail", mail.encoding, (), mail.left_out, mail.fields, str(number)))
    if not found:
        raise InputError(f"{source} holds no mail: no line begins with From")
    return found


def _messages(data: bytes) -> Iterator[bytes]:
    marks = [mark for mark in _BEGINS.finditer(data) if _after_blank(data, mark.start())]
    ends = [*(mark.start() for mark in marks[1:]), len(data)][: len(marks)]
    for mark, end in zip(marks, ends, strict=True):
        yield data[mark.end() : end].lstrip(b"\r\n")


def _after_blank(data: bytes, place: int) -> bool:
    return place == 0 or data[max(0, place - 4) : place].endswith((b"\n\n", b"\n\r\n"))


def _message(data: bytes, source: str, keep: frozenset[str], budget: Budget) -> Extracted:
    if data.count(b"boundary") > _MOST_PARTS:
        raise InputError(f"{source} has more than {_MOST_PARTS} parts inside parts, as no mail does")
    try:
        message = BytesParser().parsebytes(data)
        left_out: Counter[str] = Counter()
        body = "\n\n".join(_bodies(message, source, left_out))
        fields = _fields(message)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged mail may raise anything
        raise InputError(f"{source} is not a readable mail: {error}") from None
    budget.spend(len(body))
    text = _own_words(body, keep, left_out)
    return Extracted(text, "mail", message.get_content_charset() or "", (), dict(left_out), fields)


def _bodies(message: Message, source: str, left_out: Counter[str]) -> Iterator[str]:
    """Yield the texts of a mail: of alternatives the plain one, without attachments."""
    if message.get_content_type() == "multipart/alternative" and message.is_multipart():
        parts: list[Any] = message.get_payload()  # type: ignore[assignment]
        plain = [part for part in parts if part.get_content_type() == "text/plain"]
        yield from _bodies(plain[0] if plain else parts[-1], source, left_out)
    elif message.is_multipart():
        for part in message.get_payload():
            yield from _bodies(part, source, left_out)  # type: ignore[arg-type]
    elif message.get_content_maintype() != "text" or message.get_content_disposition() == "attachment":
        left_out["attachments"] += 1
    else:
        yield _decoded(message, source)


def _decoded(part: Message, source: str) -> str:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    if not data.strip():
        return ""
    try:
        text = decode(data, source, part.get_content_charset(), "replace")[0]
    except ValueError:  # an unknown encoding
        text = decode(data, source, None, "replace")[0]
    return html_to_text(text) if part.get_content_type() == "text/html" else text


def _own_words(body: str, keep: frozenset[str], left_out: Counter[str]) -> str:
    """Return the lines that the sender wrote, and count the others."""
    lines = body.splitlines()
    marks = mark_mail(lines, quotes="quotes" not in keep, signatures="signatures" not in keep)
    named = {QUOTE: "quoted lines", SIGNATURE: "lines of signatures", HEADER: "header lines"}
    left_out.update(named[mark] for mark in marks if mark)
    kept = [line for line, mark in zip(lines, marks, strict=True) if not mark]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def _fields(message: Message) -> dict[str, Any]:
    """Return sender, subject and year."""
    name, address = parseaddr(_header(message, "From"))
    found = {
        "author": name or address,
        "title": _header(message, "Subject"),
        "date": first_year(_header(message, "Date")),
    }
    return {key: value for key, value in found.items() if value}


def _header(message: Message, name: str) -> str:
    raw = str(message.get(name, ""))[:_HEADER_LENGTH]
    try:
        return " ".join(str(make_header(decode_header(raw))).split())
    except (HeaderParseError, LookupError, UnicodeError, ValueError):
        return " ".join(raw.split())
