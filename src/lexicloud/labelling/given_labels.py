"""The labels of examples: words or numbers, one or several for each text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import EstimateError, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_NAMED: Final = 3


@dataclass(frozen=True, eq=False)
class GivenLabels:
    """The distinct labels in order, and `targets`: 1 where a text (row) has a label (column), else 0."""

    classes: NDArray[Any]
    targets: Floats
    several: bool

    @classmethod
    def read(cls, labels: Sequence[Any]) -> GivenLabels:
        """Read a label for each text, or a list of labels for each; every label needs two texts."""
        if getattr(labels, "ndim", 1) > 1:
            raise InputError(
                "labels are a table of numbers: give each text its label, or a list of its labels"
            )
        rows = [_as_list(label) for label in labels]
        several = any(row is not None for row in rows)
        each = [[label] if row is None else row for label, row in zip(labels, rows, strict=True)]
        missing = [i for i, row in enumerate(each) if any(map(_is_missing, row))]
        if missing:
            places = _some([str(i + 1) for i in missing])
            raise InputError(
                f"{len(missing):,} texts have no label (text {places}): leave them out, or give them as unlabelled"
            )
        classes = _distinct(label for row in each for label in row)
        columns = {_key(label, classes): i for i, label in enumerate(classes.tolist())}
        targets = np.zeros((len(each), len(classes)))
        for i, row in enumerate(each):
            targets[i, [columns[_key(label, classes)] for label in row]] = 1
        _check_sizes(classes, targets)
        return cls(classes, targets, several)


def _as_list(label: Any) -> list[Any] | None:
    return list(label) if isinstance(label, list | tuple | set | frozenset | np.ndarray) else None


def _is_missing(label: Any) -> bool:
    return label is None or label != label or (isinstance(label, str) and not label.strip())  # noqa: PLR0124 — nan


def _distinct(labels: Iterable[Any]) -> NDArray[Any]:
    """Return the distinct labels in order; if all are numbers they stay numbers, else all become words."""
    listed = list(labels)
    numbers = all(isinstance(label, bool | int | float | np.number | np.bool_) for label in listed)
    return np.unique(np.asarray(listed) if numbers else np.asarray(listed, dtype=str))


def _key(label: Any, classes: NDArray[Any]) -> Any:
    return str(label) if classes.dtype.kind == "U" else classes.dtype.type(label).item()


def _check_sizes(classes: NDArray[Any], targets: Floats) -> None:
    if len(classes) < 2:
        raise EstimateError(f"the examples have {len(classes)} label: give examples of at least two")
    lone = [repr(str(name)) for name in classes[targets.sum(axis=0) < 2]]
    if lone:
        which = f"label {lone[0]} has" if len(lone) == 1 else f"{len(lone)} labels ({_some(lone)}) have"
        raise EstimateError(f"{which} 1 example: give at least 2 of each label, or leave out labels with 1")


def _some(names: Sequence[str]) -> str:
    """List the first few names."""
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")
