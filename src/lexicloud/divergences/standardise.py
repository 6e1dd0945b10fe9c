"""Standardised divergences: is this pair closer than either text usually is?

Some texts are close to every other text, above all those with a rich vocabulary (hubness). Standardising removes this:
each row of a matrix of divergences is z-scored, then each column.

Where texts have labels, every label weighs the same in the means and deviations, however many texts it has. Otherwise
the largest group would decide what is usual: among forty novels and five plays, novels are as close to each other as
texts usually are, and so never count as close.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST = 3
"""Fewer texts cannot be standardised: every pair would be as close as usual."""
ENOUGH = 8
"""From so many texts on, rankings are standardised by default; with fewer the deviations are mostly noise."""


@dataclass(frozen=True)
class UsualDistances:
    """What is usual among some texts: the mean and deviation of the row-standardised divergences to each of them."""

    mean: Floats
    deviation: Floats
    groups: Floats  # texts × groups, 1 where a text belongs to a group

    @classmethod
    def of(cls, values: Floats, labels: Sequence[Any] | None = None) -> UsualDistances:
        """Measure what is usual in the square matrix of known texts; its diagonal does not count."""
        values = np.asarray(values, dtype=np.float64)
        groups, others = membership(labels, len(values)), ~np.eye(len(values), dtype=bool)
        rows = _scale(values, *_moments(values, others, groups))
        mean, deviation = _moments(rows.T, others, groups)
        return cls(mean, deviation, groups)

    def apply(self, rows: Floats) -> Floats:
        """Standardise the divergences of new texts (rows) from the known ones (columns)."""
        rows = np.asarray(rows, dtype=np.float64)
        rows = _scale(rows, *_moments(rows, np.ones(rows.shape, dtype=bool), self.groups))
        return np.asarray((rows - self.mean) / self.deviation)


def standardise(values: Floats, labels: Sequence[Any] | None = None) -> Floats:
    """Z-score each row, then each column, of the divergences of all pairs; with labels, each label weighs the same.

    The diagonal (a text and itself) is mapped like the rest but enters no mean.

    >>> near_everybody = np.array([[0, 3, 4, 2], [3, 0, 4, 1], [6, 5, 0, 2], [6, 7, 5, 0]])  # the last text
    >>> standardise(near_everybody).round(1)[:3, 3].tolist()
    [1.4, -0.4, -1.0]
    """
    values, groups = _square(values), membership(labels, len(values))
    others = ~np.eye(len(values), dtype=bool)
    rows = _scale(values, *_moments(values, others, groups))
    mean, deviation = _moments(rows.T, others, groups)
    return np.asarray((rows - mean) / deviation)


def standardise_left_out(values: Floats, labels: Sequence[Any] | None = None) -> Floats:
    """Standardise every row as if its text were new: by the other texts alone, and by their labels alone.

    Row i equals `UsualDistances.of(values and labels without i).apply(row i)`, for all i at once: the terms of text i
    are subtracted from the sums, so that all rows cost a few matrix products. The diagonal is nan.
    """
    values, groups = _square(values), membership(labels, len(values))
    centred = values - values[~np.eye(len(values), dtype=bool)].mean()
    np.fill_diagonal(centred, 0.0)
    mean, deviation = _rows_without_one(centred, groups)
    usual, spread = _columns_without_one(centred, groups, 1 / deviation, -mean / deviation)
    own = _moments(centred, ~np.eye(len(values), dtype=bool), groups)
    out = (_scale(centred, *own) - usual) / spread
    np.fill_diagonal(out, np.nan)
    return np.asarray(out)


def membership(labels: Sequence[Any] | None, size: int) -> Floats:
    """Return texts × groups with 1 where a text belongs to a group; without labels all are one group."""
    if labels is None:
        return np.ones((size, 1))
    if len(labels) != size:
        raise OptionError(f"{len(labels)} labels for {size} texts: give one label each")
    numbers: dict[Any, int] = {}
    columns = [numbers.setdefault(label, len(numbers)) for label in labels]
    groups = np.zeros((size, len(numbers)))
    groups[np.arange(size), columns] = 1.0
    return groups


def _square(values: Floats) -> Floats:
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        raise OptionError(
            f"standardising needs the divergences of all pairs, a square matrix, not {values.shape}"
        )
    if len(values) < LEAST:
        raise EstimateError(
            f"standardising needs at least {LEAST} texts, not {len(values)}: give more texts, or do not standardise"
        )
    return values


def _scale(values: Floats, mean: Floats, deviation: Floats) -> Floats:
    return np.asarray((values - mean[:, None]) / deviation[:, None])


def _moments(values: Floats, counted: NDArray[np.bool_], groups: Floats) -> tuple[Floats, Floats]:
    """Return the mean and deviation of each row, where every group with a counted column weighs the same."""
    shift = values.mean(axis=1, keepdims=True)
    kept = np.where(counted, values - shift, 0.0)
    sizes = counted @ groups
    first, second = (_group_mean(kept**power @ groups, sizes) for power in (1, 2))
    return first + shift[:, 0], _deviation(first, second)


def moments(values: Floats, counted: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the mean and deviation of the counted values of each row."""
    return _moments(values, counted, np.ones((values.shape[1], 1)))


def _group_mean(sums: Floats, sizes: Floats) -> Floats:
    """Return the mean over groups of the mean within each; empty groups are left out."""
    within = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
    return np.asarray(within.sum(axis=1) / (sizes > 0).sum(axis=1))


def _deviation(first: Floats, second: Floats) -> Floats:
    """Return the root of E[x²] − E[x]²; 1 where all values are the same, up to rounding."""
    variance = second - first**2
    return np.sqrt(np.where(variance > 1e-9 * np.maximum(second, 1e-300), variance, 1.0))


def _rows_without_one(values: Floats, groups: Floats) -> tuple[Floats, Floats]:
    """Return at [k, i] the mean and deviation of row k over all columns but k and i."""
    sizes = groups.sum(axis=0) - groups
    group = groups.argmax(axis=1)
    moments = []
    for power in (values, values**2):
        sums = power @ groups
        within = np.divide(sums, sizes, out=np.zeros_like(sums), where=sizes > 0)
        left = sizes[:, group] - 1
        changed = np.divide(sums[:, group] - power, left, out=np.zeros_like(values), where=left > 0)
        number = (sizes > 0).sum(axis=1)[:, None] - (left <= 0)
        moments.append((within.sum(axis=1)[:, None] - within[:, group] + changed) / np.maximum(number, 1))
    return moments[0], _deviation(*moments)


def _columns_without_one(values: Floats, groups: Floats, a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return at [i, j] the mean and deviation over rows k (not i, not j) of a[k, i] · values[k, j] + b[k, i]."""
    a, b = a.copy(), b.copy()
    np.fill_diagonal(a, 0.0)
    np.fill_diagonal(b, 0.0)
    first, second, number = (np.zeros_like(values) for _ in range(3))
    others = 1.0 - np.eye(len(values))
    for g in groups.T:
        k = np.flatnonzero(g)
        size = len(k) - g[:, None] - g[None, :]
        some = size > 0
        x, c, d, here = values[k], a[k].T, b[k].T, others[k]
        total = c @ x + d @ here
        squares = c**2 @ x**2 + 2 * (c * d) @ x + d**2 @ here
        first += np.divide(total, size, out=np.zeros_like(total), where=some)
        second += np.divide(squares, size, out=np.zeros_like(total), where=some)
        number += some
    number = np.maximum(number, 1)
    return first / number, _deviation(first / number, second / number)
