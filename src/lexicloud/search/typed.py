"""What kind of values a column of metadata holds, and how values of that kind are compared.

The kind of a column (numbers, dates, truth values or text) is found from all of its values. A column of dates is one
whose values are all dates in one format. `03/04/22` may be March or April: such a column counts as dates only if some
value settles it (`13/04/22`), and otherwise as text, which has no order in time.
"""

from __future__ import annotations

import ast
import json
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from lexicloud.errors import OptionError

NUMBER: Final = re.compile(r"[+-]?(0|[1-9]\d{0,14})(\.\d+)?")
# Numbers as people write them: 1.200,50 and 1,200.50. A column counts as such if some value settles what the comma is.
_COMMA: Final = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")
_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_IS_COMMA: Final = re.compile(r".*,(\d{1,2}|\d{4,})|.*\.\d{3},\d+|.*\.\d{3}\.\d{3}")
_IS_THOUSANDS: Final = re.compile(r".*,\d{3}(\.\d+|,\d{3}.*)")
_MICROSECONDS: Final = "datetime64[us]"  # as fine as Python's own times
_CLOCK: Final = (
    r"(?:[ T,]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?\s*(?P<half>[AaPp][Mm])?)?"
)
_ZONE: Final = r"\s*(?P<zone>Z|UTC|[+-]\d\d:?\d\d)?"
_NAMES: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
# As trackers write them in German, French, Spanish, Italian, Portuguese and Dutch, by their first letters.
_FOREIGN: Final = (
    "jän ene gen, fév fev, mär mrz mrt, avr abr, mai may mag mei, juin giu, juil lug, "
    "aoû ago, set, okt ott out, , déc dez dic"
)
_MONTHS: Final = {name: i + 1 for i, name in enumerate(_NAMES)} | {
    name: i + 1 for i, names in enumerate(_FOREIGN.split(",")) for name in names.split()
}
_WEEKDAY: Final = r"(?:[^\W\d_]{2,10},? )?"  # of dates as mails have them
_MONTH: Final = r"(?P<name>[^\W\d_]{3,10})\.?"
# Day and month that are both numbers come last: which is which has to be settled by the column.
_FORMATS: Final = {
    "year first": r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
    "month by name": rf"{_WEEKDAY}(?P<day>\d{{1,2}})[-/ .]{{1,2}}{_MONTH}[-/ ,.]{{1,2}}(?P<year>\d{{4}}|\d\d)",
    "month by name first": rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})",
    "day first": r"(?P<day>\d{1,2})[-/.](?P<month>\d{1,2})[-/.](?P<year>\d{4}|\d\d)",
    "month first": r"(?P<month>\d{1,2})[-/.](?P<day>\d{1,2})[-/.](?P<year>\d{4}|\d\d)",
}
_PATTERNS: Final = {name: re.compile(text + _CLOCK + _ZONE) for name, text in _FORMATS.items()}
_ONE_WAY: Final = ("year first", "month by name", "month by name first")
_PART: Final = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d\d))?")
_TRUTHS: Final = {"true": True, "false": False, "yes": True, "no": False}
# Several entries in a cell are labels if each has at most so many letters and _WORDS words; otherwise they are prose.
_LONGEST: Final = 40
_WORDS: Final = 4
# The kinds as messages name them.
_PLURAL: Final = {"number": "numbers", "date": "dates", "boolean": "true and false", "text": "text"}


def plain(value: Any) -> Any:
    """Turn the values of NumPy, pandas and databases, also inside lists, into those that an index keeps.

    A Decimal becomes a number, a UUID a text, a set a list; nan, NaT and NA become None. Others stay as they are.

    >>> import numpy as np
    >>> plain([np.int64(3), np.array([1, 2])]), plain(np.datetime64("2022-01-31", "ns"))
    ([3, [1, 2]], datetime.datetime(2022, 1, 31, 0, 0))
    >>> plain([Decimal("1.50"), Decimal(2), float("nan"), {"b", "a"}])
    [1.5, 2, None, ['a', 'b']]
    """
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value), key=str)
    if hasattr(value, "dtype"):
        if value.dtype.kind == "M" and value.dtype != "datetime64[D]":  # nanoseconds would become a number
            value = value.astype(_MICROSECONDS)
        return plain(value.tolist())
    if is_nothing(value):
        return None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if isinstance(value, UUID) else value


