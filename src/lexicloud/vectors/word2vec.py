"""word2vec binary files: a header line, then each word, a space, and its float32 numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.builder import UNDECODABLE, TableBuilder
from lexicloud.vectors.load import header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lexicloud.vectors.builder import Stream
    from lexicloud.vectors.word_vectors import WordVectors

BLOCK: Final = 1 << 24
# Bytes. word2vec itself allows 100 and others write longer phrases, but a "word" of a kilobyte is misread numbers.
LONGEST_WORD: Final = 1024


def read_word2vec_binary(stream: Stream, name: str, limit: int | None, only: set[str] | None) -> WordVectors:
    """Read a binary file; unwanted entries are skipped."""
    top = header(stream.peek(64))
    if top is None:
        raise VectorsError(f"{stream.name}: no header line of two numbers: not a word2vec binary file")
    promised, dimension, end = top
    stream.read(end)
    builder = TableBuilder(stream.name, dimension)
    wanted = None if only is None else {w.encode("utf-8", "surrogatepass") for w in only}
    total = 0
    for entries in _entries(stream, dimension):
        kept = entries if limit is None else entries[: limit - total]
        _add(builder, kept, total, wanted, dimension)
        total += len(kept)
        if total == limit:
            break
    if limit is None:
        builder.count(promised, total)
    if not total:
        raise VectorsError(f"{stream.name} has a header line and nothing after it: get the file again")
    return builder.build(name, format="word2vec binary")


def _add(
    builder: TableBuilder,
    entries: list[tuple[bytes, bytes]],
    before: int,
    wanted: set[bytes] | None,
    dimension: int,
) -> None:
    places = [i for i, (word, _) in enumerate(entries) if wanted is None or word in wanted]
    words = []
    for i in places:
        word = entries[i][0].decode("utf-8", "replace")
        builder.repairs[UNDECODABLE] += word.encode() != entries[i][0]
        words.append(word)
    rows = np.frombuffer(b"".join(entries[i][1] for i in places), dtype="<f4").reshape(len(places), dimension)
    builder.add(words, rows, lambda i: f"entry {before + places[i] + 1}")


def _entries(stream: Stream, dimension: int) -> Iterator[list[tuple[bytes, bytes]]]:
    """Cut the stream into words and the bytes of their numbers, a list for each block."""
    size, data, number = 4 * dimension, b"", 0
    while chunk := stream.read(BLOCK):
        data += chunk
        entries, place = _cut(data, size, stream.name, number)
        number += len(entries)
        data = data[place:]
        yield entries
    if data.strip(b"\r\n\0 "):
        raise VectorsError(
            f"{stream.name}, entry {number + 1}: the file ends inside the entry ({len(data):,} of about "
            f"{size + 8:,} bytes): it is cut short, or the header's dimension is wrong; get the file again"
        )


def _cut(data: bytes, size: int, source: str, before: int) -> tuple[list[tuple[bytes, bytes]], int]:
    entries: list[tuple[bytes, bytes]] = []
    place = 0
    while True:
        space = data.find(b" ", place)
        end = space + 1 + size
        if space < 0 or end > len(data):
            break
        word = data[place:space].lstrip(b"\r\n")
        _check(word, f"{source}, entry {before + len(entries) + 1}")
        entries.append((word, data[space + 1 : end]))
        place = end
    if space < 0 and len(data) - place > LONGEST_WORD:
        _check(data[place : place + LONGEST_WORD + 1], f"{source}, entry {before + len(entries) + 1}")
    return entries, place


def _check(word: bytes, where: str) -> None:
    if len(word) > LONGEST_WORD:
        raise VectorsError(
            f"{where}: no word where one should begin: the header's dimension is wrong or the file damaged; "
            "get the file again"
        )
