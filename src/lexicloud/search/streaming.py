"""An index of more texts than fit into memory, written as the texts arrive.

Texts are taken in chunks that fit a limit of memory. Each chunk becomes a segment on disk; in the end all segments are
merged, array by array and block by block. The folder appears when it is complete.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexicloud.errors import OptionError, StorageError
from lexicloud.progress import stage
from lexicloud.search.segments import Snapshot, new_name
from lexicloud.search.store import KIND, chance_of, open_snapshot, save_snapshot, write_change
from lexicloud.search.whole import Whole
from lexicloud.store.folder import MANIFEST, check_place, locked
from lexicloud.text.records import read_weights

if TYPE_CHECKING:
    from lexicloud.search.items import Item

_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
LEAST: Final = 600 * 2**20
# Memory that does not depend on the texts: the interpreter with its packages, the vectors, the buffers of a merge.
_BASE: Final = 450 * 2**20
# Memory of a text while its segment is made: its embedding in floats, tokens, postings, and a copy of each.
_TEXT: Final = 3_200
_CHARACTER: Final = 30
_SEGMENTS: Final = 48  # segments on disk before they are merged


def size_in_bytes(size: int | str) -> int:
    """Read a size such as 2G, 512M or a number of bytes.

    >>> size_in_bytes("2G"), size_in_bytes("1.5 GiB"), size_in_bytes(700_000_000)
    (2147483648, 1610612736, 700000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?\s*", str(size), re.IGNORECASE)
    if found is None:
        raise OptionError(f"a size of memory is a number with K, M, G or T, such as 2G, not {size!r}")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def limit_of(memory: int | str) -> int:
    """Read a limit of memory, and refuse one that is too low to build an index in."""
    limit = size_in_bytes(memory)
    if limit < LEAST:
        raise OptionError(f"memory = {memory}, but an index takes at least {LEAST // 2**20}M to build")
    return limit


def in_chunks(items: Iterable[Item], limit: int) -> Iterator[list[Item]]:
    """Yield items in lists, each of which can become a segment within a limit of memory."""
    room, chunk, taken = limit - _BASE, [], 0
    for item in items:
        chunk.append(item)
        taken += _TEXT + _CHARACTER * _letters(item)
        if taken >= room:
            yield chunk
            chunk, taken = [], 0
    if chunk:
        yield chunk


def _letters(item: Item) -> int:
    if isinstance(item, str):
        return len(item)
    values: Iterable[Any] = item.values() if isinstance(item, dict) else item
    return sum(len(value) if isinstance(value, str) else len(str(value)) for value in values)


class Growing(NamedTuple):
    """The two steps of a growing index: build it from the first texts, add others."""

    first: Callable[[list[Item]], Snapshot]
    added: Callable[[Snapshot, list[Item]], Snapshot]


def write_index(path: Path, items: Iterable[Item], limit: int, how: Growing, *, overwrite: bool) -> None:
    """Write an index of items that need not fit into memory."""
    check_place(path, KIND)
    if not overwrite and (path / MANIFEST).exists():
        raise StorageError(f"{path} holds an index already: save elsewhere, or with overwrite=True")
    place = path.with_name(f"{path.name}.building")
    shutil.rmtree(place, ignore_errors=True)
    try:
        _write(place, in_chunks(items, limit), how)
        _put(place, path)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _write(place: Path, chunks: Iterator[list[Item]], how: Growing) -> None:
    with stage("indexing", None) as advance, locked(place):
        begin = next(chunks, [])
        now = how.first(begin)
        save_snapshot(place, now, measure=False)
        now = open_snapshot(place, now)
        advance(len(begin))
        for chunk in chunks:
            now = _changed(place, now, how.added(now, chunk))
            if len(now.segments) >= _SEGMENTS:
                now = _changed(place, now, _as_one(now))
            advance(len(chunk))
        now = _changed(place, now, _as_one(now))
        _changed(place, now, replace(now, chance=chance_of(now)))


def _changed(place: Path, old: Snapshot, new: Snapshot) -> Snapshot:
    """Write a change and open the result from disk, so that nothing of it stays in memory."""
    write_change(place, old, new)
    return open_snapshot(place, old)


def _as_one(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with all segments as one `Whole`, which is joined as it is written."""
    if len(snapshot.segments) == 1:
        return snapshot
    return replace(snapshot, segments={new_name(): Whole(list(snapshot.segments.values()))}, removed={})


def _put(place: Path, path: Path) -> None:
    """Move a finished folder to its place; what was there before is deleted last."""
    old = path.with_name(f"{path.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    try:
        if path.exists():
            path.rename(old)
        place.rename(path)
    except OSError as error:
        if old.exists() and not path.exists():
            old.rename(path)
        raise StorageError(
            f"{path} cannot be written ({error.strerror}): check the folder above it"
        ) from error
    shutil.rmtree(old, ignore_errors=True)


def from_tables(
    paths: Iterable[str], text: str | Sequence[str] | None, name: str | None, meta: Iterable[str]
) -> Iterator[Item]:
    """Yield rows of tables as items, read one after the other: JSON lines and CSV (compressed too), and Parquet.

    With several text columns rows are yielded as they are: the index reads its fields from them.
    """
    from lexicloud.text.table_rows import table_rows

    kept, columns = tuple(meta), list(read_weights(text)) or ["text"]
    for number, row in enumerate(chain.from_iterable(map(table_rows, paths))):
        yield row if len(columns) > 1 else _item(row, number, columns[0], name, kept)


def _item(
    row: dict[str, Any], number: int, text: str, name: str | None, meta: tuple[str, ...]
) -> tuple[Any, str, dict[str, Any]]:
    from lexicloud.errors import InputError
    from lexicloud.text.tables import value_at

    found = value_at(row, text)
    if not isinstance(found, str):
        there = ", ".join(row)
        raise InputError(f"row {number + 1:,} has no text in {text!r}: name its column (there are {there})")
    wanted = [key for key in row if key not in {text, name}] if "*" in meta else list(meta)
    record = {key: value for key in wanted if (value := value_at(row, key)) not in {None, ""}}
    identifier = number if name is None else value_at(row, name)
    return identifier if isinstance(identifier, int) else str(identifier), found, record
