"""Read a table of texts to label, and write it with all its columns and rows and the answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.store.folder import replace_bytes, replace_text
from lexicloud.text import read_documents
from lexicloud.text.document import ReadOptions
from lexicloud.text.formats import is_table, load, read_table, stem
from lexicloud.text.tables import table_documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lexicloud.text import Document

WRITTEN: Final = (".csv", ".jsonl", ".xlsx")
"""The endings of tables that can be written."""
_ROW: Final = "\0row"
# Characters that .xlsx cannot hold.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LONGEST_CELL: Final = 32_767  # characters, Excel's limit


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """The rows of a table and their texts; rows without a text are kept and get no answer."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    documents: tuple[Document, ...]
    places: tuple[int, ...]  # the row of each document

    @classmethod
    def read(cls, path: str, text: str | None, label: str | None) -> LabelledTable:
        """Read a table, or a folder of texts as a table of names, labels and texts."""
        file = Path(path).expanduser()
        if not (file.is_file() and is_table(file.name)):
            documents = read_documents(path, text=text, label=label)
            rows = tuple({"name": d.name, "label": d.label or "", "text": d.text} for d in documents)
            return cls(("name", "label", "text"), rows, tuple(documents), tuple(range(len(rows))))
        options = ReadOptions(text, None, label)
        table, about = read_table(load(file), file.name, str(file), options)
        numbered = replace(table, rows=tuple({**row, _ROW: i} for i, row in enumerate(table.rows)))
        documents = table_documents(numbered, stem(file.name), options)
        documents[0] = documents[0].noting(*about.notes)  # how the file was decoded
        return cls(table.columns, table.rows, tuple(documents), tuple(d.fields[_ROW] for d in documents))

    def with_answers(self, answers: Mapping[int, Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return all rows in order, with the answers for some documents in columns of their own.

        No column of the table is changed: if it has a column with the name of an answer, the answer is called "new …".
        """
        names = list(dict.fromkeys(name for answer in answers.values() for name in answer))
        added = {name: self._free(name) for name in names}
        by_row = {self.places[i]: answer for i, answer in answers.items()}
        return [
            {
                **{column: row.get(column, "") for column in self.columns},
                **{added[name]: by_row.get(i, {}).get(name, "") for name in names},
            }
            for i, row in enumerate(self.rows)
        ]

    def _free(self, name: str) -> str:
        while name in self.columns:
            name = f"new {name}"
        return name


def check_ending(out: Path) -> None:
    """Refuse a file that cannot be written, before any work is done."""
    if out.suffix not in WRITTEN:
        raise OptionError(f"--out {out}: give a name that ends in .csv, .jsonl or .xlsx")
    if out.suffix == ".xlsx":
        _openpyxl()


def write_table(out: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows in one step, in the format of the file's ending."""
    if out.suffix == ".xlsx":
        replace_bytes(out, _xlsx(rows))
    elif out.suffix == ".jsonl":
        from lexicloud.result import as_json

        replace_text(out, "".join(as_json(row) + "\n" for row in rows))
    else:
        from lexicloud.result import columns_of_rows, csv_text

        replace_text(out, csv_text(columns_of_rows(rows)))


def _openpyxl() -> Any:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra("writing .xlsx", "excel") from None
    return openpyxl


def _xlsx(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows as a workbook; texts stay texts, even those that look like formulas."""
    from io import BytesIO

    book = _openpyxl().Workbook()
    sheet = book.active
    for i, row in enumerate([dict.fromkeys(rows[0]), *rows], start=1):
        for j, (name, given) in enumerate(row.items(), start=1):
            cell = sheet.cell(row=i, column=j)
            value = name if i == 1 else given
            if isinstance(value, bool | int | float):
                cell.value = value
            elif value not in (None, ""):
                cell.value = _CONTROL.sub("�", str(value))[:_LONGEST_CELL]
                cell.data_type = "s"
    out = BytesIO()
    book.save(out)
    return out.getvalue()
