"""Tables of texts or of labels: .csv, .tsv and .jsonl, one document a row."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError
from lexicloud.text.document import Document, Extracted, ReadOptions
from lexicloud.text.formats import load, read_table, stem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence


# Usual names of the column that holds the text, likeliest first.
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
# Cells of one table: each takes at least about a hundred bytes of memory.
MOST_CELLS: Final = 20_000_000
MOST_COLUMNS: Final = 100_000
_NAMED: Final = 30  # columns that an error names
_SAMPLED: Final = 1_000  # rows that are looked at to find the column of the texts
_CLEAR: Final = 2  # how many times longer than any other it must be
NAME_COLUMNS: Final = ("name", "id")
LABEL_COLUMNS: Final = ("label",)


_NOTHING: Final = Extracted("", "table")


@dataclass(frozen=True)
class TextTable:
    """The rows of a table with the line each began on."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    lines: tuple[int, ...]
    source: str

    def column(self, wanted: str, role: str) -> str:
        """Return the column asked for, or list those there are; dots lead into objects (`fields.summary`)."""
        if wanted in self.columns or any(value_at(row, wanted) is not None for row in self.rows):
            return wanted
        raise InputError(
            f"{self.source} has no column {wanted!r} for the {role}; its columns are {_some(self.columns)}"
        )

    def known(self, candidates: Sequence[str]) -> str | None:
        """Return the column with the first of some usual names that there is, in any case."""
        spelled = {column.strip().lower(): column for column in reversed(self.columns)}
        return next((spelled[c] for c in candidates if c in spelled), None)

    def text_column(self) -> str:
        """Return the column with twice the characters of any other, which must be the text; refuse to guess otherwise.

        The characters of a column of codes, without a blank in any cell, count a tenth.
        """
        sizes = {column: self._size(column) for column in self.columns}
        first, second = (*sorted(self.columns, key=lambda c: -sizes[c]), "", "")[:2]
        listed = _some(self.columns)
        if not first or not sizes[first]:
            raise InputError(f"{self.source} has no column of text; its columns are {listed}")
        if second and sizes[first] < _CLEAR * sizes[second]:
            raise InputError(
                f"{self.source} may have its text in {first!r} or in {second!r}: say which (text=… or --text; "
                f"in an index --text '{first}' --text '{second}' searches both); "
                f"its columns are {listed}"
            )
        return first

    def _size(self, column: str) -> float:
        cells = [v for row in self.rows[:_SAMPLED] if isinstance(v := row.get(column), str)]
        blanks = any(" " in cell.strip() or not cell.isascii() for cell in cells)
        return sum(map(len, cells)) * (1 if blanks else 0.1)

    def values(self, column: str) -> list[Any]:
        """Return a column's values."""
        return [value_at(row, column) for row in self.rows]


def _some(columns: Sequence[str]) -> str:
    """List columns, of very many the first: an error is a line."""
    more = f" and {len(columns) - _NAMED:,} more" if len(columns) > _NAMED else ""
    return ", ".join(column[:100] for column in columns[:_NAMED]) + more


def too_many_cells(source: str) -> InputError:
    """Return the error for a table that would fill memory."""
    return InputError(f"{source} has more than {MOST_CELLS:,} cells: cut columns or rows from it")


def value_at(row: Mapping[str, Any], column: str) -> Any:
    """Return the value of a column, or of a path with dots into nested objects; None if there is none.

    >>> value_at({"fields": {"summary": "It crashes"}}, "fields.summary")
    'It crashes'
    """
    if column in row:
        return row[column]
    outer, dot, inner = column.partition(".")
    while dot:
        if isinstance(found := row.get(outer), Mapping):
            return value_at(found, inner)
        more, dot, inner = inner.partition(".")
        outer = f"{outer}.{more}"
    return None


