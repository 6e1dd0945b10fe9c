"""Tables larger than memory, row by row: JSON lines, CSV (both compressed too) and Parquet, here or elsewhere."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, Final

from lexicloud.errors import InputError
from lexicloud.text.document import decode
from lexicloud.text.streamed_files import opened

_OPEN: Final[dict[str, Callable[..., Any]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_ROWS: Final = 4_096  # rows of a Parquet file that are read together
_LONGEST: Final = 2**26  # bytes of a line; a longer line means a damaged or hostile file


def is_row_table(path: str) -> bool:
    """Tell whether a file's rows can be read one by one.

    >>> is_row_table("issues.jsonl.gz"), is_row_table("book.txt"), is_row_table("-")
    (True, False, True)
    """
    return path == "-" or _kind(path) in {".jsonl", ".ndjson", ".csv", ".tsv", ".parquet"}


def _kind(path: str) -> str:
    file = Path(path.lower())
    return Path(file.stem).suffix if file.suffix in _OPEN else file.suffix


def table_rows(path: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table; standard input (-) has one text a line."""
    kind = _kind(path)
    if path == "-":
        lines = (decode(raw, "standard input")[0].strip() for raw in sys.stdin.buffer)
        yield from ({"text": line} for line in lines if line)
    elif kind == ".parquet":
        yield from _parquet(path)
    elif kind in {".csv", ".tsv"}:
        yield from _csv(path, "\t" if kind == ".tsv" else ",")
    elif kind in {".jsonl", ".ndjson"}:
        yield from _jsonl(path)
    else:
        raise InputError(
            f"{path} cannot be read row by row: give JSON lines, CSV or Parquet, or leave --memory out"
        )


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    unpacked = _OPEN.get(Path(path).suffix.lower())
    try:
        with ExitStack() as stack:
            file = stack.enter_context(opened(path))
            yield stack.enter_context(unpacked(file, "rb")) if unpacked else file
    except (EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _lines(path: str) -> Iterator[tuple[int, str]]:
    with _opened(path) as file:
        number = 0
        while raw := file.readline(_LONGEST):
            number += 1
            if len(raw) == _LONGEST:
                raise InputError(
                    f"line {number:,} of {path} has more than {_LONGEST:,} bytes: it is no table of texts"
                )
            try:
                yield number, raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise InputError(f"line {number:,} of {path} is not UTF-8: save it as UTF-8") from None


def _jsonl(path: str) -> Iterator[dict[str, Any]]:
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number:,} of {path} is not JSON: {error}") from None
        row = {"text": row} if isinstance(row, str) else row
        if not isinstance(row, dict):
            raise InputError(f"line {number:,} of {path} is a JSON {type(row).__name__}, not an object")
        yield row


def _csv(path: str, delimiter: str) -> Iterator[dict[str, Any]]:
    before = csv.field_size_limit(_LONGEST)
    try:
        reader = csv.DictReader((line for _, line in _lines(path)), delimiter=delimiter)
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    f"line {reader.line_num:,} of {path} has not as many values as the header has columns"
                )
            yield dict(row)
    except csv.Error as error:
        raise InputError(f"{path} cannot be read as a table: {error}") from None
    finally:
        csv.field_size_limit(before)


def _parquet(path: str) -> Iterator[dict[str, Any]]:
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise InputError(f'{path}: Parquet needs pyarrow: pip install "lexicloud[parquet]"') from None
    try:
        with opened(path) as file:
            for batch in parquet.ParquetFile(file).iter_batches(_ROWS):
                yield from batch.to_pylist()
    except (OSError, ArrowException) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
