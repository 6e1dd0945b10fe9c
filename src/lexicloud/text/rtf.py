"""Rich Text Format, read control word by control word, in linear time."""

from __future__ import annotations

import re
from codecs import lookup
from dataclasses import dataclass, field, replace
from typing import Final

from lexicloud.errors import InputError
from lexicloud.text.archive import Budget
from lexicloud.text.document import Extracted

_TOKEN: Final = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)|(\\)"
)
_WORDS: Final = {
    b"par": "\n\n", b"sect": "\n\n", b"page": "\n\n", b"row": "\n", b"line": "\n", b"tab": "\t", b"cell": " ",
    b"nestcell": " ", b"nestrow": "\n", b"emdash": "—", b"endash": "–", b"lquote": "‘", b"rquote": "’",
    b"ldblquote": "“", b"rdblquote": "”", b"bullet": "•", b"emspace": " ", b"enspace": " ",
}  # fmt: skip
# Groups without running text. Groups marked with \*, which old programs do not know, have none either.
_PASSED_OVER: Final = frozenset(
    (b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"header", b"headerl", b"headerr", b"headerf",
     b"footer", b"footerl", b"footerr", b"footerf", b"fldinst", b"listtable", b"listoverridetable", b"generator", b"xe",
     b"tc", b"annotation", b"themedata", b"datastore", b"latentstyles", b"rsidtbl", b"nonshppict", b"private")
)  # fmt: skip
# Character sets of fonts, as Windows numbers them.
_CHARSETS: Final = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_DEEPEST: Final = 10_000  # groups inside groups; word processors write some twenty


@dataclass(frozen=True)
class _Group:
    """The settings inside one pair of braces."""

    shown: bool = True
    font_table: bool = False
    encoding: str = "cp1252"
    fallback: int = 1  # characters after \u that old programs show instead of it


@dataclass
class _Reader:
    budget: Budget
    keep_notes: bool
    group: _Group = field(default_factory=_Group)
    stack: list[_Group] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)  # bytes that are not decoded yet, all in one encoding
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    base: str = "cp1252"
    notes: int = 0
    skip: int = 0
    starred: bool = False

    def read(self, data: bytes) -> None:
        for token in _TOKEN.finditer(data):
            word, number, code, symbol, brace, text, _ = token.groups()
            if brace:
                self._brace(brace)
            elif word:
                self._word(word, int(number) if number else None)
            elif code:
                self._bytes(bytes((int(code, 16),)))
            elif symbol:
                self._symbol(symbol)
            elif text:
                self._bytes(text)
        self._flush()

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self.starred, self.skip = False, 0
        if brace == b"{":
            if len(self.stack) >= _DEEPEST:
                raise InputError(f"{self.budget.source} nests groups deeper than any text: save it again")
            self.stack.append(self.group)
        elif self.stack:
            self.group = self.stack.pop()

    def _word(self, word: bytes, number: int | None) -> None:
        if word == b"u" and number is not None:
            self._say(chr(number % 0x10000))
            self.skip = self.group.fallback
        elif word in _WORDS:
            self._say(_WORDS[word])
        elif word == b"footnote":
            self.notes += 1
            self._say(" ")
            self.group = replace(self.group, shown=self.group.shown and self.keep_notes)
        elif word in _PASSED_OVER or self.starred:
            self.group = replace(
                self.group, shown=False, font_table=word == b"fonttbl" or self.group.font_table
            )
        elif number is not None:
            self._setting(word, number)
        self.starred = False

    def _setting(self, word: bytes, number: int) -> None:
        if word == b"ansicpg":
            self.base = _known(f"cp{number}")
            self._use(self.base)
        elif word == b"uc":
            self.group = replace(self.group, fallback=max(0, min(number, 100)))
        elif word == b"fcharset" and self.group.font_table:
            self.fonts[self.font] = _CHARSETS.get(number, "")
        elif word == b"f":
            self.font = number
            if not self.group.font_table:
                self._use(self.fonts.get(number) or self.base)

    def _use(self, encoding: str) -> None:
        if encoding != self.group.encoding:
            self._flush()
            self.group = replace(self.group, encoding=encoding)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self.starred = True
            return
        said = {b"~": "\xa0", b"_": "-", b"\n": "\n\n", b"\r": "\n\n", b"\t": "\t", b"-": ""}
        self._say(said.get(symbol, symbol.decode("latin-1")))

    def _bytes(self, data: bytes) -> None:
        kept = data[self.skip :]
        self.skip = max(0, self.skip - len(data))
        if self.group.shown:
            self.raw += kept

    def _say(self, text: str) -> None:
        self._flush()
        if self.group.shown:
            self.budget.spend(len(text))
            self.pieces.append(text)

    def _flush(self) -> None:
        if self.raw:
            text = self.raw.decode(self.group.encoding, "replace")
            self.raw.clear()
            self.budget.spend(len(text))
            self.pieces.append(text)


def _known(encoding: str) -> str:
    try:
        return lookup(encoding).name
    except LookupError:
        return "cp1252"


def read_rtf(data: bytes, source: str, keep: frozenset[str]) -> Extracted:
    """Return the text of an RTF file, without headers, footers and pictures, and with footnotes on request."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise InputError(f"{source} is not a readable .rtf file: it does not begin with {{\\rtf")
    reader = _Reader(Budget(len(data), source), "notes" in keep)
    reader.read(data)
    # A character beyond the first 65,536 is written as two halves; this joins them.
    text = "".join(reader.pieces).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    text = re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+\n", "\n", text)).strip()
    left_out = {"notes": reader.notes} if reader.notes and not reader.keep_notes else {}
    return Extracted(text, "RTF", reader.base, left_out=left_out)
