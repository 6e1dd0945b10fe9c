"""The metadata of sentences, in columns, and filters over it; a filter tests each distinct value once."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import BrokenIndex, OptionError
from lexicloud.search.typed import Kind, TypedValues, compare_by, plain
from lexicloud.store.folder import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Mask

    Test = Callable[[Any], Any]
    Where = Mapping[str, Any] | Callable[[dict[str, Any]], Any]

MISSING = -1
AND: Final = "and"  # {"and": [{"votes": 3}, function]} is met by both
OR: Final = "or"  # {"or": [{"status": "open"}, {"priority": {">=": 3}}]} is met by either


@dataclass(frozen=True, eq=False)
class Column:
    """One key of the metadata: for every sentence the number of its value, or -1; values are JSON texts."""

    codes: NDArray[np.int32]
    values: PackedStrings

    def decoded(self) -> list[Any]:
        """Return the distinct values."""
        return list(self.typed(()).values)

    def typed(self, path: Sequence[str]) -> TypedValues:
        """Return the distinct values, or what a path leads to in them, with their kind; read once."""
        if tuple(path) not in self._typed:
            values = [read_json(text) for text in self.values.to_list()]
            self._typed[tuple(path)] = TypedValues([inside(value, path) for value in values])
        return self._typed[tuple(path)]

    @cached_property
    def _typed(self) -> dict[tuple[str, ...], TypedValues]:
        return {}

    def filled(self, path: Sequence[str] = ()) -> Mask:
        """Return which rows have a value: null and an empty list are none."""
        there = [value not in (None, []) for value in self.typed(path).values]
        # Code -1, a missing value, points at the last.
        return np.array([*there, False], dtype=bool)[self.codes]

    def writes(self, text: str) -> bool:
        """Tell whether a text with commas or full stops is one value here: a number such as 1,5, or `Doe, John`."""
        typed = self.typed(())
        return typed.kind.writes(text) or ("," in text and text in typed.values)

    def value(self, row: int) -> Any:
        """Return the value of one sentence, which must have one."""
        return read_json(self.values[int(self.codes[row])])


def read_json(text: str) -> Any:
    """Read what an index keeps as JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise BrokenIndex("the index is damaged, an id or a value is no JSON: build it again") from None


def columns_of(records: Sequence[Mapping[str, Any] | None]) -> dict[str, Column]:
    """Turn one record for each sentence into columns."""
    codes: dict[str, NDArray[np.int32]] = {}
    numbers: dict[str, dict[str, int]] = {}
    for row, record in enumerate(records):
        for key, value in (record or {}).items():
            if key not in codes:
                codes[key] = np.full(len(records), MISSING, dtype=np.int32)
                numbers[key] = {}
            text = _as_json(key, value)
            codes[key][row] = numbers[key].setdefault(text, len(numbers[key]))
    return {key: Column(codes[key], PackedStrings.pack(list(numbers[key]))) for key in sorted(codes)}


