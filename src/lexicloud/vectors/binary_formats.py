"""Binary files of fastText (`.bin`) and of word2vec.

fastText's layout (little-endian): magic and version; twelve int32 settings and a double; dictionary sizes; each entry
as bytes up to a zero byte, an int64 count and an int8 type; a flag for quantisation; the matrix as int64 rows, int64
columns and float32 numbers. word2vec's: a header line, then each word, a space, and its float32 numbers.
"""

from __future__ import annotations

import struct
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.builder import UNDECODABLE, TableBuilder
from lexicloud.vectors.load import header
from lexicloud.vectors.subwords import Ngrams, word_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from lexicloud.vectors.builder import Stream
    from lexicloud.vectors.word_vectors import WordVectors

_SUPERVISED: Final = 3
_NEWEST: Final = 12
_CHUNK: Final = 1 << 20
_STEP: Final = 65_536


@dataclass(frozen=True)
class _Settings:
    dimension: int
    bucket: int
    minn: int
    maxn: int


class _Bytes:
    """Reads bytes in order, knows its place, and says inside what the file ended."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.place = 0
        self.buffer = b""

    def take(self, size: int, what: str) -> bytes:
        while len(self.buffer) < size:
            chunk = self.stream.read(_CHUNK)
            if not chunk:
                raise VectorsError(
                    f"{self.stream.name} ends inside {what}: it is cut short, get the file again"
                )
            self.buffer += chunk
        out, self.buffer = self.buffer[:size], self.buffer[size:]
        self.place += size
        return out

    def unpack(self, layout: str, what: str) -> tuple[int, ...]:
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout), what))


def read_fasttext_binary(stream: Stream, name: str, limit: int | None, only: set[str] | None) -> WordVectors:
    """Read a model; words it does not list get vectors from their n-grams."""
    data = _Bytes(stream)
    settings = _settings(data)
    entries = _dictionary(data)
    table = _input(data, settings)
    if len(table) < len(entries):
        raise VectorsError(
            f"{stream.name}: {len(entries):,} words but a matrix of {len(table):,} rows: get it again"
        )
    ngrams = Ngrams(table[len(entries) :], settings.minn, settings.maxn if len(table) > len(entries) else 0)
    words = [w.decode("utf-8", "replace") for w in entries]
    rows = np.arange(len(words) if limit is None else min(limit, len(words)))
    if only is not None:
        rows = rows[np.fromiter((words[i] in only for i in rows.tolist()), dtype=bool, count=len(rows))]
    builder = TableBuilder(stream.name, settings.dimension)
    builder.repairs[UNDECODABLE] += sum(words[i].encode() != entries[i] for i in rows.tolist())
    for start in range(0, len(rows), _STEP):
        part = rows[start : start + _STEP]
        chosen = [words[i] for i in part.tolist()]
        builder.add(chosen, word_rows(chosen, part, table, ngrams), _place(part))
    return builder.build(name, format="fastText binary", subwords=ngrams if ngrams.maxn else None)


def _place(rows: NDArray[np.int64]) -> Callable[[int], str]:
    return lambda i: f"word {rows[i] + 1}"


def _settings(data: _Bytes) -> _Settings:
    _, version = data.unpack("ii", "the header")
    if version > _NEWEST:
        raise VectorsError(
            f"{data.stream.name} has fastText format {version}; formats up to {_NEWEST} can be read"
        )
    numbers = data.unpack("12i", "the settings")
    data.unpack("d", "the settings")
    dimension, model, bucket, minn, maxn = numbers[0], numbers[7], numbers[8], numbers[9], numbers[10]
    if not 0 < dimension < 100_000 or bucket < 0 or not 0 <= minn <= 1000 or not 0 <= maxn <= 1000:
        raise VectorsError(
            f"{data.stream.name}: impossible settings (dimension {dimension}): get the file again"
        )
    if version == 11 and model == _SUPERVISED:
        maxn = 0  # that version wrote the setting but did not use it
    return _Settings(dimension, bucket, minn, maxn)


def _dictionary(data: _Bytes) -> list[bytes]:
    """Read the words; labels of a classifier come after them and have no row of their own."""
    size, words, _ = data.unpack("3i", "the dictionary")
    _, pruned = data.unpack("qq", "the dictionary")
    if pruned > 0:
        raise _quantised(data.stream.name)
    out: list[bytes] = []
    buffer, place = data.buffer, 0
    for i in range(size):
        end = buffer.find(b"\0", place)
        while end < 0 or end + 10 > len(buffer):
            chunk = data.stream.read(_CHUNK)
            if not chunk:
                raise VectorsError(
                    f"{data.stream.name} ends inside word {i + 1} of {size:,}: get the file again"
                )
            data.place += place
            buffer, place = buffer[place:] + chunk, 0
            end = buffer.find(b"\0", place)
        if i < words:
            out.append(buffer[place:end])
        place = end + 10  # the zero, the count (8) and the type (1)
    data.place += place
    data.buffer = buffer[place:]
    return out


def _quantised(name: str) -> VectorsError:
    return VectorsError(
        f"{name} is a quantised fastText model (.ftz), whose vectors are only approximate: use the full .bin model, "
        "or export its vectors as a .vec text file"
    )


def _input(data: _Bytes, settings: _Settings) -> NDArray[np.float32]:
    if data.unpack("?", "the matrix")[0]:
        raise _quantised(data.stream.name)
    rows, columns = data.unpack("qq", "the matrix")
    if columns != settings.dimension or rows < 0:
        raise VectorsError(
            f"{data.stream.name}: the settings say {settings.dimension} dimensions, the matrix has {columns}: "
            "get the file again"
        )
    if not rows:
        return np.zeros((0, columns), dtype=np.float32)
    path = data.stream.path
    if path is None:
        return _spooled(data, rows, columns)
    if path.stat().st_size < data.place + 4 * rows * columns:
        raise VectorsError(f"{data.stream.name} ends inside the matrix: it is cut short, get the file again")
    return np.memmap(path, dtype="<f4", mode="r", offset=data.place, shape=(rows, columns))


def _spooled(data: _Bytes, rows: int, columns: int) -> NDArray[np.float32]:
    """Unpack a compressed matrix into a temporary file, so that memory stays bounded."""
    with tempfile.TemporaryFile() as spool:
        left = 4 * rows * columns
        while left:
            part = data.take(min(left, _CHUNK), "the matrix")
            spool.write(part)
            left -= len(part)
        spool.flush()
        return np.memmap(spool, dtype="<f4", mode="r", shape=(rows, columns))


# word2vec's files
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
