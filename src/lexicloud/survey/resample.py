"""Uncertainty that respects people: the answers of one person hang together, so whole persons are resampled.

Intervals are percentiles of a bootstrap over participants, taken further out than 2.5 % where few people, or a few very
busy ones, carry the answers. The test flips the signs of whole persons. How often the intervals hold and the test
errs was measured: benchmarks/results/survey_calibration.json.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from lexicloud.result import Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DRAWS: Final = 4_000  # bootstrap samples
EXACT: Final = 12  # up to so many people all 2^n flips are counted out
FEWEST: Final = 6  # people; with fewer no interval is shown, because none of those tried held
LEVEL: Final = 0.95


@dataclass(frozen=True)
class Interval(Result):
    """A value and the ends of its 95 % interval; None where there are too few participants for one."""

    value: float
    low: float | None = None
    high: float | None = None


@lru_cache(maxsize=16)
def draw_people(people: int, seed: int, draws: int = DRAWS) -> Floats:
    """Return how often each participant is in each bootstrap sample (draws × people), not to be written to.

    One draw serves all statistics of a report: it takes longer than they do.
    """
    import numpy as np

    chance = np.random.default_rng(seed)
    drawn = chance.multinomial(people, np.full(people, 1 / people), size=draws).astype(float)
    drawn.flags.writeable = False
    return drawn


def ratio_interval(numerators: Floats, denominators: Floats, seed: int = 0, draws: int = DRAWS) -> Interval:
    """Return Σ numerators / Σ denominators over participants with its interval."""
    import numpy as np

    used = denominators > 0
    x, n = numerators[used], denominators[used]
    if not n.sum():
        return Interval(float("nan"))
    value = float(x.sum() / n.sum())
    if len(x) < FEWEST:
        return Interval(value)
    weights = draw_people(len(x), seed, draws)
    low, high = percentiles((weights @ x) / (weights @ n), n)
    return Interval(value, float(np.asarray(low)), float(np.asarray(high)))


def percentiles(samples: Floats, answers: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the interval of bootstrap samples (along the first axis).

    Percentiles of a small sample's bootstrap are too narrow. They are taken where a t interval would end (Hesterberg's
    expanded percentiles), with the degrees of freedom of the effective number of people, (Σ n)² / Σ n².
    """
    import numpy as np
    from scipy.special import ndtr, stdtrit

    people = int((answers > 0).sum())
    effective = effective_people(answers)
    reach = stdtrit(max(1.0, effective - 1), (1 + LEVEL) / 2) * np.sqrt(people / (people - 1))
    tail = float(ndtr(-reach))
    low, high = np.nanquantile(samples, [tail, 1 - tail], axis=0)
    return low, high


def effective_people(answers: Floats) -> float:
    """Return how many people with equally many answers would carry as much (Kish's effective size).

    >>> import numpy as np
    >>> effective_people(np.array([10.0, 10.0])), effective_people(np.array([100.0, 1.0])) < 1.1
    (2.0, True)
    """
    return float(answers.sum() ** 2 / (answers**2).sum())


def sign_flip(scores: Floats, seed: int = 0, draws: int = DRAWS) -> float:
    """Return the p-value of the hypothesis that participants' scores are symmetric around zero.

    `scores` is people × values. Without a preference a person's scores might as well have had the other sign. The
    statistic is the sum over people, squared, in units of its spread, summed over the values.
    """
    import numpy as np

    scores = np.asarray(scores, dtype=float).reshape(len(scores), -1)
    scores = scores[np.abs(scores).sum(axis=1) > 0]
    if not len(scores):
        return 1.0
    signs, exact = _signs(len(scores), seed, draws)
    spread = (scores**2).sum(axis=0)
    scores, spread = scores[:, spread > 0], spread[spread > 0]
    found = (scores.sum(axis=0) ** 2 / spread).sum()
    flipped = ((signs @ scores) ** 2 / spread).sum(axis=1)
    as_far = int((flipped >= found * (1 - 1e-9)).sum())
    return as_far / len(signs) if exact else (as_far + 1) / (len(signs) + 1)


@lru_cache(maxsize=16)
def _signs(people: int, seed: int, draws: int) -> tuple[Floats, bool]:
    import numpy as np

    if people <= EXACT:
        numbers = np.arange(2**people)[:, None] >> np.arange(people)
        return (1.0 - 2.0 * (numbers & 1)).astype(float), True
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(draws, people)), False


def holm(p_values: list[float]) -> list[float]:
    """Return p-values that allow for the number of tests (Holm's step-down method).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[i]))
        adjusted[i] = highest
    return adjusted
