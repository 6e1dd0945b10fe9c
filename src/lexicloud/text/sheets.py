"""Rows of .xlsx and Parquet files, as tables of texts or labels."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import InputError, MissingExtra
from lexicloud.text.archive import Archive, Budget, collect_xml, parse_xml
from lexicloud.text.document import Extracted
from lexicloud.text.tables import MOST_CELLS, TextTable, header_columns, too_many_cells

if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN: Final = (str, int, float, bool, type(None))
_LETTERS: Final = 3  # of a column: XFD is Excel's last
_DIGITS: Final = 20  # of the number of a string that cells share, white space around it included
# The formats of dates that Excel has built in (ECMA-376, 18.8.30), and what shows a year or a day in one's own.
_DATES: Final = frozenset((*range(14, 18), 22, *range(27, 32), 36, *range(50, 55), 57, 58))
_SHOWS_DATE: Final = re.compile(r"[yd]", re.IGNORECASE)
_NOT_SHOWN: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
# Day 0 of a workbook. Excel counts a 29th of February 1900, so that days before March 1900 are off by one.
_FIRST_DAY: Final = {False: datetime(1899, 12, 30, tzinfo=UTC), True: datetime(1904, 1, 1, tzinfo=UTC)}


def read_xlsx(data: bytes, source: str) -> tuple[TextTable, Extracted]:
    """Read the first sheet that has rows; its first row names the columns."""
    budget = Budget(len(data), source)
    try:
        book = Archive(data, budget)
        strings = _shared_strings(book, budget)
        dates = _Dates.of(book, budget)
        sheets = _sheets(book, budget)
        for sheet in sheets:
            reader = _Sheet(strings, dates, budget)
            parse_xml(book.pieces(sheet), reader, budget)
            if reader.rows:
                break
        else:
            raise InputError(f"{source} has no rows")
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable .xlsx file: {error}") from None
    left_out = {"other sheets": len(sheets) - 1} if len(sheets) > 1 else {}
    return _table(reader, source), Extracted("", "Excel", left_out=left_out)


def _table(reader: _Sheet, source: str) -> TextTable:
    _, first = reader.rows[0]
    width = max(first) + 1
    named = [first.get(i, "") for i in range(width)]
    filled = {i for _, row in reader.rows[1:] for i in row}
    columns, kept = header_columns(named, filled, source)
    rows = tuple({columns[i]: row[i] for i in row if i in kept} for _, row in reader.rows[1:])
    return TextTable(
        tuple(columns[i] for i in sorted(kept)), rows, tuple(n for n, _ in reader.rows[1:]), source
    )


def _sheets(book: Archive, budget: Budget) -> list[str]:
    """Return the parts that hold sheets, in the order of the workbook."""
    parts, names = {name.lower(): name for name in book.names}, set(book.names)
    links = collect_xml(book.read(parts["xl/_rels/workbook.xml.rels"]), budget).of("Relationship")
    targets = {link.get("Id"): link.get("Target", "") for link, _ in links}
    found: dict[str, None] = {}  # each once, however often it is named
    for sheet, _ in collect_xml(book.read(parts["xl/workbook.xml"]), budget).of("sheet"):
        target = targets.get(sheet.get("id"), "")
        name = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        if name in names:
            found[name] = None
    if not found:
        raise ValueError("it names no sheets")
    return list(found)


class _Strings:
    """Collects the strings that cells share, without their pronunciation guides."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._pieces: list[str] = []
        self._inside = self._spoken = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002
        self._inside += tag == "t"
        self._spoken += tag == "rPh"

    def end(self, tag: str) -> None:
        self._inside -= tag == "t"
        self._spoken -= tag == "rPh"
        if tag == "si":
            self.found.append("".join(self._pieces))
            self._pieces = []

    def text(self, data: str) -> None:
        if self._inside and not self._spoken:
            self._pieces.append(data)


def _shared_strings(book: Archive, budget: Budget) -> list[str]:
    strings = _Strings()
    if "xl/sharedStrings.xml" in book.names:
        parse_xml(book.pieces("xl/sharedStrings.xml"), strings, budget)
    return strings.found


