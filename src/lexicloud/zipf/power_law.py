"""The power law of word frequencies, after Clauset, Shalizi and Newman (2009).

The share of words that occur x times is p(x) = x^−α / ζ(α, x_min) from some x_min on. α is the exact discrete
maximum-likelihood estimate; x_min is the value whose tail is nearest to its fitted law (Kolmogorov–Smirnov). This α
belongs to frequencies, not ranks: for an ideal Zipf law of exponent a over ranks it is 1 + 1/a.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, percent
from lexicloud.zipf.ranks import descending_counts, require_spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.zipf.ranks import RankFrequency

    Source = Corpus | RankFrequency | Mapping[str, int] | Iterable[int]
    Interval = tuple[float, float]

# Three distinct values leave two candidates for x_min.
LEAST_VALUES: Final = 3
# The least number of words in a tail: with fewer, α is noise (its relative error is about 1/√n).
LEAST_TAIL: Final = 10


@dataclass(frozen=True, eq=False)
class PowerLaw(Result):
    """A power law fitted to the tail of word frequencies.

    `sigma` is α's standard error at this x_min, from the likelihood's curvature. `alpha_interval` follows from it,
    unless bootstrap `samples` were asked for; these also let x_min vary and give `x_min_interval`. `x_min_given` tells
    whether x_min was given and not found.
    """

    _left_out = ("values", "multiplicities")
    _derived = ("log_likelihood",)

    alpha: float
    sigma: float
    x_min: int
    n_tail: int
    distance: float
    words: int
    tokens: int
    alpha_interval: Interval
    x_min_interval: Interval | None
    values: NDArray[np.float64]
    multiplicities: NDArray[np.float64]
    level: float = 0.95
    samples: int = 0
    seed: int | None = None
    x_min_given: bool = False

    @property
    def converged(self) -> bool:
        """Always true, because a fit that fails raises an error; figures need it for every kind of fit."""
        return bool(np.isfinite(self.alpha))

    @cached_property
    def log_likelihood(self) -> float:
        """The log likelihood of the tail."""
        inside = self.values >= self.x_min
        logs = float((self.multiplicities * np.log(self.values / self.x_min))[inside].sum())
        from lexicloud.zipf.power_law_numba import tail

        x_min = float(self.x_min)
        return -self.alpha * logs - self.n_tail * float(np.log(tail(self.alpha, x_min, x_min)))

    def survival(self, x: Any) -> NDArray[np.float64]:
        """Return P(X ≥ x) for the tail."""
        from lexicloud.zipf.power_law_numba import tail

        x_min = float(self.x_min)
        whole = tail(self.alpha, x_min, x_min)
        return np.array([tail(self.alpha, float(v), x_min) / whole for v in np.atleast_1d(x)])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of words that occur at least so often, with the fitted tail."""
        from lexicloud.zipf.zipf_plots import plot_power_law

        return plot_power_law(self, ax)

    def __repr__(self) -> str:
        low, high = self.alpha_interval
        words = f"{self.n_tail:,} of {self.words:,} words"
        return f"<PowerLaw α = {self.alpha:.3f} ({low:.3f} to {high:.3f}) from x_min = {self.x_min}, {words}>"

    def blocks(self) -> list[Block]:
        """Return which words follow the power law best, and the exponent."""
        share = f" ({percent(self.n_tail / self.words)} of the vocabulary)" if self.x_min > 1 else ""
        said = f"{tail_named(self.x_min)}{share} come nearest to a power law, with α = {self.alpha:.2f}."
        said = f"{said[0].upper()}{said[1:]}"
        low, high = self.alpha_interval
        alt = "The share of words that occur at least so often, on logarithmic scales, and the fitted tail."
        return [
            Sentence(said, "answer"),
            Figure("power_law", alt, self.plot, "How many words occur at least so often"),
            Facts(
                (
                    ("α", f"{self.alpha:.3f} ({low:.3f} to {high:.3f})"),
                    ("words in the tail", f"{self.n_tail:,} of {self.words:,}"),
                    ("Kolmogorov–Smirnov distance", f"{self.distance:.4f}"),
                )
            ),
        ]


def tail_named(x_min: int) -> str:
    """Return a name for the words of a tail.

    >>> tail_named(1), tail_named(20)
    ('all words', 'words that occur at least 20 times')
    """
    return "all words" if x_min == 1 else f"words that occur at least {x_min:,} times"


