"""An index of more texts than fit into memory, written as the texts arrive.

Texts are taken in chunks that fit a limit of memory. Each chunk becomes a segment on disk; in the end all segments are
merged, array by array and block by block. The folder appears when it is complete.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lexicloud.errors import InputError, OptionError, StorageError
from lexicloud.progress import stage
from lexicloud.search.segments import Snapshot, new_name
from lexicloud.search.store import KIND, chance_of, open_snapshot, save_snapshot, write_change
from lexicloud.search.whole import Whole
from lexicloud.store.folder import LOCK, MANIFEST, check_place, locked, move_folder
from lexicloud.text.records import read_weights

if TYPE_CHECKING:
    from lexicloud.search.items import Item
    from lexicloud.text.streamed import File

_UNITS: Final = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
LEAST: Final = 700 * 2**20
# What is taken whatever the texts are: the interpreter with its packages, the vectors, the buffers of a merge.
_BASE: Final = 560 * 2**20
# What a text takes while its segment is made: its embedding in floats, tokens, postings, and a copy of each.
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
    path = path.absolute()
    check_place(path, KIND)
    if not overwrite and (path / MANIFEST).exists():
        raise StorageError(f"{path} holds an index already: save elsewhere, or with overwrite=True")
    place = path.with_name(f".{path.name}.building")
    check_place(place, KIND)
    with locked(place, wait=0):  # another build of the same is not disturbed
        try:
            _clear(place)
            _write(place, in_chunks(items, limit), how)
            move_folder(place, path, KIND)
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _clear(place: Path) -> None:
    """Take away what a build left that was killed."""
    for file in place.iterdir():
        if file.name != LOCK:
            file.unlink()


def _write(place: Path, chunks: Iterator[list[Item]], how: Growing) -> None:
    with stage("indexing", None) as advance:
        now: Snapshot | None = None
        for chunk in chain([next(chunks, [])], chunks):
            if now is None:
                save_snapshot(place, now := how.first(chunk), measure=False)
                now = open_snapshot(place, now)
            else:
                now = _changed(place, now, how.added(now, chunk))
            advance(len(chunk))
            chunk.clear()
            _give_back()
            if len(now.segments) >= _SEGMENTS:
                now = _changed(place, now, _as_one(now))
        assert now is not None
        now = _changed(place, now, _as_one(now))
        _changed(place, now, replace(now, chance=chance_of(now)))


def _changed(place: Path, old: Snapshot, new: Snapshot) -> Snapshot:
    """Write a change and open the result from disk, so that nothing of it stays in memory."""
    write_change(place, old, new)
    return open_snapshot(place, old)


def _give_back() -> None:
    """Give freed memory back to the system, where it can be told to: the C library of Linux keeps 200 MB and more."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


def _as_one(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with all segments as one `Whole`, which is joined as it is written."""
    if len(snapshot.segments) == 1:
        return snapshot
    return replace(snapshot, segments={new_name(): Whole(list(snapshot.segments.values()))}, removed={})


def files_to_read(paths: Iterable[str]) -> list[File]:
    """Return the files of folders and of any place that fsspec reaches; - is standard input."""
    from lexicloud.text.formats import is_table, kind
    from lexicloud.text.streamed import File, files_of, is_row_table

    def known(name: str) -> bool:
        return is_row_table(name) or bool(kind(name))

    files = [
        file
        for path in paths
        for file in ([File(path, path)] if path == "-" else files_of(path, known=known))
    ]
    other = next((f.place for f in files if is_table(f.name) and not is_row_table(f.name)), None)
    if other is not None:
        raise InputError(
            f"{other} is not read row by row: give JSON lines, CSV or Parquet, or set no limit of memory"
        )
    return files


def from_files(
    files: Iterable[File], text: str | Sequence[str] | None, name: str | None, meta: Iterable[str]
) -> Iterator[Item]:
    """Yield what files hold, one item after the other: tables row by row, other files one by one.

    With several text columns rows are yielded as they are: the index reads its fields from them.
    """
    from lexicloud.text.streamed import documents_of, is_row_table, table_rows

    kept, columns, number = tuple(meta), list(read_weights(text)) or ["text"], 0
    for file in files:
        if not is_row_table(file.name):
            yield from ((document.name, document.text) for document in documents_of([file]))
            continue
        for row in table_rows(file.place):
            yield row if len(columns) > 1 else _item(row, number, columns[0], name, kept)
            number += 1


def _item(
    row: dict[str, Any], number: int, text: str, name: str | None, meta: tuple[str, ...]
) -> tuple[Any, str, dict[str, Any]]:
    from lexicloud.text.tables import value_at

    found = value_at(row, text)
    if not isinstance(found, str):
        there = ", ".join(row)
        raise InputError(f"row {number + 1:,} has no text in {text!r}: name its column (there are {there})")
    wanted = [key for key in row if key not in {text, name}] if "*" in meta else list(meta)
    record = {key: value for key in wanted if (value := value_at(row, key)) not in {None, ""}}
    identifier = number if name is None else value_at(row, name)
    return identifier if isinstance(identifier, int) else str(identifier), found, record
