"""What every result can do."""

from __future__ import annotations

import json
import os
from dataclasses import fields, is_dataclass
from typing import Any


def as_json(value: Any, indent: int | None = 2) -> str:
    """Return plain values as JSON."""
    return json.dumps(plain(value), ensure_ascii=False, indent=indent, allow_nan=False)


def plain(value: Any) -> Any:
    """Turn arrays, tuples and NumPy numbers into what JSON knows."""
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    elif is_dataclass(value) and not isinstance(value, type):
        value = {part.name: getattr(value, part.name) for part in fields(value)}
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(v) for v in value]
    if isinstance(value, float) and (value != value or value in {float("inf"), float("-inf")}):  # noqa: PLR0124
        return None
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value