def read_csv(text: str, source: str, delimiter: str | None = None, *, repeated: bool = False) -> TextTable:
    r"""Read comma-, semicolon- or tab-separated values with a header line.

    Two columns with the same name are refused, unless `repeated` is true: then a row has a list of their values.

    >>> read_csv("id,text\n1,One\n", "a.csv").rows
    ({'id': '1', 'text': 'One'},)
    """
    text = SEP.sub("", text, count=1)
    delimiter = delimiter or likely_delimiter(text)
    rows: list[list[str]] = []
    lines: list[int] = []
    with _long_fields():
        records = _records(text, source, delimiter)
        _, header = next(records, (0, []))
        if len(header) > MOST_COLUMNS:
            raise InputError(f"{source} has more than {MOST_COLUMNS:,} columns: cut some from it")
        for line, record in records:
            while len(record) > len(header) and not record[-1]:
                record.pop()
            if len(record) != len(header):
                raise InputError(
                    f"line {line:,} of {source} has {len(record)} values "
                    f"but the header has {len(header)} columns"
                )
            rows.append(record)
            lines.append(line)
            if len(rows) * len(header) > MOST_CELLS:
                raise too_many_cells(source)
    bare = {i for i, name in enumerate(header) if not name.strip()}
    filled = {i for i in bare if any(row[i] for row in rows)}
    columns, kept = header_columns(header, filled, source, repeated=repeated)
    named = tuple(dict.fromkeys(columns[i] for i in kept))
    if len(named) < len(kept):
        return TextTable(named, tuple(gathered(row, columns, kept) for row in rows), tuple(lines), source)
    found = tuple({columns[i]: row[i] for i in kept} for row in rows)
    return TextTable(named, found, tuple(lines), source)


def gathered(row: Sequence[str], columns: Sequence[str], kept: Sequence[int]) -> dict[str, Any]:
    """Return a row in which columns of the same name have one list of their values."""
    cells: dict[str, list[str]] = {}
    for i in kept:
        cells.setdefault(columns[i], []).append(row[i])
    return {
        name: found[0] if len(found) == 1 else [cell for cell in found if cell]
        for name, found in cells.items()
    }


def header_columns(
    header: Sequence[str], filled: Collection[int], source: str, *, repeated: bool = False
) -> tuple[list[str], list[int]]:
    """Return the names of columns, and which are kept; one without a name is numbered, or dropped if it is empty.

    >>> header_columns(["id", "", " text ", ""], {1}, "a.csv")
    (['id', 'column 2', 'text', ''], [0, 1, 2])
    """
    named = [name.strip() or (f"column {i + 1}" if i in filled else "") for i, name in enumerate(header)]
    kept = [i for i, name in enumerate(named) if name]
    twice = next((c for c, count in Counter(named[i] for i in kept).items() if count > 1), None)
    if twice is not None and not repeated:
        raise InputError(f"{source} has two columns named {twice!r}: rename one")
    return named, kept


def read_jsonl(text: str, source: str) -> TextTable:
    """Read one JSON object a line; a line may also be a plain string, which is then its `text`."""
    rows, lines, columns, cells = [], [], dict[str, None](), 0
    for line, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        try:
            value = json.loads(raw)
            if "\\ud" in raw.lower():  # half a character cannot be encoded, and is replaced
                value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
        except (ValueError, RecursionError) as error:
            said = "it is nested too deeply" if isinstance(error, RecursionError) else error
            raise InputError(f"line {line:,} of {source} is not JSON: {said}") from None
        row = {"text": value} if isinstance(value, str) else value
        if not isinstance(row, dict):
            raise InputError(f"line {line:,} of {source} is a JSON {type(value).__name__}, not an object")
        columns.update(dict.fromkeys(row))
        rows.append(row)
        lines.append(line)
        cells += len(row) + 1
        if cells > MOST_CELLS:
            raise too_many_cells(source)
    return TextTable(tuple(columns), tuple(rows), tuple(lines), source)


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


# Excel's line before the header that names the delimiter.
SEP: Final = re.compile(r"\Asep=([^\n\r])\r?\n", re.IGNORECASE)


def likely_delimiter(text: str) -> str:
    """Return the delimiter that occurs most often in the header, outside of quotes."""
    first = _QUOTED.sub("", text[:100_000].lstrip()).split("\n", 1)[0]
    return max(",;\t|", key=first.count)


_QUOTED: Final = re.compile(r'"[^"]*"')


@contextmanager
def _long_fields() -> Iterator[None]:
    """Let a cell hold a whole book: the csv module stops at 131,072 characters by default."""
    limit = csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        yield
    finally:
        csv.field_size_limit(limit)


