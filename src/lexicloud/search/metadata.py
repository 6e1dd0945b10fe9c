"""What is known about sentences besides their words, by columns: a filter looks at each distinct value once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.storage import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray


MISSING = -1


@dataclass(frozen=True, eq=False)
class Column:
    """One key of the metadata: for every sentence the number of its value, or -1; values are JSON texts."""

    codes: NDArray[np.int32]
    values: PackedStrings

    def decoded(self) -> list[Any]:
        """Return the distinct values."""
        return [json.loads(text) for text in self.values.to_list()]

    def value(self, row: int) -> Any:
        """Return the value of one sentence, which must have one."""
        return json.loads(self.values[int(self.codes[row])])


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


def _plain(value: Any) -> Any:
    """Turn NumPy scalars and dates into what JSON knows."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


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
