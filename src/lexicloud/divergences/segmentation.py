"""All change points of a table of rows in their order: what went before against what follows, at every place.
 With m₁ and m₂ the mean rows of up to W rows before and after a place, h = n₁n₂ / (n₁ + n₂) and x = (m₁ − m₂)
√h, the contrast is the mean over columns of min(x², 16): one column alone cannot make a change. In texts by
one hand it grows with about the 0.3th power of h, because words drift, so it is divided by that, and by a
limit that such texts seldom pass. The strongest place above the limit splits the rows, each part is searched
again, and in the end every change is placed anew between its neighbours.
 Limits and exponent were tuned on the books of half of the authors of a collection and measured on the other
half (`docs/numbers.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST: Final = 8  # rows on either side of a change: 2,000 tokens in blocks of 250
LIMITS: Final = (
    (32, 3.15),
    (64, 3.0),
)  # windows in rows, short for a middle part, long for a faint change; limit of each
EXPONENT: Final = 0.3
UNIT: Final = 0.125  # rows of 250 tokens in thousands of two: the limits are those of h = 2,000 tokens
LARGEST: Final = 16.0  # of a squared standardised difference: four deviations
# Quantiles of the strongest place in single-hand texts of 12,000 to 50,000 tokens, for `unlike`.
SINGLE_HAND: Final = (
    (0.0, 0.41),
    (0.25, 0.62),
    (0.5, 0.70),
    (0.8, 0.87),
    (0.9, 0.97),
    (0.93, 1.0),
    (0.95, 1.03),
    (0.99, 1.16),
    (1.0, 1.53),
)


@dataclass(frozen=True)
class Change(Result):
    """A change before row `row`: `strength` over the limit (above 1), and the share of single-hand texts
    without such a place.
    """

    row: int
    strength: float
    unlike: float


def scaled_blocks(counts: Floats) -> Floats:
    """Divide each column by the deviation between neighbouring rows.

    Unlike the deviation of the whole, it does not grow with the change that is looked for, and what comes in
    bursts (names, themes) weighs little. Half the variance of a Poisson count is the least, so that a column
    cannot explode.
    """
    variance = np.mean(np.diff(counts, axis=0) ** 2, axis=0) / 2
    floor = np.maximum(counts.mean(axis=0) / 2, 1e-12)
    return np.asarray(counts / np.sqrt(np.maximum(variance, floor)))


def contrast(
    rows: Floats, start: int, stop: int, *, least: int = LEAST, limits: Sequence[tuple[int, float]] = LIMITS
) -> tuple[NDArray[np.int64], Floats]:
    """Return the places between `start` and `stop` with `least` rows on either side, and the strength of a
    change at each.
    """
    places, by_window = _differences(rows, start, stop, least, [window for window, _ in limits])
    strengths = [
        np.minimum(x**2, LARGEST).mean(axis=1) / (limit * (h * UNIT) ** EXPONENT)
        for (x, h), (_, limit) in zip(by_window, limits, strict=True)
    ]
    return places, np.max(strengths, axis=0)


def _differences(
    rows: Floats, start: int, stop: int, least: int, windows: Sequence[int]
) -> tuple[NDArray[np.int64], list[tuple[Floats, Floats]]]:
    """Return the places, and for each window x (places × columns) and h."""
    sums = np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows[start:stop], axis=0)])
    size = stop - start
    places, found = np.arange(least, size - least + 1), []
    for window in windows:
        first, last = np.maximum(places - window, 0), np.minimum(places + window, size)
        before, after = (places - first)[:, None], (last - places)[:, None]
        h = before * after / (before + after)
        difference = (sums[places] - sums[first]) / before - (sums[last] - sums[places]) / after
        found.append((difference * np.sqrt(h), h[:, 0]))
    return start + places, found


def segment(
    rows: Floats, *, least: int = LEAST, limits: Sequence[tuple[int, float]] = LIMITS
) -> tuple[Change, ...]:
    """Return all changes along rows whose columns have unit noise between neighbours (`scaled_blocks`), none
    if there is none.

    >>> rng = np.random.default_rng(0)
    >>> rows = rng.normal(size=(60, 20))
    >>> segment(rows)
    ()
    >>> rows[25:] += 2
    >>> [change.row for change in segment(rows)]
    [25]
    """
    found: list[int] = []
    todo = [(0, len(rows))]
    while todo:
        start, stop = todo.pop()
        place, strength = _strongest(rows, start, stop, least, limits)
        if strength > 1:
            found.append(place)
            todo += [(start, place), (place, stop)]
    return _settled(rows, sorted(found), least, limits)


def _strongest(
    rows: Floats, start: int, stop: int, least: int, limits: Sequence[tuple[int, float]]
) -> tuple[int, float]:
    """Return where a change is most likely, and the greatest strength.

    The place is where |x| is greatest on average among the places above the limit: the capped contrast of a
    sharp change is flat around it.
    """
    if stop - start < 2 * least:
        return start, 0.0
    places, strength = contrast(rows, start, stop, least=least, limits=limits)
    _, ((x, _),) = _differences(rows, start, stop, least, [limits[-1][0]])
    size = np.where(strength > min(1.0, strength.max() * 0.999), np.abs(x).mean(axis=1), -1.0)
    return int(places[size.argmax()]), float(strength.max())


def _settled(
    rows: Floats, found: list[int], least: int, limits: Sequence[tuple[int, float]]
) -> tuple[Change, ...]:
    """Place each change anew between its neighbours, and drop the weakest until all pass the limit."""
    while found:
        edges = [0, *found, len(rows)]
        again = [_strongest(rows, edges[i], edges[i + 2], least, limits) for i in range(len(found))]
        weakest = min(range(len(again)), key=lambda i: again[i][1])
        if again[weakest][1] > 1:
            return tuple(Change(place, strength, _unlike(strength)) for place, strength in again)
        found = [place for i, (place, _) in enumerate(again) if i != weakest]
    return ()


def _unlike(strength: float) -> float:
    shares, quantiles = zip(*SINGLE_HAND, strict=True)
    return float(np.interp(strength, quantiles, shares))
