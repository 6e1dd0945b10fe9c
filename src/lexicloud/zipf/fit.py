"""Fit Zipf's law to counts: the paper's line, the plain law and the Zipf–Mandelbrot law."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Facts, Sentence, chance, signed
from lexicloud.zipf.mandelbrot import Maximum, Runs, maximise_mandelbrot, maximise_zipf, rank_nodes
from lexicloud.zipf.ranks import (
    RankFrequency,
    checked_counts,
    descending_counts,
    log_log_line,
    require_spread,
)
from lexicloud.zipf.reranking import undo_sorting

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Interval = tuple[float, float]

Ranking = Literal["sorted", "split", "given", "plain"]
RANKINGS: Final = {
    "sorted": "ranks come from the counts themselves; α and β are corrected for the sorting and for unseen words",
    "split": "ranks come from one binomial half of the tokens and counts from the other",
    "given": "the order of the counts is taken as their true rank",
    "plain": "ranks come from the counts themselves, uncorrected: intervals are too narrow and α, β biased",
}
_NAN: Final = float("nan")
# Three parameters (α, β, R) need a few more ranks than parameters.
LEAST_WORDS: Final = 5
# Over 600 samples of six plain laws, the deviation of log(1 + β) was this many times its standard error.
UNDERSTATED: Final = 1.05
# Whole books and corpora of English have α between about 0.9 and 1.2.
CLOSE_TO_ONE: Final = 0.2
# A plain law with a larger p-value is kept.
KEPT: Final = 0.05


@dataclass(frozen=True)
class ZipfFit(Result):
    """Zipf's law of some counts: count(r) = c · (r + β)^−α over `ranks` ranks.

    `slope` is the least-squares slope of log count on log rank, as in the paper. It is biased as an estimate of −α and
    its interval is too narrow, because the flat steps of rare words pull at the line and sorted points are not
    independent. `alpha` and `beta` are maximum-likelihood estimates. `ranking` says what was done about ranks that come
    from the counts themselves; `uncorrected` has (α, β) without it. `zipf_alpha` is the plain law's (β = 0,
    uncorrected).

    Intervals assume that tokens are independent draws from the law, and are right for such draws. But words of a text
    come in themes, and passages of one book differ three times as much (`docs/numbers-measured.md`), so `conclusion`
    leaves the intervals out. A fit that found no maximum has `converged` False, nan for its values, and the
    reason in `failure`.
    """

    _derived = ("converged", "method", "aic", "zipf_aic", "likelihood_ratio", "p_value")

    slope: float
    slope_interval: Interval
    intercept: float
    r_squared: float
    alpha: float
    alpha_interval: Interval
    beta: float
    beta_interval: Interval
    c: float
    ranks: float
    zipf_alpha: float
    zipf_interval: Interval
    log_likelihood: float
    zipf_log_likelihood: float
    uncorrected: tuple[float, float]
    words: int
    tokens: int
    ranking: str
    level: float
    seed: int | None
    failure: str | None = None

    @property
    def converged(self) -> bool:
        """Whether a maximum was found."""
        return self.failure is None

    @property
    def method(self) -> str:
        """How `alpha` and `beta` were estimated."""
        return f"maximum likelihood, Zipf–Mandelbrot; {RANKINGS[self.ranking]}"

    @property
    def aic(self) -> float:
        """Akaike's criterion of the Zipf–Mandelbrot law on these ranks.

        If ranks come from the counts, sorting alone makes it lower than `zipf_aic`: use `p_value` instead.
        """
        return 4 - 2 * self.log_likelihood

    @property
    def zipf_aic(self) -> float:
        """Akaike's criterion of the plain law."""
        return 2 - 2 * self.zipf_log_likelihood

    @property
    def likelihood_ratio(self) -> float:
        """Twice the gain in log likelihood of β ≠ 0 over the plain law, on these ranks (see `aic`)."""
        return 2 * (self.log_likelihood - self.zipf_log_likelihood)

    @property
    def p_value(self) -> float:
        """The chance of a β so far from 0 if the plain law held.

        If ranks are given or split off, it follows from the gain in likelihood (χ², one degree of freedom); if they are
        sorted, from the corrected β and its standard error (`docs/numbers-measured.md` has the rejection rates).
        Uncorrected ranks have no such test: nan.
        """
        from scipy.special import chdtrc, ndtr, ndtri

        if self.ranking == "plain" or not self.converged:
            return _NAN
        if self.ranking != "sorted":
            return float(chdtrc(1, self.likelihood_ratio))
        with np.errstate(divide="ignore"):  # an interval that reaches −1 says nothing about β
            half = np.log1p(self.beta) - np.log1p(self.beta_interval[0])
        error = UNDERSTATED * half / ndtri((1 + self.level) / 2)
        return float(2 * ndtr(-abs(np.log1p(self.beta)) / error))

    def predict(self, ranks: Any) -> NDArray[np.float64]:
        """Return the counts that the Zipf–Mandelbrot law expects at some ranks."""
        return np.asarray(self.c * (np.asarray(ranks, dtype=np.float64) + self.beta) ** -self.alpha)

    def line(self, ranks: Any) -> NDArray[np.float64]:
        """Return the counts on the least-squares line at some ranks."""
        return np.asarray(10**self.intercept * np.asarray(ranks, dtype=np.float64) ** self.slope)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the fitted law and the least-squares line on logarithmic scales."""
        from lexicloud.zipf.zipf_plots import plot_fit

        return plot_fit(self, ax)

    def __str__(self) -> str:
        line = f"slope {self.slope:.3f} (least squares)"
        if not self.converged:
            return f"{line}; Zipf–Mandelbrot did not converge: {self.failure}"
        return f"{line}; α {self.alpha:.3f}, β {self.beta:.2f}"

    @property
    def conclusion(self) -> str:
        """How fast counts fall with rank, compared with Zipf's law."""
        said = f"The counts of {self.words:,} words fall with their rank"
        if not self.converged:
            return f"{said} with a least-squares slope of {signed(self.slope)}, where Zipf’s law has −1."
        alpha = f"α = {self.alpha:.2f}, where the law has 1."
        if abs(self.alpha - 1) <= CLOSE_TO_ONE:
            return f"{said} as Zipf’s law says: {alpha}"
        return f"{said} {'faster' if self.alpha > 1 else 'more slowly'} than Zipf’s law says: {alpha}"

    def blocks(self) -> list[Block]:
        """Return how near the counts are to Zipf's law, whether the plain law is enough, and the numbers."""
        found: list[Block] = [Sentence(self.conclusion, "answer")]
        found += [Sentence(text, "sure") for text in self._doubts()]
        return [*found, Facts(tuple(self._facts()))]

    def _doubts(self) -> Iterator[str]:
        if not self.converged:
            yield f"The Zipf–Mandelbrot law could not be fitted: {self.failure}."
            return
        if np.isfinite(self.p_value):
            verdict = "fits as well" if self.p_value > KEPT else "does not fit as well"
            yield f"The plain law, without Mandelbrot’s shift β, {verdict} ({chance(self.p_value)})."
        yield f"Intervals ({self.level:.0%}) assume that tokens are drawn one by one; passages of one text differ more."

    def _facts(self) -> Iterator[tuple[str, str]]:
        yield "least-squares slope", _shown(self.slope, self.slope_interval)
        if self.converged:
            yield "Zipf–Mandelbrot α", _shown(self.alpha, self.alpha_interval)
            yield "Zipf–Mandelbrot β", _shown(self.beta, self.beta_interval)
            yield "c", f"{self.c:,.1f}"
            yield "ranks of the law", f"{self.ranks:,.0f}"
        yield "uncorrected α, β", f"{signed(self.uncorrected[0], 3)}, {signed(self.uncorrected[1], 3)}"
        yield "plain Zipf α", _shown(self.zipf_alpha, self.zipf_interval)
        yield "words, tokens", f"{self.words:,}, {self.tokens:,}"
        yield "method", self.method


