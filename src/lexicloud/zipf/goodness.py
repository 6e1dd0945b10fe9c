"""Tests of the power law: is it plausible, and does another law fit the tail better?"""

from __future__ import annotations

import contextlib
import io
import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.progress import stage, track
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, chance, percent, signed
from lexicloud.zipf.power_law import LEAST_TAIL, PowerLaw, compressed, fit_power_law, tail_named
from lexicloud.zipf.ranks import descending_counts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from lexicloud.zipf.power_law import Interval, Source


T = TypeVar("T")


@dataclass(frozen=True)
class GoodnessOfFit(Result):
    """The test of a power law: how often samples of a true power law are farther from their fit than these words.

    A small `p_value` (below 0.1 in the article) rules the power law out; a large one does not prove it. `error` is the
    p-value's own standard error; `failed` samples had no fit and are left out.
    """

    p_value: float
    error: float
    distance: float
    alpha: float
    x_min: int
    samples: int
    failed: int
    seed: int

    @property
    def plausible(self) -> bool:
        """Whether the power law survives at the article's threshold of 0.1."""
        return self.p_value > 0.1

    def __str__(self) -> str:
        verdict = "a power law is plausible" if self.plausible else "a power law is ruled out"
        found = (
            f"p = {self.p_value:.3f} ± {self.error:.3f}" if self.p_value else f"p < {1 / self.samples:.3g}"
        )
        return f"{found} from {self.samples:,} samples: {verdict}"

    def blocks(self) -> list[Block]:
        """Return whether the power law can be kept, and the evidence."""
        verdict = "A power law can be kept for" if self.plausible else "A power law does not hold even for"
        said = f"{verdict} {tail_named(self.x_min)}."
        why = (
            f"Of {self.samples:,} samples of a true power law {percent(self.p_value)} lie as far from their own fit "
            f"(± {100 * self.error:.1f} points); below 10 % the law is ruled out."
        )
        return [Sentence(said, "answer"), Sentence(why, "sure")]


def goodness_of_fit(
    counts: Source | PowerLaw,
    *,
    samples: int = 1000,
    seed: int = 0,
    workers: int | None = None,
    x_min: int | None = None,
) -> GoodnessOfFit:
    """Return the semi-parametric bootstrap p-value of the power law.

    Each sample has as many words as the data, above x_min drawn from the fitted law, below it from the data. Each is
    fitted as the data were: x_min is found anew, unless it was given. Then the distances are compared. 1,000 samples
    give the p-value to about 0.015.

    >>> import numpy as np
    >>> from lexicloud.zipf import goodness_of_fit
    >>> goodness_of_fit(np.random.default_rng(1).zipf(2.5, 2000), samples=40).plausible
    True
    """
    ordered, law = _law_of(counts, x_min)
    x_min = law.x_min if law.x_min_given else None
    require_samples(samples)
    body = ordered[ordered < law.x_min].astype(np.float64)

    def one(rng: np.random.Generator) -> float:
        return _refit(semiparametric(law, body, rng), x_min)[1]

    distances = np.array(bootstrap(one, samples, seed, workers, "bootstrapping the power law"))
    kept = distances[np.isfinite(distances)]
    if not len(kept):
        raise OptionError(
            f"none of the {samples} samples could be fitted: give more words or an x_min below {law.x_min}"
        )
    p = float((kept >= law.distance).mean())
    # Laplace's (s + 1)/(n + 2) keeps the error above zero when all samples fall on one side.
    shrunk = (p * len(kept) + 1) / (len(kept) + 2)
    error = float(np.sqrt(shrunk * (1 - shrunk) / len(kept)))
    return GoodnessOfFit(p, error, law.distance, law.alpha, law.x_min, len(kept), samples - len(kept), seed)


