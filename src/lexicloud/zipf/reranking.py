"""Correct a fit of Zipf's law for the sorting of counts and for unseen words.

Ranks come from the same counts that they explain, and rare words are missing. Both change the ranked counts: plain
maximum likelihood finds α = 0.976, β = 2.35 with a standard error of 0.002 in 100,000 tokens of a law with α = 1,
β = 2.7 over 20,000 words. So we solve for the law (α, β and its number of ranks R) whose *expected* sorted counts have
the observed statistics: S = Σ n_(r) log(r + b) and S₁ = Σ n_(r) / (r + b), both at the plain estimate b, where they are
its score, and V, the number of words seen. (Indirect inference: Gouriéroux, Monfort and Renault 1993.)

With Poisson counts n_r of mean λ_r, the expected number of words seen k times or more is ρ(k) = Σ_r P(n_r ≥ k), and
the sorted counts are the inverse function of ρ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import digamma, gammainc, gammaln

from lexicloud.zipf.mandelbrot import FEW, Maximum, Runs, rank_nodes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SMALL: Final = 64  # counts up to here are summed one by one; above, in steps of about 3 %
_STEP: Final = 1.03
_ORDER: Final = 160  # P(n ≥ k) falls from 1 to 0 over 1/√k of log r: 160 points are enough for k = 64
_MOST: Final = float(np.log(1e12))  # the largest log R: more words than any language has
_LEAST: Final = 1e-250  # the least λ, relative to the first, so that its logarithm exists
# α, log(1 + β) and log R stay between these.
_LOWEST: Final = np.array([0.01, -12.0, float(np.log(2))])
_HIGHEST: Final = np.array([60.0, 30.0, _MOST])
# With so many tokens, 85 to 98 % of the 95 % intervals hold the truth (four laws, 200 samples); with 500 only 54 %.
LEAST_TOKENS: Final = 1000
_STEPS: Final = 40
_CHANGE: Final = 1e-6  # the change of θ by which slopes are measured
_CLOSE: Final = 1e-8  # a search ends with a step this small
_WORST_CONDITION: Final = 1e8  # with a larger condition number, rounding errors decide the step
_EVERY = np.arange(_SMALL + 1.0)[:, None]
_LOG_FACTORIALS = gammaln(_EVERY + 1)


@dataclass(frozen=True)
class Corrected:
    """The corrected law: θ = (α, log(1 + β), log R) with its covariance, or the reason why there is none."""

    theta: Floats
    covariance: Floats
    failure: str | None = None


@dataclass(frozen=True)
class _Levels:
    """Blocks of counts (middle and width), and the number of ranks above them, where sorting changes nothing.

    They are fixed before the search, so that its equations are smooth.
    """

    middles: Floats
    widths: Floats
    head: int

    @classmethod
    def of(cls, runs: Runs, plain: Maximum) -> _Levels:
        """Choose blocks up to the count above which neighbouring ranks are three standard deviations apart."""
        spread = plain.alpha * np.sqrt(runs.value) < 3 * (runs.first + plain.beta)
        top = float(runs.value[spread].max(initial=1.0))
        steps = int(np.ceil(np.log(max((top + 5 * top**0.5) / _SMALL, 1.0)) / np.log(_STEP)))
        edges = np.unique(np.round(_SMALL * _STEP ** np.arange(steps + 1)))
        middles = np.concatenate([np.arange(1.0, _SMALL + 1), (edges[:-1] + 1 + edges[1:]) / 2])
        head = int(runs.last[runs.value > edges[-1]].max(initial=0))
        return cls(middles, np.concatenate([np.ones(_SMALL), np.diff(edges)]), head)


@dataclass(frozen=True)
class _Law:
    """The mean counts λ of a law at its nodes, and ρ(k) at the levels of k."""

    nodes: Floats
    weights: Floats
    means: Floats
    head: Floats  # λ at the ranks above all levels
    pmf: Floats
    rho: Floats

    @classmethod
    def of(cls, theta: Floats, tokens: float, levels: _Levels) -> _Law:
        alpha, beta = theta[0], np.expm1(theta[1])
        nodes, weights = smooth_rank_nodes(float(np.exp(theta[2])))
        ratios = np.maximum(np.exp(-alpha * np.log((nodes + beta) / (1 + beta))), _LEAST)
        first = tokens / (weights * ratios).sum()
        means = first * ratios
        head = first * ((np.arange(1.0, levels.head + 1) + beta) / (1 + beta)) ** -alpha
        pmf = np.exp(_EVERY * np.log(means) - means - _LOG_FACTORIALS)
        # Summed from the small end: most of a billion ranks have a chance of 1e-12, which would be lost in 1 − P(n <
        # k).
        beyond = _tails(np.array([_SMALL + 1.0]), means)
        small = np.cumsum(np.vstack([beyond, pmf[:0:-1]]), axis=0)[:0:-1]
        rho = (np.vstack([small, _tails(levels.middles[_SMALL:], means)]) * weights).sum(axis=1)
        return cls(nodes, weights, means, head, pmf, rho)


def smooth_rank_nodes(ranks: float) -> tuple[Floats, Floats]:
    """Return nodes as `rank_nodes` does, for a number of ranks that need not be whole."""
    whole = int(ranks)
    if whole <= FEW:
        return np.arange(1.0, whole + 2), np.append(np.ones(whole), ranks - whole)
    return rank_nodes(ranks, _ORDER)


def _tails(levels: Floats, means: Floats) -> Floats:
    """Return P(n ≥ k) for Poisson n, computed only where it is clearly neither 0 nor 1."""
    k, mean = np.broadcast_arrays(levels[:, None], means)
    tails = (mean > k).astype(np.float64)
    near = np.abs(mean - k) < 8 * np.sqrt(k)
    tails[near] = gammainc(k[near], mean[near])
    return tails


def _expected(law: _Law, levels: _Levels, tokens: float, b: float) -> Floats:
    """Return the expected (S, S₁, V) of the sorted counts."""
    head = levels.head
    ranks = np.arange(1.0, head + 1) + b
    last = np.maximum(law.rho, head)
    S = (law.head * np.log(ranks)).sum() + (
        levels.widths * (gammaln(last + 1 + b) - gammaln(head + 1 + b))
    ).sum()
    S1 = (law.head / ranks).sum() + (levels.widths * (digamma(last + 1 + b) - digamma(head + 1 + b))).sum()
    total = law.head.sum() + (levels.widths * (last - head)).sum()
    return np.array([S * tokens / total, S1 * tokens / total, law.rho[0]])


def _covariance(law: _Law, b: float) -> Floats:
    """Return the covariance of (S, S₁, V) given N.

    To first order each statistic is a sum over words of H(n) = Σ_{k ≤ n} h(k), with h = log(ρ(k) + b), 1/(ρ(k) + b), [k
    = 1]. The terms are independent; their dependence on N is then projected out.
    """
    rho = np.maximum(law.rho[:_SMALL], 1.0)  # sorted counts begin at rank 1
    steps = np.vstack([np.log(rho + b), 1 / (rho + b), np.arange(_SMALL) == 0, np.ones(_SMALL)])
    H = np.hstack([np.zeros((4, 1)), np.cumsum(steps, axis=1)])
    rare = law.means < _SMALL / 2
    pmf, w = law.pmf[:, rare], law.weights[rare]
    mean = H @ pmf
    C = (H * (pmf * w).sum(axis=1)) @ H.T - (mean * w) @ mean.T
    x = law.nodes[~rare] + b
    slopes = np.vstack([np.log(x), 1 / x, np.zeros(len(x)), np.ones(len(x))])
    C += (slopes * (law.weights * law.means)[~rare]) @ slopes.T
    return np.asarray(C[:3, :3] - np.outer(C[:3, 3], C[:3, 3]) / C[3, 3])


def undo_sorting(runs: Runs, plain: Maximum) -> Corrected:
    """Find the law whose expected sorted counts have the statistics of these.

    If no finite number of ranks explains as many words as were seen (α well above 1), R is set to its largest value.
    """
    if runs.tokens < LEAST_TOKENS:
        return _unsolved(
            f"{runs.tokens:,.0f} tokens are too few to tell what sorting did to the counts; {LEAST_TOKENS:,} are needed"
        )
    search = _Search(runs, plain)
    start = np.array([plain.alpha, np.log1p(plain.beta), np.log(runs.ranks * 1.1)])
    theta = search.solve(start)
    if theta is None:
        seen = f"{runs.ranks:,} words in {runs.tokens:,.0f} tokens"
        return _unsolved(f"no Zipf–Mandelbrot law near the plain estimate gives {seen}")
    return Corrected(theta, search.covariance(theta))


def _unsolved(reason: str) -> Corrected:
    return Corrected(np.full(3, np.nan), np.full((3, 3), np.nan), reason)


class _Search:
    """The equations expected(θ) = seen, for all of θ = (α, log(1 + β), log R) or for its first two."""

    def __init__(self, runs: Runs, plain: Maximum) -> None:
        self.N, self.b, self.levels = runs.tokens, plain.beta, _Levels.of(runs, plain)
        last, first = runs.last + 1 + self.b, runs.first + self.b
        S = (runs.value * (gammaln(last) - gammaln(first))).sum()
        S1 = (runs.value * (digamma(last) - digamma(first))).sum()
        self.seen = np.array([S, S1, runs.ranks])
        self.scale = np.array([self.N, self.N, runs.ranks])

    def expected(self, theta: Floats) -> Floats:
        return _expected(_Law.of(theta, self.N, self.levels), self.levels, self.N, self.b)

    def solve(self, start: Floats) -> Floats | None:
        """Solve for all three parameters; if that fails, try the largest R.

        The expected number of words grows with R. If even the largest R gives no more words than were seen, R is there.
        """
        theta = self.newton(start, 3)
        if theta is not None:
            return theta
        lowest = self.newton(np.append(start[:2], np.log(max(self.seen[2], 2.0))), 2)
        highest = None if lowest is None else self.towards(lowest, _MOST)
        return highest if highest is not None and self.gap(highest)[2] <= 0 else None

    def towards(self, theta: Floats, log_ranks: float) -> Floats | None:
        """Follow the solution (α, β) from one number of ranks to a larger one, halving the step when it fails."""
        step = 1.0
        while theta[2] < log_ranks:
            ranks = min(theta[2] + step, log_ranks)
            following = self.newton(np.append(theta[:2], ranks), 2)
            if following is None and step < 1e-2:
                return None
            theta, step = (theta, step / 2) if following is None else (following, step * 2)
        return theta

    def gap(self, theta: Floats) -> Floats:
        """Return the error of each equation, relative to what was seen."""
        gap: Floats = (self.expected(theta) - self.seen) / self.scale
        return gap

    def newton(self, theta: Floats, free: int) -> Floats | None:
        """Solve for the first `free` parameters of θ by Newton's method; None if it fails."""
        for _ in range(_STEPS):
            step = self.step(theta, free)
            if step is None:
                return None
            theta, taken = self.shorten(theta, step / max(1.0, float(np.abs(step).max())))
            if not taken or np.abs(step).max() < _CLOSE:
                solved = np.abs(self.gap(theta)[:free]).max() < 1e-9 and np.abs(step).max() < 1e-5
                return theta if solved else None
        return None

    def step(self, theta: Floats, free: int) -> Floats | None:
        """Return Newton's step, or None if rounding errors would decide its direction."""
        gap, step = self.gap(theta)[:free], np.zeros(3)
        slopes = [(self.gap(theta + e)[:free] - gap) / _CHANGE for e in np.eye(3)[:free] * _CHANGE]
        if not np.isfinite(slopes).all() or np.linalg.cond(slopes) > _WORST_CONDITION:
            return None
        step[:free] = np.linalg.solve(np.array(slopes).T, -gap)
        return step

    def shorten(self, theta: Floats, step: Floats) -> tuple[Floats, bool]:
        """Halve a step until it stays within bounds and lowers the error; return the new θ and whether it succeeded."""
        free = 2 if step[2] == 0 else 3
        now = np.abs(self.gap(theta)[:free]).max()
        for share in 0.5 ** np.arange(14):
            trial = theta + share * step
            inside = (trial > _LOWEST).all() and (trial <= _HIGHEST).all()
            if inside and np.abs(self.gap(trial)[:free]).max() < now:
                return trial, True
        return theta, False

    def covariance(self, theta: Floats) -> Floats:
        """Return the covariance of θ from that of the statistics; at the largest R, R is taken as known."""
        h, free = 1e-4, 2 if theta[2] >= _MOST else 3
        steps = np.eye(3)[:free] * h
        slopes = [(self.expected(theta + e) - self.expected(theta - e)) / (2 * h) for e in steps]
        inverse = np.linalg.inv(np.array(slopes).T[:free])
        covariance = np.zeros((3, 3))
        statistics = _covariance(_Law.of(theta, self.N, self.levels), self.b)[:free, :free]
        covariance[:free, :free] = inverse @ statistics @ inverse.T
        return covariance
