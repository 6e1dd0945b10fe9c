"""The JSON of wink's embeddings: `{…, "words": […], "vectors": {"the": [100 numbers, norm, index], …}, …}`.

The file has hundreds of megabytes, so it is read as text in blocks, entry by entry; no tree is built.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.builder import TableBuilder
from lexicloud.vectors.decimal_numbers import parse_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lexicloud.vectors.builder import Stream
    from lexicloud.vectors.word_vectors import WordVectors

BLOCK: Final = 1 << 24
_ENTRY: Final = re.compile(rb'\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*\[([^\[\]{}"]*)\]')
_DIMENSIONS: Final = re.compile(rb'"dimensions"\s*:\s*(\d{1,6})')
_VECTORS: Final = re.compile(rb'\]\s*,\s*"vectors"\s*:\s*\{')


def read_wink(stream: Stream, name: str, limit: int | None, only: set[str] | None) -> WordVectors:
    """Read the vectors of a wink file."""
    dimension = _dimension(stream)
    builder = TableBuilder(stream.name, dimension)
    total = 0
    for entries in _entries(stream):
        kept = entries if limit is None else entries[: limit - total]
        words = [_word(stream.name, word) for word, _ in kept]
        places = [i for i, word in enumerate(words) if only is None or word in only]
        rows = _numbers(stream.name, [kept[i] for i in places], dimension)
        builder.add([words[i] for i in places], rows, lambda i, t=total, p=places: f"entry {t + p[i] + 1}")  # type: ignore[misc]
        total += len(kept)
        if total == limit:
            break
    if not total:
        raise VectorsError(f"{stream.name} has no vectors: get the file again")
    return builder.build(name, format="wink JSON")


def _word(source: str, quoted: bytes) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        shown = quoted[:40].decode("utf-8", "replace")
        raise VectorsError(f"{source}: the word {shown} is no JSON: get the file again") from None


def _dimension(stream: Stream) -> int:
    found = _DIMENSIONS.search(stream.peek(4096))
    if not found:
        raise VectorsError(
            f"{stream.name} does not say its dimensions: it is JSON, but no file of word vectors we know"
        )
    return int(found[1])


def _entries(stream: Stream) -> Iterator[list[tuple[bytes, bytes]]]:
    data = _skip_to_vectors(stream)
    while True:
        entries, place = [], 0
        while found := _ENTRY.match(data, place):
            entries.append((found[1], found[2]))
            place = found.end()
        data = data[place:]
        yield entries
        if data.lstrip().startswith(b"}"):
            return
        chunk = stream.read(BLOCK)
        if not chunk or len(data) > 2 * BLOCK:
            shown = data[:40].decode("utf-8", "replace")
            raise VectorsError(f"{stream.name} is cut short or damaged near {shown!r}: get the file again")
        data += chunk


def _skip_to_vectors(stream: Stream) -> bytes:
    data = b""
    while chunk := stream.read(BLOCK):
        data += chunk
        if found := _VECTORS.search(data):
            return data[found.end() :]
        data = data[-100:]  # the opening may lie across two blocks
    raise VectorsError(f'{stream.name} has no "vectors": it is cut short, get the file again')


def _numbers(source: str, entries: list[tuple[bytes, bytes]], dimension: int) -> NDArray[np.float64]:
    """Parse the lists of numbers; the norm and the index after each vector are left out."""
    width = {numbers.count(b",") + 1 for _, numbers in entries}
    if not entries:
        return np.empty((0, dimension))
    if len(width) > 1 or min(width) < dimension:
        bad = next(word for word, numbers in entries if numbers.count(b",") + 1 == min(width))
        raise VectorsError(
            f"{source}: the entry {bad.decode('utf-8', 'replace')} has too few numbers: get the file again"
        )
    data = b",".join(numbers for _, numbers in entries) + b","
    ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord(","))
    starts = np.concatenate([[0], ends[:-1] + 1])
    starts, ends = (a.reshape(len(entries), -1)[:, :dimension].ravel() for a in (starts, ends))
    try:
        return parse_numbers(data, starts, ends).reshape(len(entries), dimension)
    except ValueError as error:
        raise VectorsError(
            f"{source}: not a number among the vectors ({str(error)[:80]}): get the file again"
        ) from error