def _as_json(key: Any, value: Any) -> str:
    if not isinstance(key, str):
        raise OptionError(f"metadata keys are strings, not {type(key).__name__} ({key!r})")
    try:
        return json.dumps(_plain(value), ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise OptionError(
            f"metadata {key!r} cannot be kept: {error}; give strings, numbers or lists"
        ) from None


def column_kinds(columns: Mapping[str, Column]) -> dict[str, str]:
    """Say what each column was found to hold: number, date, boolean, text, or lists of these."""
    return {key: str(column.typed(()).kind) for key, column in columns.items()}


def _plain(value: Any) -> Any:
    """Turn NumPy's values, dates and periods, also inside of lists and objects, into what JSON knows."""
    value = plain(value)
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return str(value) if hasattr(value, "freqstr") else value  # a Period of pandas


def record_of(columns: Mapping[str, Column], row: int) -> dict[str, Any]:
    """Return the metadata of one sentence."""
    return {key: column.value(row) for key, column in columns.items() if column.codes[row] != MISSING}


def join_columns(parts: Sequence[tuple[Mapping[str, Column], int]]) -> dict[str, Column]:
    """Put columns of several segments (each with its number of rows) one below the other."""
    keys = sorted({key for columns, _ in parts for key in columns})
    return {key: _join_column([(columns.get(key), rows) for columns, rows in parts]) for key in keys}


def _join_column(parts: Sequence[tuple[Column | None, int]]) -> Column:
    numbers: dict[str, int] = {}
    pieces = []
    for column, rows in parts:
        if column is None:
            pieces.append(np.full(rows, MISSING, dtype=np.int32))
            continue
        renumber = [numbers.setdefault(text, len(numbers)) for text in column.values.to_list()]
        # The last entry is what code -1 points at, so that missing stays missing.
        pieces.append(np.array([*renumber, MISSING], dtype=np.int32)[column.codes])
    return Column(np.concatenate(pieces), PackedStrings.pack(list(numbers)))


def keep_rows(columns: Mapping[str, Column], rows: NDArray[np.int64]) -> dict[str, Column]:
    """Cut columns down to some rows; values that no row has any more go, and so do empty columns."""
    kept = {key: _keep_column(column, rows) for key, column in columns.items()}
    return {key: column for key, column in kept.items() if len(column.values)}


def _keep_column(column: Column, rows: NDArray[np.int64]) -> Column:
    codes = column.codes[rows]
    present, first = np.unique(codes, return_index=True)
    first, present = first[present != MISSING], present[present != MISSING]
    # Numbered by first appearance, as a fresh build numbers them.
    present = present[np.argsort(first)]
    renumber = np.full(len(column.values) + 1, MISSING, dtype=np.int32)
    renumber[present] = np.arange(len(present), dtype=np.int32)
    return Column(renumber[codes], column.values.take(present))


def _contains(value: Any, part: Any) -> bool:
    return isinstance(value, str | list) and part in value


COMPARISONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda value, options: value in options,
    "not in": lambda value, options: value not in options,
    "contains": _contains,
}
_LISTED: Final = 8  # values that are named where a filter asks for another
_MET_BY_NOTHING: Final = frozenset({"!=", "not in"})
# The first sign counts; blanks around it are stripped afterwards.
_SIGN: Final = re.compile(r"(?<![=<>!~])(>=|<=|!=|==|=|<|>|~)")


def matching_rows(where: Where, columns: Mapping[str, Column], rows: int) -> Mask:
    """Return which of the rows meet a filter."""
    if callable(where):
        return np.fromiter((bool(where(record_of(columns, i))) for i in range(rows)), dtype=bool, count=rows)
    if not isinstance(where, Mapping):
        raise OptionError(f"where is a {type(where).__name__}: give a dict of conditions or a function")
    mask = np.ones(rows, dtype=bool)
    for key, condition in where.items():
        if key in {AND, OR} and key not in columns:
            if not isinstance(condition, Sequence) or isinstance(condition, str) or not condition:
                raise OptionError(
                    f'"{key}" takes a list of filters: {{"{key}": [{{"status": "open"}}, {{"votes": 3}}]}}'
                )
            parts = [matching_rows(part, columns, rows) for part in condition]
            mask &= (np.logical_or if key == OR else np.logical_and).reduce(parts)
            continue
        mask &= _condition_rows(str(key), condition, *find_column(columns, key))
    return mask


def unmet(where: Where, columns: Mapping[str, Column]) -> Iterator[str]:
    """Yield what a filter asks for that no text has at all, and what there is in place of it."""
    for key, condition in () if callable(where) else where.items():
        if key in {AND, OR} and key not in columns:
            continue
        column, path = find_column(columns, key)
        if _condition_rows(str(key), condition, column, path).any():
            continue
        found = [value for value in column.typed(path).values if value is not None]
        listed = ", ".join(map(str, found[:_LISTED])) + (", …" if len(found) > _LISTED else "")
        yield f"no text meets the filter on {key}: there are {listed}"


