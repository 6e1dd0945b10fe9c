"""A table that says which label each text has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lexicloud.errors import InputError
from lexicloud.text.readers.files import load, read_table, stem
from lexicloud.text.readers.options import ReadOptions
from lexicloud.text.readers.tables import LABEL_COLUMNS, Table

if TYPE_CHECKING:
    from collections.abc import Collection


def read_labels(path: str | Path, names: Collection[str], column: str | None = None) -> dict[str, str]:
    """Return text name → label from a table (.csv, .tsv, .jsonl).

    The column with the names is the one that names most of the texts, with or without the ending of a file.
    The labels are in `column`, by default `label`, or the only other column.
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
            f"{path} names none of the {len(known)} texts in any column ({', '.join(table.columns)})"
        )
    labels = _label_column(table, key, column)
    rows = ((stem(str(row.get(key))), row.get(labels)) for row in table.rows)
    return {name: str(label).strip() for name, label in rows if name in known and label not in (None, "")}


def _label_column(table: Table, key: str, column: str | None) -> str:
    if column is not None:
        return table.column(column, "labels")
    others = [c for c in table.columns if c != key]
    usual = table.known(LABEL_COLUMNS)
    if usual is None and len(others) != 1:
        raise InputError(
            f"{table.source} has no column 'label': say which of {', '.join(others) or 'its columns'} holds the labels"
        )
    return usual or others[0]
