"""What kind of vector file it is, told from its content; extensions are not trusted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from lexicloud.errors import VectorsError

if TYPE_CHECKING:
    from lexicloud.vectors.stream import Stream

PEEK: Final = 1 << 16
FASTTEXT_MAGIC: Final = b"\xba\x16\x4f\x2f"  # 793,712,314, little-endian
_HEADER: Final = re.compile(rb"\A(?:\xef\xbb\xbf)?[ \t]*(\d{1,12})[ \t]+(\d{1,6})[ \t]*\r?\n")
# What people hand over by mistake: how it starts, what it is, and what to do about it.
_REFUSED: Final = (
    (b"PK\x03\x04", "a zip archive: unpack it and give the file inside"),
    (b"BZh", "a bzip2 archive: unpack it and give the file inside"),
    (b"\xfd7zXZ", "an xz archive: unpack it and give the file inside"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive: unpack it and give the file inside"),
    (b"\x80\x02", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\x80\x03", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\x80\x04", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\x80\x05", "a pickle, which is never loaded: open it with gensim and use WordVectors.from_gensim"),
    (b"\xff\xfe", "UTF-16 text: save it as UTF-8"),
    (b"\xfe\xff", "UTF-16 text: save it as UTF-8"),
    (b"PAR1", "a Parquet table: save the vectors as .npy with a word list beside it"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself: run git lfs pull"),
    (b"<!DOCTYPE", "a web page, not vectors: download the file itself"),
    (b"<html", "a web page, not vectors: download the file itself"),
)


def recognise(stream: Stream) -> str:
    """Return `npy`, `fasttext-bin`, `wink-json`, `word2vec-bin` or `text`."""
    head = stream.peek(PEEK)
    if not head.strip():
        raise VectorsError(f"{stream.name} is empty: get the file again")
    for start, what in _REFUSED:
        if head.startswith(start):
            raise VectorsError(f"{stream.name} is {what}")
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(FASTTEXT_MAGIC):
        return "fasttext-bin"
    if head.lstrip().startswith(b"{") and b'"words"' in head[:4096]:
        return "wink-json"
    return "word2vec-bin" if _is_binary(head) else "text"


def header(head: bytes) -> tuple[int, int, int] | None:
    """Read a first line of two numbers: how many words, how many dimensions, and where the line ends."""
    found = _HEADER.match(head)
    return (int(found[1]), int(found[2]), found.end()) if found else None


def _is_binary(head: bytes) -> bool:
    """Tell whether float32 numbers, not digits, follow the first word after the header."""
    top = header(head)
    if top is None:
        return False
    _, dimension, end = top
    space = head.find(b" ", end)
    if space < 0:
        return bool(head[end:].strip())
    numbers = head[space + 1 : space + 1 + 4 * dimension]
    return bool(numbers.translate(None, b"0123456789+-.eE \t\r\n")) and not _text_line(head[end:], dimension)


def _text_line(rest: bytes, dimension: int) -> bool:
    """Tell whether the first line is text: a word and numbers (nan and inf among them), or a damaged line of print."""
    line = rest.split(b"\n", 1)[0]
    fields = line.split()
    try:
        for field in fields[1:][-dimension:]:
            float(field)
    except ValueError:
        # Mostly printable bytes are a damaged text file, whose reader can name the line.
        return sum(32 <= byte < 127 for byte in line[:400]) > 0.95 * len(line[:400])
    return len(fields) > 1
