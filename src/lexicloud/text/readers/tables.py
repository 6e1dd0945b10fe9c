"""Tables of texts: .csv, .tsv and .jsonl, one document a row."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Column names that hold the text in the collections people share, likeliest first.
TEXT_COLUMNS: Final = (
    "text",
    "body",
    "content",
    "article",
    "document",
    "sentence",
    "review",
    "message",
    "description",
)
NAME_COLUMNS: Final = ("name", "id")
LABEL_COLUMNS: Final = ("label",)


@dataclass(frozen=True)
class Table:
    """The rows of a table with the line each began on."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    lines: tuple[int, ...]
    source: str

    def column(self, wanted: str, role: str) -> str:
        """Return a column that was asked for, or say which there are."""
        if wanted in self.columns:
            return wanted
        listed = ", ".join(self.columns)
        raise InputError(f"{self.source} has no column {wanted!r} for the {role}; its columns are {listed}")

    def known(self, candidates: Sequence[str]) -> str | None:
        """Return the first column with one of some usual names, whatever its case."""
        spelled = {column.strip().lower(): column for column in reversed(self.columns)}
        return next((spelled[c] for c in candidates if c in spelled), None)

    def longest(self) -> str:
        """Return the column of strings with the most characters."""
        sizes = {
            c: sum(len(v) for row in self.rows if isinstance(v := row.get(c), str)) for c in self.columns
        }
        best = max(sizes, key=lambda c: sizes[c], default=None)
        if best is None or not sizes[best]:
            listed = ", ".join(self.columns)
            raise InputError(f"{self.source} has no column of text; its columns are {listed}")
        return best

    def values(self, column: str) -> list[Any]:
        """Return a column's values."""
        return [row.get(column) for row in self.rows]


def read_csv(text: str, source: str, delimiter: str | None = None) -> Table:
    r"""Read comma-, semicolon- or tab-separated values with a header line.

    >>> read_csv("id,text\n1,One\n", "a.csv").rows
    ({'id': '1', 'text': 'One'},)
    """
    delimiter = delimiter or _likely_delimiter(text)
    rows, lines = [], []
    with _long_fields():
        records = _records(text, source, delimiter)
        _, header = next(records, (0, []))
        columns = _header(header, source)
        for line, record in records:
            if len(record) != len(columns):
                raise InputError(
                    f"line {line:,} of {source} has {len(record)} values "
                    f"but the header has {len(columns)} columns"
                )
            rows.append(dict(zip(columns, record, strict=True)))
            lines.append(line)
    return Table(columns, tuple(rows), tuple(lines), source)


def read_jsonl(text: str, source: str) -> Table:
    """Read one JSON object a line; a line may also be a plain string, which is then its `text`."""
    rows, lines, columns = [], [], dict[str, None]()
    for line, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        try:
            value = json.loads(raw)
        except ValueError as error:
            raise InputError(f"line {line:,} of {source} is not JSON: {error}") from None
        row = {"text": value} if isinstance(value, str) else value
        if not isinstance(row, dict):
            raise InputError(f"line {line:,} of {source} is a JSON {type(value).__name__}, not an object")
        columns.update(dict.fromkeys(row))
        rows.append(row)
        lines.append(line)
    return Table(tuple(columns), tuple(rows), tuple(lines), source)


def _records(text: str, source: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    while True:
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"line {line:,} of {source} is malformed: {error}") from None
        if record:  # blank lines are not rows
            yield line, record
        line = reader.line_num + 1


def _header(header: list[str], source: str) -> tuple[str, ...]:
    columns = tuple(column.strip() for column in header)
    twice = next((c for c in columns if columns.count(c) > 1), None)
    if twice is not None:
        raise InputError(f"{source} has two columns named {twice!r}: rename one")
    return columns


def _likely_delimiter(text: str) -> str:
    first = text.lstrip().split("\n", 1)[0]
    return max(",;\t", key=first.count)


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let a cell hold a whole book: the csv module stops at 131,072 characters by default."""
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(limit)
