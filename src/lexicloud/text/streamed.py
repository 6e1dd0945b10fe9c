"""Files of folders, or of any place that fsspec reaches, one by one; tables larger than memory, row by row.

Such tables are JSON lines and CSV, both compressed too, and Parquet.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

from lexicloud.errors import InputError, LexicloudError, MissingExtra
from lexicloud.text.document import decode
from lexicloud.text.folder import visible_files
from lexicloud.text.formats import kind
from lexicloud.text.read import read_bytes
from lexicloud.text.tables import SEP, gathered, header_columns, likely_delimiter

if TYPE_CHECKING:
    from lexicloud.text.document import Document

LOOKED_AT: Final = 200  # files from which the language is detected
_REMOTE: Final = "://"


class File(NamedTuple):
    """Where a file is, and its name inside its folder, from which its documents get their names."""

    place: str
    name: str


def files_of(*paths: str | Path, known: Callable[[str], Any] = kind) -> list[File]:
    """Return the files of folders in the order of their names, or those that are named.

    A path with a protocol (s3://bucket/texts, memory://texts) is asked of fsspec. Files whose names are not `known` are
    passed over.
    Each file is read alone: a table that describes the files beside it is texts like any other.
    """
    found = [
        file for path in paths for file in (_remote(str(path)) if _REMOTE in str(path) else _local(path))
    ]
    readable = [file for file in found if known(file.name)]
    if not readable:
        raise InputError(f"there is no file that can be read at {', '.join(map(str, paths)) or 'no path'}")
    return readable


def _local(path: str | Path) -> list[File]:
    place = Path(path).expanduser().absolute()
    if not place.exists():
        raise InputError(f"there is no file or folder {path}")
    if place.is_file():
        return [File(str(place), place.name)]
    return [File(str(file), file.relative_to(place).as_posix()) for file in visible_files(place)]


def _remote(url: str) -> list[File]:
    with _reaching(url) as fsspec:
        system, place = fsspec.core.url_to_fs(url)
        found = sorted(system.find(place))
    below = len(place.rstrip("/")) + 1
    return [File(system.unstrip_protocol(file), file[below:] or file.rsplit("/", 1)[-1]) for file in found]


def documents_of(files: Sequence[File], **reading: Any) -> list[Document]:
    """Read the documents of some files, options as in `read_documents`; empty files have none."""
    documents: list[Document] = []
    for file in files:
        data = _bytes(file.place)
        documents += read_bytes(data, file.name, **reading) if data.strip() else []
    return documents


def _bytes(place: str) -> bytes:
    with opened(place) as file:
        return bytes(file.read())


@contextmanager
def opened(place: str) -> Iterator[IO[bytes]]:
    """Open a file for reading, here or wherever fsspec reaches."""
    if _REMOTE in place:
        with _reaching(place) as fsspec, fsspec.open(place, "rb") as file:
            yield file
        return
    try:
        with Path(place).open("rb") as file:
            yield file
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror or error}") from error


@contextmanager
def _reaching(url: str) -> Iterator[Any]:
    """Lend fsspec; whatever keeps a place from being reached is said in one line."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtra(f"{url.partition(_REMOTE)[0]}://", "cluster") from error
    try:
        yield fsspec
    except LexicloudError:
        raise
    # Each place has errors of its own: of the network, of rights, of a package that is not installed.
    except Exception as error:
        told = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"{url} cannot be read: {told}") from error


def cut(files: Sequence[File], parts: int) -> list[list[File]]:
    """Divide files into `parts` lists of about the same length."""
    parts = max(1, min(parts, len(files)))
    ends = [len(files) * i // parts for i in range(parts + 1)]
    return [list(files[a:b]) for a, b in pairwise(ends)]


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
        yield from _csv(path, "\t" if kind == ".tsv" else None)
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


def _csv(path: str, delimiter: str | None) -> Iterator[dict[str, Any]]:
    """Yield the rows as `read_csv` reads them: the delimiter is told by the header, repeated columns become a list."""
    before = csv.field_size_limit(_LONGEST)
    try:
        lines = (line for _, line in _lines(path))
        first = next(lines, "")
        if named := SEP.match(first):
            delimiter, first = named[1], next(lines, "")
        reader = csv.reader(chain([first], lines), delimiter=delimiter or likely_delimiter(first))
        header = next(reader, [])
        columns, kept = header_columns(header, range(len(header)), path, repeated=True)
        for row in filter(None, reader):
            while len(row) > len(header) and not row[-1]:
                row.pop()
            if len(row) != len(header):
                raise InputError(
                    f"line {reader.line_num:,} of {path} has not as many values as the header has columns"
                )
            yield gathered(row, columns, kept)
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