def compressed(counts: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distinct counts, ascending, and how many words have each."""
    values, multiplicities = np.unique(counts, return_counts=True)
    return values.astype(np.float64), multiplicities.astype(np.float64)


def fit_power_law(
    counts: Source,
    *,
    x_min: int | None = None,
    samples: int = 0,
    level: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> PowerLaw:
    """Fit Clauset, Shalizi and Newman's discrete power law to word frequencies.

    `x_min=None` finds x_min. `samples` > 0 gives bootstrap intervals of α and x_min (words are drawn with replacement,
    and x_min is found anew).

    >>> import numpy as np
    >>> from lexicloud.zipf import fit_power_law
    >>> law = fit_power_law(np.random.default_rng(0).zipf(2.2, 5000))
    >>> abs(law.alpha - 2.2) < 3 * law.sigma
    True
    """
    ordered = descending_counts(counts)
    values, multiplicities = _checked(ordered, x_min)
    place, alpha, distance = _best(values, multiplicities, x_min)
    n_tail = int(multiplicities[place:].sum())
    start = x_min or int(values[place])
    sigma = standard_error(alpha, float(start), n_tail)
    intervals: tuple[Interval, Interval | None] = (_normal(alpha, sigma, level), None)
    if samples:
        from lexicloud.zipf.goodness import bootstrap_intervals

        intervals = bootstrap_intervals(
            ordered, samples, level=level, seed=seed, workers=workers, x_min=x_min
        )
    return PowerLaw(
        alpha=alpha,
        sigma=sigma,
        x_min=start,
        n_tail=n_tail,
        distance=distance,
        words=len(ordered),
        tokens=int(ordered.sum()),
        alpha_interval=intervals[0],
        x_min_interval=intervals[1],
        values=values,
        multiplicities=multiplicities,
        level=level,
        samples=samples,
        seed=seed if samples else None,
        x_min_given=x_min is not None,
    )


def _checked(counts: NDArray[np.int64], x_min: int | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    require_spread(counts, LEAST_TAIL, "a power law")
    values, multiplicities = compressed(counts)
    if x_min is None and len(values) < LEAST_VALUES:
        raise EstimateError(
            f"finding x_min needs {LEAST_VALUES} distinct counts, and there are {len(values)}: give x_min"
        )
    if x_min is not None and x_min < 1:
        raise OptionError(f"x_min is at least 1, not {x_min}")
    if x_min is not None and x_min >= values[-1]:
        raise EstimateError(f"x_min = {x_min} leaves no spread: the largest count is {values[-1]:.0f}")
    return values, multiplicities


def _best(
    values: NDArray[np.float64], multiplicities: NDArray[np.float64], x_min: int | None
) -> tuple[int, float, float]:
    """Return the place of x_min among the values, α and the distance."""
    from lexicloud.zipf.power_law_numba import fit_tail

    if x_min is not None:
        return at_x_min(values, multiplicities, x_min)
    place, alpha, distance = fit_tail(values, multiplicities, float(LEAST_TAIL))
    if place < 0:
        words = int(multiplicities.sum())
        raise EstimateError(
            f"no x_min gives a power law with 1 < α < 100 for these {words} words: the fit did not converge"
        )
    return int(place), float(alpha), float(distance)


def at_x_min(
    values: NDArray[np.float64], multiplicities: NDArray[np.float64], x_min: int
) -> tuple[int, float, float]:
    """Return the place, α and distance of the tail from a given x_min."""
    from lexicloud.zipf.power_law_numba import distance, exponent

    place = int(np.searchsorted(values, x_min))
    tail_values, tail_counts = values[place:], multiplicities[place:]
    mean_log = float((tail_counts * np.log(tail_values / x_min)).sum() / tail_counts.sum())
    alpha = exponent(mean_log, float(x_min), 2.0)
    if not np.isfinite(alpha):
        raise EstimateError(
            f"no 1 < α < 100 fits the {int(tail_counts.sum())} words with counts from {x_min}: the fit did not converge"
        )
    above = np.cumsum(tail_counts[::-1])[::-1]
    return place, float(alpha), float(distance(tail_values, above, 0, alpha, np.inf))


def standard_error(alpha: float, x_min: float, n: int) -> float:
    """Return 1/√(n Var log X), from the curvature of the likelihood at its maximum (equation 3.6 of the article)."""
    from lexicloud.zipf.power_law_numba import zeta

    z, z1, z2 = zeta(alpha, x_min, x_min)
    return float(1 / np.sqrt(n * (z2 / z - (z1 / z) ** 2)))


def _normal(value: float, sigma: float, level: float) -> Interval:
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2)) * sigma
    return value - half, value + half