def _law_of(counts: Source | PowerLaw, x_min: int | None) -> tuple[NDArray[np.int64], PowerLaw]:
    if isinstance(counts, PowerLaw):
        if x_min not in (None, counts.x_min):
            raise OptionError(
                f"the law is fitted from x_min = {counts.x_min}: give the counts to try {x_min}"
            )
        ordered = np.repeat(counts.values, counts.multiplicities.astype(np.int64))[::-1].astype(np.int64)
        return ordered, counts
    ordered = descending_counts(counts)
    return ordered, fit_power_law(ordered, x_min=x_min)


def require_samples(samples: int) -> None:
    """Refuse a bootstrap without samples."""
    if samples < 1:
        raise OptionError(f"a bootstrap needs at least one sample, not {samples}")


def semiparametric(law: PowerLaw, body: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw one data set that is like the observed one below x_min and follows a power law from there on."""
    from lexicloud.zipf.power_law_numba import draw

    n_tail = rng.binomial(law.words, law.n_tail / law.words)
    below = rng.choice(body, law.words - n_tail) if len(body) else np.zeros(0)
    # 1 − u lies in (0, 1]: a uniform of exactly 0 would be an infinite draw.
    tail = draw(1 - rng.random(n_tail if len(body) else law.words), law.alpha, float(law.x_min))
    return np.concatenate([below, tail])


def _refit(sample: NDArray[np.float64], x_min: int | None) -> tuple[float, float, float]:
    """Return (α, distance, x_min) of one sample; nan if it has no fit."""
    from lexicloud.errors import EstimateError
    from lexicloud.zipf.power_law import at_x_min
    from lexicloud.zipf.power_law_numba import fit_tail

    values, multiplicities = np.unique(sample, return_counts=True)
    weights = multiplicities.astype(np.float64)
    if x_min is None:
        place, alpha, distance = fit_tail(values, weights, float(LEAST_TAIL))
    else:
        try:
            place, alpha, distance = at_x_min(values, weights, x_min)
        except EstimateError:
            place = -1
    if place < 0:
        return float("nan"), float("nan"), float("nan")
    return float(alpha), float(distance), float(values[place])


def bootstrap_intervals(
    counts: NDArray[np.int64],
    samples: int,
    *,
    level: float,
    seed: int,
    workers: int | None,
    x_min: int | None,
) -> tuple[Interval, Interval]:
    """Return the bootstrap intervals of α and x_min: words drawn with replacement, the whole fit repeated."""
    require_samples(samples)
    values, multiplicities = compressed(counts)
    share = multiplicities / multiplicities.sum()

    def one(rng: np.random.Generator) -> tuple[float, float, float]:
        drawn = rng.multinomial(len(counts), share)
        return _refit(np.repeat(values, drawn), x_min)

    fits = np.array(bootstrap(one, samples, seed, workers, "bootstrapping intervals"))
    edges = [50 * (1 - level), 50 * (1 + level)]
    low, high = np.nanpercentile(fits[:, 0], edges)
    x_low, x_high = np.nanpercentile(fits[:, 2], edges)
    return (float(low), float(high)), (float(x_low), float(x_high))


def bootstrap(
    one: Callable[[np.random.Generator], T], samples: int, seed: int, workers: int | None, description: str
) -> list[T]:
    """Call `one` with a fresh generator for each sample, over threads, with a progress bar."""
    seeds = np.random.SeedSequence(seed).spawn(samples)
    workers = workers or os.cpu_count() or 1
    results: list[T] = []
    with stage(description, samples) as advance, ThreadPoolExecutor(workers) as pool:
        for result in pool.map(lambda s: one(np.random.default_rng(s)), seeds):
            results.append(result)
            advance()
    return results


# The truncated power law includes the power law, so its ratio is tested by χ²; for the others it is Vuong's test.
ALTERNATIVES: Final = {
    "lognormal": "lognormal",
    "exponential": "exponential",
    "truncated power law": "truncated_power_law",
    "stretched exponential": "stretched_exponential",
}
DEFAULT: Final = ("lognormal", "exponential", "truncated power law")


@dataclass(frozen=True)
class LawComparison(Result):
    """The power law against one alternative on the same tail.

    `ratio` is the normalised log-likelihood ratio: above 0 the power law fits better, below 0 the
    alternative. `p_value` is the chance of a ratio so far from 0 if neither were better; above 0.1 nothing
    is decided. `warning` is a warning of the package `powerlaw` about the alternative's fit (its optimiser stopped
    early, or at the edge of its range). A test that failed has nan and the reason in `failure`.
    """

    _derived = ("favoured",)

    alternative: str
    ratio: float
    p_value: float
    parameters: dict[str, float]
    warning: str | None = None
    failure: str | None = None

    @property
    def favoured(self) -> str:
        """Which law fits better, or `undecided`."""
        if self.failure or not self.p_value < 0.1:
            return "undecided"
        return "power law" if self.ratio > 0 else self.alternative

    def blocks(self) -> list[Block]:
        """Return which law fits the tail better."""
        return [Sentence(self.conclusion, "answer")]

    @property
    def conclusion(self) -> str:
        """Which law fits the tail better, in a sentence."""
        if self.failure:
            return f"Not compared with a {self.alternative}: {self.failure}."
        numbers = f"R = {signed(self.ratio)}, {chance(self.p_value)}"
        if self.favoured == "undecided":
            return f"Power law or {self.alternative}: nothing is decided ({numbers})."
        return f"Power law or {self.alternative}: the {self.favoured} fits the tail better ({numbers})."

    def __str__(self) -> str:
        if self.failure:
            return f"{self.alternative}: not tested ({self.failure})"
        warning = f" (powerlaw: {self.warning})" if self.warning else ""
        return f"{self.alternative}: R = {self.ratio:.2f}, {chance(self.p_value)}, {self.favoured}{warning}"


def compare_distributions(
    law: PowerLaw | Source, against: Sequence[str] = DEFAULT
) -> tuple[LawComparison, ...]:
    """Test the power law against other laws on its own tail.

    >>> import numpy as np
    >>> from lexicloud.zipf import compare_distributions, fit_power_law
    >>> law = fit_power_law(np.random.default_rng(0).zipf(2.2, 2000), x_min=1)
    >>> [test.favoured for test in compare_distributions(law, ["exponential"])]
    ['power law']
    """
    unknown = [name for name in against if name not in ALTERNATIVES]
    if unknown:
        raise OptionError(f"no alternative named {unknown[0]!r}; there are {', '.join(ALTERNATIVES)}")
    law = law if isinstance(law, PowerLaw) else fit_power_law(law)
    try:
        with _quiet():
            import powerlaw
    except ImportError:
        raise MissingExtra("comparing a power law with other laws", "zipf") from None
    with _quiet():
        fit = powerlaw.Fit(_data(law), discrete=True, xmin=law.x_min)
    return tuple(_compare(fit, name) for name in track(against, "testing other laws"))


def _data(law: PowerLaw) -> Any:
    return np.repeat(law.values, law.multiplicities.astype(np.int64))


def _compare(fit: Any, name: str) -> LawComparison:
    """Run one test without the package's prints; report its warnings and failures."""
    inside = ALTERNATIVES[name]
    with _quiet() as heard:
        try:
            ratio, p = fit.distribution_compare("power_law", inside, normalized_ratio=True)
            parameters = {key: float(value) for key, value in getattr(fit, inside).parameters.items()}
        except Exception as error:
            return _failed(name, f"{type(error).__name__}: {error}")
    if not np.isfinite([ratio, p]).all():
        return _failed(name, f"powerlaw returned R = {ratio}, p = {p}")
    said = {str(entry.message) for entry in heard if entry.filename.endswith("distributions.py")}
    return LawComparison(name, float(ratio), float(p), parameters, "; ".join(sorted(said)) or None)


def _failed(name: str, reason: str) -> LawComparison:
    return LawComparison(name, float("nan"), float("nan"), {}, failure=" ".join(reason.split()))


@contextlib.contextmanager
def _quiet() -> Iterator[list[warnings.WarningMessage]]:
    """Suppress the package's prints and warnings, and yield the warnings."""
    with (
        warnings.catch_warnings(record=True) as heard,
        np.errstate(all="ignore"),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        yield heard