def table_documents(
    table: TextTable, stem: str, options: ReadOptions, about: Extracted = _NOTHING
) -> list[Document]:
    """Return one document a row; rows without text are left out and counted in the first document's notes."""
    if not table.rows:
        raise InputError(f"{table.source} has no rows")
    text, notes = _text_column(table, options.text)
    names, name_column = _names(table, stem, options.name)
    label, label_notes = _label_column(table, options.label_column)
    used = {text, name_column, label}
    documents: list[Document] = []
    empty = 0
    for row, line, name in zip(table.rows, table.lines, names, strict=True):
        body = _body(value_at(row, text), table, line, text)
        if not body.strip():
            empty += 1
            continue
        value = value_at(row, label) if label else None
        fields = {key: v for key, v in row.items() if key not in used}
        documents.append(
            Document(
                name,
                body,
                None if value in {None, ""} else str(value),
                table.source,
                (),
                fields,
                about.kind,
                about.encoding,
            )
        )
    if not documents:
        raise InputError(f"column {text!r} of {table.source} is empty in all {len(table.rows):,} rows")
    if empty:
        notes += (f"{empty:,} of {len(table.rows):,} rows of {table.source} have no text and were left out",)
    first = replace(documents[0].noting(*notes, *label_notes), left_out=about.left_out)
    return [first, *documents[1:]]


def _text_column(table: TextTable, wanted: str | None) -> tuple[str, tuple[str, ...]]:
    if wanted:
        return table.column(wanted, "text"), ()
    column = table.known(TEXT_COLUMNS) or table.text_column()
    return column, (f"the text of {table.source} is taken from its column {column!r}",)


def _label_column(table: TextTable, wanted: str | None) -> tuple[str | None, tuple[str, ...]]:
    if wanted:
        return table.column(wanted, "label"), ()
    column = table.known(LABEL_COLUMNS)
    return column, (f"the labels of {table.source} are taken from its column {column!r}",) if column else ()


def _names(table: TextTable, stem: str, wanted: str | None) -> tuple[list[str], str | None]:
    """Return a name for each row (from the column asked for, a column of unique ids, or its number), and the column."""
    if wanted:
        column = table.column(wanted, "name")
        return [str(v) for v in table.values(column)], column
    for column in filter(None, (table.known((c,)) for c in NAME_COLUMNS)):
        values = [str(v) for v in table.values(column)]
        if all(values) and len(set(values)) == len(values):
            return values, column
    return [f"{stem}:{i}" for i in range(1, len(table.rows) + 1)], None


def _body(value: object, table: TextTable, line: int, column: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(
            f"line {line:,} of {table.source}: column {column!r} holds a {type(value).__name__}, not text"
        )
    return value


def read_labels(path: str | Path, names: Collection[str], column: str | None = None) -> dict[str, str]:
    """Return text name → label from a table (.csv, .tsv, .jsonl, .xlsx or .parquet).

    The column of names is the one that matches most of the texts, with or without the ending of a file. The labels are
    in `column`, by default `label` or the only other column.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise InputError(f"there is no file {path} with labels")
    table, _ = read_table(load(path), path.name, str(path), ReadOptions())
    known = set(names)
    found = {c: sum(stem(str(v)) in known for v in table.values(c)) for c in table.columns}
    key = max(found, key=lambda c: found[c])
    if not found[key]:
        raise InputError(
            f"{path} names none of the {len(known)} texts in any column ({_some(table.columns)})"
        )
    labels = _column_of_labels(table, key, column)
    rows = ((stem(str(row.get(key))), row.get(labels)) for row in table.rows)
    return {name: str(label).strip() for name, label in rows if name in known and label not in (None, "")}


def _column_of_labels(table: TextTable, key: str, column: str | None) -> str:
    if column is not None:
        return table.column(column, "labels")
    others = [c for c in table.columns if c != key]
    usual = table.known(LABEL_COLUMNS)
    if usual is None and len(others) != 1:
        raise InputError(
            f"{table.source} has no column 'label': say which of {_some(others) or 'its columns'} holds the labels"
        )
    return usual or others[0]
