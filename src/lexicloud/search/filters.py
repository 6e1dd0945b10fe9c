"""Filters by metadata: which sentences a search may answer with.

A filter is a dict, all of whose conditions must hold, or a function of a sentence's whole metadata:

    {"status": "open"}                      equal
    {"status": ["open", "new"]}             one of these
    {"year": {">=": 2020, "<": 2024}}       comparisons; also "==", "!=", "in", "not in", "contains"
    {"year": lambda year: year % 2 == 0}    any test of one value
    lambda record: "urgent" in record.get("labels", [])

A sentence without the key meets only `!=` and `not in`.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.metadata import Column, record_of

if TYPE_CHECKING:
    from lexicloud.search.database import Mask

    Test = Callable[[Any], Any]
    Where = Mapping[str, Any] | Callable[[dict[str, Any]], Any]


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
_MET_BY_NOTHING: Final = frozenset({"!=", "not in"})
_CONDITION: Final = re.compile(r"\s*([^=<>!~]+?)\s*(>=|<=|!=|==|=|<|>|~)\s*(.*)", re.DOTALL)


def matching_rows(where: Where, columns: Mapping[str, Column], rows: int) -> Mask:
    """Return which of the rows meet a filter."""
    if callable(where):
        return np.fromiter((bool(where(record_of(columns, i))) for i in range(rows)), dtype=bool, count=rows)
    if not isinstance(where, Mapping):
        raise OptionError(f"where is a {type(where).__name__}: give a dict of conditions or a function")
    mask = np.ones(rows, dtype=bool)
    for key, condition in where.items():
        mask &= _condition_rows(condition, _column(columns, key))
    return mask


def _column(columns: Mapping[str, Column], key: str) -> Column:
    if key in columns:
        return columns[key]
    if not columns:
        raise OptionError(f"where asks for {key!r}, but these sentences have no metadata")
    close = get_close_matches(str(key), columns, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(columns)}"
    raise OptionError(f"no metadata {key!r}; {hint}")


def _condition_rows(condition: Any, column: Column) -> Mask:
    """Test each distinct value once, then spread the answers over the rows."""
    tests, nothing = _tests(condition)
    answers = [all(_holds(test, value) for test in tests) for value in column.decoded()]
    # Code -1, a missing value, points at the last entry.
    return np.array([*answers, nothing], dtype=bool)[column.codes]


def _tests(condition: Any) -> tuple[list[Test], bool]:
    """Return the tests of a condition, and whether a sentence without the key meets it."""
    if callable(condition):
        return [condition], False
    if isinstance(condition, Mapping):
        unknown = [name for name in condition if name not in COMPARISONS]
        if unknown:
            raise OptionError(f"no comparison {unknown[0]!r}: choose among {', '.join(COMPARISONS)}")
        tests = [_comparison(name, operand) for name, operand in condition.items()]
        return tests, all(name in _MET_BY_NOTHING for name in condition)
    if isinstance(condition, Collection) and not isinstance(condition, str | bytes):
        return [_comparison("in", list(condition))], False
    return [_comparison("==", condition)], False


def _comparison(name: str, operand: Any) -> Test:
    compare = COMPARISONS[name]
    return lambda value: compare(value, operand)


def _holds(test: Test, value: Any) -> bool:
    try:
        return bool(test(value))
    except TypeError:
        return False  # values of two kinds, such as a number and a string, have no order


def parse_conditions(conditions: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Read conditions as the command line takes them: `status=open,new`, `year>=2020`, `kind!=spam`, `title~crash`.

    >>> parse_conditions(["status=open,new", "year>=2020"])
    {'status': {'in': ['open', 'new']}, 'year': {'>=': 2020}}
    """
    where: dict[str, dict[str, Any]] = {}
    for text in conditions:
        parts = _CONDITION.fullmatch(text)
        if not parts:
            raise OptionError(
                f"cannot read the condition {text!r}: write key=value, key!=value, key>=value or key~part"
            )
        key, sign, operand = parts.groups()
        name, value = _operation(sign, operand)
        where.setdefault(key, {})[name] = value
    return where


def _operation(sign: str, operand: str) -> tuple[str, Any]:
    if sign == "~":
        return "contains", operand
    if sign in {"=", "==", "!="}:
        options = [form for part in operand.split(",") for form in _forms(part.strip())]
        return ("not in" if sign == "!=" else "in"), options
    return sign, _forms(operand)[-1]


def _forms(text: str) -> list[Any]:
    """A value as written, and as the number or truth value that it may stand for."""
    if text in {"true", "false"}:
        return [text, text == "true"]
    try:
        number = float(text)
    except ValueError:
        return [text]
    return [text, int(number) if number.is_integer() and "e" not in text.lower() else number]
