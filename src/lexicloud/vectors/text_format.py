"""Text files: one word and its numbers on each line (GloVe; fastText `.vec`, word2vec text); and the JSON of wink.

`parse_fast` parses a block of clean lines at once. A block with other lines (words with spaces, double spaces, damage)
goes to `parse_lines`, which is slow and obvious; it repairs what it can, and otherwise names the line. Both read a
number as Python's `float` does, then round to float32.
"""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.builder import UNDECODABLE, TableBuilder
from lexicloud.vectors.load import header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lexicloud.vectors.builder import Stream
    from lexicloud.vectors.word_vectors import WordVectors

    Places = NDArray[np.int64]

# Whole numbers below 10¹⁵ and powers of ten up to 10²² are exact in float64, so that their quotient is rounded once.
_DIGITS: Final = 15
_POWERS: Final = 10.0 ** np.arange(_DIGITS + 1)
_NUMERIC: Final = b"0123456789+-.eEinfINFaA "
_BLOCK: Final = 1 << 16  # numbers that are read together: they fit the processor's cache


def parse_numbers(data: bytes, starts: Places, ends: Places) -> NDArray[np.float64]:
    """Return the number in each span of `data`; raise a ValueError that shows the first span that is no number.

    >>> parse_numbers(b"-0.25 1e3", np.array([0, 6]), np.array([5, 9])).tolist()
    [-0.25, 1000.0]
    """
    letters = np.frombuffer(data + b" ", np.uint8)  # an empty span may begin at the end
    out = np.empty(len(starts), np.float64)
    for i in range(0, len(starts), _BLOCK):
        part = slice(i, i + _BLOCK)
        values, plain = _parse_digits(letters, starts[part], ends[part])
        if not plain.all():
            spans = zip(starts[part][~plain].tolist(), ends[part][~plain].tolist(), strict=True)
            values[~plain] = _to_numbers([data[a:b] for a, b in spans])
        out[part] = values
    return out


def _to_numbers(fields: list[bytes]) -> NDArray[np.float64]:
    """Read numbers of any form: by NumPy if all are clearly numbers, else one by one, which finds the wrong one."""
    text = b" ".join(fields)
    if all(fields) and not text.translate(None, _NUMERIC) and text.count(b" ") == len(fields) - 1:
        with warnings.catch_warnings(), contextlib.suppress(ValueError):
            warnings.simplefilter("ignore", DeprecationWarning)  # older versions warn and stop
            found = np.fromstring(text.decode(), sep=" ")
            if len(found) == len(fields):
                return found
    return np.array([to_number(field) for field in fields])


def to_number(digits: bytes) -> float:
    """Read one number as Python's `float` does, but refuse underscores such as 1_000."""
    if b"_" in digits:
        raise ValueError(f"{digits!r} is not a number")
    return float(digits)