def find_column(columns: Mapping[str, Column], key: str) -> tuple[Column, list[str]]:
    """Return the column of a key, and the path inside its values where dots lead into them: `fields.summary`."""
    head, parts = str(key), list[str]()
    while head not in columns and "." in head:
        head, _, last = head.rpartition(".")
        parts.insert(0, last)
    if head in columns:
        return columns[head], parts
    if not columns:
        raise OptionError(f"where asks for {key!r}, but these sentences have no metadata")
    close = get_close_matches(str(key), columns, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(columns)}"
    raise OptionError(f"no metadata {key!r}; {hint}")


def _condition_rows(key: str, condition: Any, column: Column, path: Sequence[str]) -> Mask:
    """Test each distinct value once, then spread the answers over the rows."""
    typed = column.typed(path)
    if callable(condition):
        tests, nothing, values = [condition], False, list(typed.values)
    else:
        tests, nothing = _tests(key, condition, typed)
        values = typed.read
    answers = [
        nothing if value in (None, []) else all(_holds(test, value) for test in tests) for value in values
    ]
    # Code -1, a missing value, points at the last entry.
    return np.array([*answers, nothing], dtype=bool)[column.codes]


def inside(value: Any, path: Sequence[str]) -> Any:
    """Follow a path into nested values, into every entry of a list; None where there is nothing.

    >>> inside({"labels": [{"name": "bug"}, {"name": "ui"}]}, ["labels", "name"])
    ['bug', 'ui']
    """
    for i, key in enumerate(path):
        if isinstance(value, list):
            found = [inside(entry, path[i:]) for entry in value]
            return [entry for entry in found if entry is not None] or None
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _tests(key: str, condition: Any, typed: TypedValues) -> tuple[list[Test], bool]:
    """Return the tests of a condition, and whether a sentence without the key meets it."""
    if isinstance(condition, Mapping):
        unknown = [name for name in condition if name not in COMPARISONS]
        if unknown:
            raise OptionError(f"no comparison {unknown[0]!r}: choose among {', '.join(COMPARISONS)}")
        asked_for = {name: plain(asked) for name, asked in condition.items()}
        tests = [_comparison(name, _operand(key, name, asked, typed)) for name, asked in asked_for.items()]
        return tests, all(_met_by_nothing(name, asked) for name, asked in asked_for.items())
    if isinstance(condition, Collection) and not isinstance(condition, str | bytes):
        return _tests(key, {"in": list(condition)}, typed)
    return _tests(key, {"==": condition}, typed)


def _met_by_nothing(name: str, asked: Any) -> bool:
    """Tell whether a sentence without the key meets a condition; to ask for None, or [], is to ask for these."""
    if name in {"in", "not in"}:
        return any(option in (None, []) for option in asked) == (name == "in")
    return name in {"==", "!="} and (asked in (None, [])) == (name == "==")


def _operand(key: str, name: str, asked: Any, typed: TypedValues) -> Any:
    """Convert what is asked for to the column's kind; of several options keep those that fit, or refuse."""
    if name not in {"in", "not in"}:
        whole = isinstance(asked, list) and typed.kind.lists
        return asked if whole else typed.kind.operand(key, name, asked)
    if isinstance(asked, str) or not isinstance(asked, Collection):
        raise OptionError(f"{name} takes a list of values, as in {{{key!r}: [1, 2]}}, not {asked!r}")
    options, refused = [], None
    for option in asked:
        try:
            options.append(typed.kind.operand(key, name, option))
        except OptionError as error:
            refused = error
    if refused and not options:
        raise refused
    return options