def is_nothing(value: Any) -> bool:
    """Tell whether a value stands for an empty cell: None, nan, NaT (which no value equals, not even they) or NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return isinstance(value, float | Decimal | date) and value != value  # noqa: PLR0124


@dataclass(frozen=True, order=True)
class Moment:
    """A span of time up to, but without, its `end`: a day, a month, a year. A time of day begins and ends at once."""

    start: datetime
    end: datetime


def read_moment(text: str, formats: Sequence[str] = tuple(_PATTERNS)) -> Moment | None:
    """Read a date or a time in the first of some formats that fits; None where none does.

    >>> read_moment("01/Jan/22 3:45 PM").start.isoformat()
    '2022-01-01T15:45:00+00:00'
    """
    for name in formats:
        if (found := _PATTERNS[name].fullmatch(text.strip())) and (moment := _moment(found.groupdict())):
            return moment
    return None


def _moment(parts: dict[str, str | None]) -> Moment | None:
    name = parts.get("name")
    month = _month(name.lower()) if name else int(parts["month"] or 0)
    year = int(parts["year"] or 0)
    if year < 100:
        year += 2000 if year < 70 else 1900
    try:
        day = datetime(year, month or 0, int(parts["day"] or 0), tzinfo=UTC)
        if parts["hour"] is None:
            return _day(day)
        hour = int(parts["hour"])
        if parts["half"]:
            hour = hour % 12 + (12 if parts["half"].lower() == "pm" else 0)
        clock = time(hour, int(parts["minute"] or 0), int(parts["second"] or 0))
    except ValueError:
        return None
    at = datetime.combine(day.date(), clock, UTC) - _offset(parts["zone"])
    return Moment(at, at)


def _month(name: str) -> int | None:
    return _MONTHS.get(name[:4]) or _MONTHS.get(name[:3])  # juin, juillet


def _offset(zone: str | None) -> timedelta:
    if zone is None or zone in {"Z", "UTC"}:
        return timedelta()
    sign, digits = (-1 if zone[0] == "-" else 1), zone[1:].replace(":", "")
    return sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))


def _whole(value: date | datetime) -> Moment:
    if isinstance(value, datetime):
        at = value if value.tzinfo else value.replace(tzinfo=UTC)
        return Moment(at, at)
    return _day(datetime(value.year, value.month, value.day, tzinfo=UTC))


def _day(start: datetime) -> Moment:
    last = start.date() == date.max  # what tables have for "never"; no day comes after it
    return Moment(start, datetime.max.replace(tzinfo=UTC) if last else start + timedelta(days=1))


def _part(text: str) -> Moment | None:
    """Read a year or a month, as in `2022` and `2022-03`."""
    found = _PART.fullmatch(text.strip())
    if not found:
        return None
    year, month = int(found["year"]), int(found["month"] or 1)
    if not (1 <= month <= 12 and 1 <= year < 9999):
        return None
    start = datetime(year, month, 1, tzinfo=UTC)
    after = (year + 1, 1) if not found["month"] or month == 12 else (year, month + 1)
    return Moment(start, datetime(*after, 1, tzinfo=UTC))


@dataclass(frozen=True)
class Kind:
    """The kind of a column: number, date, boolean or text; `formats` are those that its dates or numbers are in."""

    name: str
    formats: tuple[str, ...] = ()
    lists: bool = False  # whether some values are lists of such

    def __str__(self) -> str:
        said = (
            f"{self.name}, {self.formats[0]}"
            if self.formats and self.formats[0] != "year first"
            else self.name
        )
        return f"lists of {_PLURAL.get(self.name, self.name)}" if self.lists else said

    def read(self, value: Any) -> Any:
        """Convert a value of the column to a form that compares by its kind."""
        if isinstance(value, list):
            return [self.read(entry) for entry in value]
        if self.name == "date":
            return read_moment(value, self.formats) if isinstance(value, str) else value
        if self.name == "number" and isinstance(value, str):
            return self._number(value)
        if self.name == "boolean" and isinstance(value, str):
            return _TRUTHS[value.lower()]
        return value

    def writes(self, text: str) -> bool:
        """Tell whether a text is a number as the column writes them: 1,5 and 1.200 (1200) with decimal commas."""
        patterns = [{COMMA: _COMMA, THOUSANDS: _THOUSANDS}.get(name) for name in self.formats]
        return self.name == "number" and any(pattern and pattern.fullmatch(text) for pattern in patterns)

    def _number(self, text: str) -> float | int:
        if self.formats == (COMMA,):
            text = text.replace(".", "").replace(",", ".")
        text = text.replace(",", "")
        return float(text) if "." in text else int(text)

    def operand(self, key: str, sign: str, value: Any) -> Any:
        """Convert what a caller compares the column with to the column's kind; refuse what does not fit."""
        if sign == "contains":
            return value
        value = plain(value)
        if isinstance(value, str) and self.writes(value):
            return self._number(value)
        if self.name == "date" and (found := self._moment(value)) is not None:
            return found
        if self.name == "number" and isinstance(value, str) and NUMBER.fullmatch(value):
            return float(value) if "." in value else int(value)
        if self.name == "boolean" and isinstance(value, str) and value.lower() in _TRUTHS:
            return _TRUTHS[value.lower()]
        if self.name == "text" and sign not in _ORDERED and _is_number(value):
            return str(value)
        if value is None or self._fits(value, sign):
            return value
        what = f"{key} holds {_PLURAL.get(self.name, self.name)}"
        if self.name == "text" and (isinstance(value, date) or sign in _ORDERED):
            what += ", among them values that are no dates of one format and no numbers"
        raise OptionError(f"{what}: {sign} {value!s} cannot be answered; see lexicloud index info")

    def _moment(self, value: Any) -> Moment | None:
        if isinstance(value, date):
            return _whole(value)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            return None
        return read_moment(value, ("year first", *self.formats, *_ONE_WAY)) or _part(value)

    def _fits(self, value: Any, sign: str) -> bool:
        number = _is_number(value)
        if self.name == "number":
            return number or isinstance(value, bool)
        if self.name == "boolean":
            return isinstance(value, bool) or (number and sign not in _ORDERED)
        if self.name == "date":
            return False
        if self.name != "text" or sign not in _ORDERED:
            return not isinstance(value, date)
        return isinstance(value, str) and not (NUMBER.fullmatch(value) or read_moment(value) or _part(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def read_lists(cells: Sequence[Any]) -> list[Any]:
    """Return the cells of a column as lists if they are written as lists, or as labels with semicolons between them.

    >>> read_lists(["bug; ui", "bug", None]), read_lists(["['a', 'b']", "[]"]), read_lists(["one; two", "three"])
    ([['bug', 'ui'], ['bug'], None], [['a', 'b'], []], ['one; two', 'three'])
    """
    if not all(isinstance(cell, str) or cell is None for cell in cells):
        return list(cells)
    texts = {cell for cell in cells if cell}
    if not texts:
        return list(cells)
    listed = {text: _written_list(text) for text in texts} if min(texts)[0] == "[" else _labels(texts)
    if any(entries is None for entries in listed.values()):
        return list(cells)
    return [listed.get(cell, cell) for cell in cells]


def _written_list(text: str) -> list[Any] | None:
    """Return the list of words or numbers that a text spells in JSON or Python; None if it spells none."""
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        plainly = isinstance(found, list) and all(isinstance(entry, str | int | float) for entry in found)
        return found if plainly else None
    return None


def _labels(texts: Collection[str]) -> dict[str, list[str] | None]:
    """Return the labels in each text; None for all if some are prose, or if most occur in one text only."""
    parts = {text: [part.strip() for part in text.split(";") if part.strip()] for text in texts}
    counts = Counter(part for found in parts.values() for part in set(found))
    again = sum(count for count in counts.values() if count > 1)
    short = all(len(part) <= _LONGEST and len(part.split()) <= _WORDS for part in counts)
    several = any(len(found) > 1 for found in parts.values())
    return dict(parts) if short and several and 2 * again >= counts.total() else dict.fromkeys(texts)


COMMA: Final = "decimal comma"
THOUSANDS: Final = "comma for thousands"
_ORDERED: Final = frozenset({"<", "<=", ">", ">="})


def kind_of(values: Sequence[Any]) -> Kind:
    """Tell the kind of a column from its distinct values.

    >>> str(kind_of(["2022-01-31", "2021-12-01"])), str(kind_of(["13/04/22", "03/04/22"])), str(kind_of(["03/04/22"]))
    ('date', 'date, day first', 'text')
    """
    single = [entry for value in values for entry in _entries(value) if entry is not None]
    lists = any(isinstance(value, list) for value in values)
    strings = all(isinstance(entry, str) for entry in single)
    if not single:
        return Kind("text", lists=lists)
    if all(isinstance(e, bool) or (isinstance(e, str) and e.lower() in _TRUTHS) for e in single):
        return Kind("boolean", lists=lists)
    texts = [entry for entry in single if isinstance(entry, str)]
    if all(isinstance(e, str) or (isinstance(e, int | float) and not isinstance(e, bool)) for e in single):
        if all(map(NUMBER.fullmatch, texts)):
            return Kind("number", lists=lists)
        if how := _numbers(texts):
            return Kind("number", how, lists)
    if all(isinstance(entry, int | float) for entry in single):  # true and false among numbers
        return Kind("number", lists=lists)
    if not strings:
        return Kind("mixed", lists=lists)
    formats = tuple(_formats(single))
    return Kind("date", formats, lists) if formats else Kind("text", lists=lists)


def _numbers(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the way in which all texts are numbers with commas; none where they are not, or where two would do."""
    if any(map(_IS_COMMA.fullmatch, texts)) and all(map(_COMMA.fullmatch, texts)):
        return (COMMA,)
    plainly = (_THOUSANDS.fullmatch(text) or NUMBER.fullmatch(text) for text in texts)
    return (THOUSANDS,) if any(map(_IS_THOUSANDS.fullmatch, texts)) and all(plainly) else ()


def _entries(value: Any) -> Iterator[Any]:
    yield from value if isinstance(value, list) else (value,)


def _formats(texts: Sequence[str]) -> Iterator[str]:
    """Yield the formats that texts are in: one that can be mistaken, if it is settled, and such as cannot be."""
    others = [text for text in texts if not read_moment(text, _ONE_WAY)]
    every = [n for n in _PATTERNS if others and all(read_moment(text, (n,)) for text in others)]
    if others and len(every) != 1:
        return
    yield from every
    yield from [name for name in _ONE_WAY if any(read_moment(text, (name,)) for text in texts)]


def _spanwise(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the comparison of a value with a span by where the value begins: before the span, in it, or after it."""
    before = {
        operator.eq: lambda a, b: a.start >= b.start and not _after(a, b),
        operator.ne: lambda a, b: a.start < b.start or _after(a, b),
        operator.lt: lambda a, b: a.start < b.start,
        operator.le: lambda a, b: not _after(a, b),
        operator.gt: _after,
        operator.ge: lambda a, b: a.start >= b.start,
    }
    return before.get(compare, compare)


def _after(value: Moment, asked: Moment) -> bool:
    """Tell whether a value begins after the span asked for; a span may be a single moment."""
    return value.start >= asked.end and value.start != asked.start


def compare_by(compare: Callable[[Any, Any], Any], value: Any, operand: Any) -> bool:
    """Compare a value with what was asked for; moments by their spans."""
    if isinstance(value, Moment) and isinstance(operand, Moment):
        return bool(_spanwise(compare)(value, operand))
    return bool(compare(value, operand))


class TypedValues:
    """The distinct values of a column (or what a path leads to in them), their kind, and their comparable forms."""

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values

    @cached_property
    def kind(self) -> Kind:
        """The kind of the column."""
        return kind_of([value for value in self.values if value is not None])

    @cached_property
    def read(self) -> list[Any]:
        """The values as they are compared."""
        return [None if value is None else self.kind.read(value) for value in self.values]