def _parse_digits(
    letters: NDArray[np.uint8], starts: Places, ends: Places
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the values of spans, and which values are valid: those of a sign, at most 15 digits and one point."""
    first = letters[starts]
    negative = first == ord("-")
    at = starts + (negative | (first == ord("+")))
    sizes = ends - at
    plain = (sizes > 0) & (sizes <= _DIGITS + 1)
    whole = np.zeros(len(starts), np.int64)
    point = np.full(len(starts), -1)
    for k in range(int(sizes[plain].max(initial=0))):
        inside = plain & (k < sizes)
        byte = letters[np.where(inside, at + k, 0)]
        digit = byte - np.uint8(ord("0"))  # wraps around below 0
        is_digit = inside & (digit <= 9)
        is_point = inside & (byte == ord(".")) & (point < 0)
        whole = np.where(is_digit, whole * 10 + digit, whole)
        point[is_point] = k
        plain &= is_digit | is_point | ~inside
    digits = sizes - (point >= 0)
    plain &= (digits > 0) & (digits <= _DIGITS)
    after = np.where(plain & (point >= 0), sizes - 1 - point, 0)
    values = whole / _POWERS[after]
    return np.where(negative, -values, values), plain


# 8 MiB: reading some words of a file of any size then took about 130 MB, and the fixed cost of a block is negligible.
BLOCK: Final = 1 << 23
# Longer than any line of vectors (100,000 numbers of ten bytes): a file without a line end by then is not a text file.
LONGEST_LINE: Final = 1 << 26
SPACED: Final = "words with spaces"
BLANK: Final = "blank lines skipped"
_LOOK: Final = 1000  # lines from which the dimension is found


class FileLines(NamedTuple):
    """Whole lines, each with its newline, and their numbers in the file."""

    data: bytes
    numbers: Sequence[int]


@dataclass(frozen=True)
class TextLayout:
    """The layout of a file's lines: dimension, separator, and the number of words in the header line."""

    dimension: int
    separator: bytes
    promised: int | None


def read_text(stream: Stream, name: str, limit: int | None, only: set[str] | None) -> WordVectors:
    """Read a text file; with `only`, other lines are skipped without parsing."""
    blocks = _blocks(stream)
    first = next(blocks, None)
    if first is None:
        raise VectorsError(f"{stream.name} is empty: get the file again")
    layout, first = _layout(stream.name, first)
    builder = TableBuilder(stream.name, layout.dimension)
    total = 0
    heads = (
        None
        if only is None
        else {w.encode("utf-8", "surrogatepass").split(layout.separator)[0] for w in only}
    )
    for block in _limited(_chain(first, blocks), limit):
        total += len(block.numbers)
        _add(builder, layout, block if heads is None else _pick(block, heads, layout.separator), only)
    if limit is None and only is None and layout.promised is not None:
        # Blank lines are counted only if every line is parsed.
        builder.count(layout.promised, total - builder.repairs[BLANK])
    if not builder.words and only is None:
        raise VectorsError(f"{stream.name} has no vectors: get the file again")
    return builder.build(name, format="text with header" if layout.promised is not None else "text")


def _chain(first: FileLines, rest: Iterator[FileLines]) -> Iterator[FileLines]:
    if first.numbers:
        yield first
    yield from rest


def _blocks(stream: Stream) -> Iterator[FileLines]:
    """Cut the stream into blocks of whole lines."""
    number, rest = 1, b""
    while chunk := stream.read(BLOCK):
        data = rest + chunk
        cut = data.rfind(b"\n") + 1
        if not cut and len(data) > LONGEST_LINE:
            raise VectorsError(
                f"{stream.name}, line {number}: no end of line in {len(data):,} bytes: not a vector file"
            )
        data, rest = data[:cut], data[cut:]
        if data:
            count = data.count(b"\n")
            yield FileLines(data, range(number, number + count))
            number += count
    if rest.strip():
        yield FileLines(rest + b"\n", range(number, number + 1))


def _limited(blocks: Iterator[FileLines], limit: int | None) -> Iterator[FileLines]:
    left = limit
    for block in blocks:
        if left is not None and len(block.numbers) > left:
            lines = block.data.split(b"\n", left)[:left]
            if left:
                yield FileLines(b"\n".join(lines) + b"\n", block.numbers[:left])
            return
        yield block
        left = None if left is None else left - len(block.numbers)


def _layout(source: str, first: FileLines) -> tuple[TextLayout, FileLines]:
    """Find the dimension that most of the first lines have, and remove the header line."""
    data = first.data.removeprefix(b"\xef\xbb\xbf")
    top = header(data)
    body = data[top[2] :] if top else data
    lines = [line.rstrip(b" \t\r") for line in body.split(b"\n", _LOOK)[:_LOOK]]
    lines = [line for line in lines if line]
    separator = b"\t" if lines and all(b"\t" in line and b" " not in line for line in lines) else b" "
    sizes = Counter(sum(map(bool, line.split(separator)[1:])) for line in lines)
    usual = min(sizes, key=lambda size: (-sizes[size], size)) if sizes else 0
    if top and usual == 1 and top[1] != 1:
        # The first line is no header but a word that is a number, in a file of one dimension.
        return TextLayout(usual, separator, None), first._replace(data=data)
    if top:
        _compare(source, top[1], usual, bool(sizes))
        return TextLayout(top[1], separator, top[0]), FileLines(body, first.numbers[1:])
    if usual < 1:
        raise VectorsError(f"{source}, line 1: no numbers after the word: this is not a vector file")
    return TextLayout(usual, separator, None), first._replace(data=data)


def _compare(source: str, promised: int, usual: int, lines: bool) -> None:
    if not lines:
        raise VectorsError(f"{source} has a header line and nothing after it: get the file again")
    if promised != usual:
        raise VectorsError(
            f"{source}, line 1: the header says {promised} dimensions but the lines have {usual} numbers: "
            "correct or delete the first line"
        )


def _pick(block: FileLines, heads: set[bytes], separator: bytes) -> FileLines:
    """Keep the lines whose first field begins a wanted word."""
    kept, numbers = [], []
    for number, line in zip(block.numbers, block.data.split(b"\n"), strict=False):
        if line.partition(separator)[0] in heads:
            kept.append(line)
            numbers.append(number)
    return FileLines(b"\n".join([*kept, b""]), numbers)


def _add(builder: TableBuilder, layout: TextLayout, block: FileLines, only: set[str] | None) -> None:
    if not block.numbers:
        return
    fast = parse_fast(block.data, layout.dimension, layout.separator)
    words, rows, numbers = parse_lines(builder, layout, block) if fast is None else (*fast, block.numbers)
    names, broken = _decode(words)
    builder.repairs[UNDECODABLE] += broken
    if only is not None:
        keep = [i for i, w in enumerate(names) if w in only]
        names, rows, numbers = [names[i] for i in keep], rows[keep], [numbers[i] for i in keep]
    builder.add(names, rows, lambda i: f"line {numbers[i]}")


def _decode(words: list[bytes]) -> tuple[list[str], int]:
    """Decode words, and count those that are not valid UTF-8."""
    out = [w.decode("utf-8", "replace") for w in words]
    broken = sum(o.encode() != w for w, o in zip(words, out, strict=True) if "\ufffd" in o)
    return out, broken


def parse_fast(
    data: bytes, dimension: int, separator: bytes
) -> tuple[list[bytes], NDArray[np.float64]] | None:
    """Parse clean lines all at once, or return None."""
    data = data.replace(b"\r\n", b"\n")
    if data.find(b" \n") >= 0:
        data = data.replace(b" \n", b"\n")
    if b"\r" in data or b"\0" in data:
        return None
    letters = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero((letters == ord("\n")) | (letters == ord(separator)))
    if len(ends) % (dimension + 1):
        return None
    last = ends.reshape(-1, dimension + 1)
    first = np.concatenate([[0], ends[:-1] + 1]).reshape(-1, dimension + 1)
    if (letters[last[:, :-1]] == ord("\n")).any() or (letters[last[:, -1]] != ord("\n")).any():
        return None
    if (first == last).any():
        return None
    try:
        rows = parse_numbers(data, first[:, 1:].ravel(), last[:, 1:].ravel())
    except ValueError:
        return None
    spans = zip(first[:, 0].tolist(), last[:, 0].tolist(), strict=True)
    return [data[i:j] for i, j in spans], rows.reshape(len(first), dimension)


def parse_lines(
    builder: TableBuilder, layout: TextLayout, block: FileLines
) -> tuple[list[bytes], NDArray[np.float64], Sequence[int]]:
    """Parse lines one by one and name the line of a mistake: the slow reference for `parse_fast`."""
    words, rows, numbers = [], [], []
    for number, line in zip(block.numbers, block.data.split(b"\n"), strict=False):
        fields = line.rstrip(b" \t\r").split(layout.separator)
        if fields == [b""]:
            builder.repairs[BLANK] += 1
            continue
        word, row = _parse(f"{builder.source}, line {number}", fields, layout.dimension)
        builder.repairs[SPACED] += layout.separator in word
        words.append(word)
        rows.append(row)
        numbers.append(number)
    return words, np.array(rows, dtype=np.float64).reshape(len(rows), layout.dimension), numbers


def _parse(where: str, fields: list[bytes], dimension: int) -> tuple[bytes, list[float]]:
    """Return the word and its numbers, which are the last `dimension` fields of a line."""
    rest = [f for f in fields[1:] if f]
    if len(rest) < dimension:
        raise VectorsError(
            f"{where}: {len(rest)} numbers, expected {dimension}: the line is damaged or cut short, "
            "remove it or get the file again"
        )
    extra, digits = rest[: len(rest) - dimension], rest[len(rest) - dimension :]
    row = [_number(where, d) for d in digits]
    if extra and _is_number(extra[-1]):
        numbers = dimension + next(
            (i for i, f in enumerate(reversed(extra)) if not _is_number(f)), len(extra)
        )
        raise VectorsError(
            f"{where}: {numbers} numbers, expected {dimension}: remove the line or get the file again"
        )
    return b" ".join([fields[0], *extra]), row


def _number(where: str, digits: bytes) -> float:
    if not _is_number(digits):
        shown = digits[:30].decode("utf-8", "replace")
        raise VectorsError(f"{where}: {shown!r} is not a number: remove the line or get the file again")
    return float(digits)


def _is_number(digits: bytes) -> bool:
    try:
        to_number(digits)
    except ValueError:
        return False
    return True


# The JSON of wink's embeddings: `{…, "words": […], "vectors": {"the": [100 numbers, norm, index], …}, …}`.
# It has hundreds of megabytes, so it is read as text in blocks, entry by entry; no tree is built.
WINK_BLOCK: Final = 1 << 24
_ENTRY: Final = re.compile(rb'\s*,?\s*("(?:[^"\\]|\\.)*")\s*:\s*\[([^\[\]{}"]*)\]')
_DIMENSIONS: Final = re.compile(rb'"dimensions"\s*:\s*(\d{1,6})')
_VECTORS: Final = re.compile(rb'\]\s*,\s*"vectors"\s*:\s*\{')


def read_wink(stream: Stream, name: str, limit: int | None, only: set[str] | None) -> WordVectors:
    """Read the vectors of a wink file."""
    dimension = _wink_dimension(stream)
    builder = TableBuilder(stream.name, dimension)
    total = 0
    for entries in _wink_entries(stream):
        kept = entries if limit is None else entries[: limit - total]
        words = [_wink_word(stream.name, word) for word, _ in kept]
        places = [i for i, word in enumerate(words) if only is None or word in only]
        rows = _wink_numbers(stream.name, [kept[i] for i in places], dimension)
        builder.add([words[i] for i in places], rows, lambda i, t=total, p=places: f"entry {t + p[i] + 1}")  # type: ignore[misc]
        total += len(kept)
        if total == limit:
            break
    if not total:
        raise VectorsError(f"{stream.name} has no vectors: get the file again")
    return builder.build(name, format="wink JSON")


def _wink_word(source: str, quoted: bytes) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        shown = quoted[:40].decode("utf-8", "replace")
        raise VectorsError(f"{source}: the word {shown} is no JSON: get the file again") from None


def _wink_dimension(stream: Stream) -> int:
    found = _DIMENSIONS.search(stream.peek(4096))
    if not found:
        raise VectorsError(
            f"{stream.name} does not say its dimensions: it is JSON, but no file of word vectors we know"
        )
    return int(found[1])


def _wink_entries(stream: Stream) -> Iterator[list[tuple[bytes, bytes]]]:
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
        chunk = stream.read(WINK_BLOCK)
        if not chunk or len(data) > 2 * WINK_BLOCK:
            shown = data[:40].decode("utf-8", "replace")
            raise VectorsError(f"{stream.name} is cut short or damaged near {shown!r}: get the file again")
        data += chunk


def _skip_to_vectors(stream: Stream) -> bytes:
    data = b""
    while chunk := stream.read(WINK_BLOCK):
        data += chunk
        if found := _VECTORS.search(data):
            return data[found.end() :]
        data = data[-100:]  # the opening may lie across two blocks
    raise VectorsError(f'{stream.name} has no "vectors": it is cut short, get the file again')


def _wink_numbers(source: str, entries: list[tuple[bytes, bytes]], dimension: int) -> NDArray[np.float64]:
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
