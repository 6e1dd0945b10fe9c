"""The labels of examples: words or numbers, one or several for each text.

Texts with several labels have a probability for each label alone, and the threshold from which a text has it:
P(label) = 1 / (1 + exp(−(slope · score + level))), with one slope for all labels and a level for each, shrunk to their
mean (Platt's calibration). Slope, levels and thresholds are fitted to the scores of held-out examples.
"""

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


_LEVELS: Final = 1.0  # how far levels differ between labels: a standard deviation in log odds
# The common threshold weighs as much as so many examples of a label.
_COMMON_EXAMPLES: Final = 20.0
_TRIED: Final = np.round(np.arange(0.1, 0.91, 0.02), 2)


@dataclass(frozen=True, eq=False)
class SeveralLabels:
    """How scores become probabilities of each label alone, and the thresholds from which a text has a label."""

    slope: float
    levels: Floats
    thresholds: Floats

    @classmethod
    def fit(cls, scores: Floats, targets: Floats) -> SeveralLabels:
        """Fit slope, levels and thresholds to the scores of held-out texts (texts × labels) and their labels."""
        slope, levels = _calibrated(scores, targets)
        P = _probabilities(slope * scores + levels)
        common = _best_threshold(P.ravel(), targets.ravel())
        own = np.array([_best_threshold(p, t) for p, t in zip(P.T, targets.T, strict=True)])
        sizes = targets.sum(axis=0)
        mixed = (sizes * own + _COMMON_EXAMPLES * common) / (sizes + _COMMON_EXAMPLES)
        return cls(slope, levels, mixed)

    def log_odds(self, scores: Floats) -> Floats:
        """Return the log odds of each label (columns) for each text."""
        return self.slope * scores + self.levels

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of each label alone."""
        return _probabilities(self.log_odds(scores))

    def chosen(self, P: Floats) -> NDArray[np.bool_]:
        """Return which labels each text has: those above their thresholds, or else the one nearest to its own."""
        above = self.thresholds <= P
        best = (P / self.thresholds).argmax(axis=1)
        above[np.arange(len(P)), best] = True
        return np.asarray(above)


def _probabilities(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))


def _calibrated(scores: Floats, targets: Floats) -> tuple[float, Floats]:
    """Return the slope and the levels that make the labels likeliest."""
    from scipy.optimize import minimize

    labels = scores.shape[1]

    def loss(x: Floats) -> tuple[float, Floats]:
        slope, middle, apart = np.exp(x[0]), x[1], x[2:]
        z = slope * scores + middle + apart
        wrong = _probabilities(z) - targets
        value = float(np.logaddexp(0, z).sum() - (targets * z).sum() + (apart**2).sum() / (2 * _LEVELS**2))
        by_label = wrong.sum(axis=0)
        return value, np.concatenate(
            [[slope * (wrong * scores).sum(), by_label.sum()], by_label + apart / _LEVELS**2]
        )

    found = minimize(
        loss, np.zeros(labels + 2), jac=True, method="L-BFGS-B", bounds=[(-5, 3), *[(-30, 30)] * (labels + 1)]
    )
    return float(np.exp(found.x[0])), found.x[1] + found.x[2:]


def _best_threshold(P: Floats, targets: Floats) -> float:
    """Return the threshold with the largest F1; of several the middle one."""
    given = P[:, None] >= _TRIED
    both = (given * targets[:, None]).sum(axis=0)
    f1 = 2 * both / np.maximum(given.sum(axis=0) + targets.sum(), 1)
    best = np.flatnonzero(f1 >= f1.max() - 1e-12)
    return float(_TRIED[best[len(best) // 2]])
