"""Bytes to text: byte order marks, UTF-8 first, then detection; an error names the file and the byte."""

from __future__ import annotations

import codecs
import re
from typing import Final

from lexicloud.errors import EncodingError, InputError, OptionError

# The UTF-32 marks begin with the UTF-16 ones, so they are tried first.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Control characters that no text holds (tab, line ends, form feed, Ctrl-Z at the end of DOS files and
# escape do occur).
_BINARY: Final = re.compile(rb"[\x00-\x08\x0e-\x19\x1c-\x1f]")
# Signatures of formats that people rename: PDF, zip (docx, epub), gzip, PNG, JPEG, old Office.
_SIGNATURES: Final = (b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG", b"\xff\xd8\xff", b"\xd0\xcf\x11\xe0")
# In Western European text at most about one letter in eight is accented; Cyrillic or Greek in one byte is
# nearly all high.
_WESTERN_SHARE: Final = 0.2
# Below this many high bytes, detection has too little to go on and Windows-1252 is the likelier guess.
_ENOUGH_TO_DETECT: Final = 200

REPLACE: Final = ":replace"


def decode(
    data: bytes, source: str, encoding: str | None = None, errors: str = "strict"
) -> tuple[str, tuple[str, ...]]:
    """Return the text of `data`, and notes on how it was decoded where that was not plain UTF-8.

    An encoding written as `utf-8:replace` asks for `errors="replace"` too.

    >>> decode("naïve".encode("utf-16"), "a.txt")
    ('naïve', ('read as utf-16',))
    """
    if encoding and encoding.endswith(REPLACE):
        encoding, errors = encoding.removesuffix(REPLACE) or None, "replace"
    if errors not in {"strict", "replace"}:
        raise OptionError(f"errors={errors!r} is not known; choose 'strict' or 'replace'")
    chosen = _checked(encoding) if encoding else _detect(data, source, errors)
    try:
        text, replaced = data.decode(chosen), 0
    except UnicodeDecodeError as error:
        if errors == "strict":
            raise _undecodable(source, chosen, error) from None
        text = data.decode(chosen, "replace")
        replaced = text.count("\ufffd")
    except UnicodeError as error:  # utf-16 and utf-32 with a missing mark or half a unit
        raise EncodingError(f"{source} is not {chosen}: {error}") from None
    notes = [] if chosen in {"utf-8", "utf-8-sig"} or encoding else [f"read as {chosen}"]
    if replaced:
        notes.append(f"{replaced:,} undecodable {'place' if replaced == 1 else 'places'} replaced ({chosen})")
    return text.removeprefix("\ufeff"), tuple(notes)


def _checked(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise OptionError(
            f"there is no encoding {encoding!r}; utf-8, cp1252, utf-16 are common ones"
        ) from None


def _detect(data: bytes, source: str, errors: str) -> str:
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    _refuse_binary(data, source)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        guess = None if _damaged_utf8(data) else _guess(data)
        if guess is None and errors == "strict":
            raise _undecodable(source, "utf-8", error) from None
        return guess or "utf-8"
    return "utf-8"


def _refuse_binary(data: bytes, source: str) -> None:
    start = data[:65536]
    controls = len(_BINARY.findall(start))
    if data.startswith(_SIGNATURES) or controls > len(start) * 0.001:
        where = (
            ""
            if not (first := _BINARY.search(start))
            else f" (byte {first.start():,} is {start[first.start()]:#04x})"
        )
        raise InputError(
            f"{source} is not text but binary data{where}: convert it, or give it its proper file name ending"
        )


def _damaged_utf8(data: bytes) -> bool:
    """Tell whether most of what is not ASCII is good UTF-8: then a stray byte is damage, not another
    encoding.
    """
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return sum(c > "\x7f" for c in text) - bad > 2 * bad


def _guess(data: bytes) -> str | None:
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    letters = high + sum(map(bytes.isalpha, (data[i : i + 1] for i in range(min(len(data), 100_000)))))
    if high < _ENOUGH_TO_DETECT and high < _WESTERN_SHARE * letters and _decodes(data, "cp1252"):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return best.encoding.replace("_", "-") if best else None


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _undecodable(source: str, encoding: str, error: UnicodeDecodeError) -> EncodingError:
    byte = error.object[error.start]
    return EncodingError(
        f"{source} is not {encoding}: byte {error.start:,} is {byte:#04x}; "
        "give its encoding, or ask for undecodable bytes to be replaced (errors='replace', or --encoding utf-8:replace)"
    )
