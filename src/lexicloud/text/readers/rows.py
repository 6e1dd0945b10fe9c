"""From the rows of a table to documents: which column is the text, the name, the label."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.errors import InputError
from lexicloud.text.readers.document import Document
from lexicloud.text.readers.tables import LABEL_COLUMNS, NAME_COLUMNS, TEXT_COLUMNS, Table

if TYPE_CHECKING:
    from lexicloud.text.readers.options import ReadOptions


def table_documents(table: Table, stem: str, options: ReadOptions) -> list[Document]:
    """Return one document a row; rows without text are left out and counted in the first document's notes."""
    if not table.rows:
        raise InputError(f"{table.source} has no rows")
    text, notes = _text_column(table, options.text)
    names, name_column = _names(table, stem, options.name)
    label, label_notes = _label_column(table, options.label_column)
    used = {text, name_column, label}
    documents, empty = [], 0
    for row, line, name in zip(table.rows, table.lines, names, strict=True):
        body = _body(row.get(text), table, line, text)
        if not body.strip():
            empty += 1
            continue
        value = row.get(label) if label else None
        fields = {key: v for key, v in row.items() if key not in used}
        documents.append(
            Document(name, body, None if value in {None, ""} else str(value), table.source, (), fields)
        )
    if not documents:
        raise InputError(f"column {text!r} of {table.source} is empty in all {len(table.rows):,} rows")
    if empty:
        notes += (f"{empty:,} of {len(table.rows):,} rows of {table.source} have no text and were left out",)
    return [documents[0].noting(*notes, *label_notes), *documents[1:]]


def _text_column(table: Table, wanted: str | None) -> tuple[str, tuple[str, ...]]:
    if wanted:
        return table.column(wanted, "text"), ()
    column = table.known(TEXT_COLUMNS) or table.longest()
    return column, (f"the text of {table.source} is taken from its column {column!r}",)


def _label_column(table: Table, wanted: str | None) -> tuple[str | None, tuple[str, ...]]:
    if wanted:
        return table.column(wanted, "label"), ()
    column = table.known(LABEL_COLUMNS)
    return column, (f"the labels of {table.source} are taken from its column {column!r}",) if column else ()


def _names(table: Table, stem: str, wanted: str | None) -> tuple[list[str], str | None]:
    """Return a name for each row: the column asked for, one that serves as a key, or the row's number."""
    if wanted:
        column = table.column(wanted, "name")
        return [str(v) for v in table.values(column)], column
    for column in filter(None, (table.known((c,)) for c in NAME_COLUMNS)):
        values = [str(v) for v in table.values(column)]
        if all(values) and len(set(values)) == len(values):
            return values, column
    return [f"{stem}:{i}" for i in range(1, len(table.rows) + 1)], None


def _body(value: object, table: Table, line: int, column: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(
            f"line {line:,} of {table.source}: column {column!r} holds a {type(value).__name__}, not text"
        )
    return value