class _Dates:
    """Collects the styles that show a number as a date, from the part `styles`, and knows the workbook's day 0."""

    def __init__(self, first: datetime) -> None:
        self._first = first
        self._formats = set(map(str, _DATES))
        self._in_cells = False
        self._count = 0
        self.styles: set[str] = set()

    @classmethod
    def of(cls, book: Archive, budget: Budget) -> _Dates:
        """Read the styles of a workbook."""
        parts = {name.lower(): name for name in book.names}
        about = collect_xml(book.read(parts["xl/workbook.xml"]), budget).of("workbookPr")
        dates = cls(_FIRST_DAY[any(found.get("date1904") in {"1", "true"} for found, _ in about)])
        if "xl/styles.xml" in parts:
            parse_xml(book.pieces(parts["xl/styles.xml"]), dates, budget)
        return dates

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._in_cells |= tag == "cellXfs"
        number = attributes.get("numFmtId", "")
        if tag == "numFmt" and _SHOWS_DATE.search(_NOT_SHOWN.sub("", attributes.get("formatCode", ""))):
            self._formats.add(number)
        elif tag == "xf" and self._in_cells:
            if number in self._formats:
                self.styles.add(str(self._count))
            self._count += 1

    def end(self, tag: str) -> None:
        self._in_cells &= tag != "cellXfs"

    def text(self, data: str) -> None:
        """Ignore text: styles are in attributes."""

    def said(self, value: str) -> str:
        """Return a number of days as an ISO date, with the time of day if it is not midnight."""
        try:
            moment = self._first + timedelta(seconds=round(float(value) * 86_400))
        except (ValueError, OverflowError):
            return value
        return moment.replace(tzinfo=None).isoformat().removesuffix("T00:00:00")


class _Sheet:
    """Collects the rows of a sheet: the line of each, and its filled cells by the number of their column."""

    def __init__(self, strings: list[str], dates: _Dates, budget: Budget) -> None:
        self.rows: list[tuple[int, dict[int, str]]] = []
        self._strings, self._dates, self._budget = strings, dates, budget
        self._row: dict[int, str] = {}
        self._column = -1
        self._kind = ""
        self._value: list[str] | None = None
        self._line = self._cells = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "row":
            given = attributes.get("r", "")
            self._line = int(given) if given.isdecimal() and len(given) < 9 else self._line + 1
            self._row, self._column = {}, -1
        elif tag == "c":
            self._column = _column(attributes.get("r", ""), self._column + 1)
            self._kind = attributes.get("t", "n")
            if self._kind == "n" and attributes.get("s") in self._dates.styles:
                self._kind = "date"
        elif tag in {"v", "t"}:
            self._value = []

    def end(self, tag: str) -> None:
        if tag in {"v", "t"} and self._value is not None:
            said = self._said("".join(self._value))
            self._budget.spend(len(said) + 1)
            if said:
                self._row[self._column] = self._row.get(self._column, "") + said
            self._value = None
        elif tag == "row" and self._row:
            self.rows.append((self._line, self._row))
            self._cells += len(self._row) + 1
            if self._cells > MOST_CELLS:
                raise too_many_cells(self._budget.source)

    def text(self, data: str) -> None:
        if self._value is not None:
            self._value.append(data)

    def _said(self, value: str) -> str:
        if self._kind == "date":
            return self._dates.said(value)
        if self._kind == "b":
            return {"1": "true", "0": "false"}.get(value.strip(), value)
        if self._kind != "s":
            return value
        number = int(value) if value.strip().isdecimal() and len(value) < _DIGITS else -1
        return self._strings[number] if 0 <= number < len(self._strings) else ""


def _column(reference: str, following: int) -> int:
    """Return the number of a cell's column.

    >>> _column("A1", 5), _column("AB12", 0), _column("", 7)
    (0, 27, 7)
    """
    letters = reference.rstrip("0123456789")
    if not letters or len(letters) > _LETTERS or not (letters.isascii() and letters.isupper()):
        return following
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def read_parquet(data: bytes, source: str) -> tuple[TextTable, Extracted]:
    """Read all rows of a Parquet file."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("reading Parquet files", "parquet") from None

    budget = Budget(len(data), source)
    rows: list[dict[str, Any]] = []
    try:
        file = parquet.ParquetFile(BytesIO(data))
        about = file.metadata
        budget.spend(about.num_rows * max(1, about.num_columns))
        budget.spend(sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups)))
        for batch in file.iter_batches(batch_size=1_000, use_threads=False):
            budget.spend(batch.nbytes)
            rows += [{k: _plain(v) for k, v in row.items()} for row in batch.to_pylist()]
        columns = tuple(file.schema_arrow.names)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # a damaged file may raise anything
        raise InputError(f"{source} is not a readable Parquet file: {error}") from None
    return TextTable(columns, tuple(rows), tuple(range(1, len(rows) + 1)), source), Extracted("", "Parquet")


def _plain(value: Any) -> Any:
    """Return dates, times and decimals as text; the rest as it is."""
    return value if isinstance(value, (*_PLAIN, list, dict)) else str(value)
