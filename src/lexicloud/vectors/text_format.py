"""Text files: one word and its numbers on each line (GloVe; fastText `.vec` and word2vec text with a header line).

`parse_fast` parses a block of clean lines at once. A block with other lines (words with spaces, double spaces, damage)
goes to `parse_lines`, which is slow and obvious; it repairs what it can, and otherwise names the line. Both read a
number as Python's `float` does, then round to float32.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.vectors.builder import UNDECODABLE, TableBuilder
from lexicloud.vectors.decimal_numbers import parse_numbers, to_number
from lexicloud.vectors.load import header

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lexicloud.vectors.builder import Stream
    from lexicloud.vectors.word_vectors import WordVectors

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