def _comparison(name: str, operand: Any) -> Test:
    """Return the test of one value. A list meets it as a whole or by any entry (!= and not in: by both)."""
    compare = COMPARISONS[name]

    def one(value: Any) -> bool:
        if name in {"in", "not in"}:
            return (name == "in") == any(compare_by(operator.eq, value, option) for option in operand)
        return compare_by(compare, value, operand)

    def test(value: Any) -> bool:
        if not isinstance(value, list):
            return one(value)
        every = all if name in _MET_BY_NOTHING else any
        return every(_holds(one, entry) for entry in (value, *value))

    return test


def _holds(test: Test, value: Any) -> bool:
    try:
        return bool(test(value))
    except TypeError:
        return False  # values of two kinds, such as a number and a string, have no order


def parse_conditions(
    conditions: Sequence[str], columns: Mapping[str, Column] = MappingProxyType({})
) -> dict[str, Any]:
    """Read conditions as the command line takes them: `status=open,new`, `year>=2020`, `kind!=spam`, `title~crash`.

    Several must all hold; `status=open | year>=2020` needs one of two, `closed=` finds sentences without `closed`.
    Where `columns` say that one holds numbers such as 1,5 or 1,200, or the text `Doe, John`, that is one value.

    >>> parse_conditions(["status=open,new", "year>=2020"])
    {'status': {'in': ['open', 'new']}, 'year': {'>=': 2020}}
    """
    where: dict[str, Any] = {}
    for text in conditions:
        if " | " in text:
            if OR in where:
                raise OptionError("give one condition with | alone: write the alternatives in one --where")
            where[OR] = [parse_conditions([part], columns) for part in text.split(" | ")]
            continue
        sign = _SIGN.search(text)
        key = text[: sign.start()].strip() if sign else ""
        asked = text[sign.end() :].lstrip() if sign else ""
        if sign is None or not key or "!" in key or not (asked or sign[0] in {"=", "==", "!="}):
            raise OptionError(
                f"cannot read the condition {text!r}: write key=value, key!=value, key>=value or key~part"
            )
        name, value = _operation(sign[0], asked, whole=key in columns and columns[key].writes(asked))
        where.setdefault(key, {})[name] = value
    return where


def parse_assignments(given: Sequence[str], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Read changes as the command line takes them; an empty value takes a column away.

    >>> parse_assignments(["status=closed", "n=3", "tags=a,b", "zip="], {"n": "number", "tags": "lists of text"})
    {'status': 'closed', 'n': 3, 'tags': ['a', 'b'], 'zip': None}
    """
    found: dict[str, Any] = {}
    for text in given:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise OptionError(f"cannot read the change {text!r}: write column=value")
        kind = kinds.get(key.strip(), "text")
        forms = [_forms(part.strip())[0 if "text" in kind else -1] for part in value.split(",")]
        as_written = kind.startswith(("text", "date")) or Kind("number", (kind.partition(", ")[2],)).writes(
            value
        )
        one = value if as_written else _forms(value)[-1]
        found[key.strip()] = None if not value else forms if kind.startswith("lists") else one
    return found


def _operation(sign: str, operand: str, *, whole: bool) -> tuple[str, Any]:
    """Return the name of a comparison and what it asks for, which is text as it is written where it is a `whole`."""
    if sign == "~":
        return "contains", operand
    if sign in {"=", "==", "!="}:
        parts = [[operand]] if whole else [_forms(part.strip()) for part in operand.split(",")]
        return ("not in" if sign == "!=" else "in"), [form for forms in parts for form in forms]
    return sign, operand if whole else _forms(operand)[-1]


def _forms(text: str) -> list[Any]:
    """Return a value as written and as what else it may stand for: a number, a truth value, or None if it is empty."""
    if not text:
        return [text, None]
    if text in {"true", "false"}:
        return [text, text == "true"]
    try:
        number = float(text)
    except ValueError:
        return [text]
    return [text, int(number) if number.is_integer() and "e" not in text.lower() else number]