def _shown(value: float, interval: Interval) -> str:
    return f"{signed(value, 3)} ({signed(interval[0], 3)} to {signed(interval[1], 3)})"


def fit_zipf(
    counts: Corpus | RankFrequency | Mapping[str, int] | Iterable[int],
    *,
    ranking: Ranking = "sorted",
    split: bool = False,
    level: float = 0.95,
    seed: int = 0,
) -> ZipfFit:
    """Fit Zipf's law to counts: an array, a mapping from words, a corpus (without punctuation) or its ranks.

    Ranks that come from the same counts bias the fit (Piantadosi 2014), and so do missing words that were not drawn.
    `ranking="sorted"` corrects both (see `lexicloud.zipf.reranking`): its intervals hold the true α and β of synthetic
    samples at their stated level. `split=True` (`ranking="split"`) takes the ranks from one random half of the tokens
    and the counts from the other, as Piantadosi proposes: noise is not sorted, but words unseen in the first half are
    missing. `ranking="given"` takes the order of the counts as their rank, known from elsewhere; zeros then count.
    `ranking="plain"` corrects nothing. `seed` matters only for the split.

    >>> import numpy as np, lexicloud as lc
    >>> law = (np.arange(1, 5001) + 2.7) ** -1.1
    >>> counts = np.random.default_rng(0).multinomial(50_000, law / law.sum())
    >>> fit = lc.fit_zipf(counts)
    >>> fit.alpha_interval[0] < 1.1 < fit.alpha_interval[1], fit.beta_interval[0] < 2.7 < fit.beta_interval[1]
    (True, True)
    >>> lc.fit_zipf(counts, ranking="plain").alpha < 1.09   # what sorting alone does
    True
    """
    ranking = "split" if split else ranking
    if ranking not in RANKINGS:
        raise OptionError(f"ranking {ranking!r} is not one of {', '.join(RANKINGS)}")
    if not 0 < level < 1:
        raise OptionError(f"level is a probability between 0 and 1, such as 0.95, not {level}")
    whole = descending_counts(counts)
    require_spread(whole, LEAST_WORDS, "Zipf's law")
    by_rank = _by_rank(counts, whole, ranking, np.random.default_rng(seed))
    runs = Runs.of(by_rank)
    line, plain, mandelbrot = log_log_line(whole, level), maximise_zipf(runs), maximise_mandelbrot(runs)
    estimate = _estimate(runs, mandelbrot, ranking, level)
    return ZipfFit(
        slope=line.slope,
        slope_interval=line.interval,
        intercept=line.intercept,
        r_squared=line.r_squared,
        **estimate,
        zipf_alpha=plain.alpha,
        zipf_interval=_around(plain.alpha, plain.covariance[0, 0], level),
        log_likelihood=mandelbrot.log_likelihood,
        zipf_log_likelihood=plain.log_likelihood,
        uncorrected=(mandelbrot.alpha, mandelbrot.beta),
        words=len(whole),
        tokens=int(whole.sum()),
        ranking=ranking,
        level=level,
        seed=seed if ranking == "split" else None,
    )


def _by_rank(
    counts: Any, whole: NDArray[np.int64], ranking: str, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the counts in the order of their ranks."""
    if ranking == "given":
        given = counts.values() if isinstance(counts, Mapping) else counts
        return (
            whole if hasattr(counts, "stream") or isinstance(counts, RankFrequency) else checked_counts(given)
        )
    return _split(whole, rng) if ranking == "split" else whole


def _split(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Rank words by a binomial half of their tokens, ties at random, and return their counts in the other half."""
    ranking = rng.binomial(counts, 0.5)
    kept = np.flatnonzero(ranking)
    if len(kept) < LEAST_WORDS:
        raise EstimateError(
            f"one half of the {counts.sum()} tokens holds {len(kept)} words, and {LEAST_WORDS} are needed: do not split"
        )
    order = kept[np.lexsort((rng.random(len(kept)), -ranking[kept]))]
    halves = counts - ranking
    require_spread(np.sort(halves[order])[::-1], LEAST_WORDS, "Zipf's law of a half")
    return halves[order]


def _estimate(runs: Runs, plain: Maximum, ranking: str, level: float) -> dict[str, Any]:
    """Return α, β, c, R with intervals, corrected if asked; nan, with the reason, if there is no answer."""
    failure, ranks = plain.failure, float(runs.ranks)
    theta, covariance = np.array([plain.alpha, np.log1p(plain.beta)]), plain.covariance
    if ranking == "sorted" and not failure:
        corrected = undo_sorting(runs, plain)
        theta, covariance, failure = corrected.theta[:2], corrected.covariance, corrected.failure
        ranks = float(np.exp(corrected.theta[2]))
    if failure:
        nothing = (_NAN, _NAN)
        empty = dict.fromkeys(("alpha", "beta", "c", "ranks"), _NAN)
        return {**empty, "alpha_interval": nothing, "beta_interval": nothing, "failure": failure}
    alpha, beta = float(theta[0]), float(np.expm1(theta[1]))
    with np.errstate(over="ignore"):  # if the counts hardly determine β, its interval has no upper end
        low, high = (float(np.expm1(end)) for end in _around(float(theta[1]), covariance[1, 1], level))
    return {
        "alpha": alpha,
        "alpha_interval": _around(alpha, covariance[0, 0], level),
        "beta": beta,
        "beta_interval": (low, high),
        "c": runs.tokens / _normaliser(alpha, beta, ranks),
        "ranks": ranks,
    }


def _normaliser(alpha: float, beta: float, ranks: float) -> float:
    nodes, weights = rank_nodes(round(ranks))
    return float((weights * (nodes + beta) ** -alpha).sum())


def _around(value: float, variance: float, level: float) -> Interval:
    from scipy.special import ndtri

    half = float(ndtri((1 + level) / 2) * np.sqrt(variance))
    return value - half, value + half
