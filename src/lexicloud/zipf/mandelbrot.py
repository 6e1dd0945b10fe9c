"""Maximum likelihood for the Zipf–Mandelbrot law over ranks: p(r) = (r + β)^−α / Z(α, β), r = 1 … R.

The likelihood of counts n_r is  ℓ(α, β) = −α Σ n_r log(r + β) − N log Z(α, β).  Both sums are cheap: words with equal
counts occupy a run of ranks a … b, over which Σ log(r + β) is a difference of log Γ; and Z is a sum of a smooth
function over 1 … R, which 308 weighted points give to twelve digits. So the time of a fit depends on the number of
distinct counts, not of words, and bootstraps are affordable.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import digamma, gammaln, polygamma

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# So many ranks are summed one by one; the rest is an integral, whose first correction leaves an error of 1e-12.
_HEAD: Final = 256
FEW: Final = _HEAD + 8  # with fewer ranks than this, all are summed one by one
_ORDER: Final = 48
# Beyond these limits the law is a power law in name only: with a steep α and a β of ten vocabularies it is exponential.
_STEEPEST: Final = 60.0
_FARTHEST: Final = 10.0
_CLOSEST: Final = 1e-6  # least β + 1; at β = −1 the first rank would take all


@lru_cache(maxsize=4)
def _gauss_legendre(order: int) -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(order)
    return np.asarray(points), np.asarray(weights)


@lru_cache(maxsize=64)
def rank_nodes(ranks: float, order: int = _ORDER) -> tuple[Floats, Floats]:
    """Return points x and weights w with Σ w g(x) = Σ_{r=1}^{R} g(r) for smooth g.

    The first ranks are summed one by one. The rest is a Gauss–Legendre integral in log r over [a − ½, b + ½], with the
    midpoint rule's first correction, −(g′(b + ½) − g′(a − ½)) / 24, as differences.
    """
    if ranks <= FEW:
        return np.arange(1.0, ranks + 1), np.ones(int(ranks))
    a, b = _HEAD + 1.0, float(ranks)
    points, weights = _gauss_legendre(order)
    low, high = np.log(a - 0.5), np.log(b + 0.5)
    x = np.exp(low + (high - low) * (points + 1) / 2)
    nodes = np.concatenate([np.arange(1.0, a), x, [b, b + 1, a - 1, a]])
    return nodes, np.concatenate(
        [np.ones(_HEAD), weights * (high - low) / 2 * x, np.array([1, -1, -1, 1]) / 24]
    )


@dataclass(frozen=True)
class Runs:
    """Counts by rank as runs of equal counts: `value[i]` at the ranks `first[i]` … `last[i]`, of `ranks` in all."""

    value: Floats
    first: Floats
    last: Floats
    ranks: int
    tokens: float

    @classmethod
    def of(cls, counts: NDArray[np.int64], ranks: int | None = None) -> Runs:
        """Compress counts given by rank (any order; equal neighbours share a run)."""
        starts = np.flatnonzero(np.concatenate([[True], counts[1:] != counts[:-1]]))
        lasts = np.append(starts[1:], len(counts))
        value = counts[starts].astype(np.float64)
        seen = value > 0
        first, last = (starts[seen] + 1).astype(np.float64), lasts[seen].astype(np.float64)
        return cls(value[seen], first, last, ranks or len(counts), float(counts.sum()))


def log_likelihood(runs: Runs, alpha: float, beta: float) -> float:
    """Return ℓ(α, β), without the multinomial coefficient that both laws share."""
    nodes, weights = rank_nodes(runs.ranks)
    Z = weights @ np.exp(-alpha * np.log(nodes + beta))
    logs = runs.value @ (gammaln(runs.last + 1 + beta) - gammaln(runs.first + beta))
    return float(-alpha * logs - runs.tokens * np.log(Z))


def _moments(runs: Runs, alpha: float, beta: float) -> tuple[float, Floats, Floats]:
    """Return ℓ with its gradient and Hessian in (α, β)."""
    nodes, weights = rank_nodes(runs.ranks)
    logs = np.log(nodes + beta)
    p = weights * np.exp(-alpha * (logs - logs[0]))
    Z = p.sum()
    p /= Z
    inverse = 1 / (nodes + beta)
    mean_log, mean_inverse = p @ logs, p @ inverse
    var_log = p @ (logs - mean_log) ** 2
    cross = p @ ((logs - mean_log) * (inverse - mean_inverse))
    var_inverse = p @ (inverse - mean_inverse) ** 2
    N, above, below = runs.tokens, runs.last + 1 + beta, runs.first + beta
    S = runs.value @ (gammaln(above) - gammaln(below))
    S1 = runs.value @ (digamma(above) - digamma(below))
    S2 = runs.value @ (polygamma(1, below) - polygamma(1, above))
    value = -alpha * S - N * (np.log(Z) - alpha * logs[0])
    gradient = np.array([N * mean_log - S, alpha * (N * mean_inverse - S1)])
    mixed = N * mean_inverse - S1 - alpha * N * cross
    curve = alpha * (S2 - N * (p @ inverse**2)) - alpha**2 * N * var_inverse
    return float(value), gradient, np.array([[-N * var_log, mixed], [mixed, curve]])


@dataclass(frozen=True)
class Maximum:
    """The maximum of the likelihood, with the covariance of (α, log(1 + β)), or the reason why there is none."""

    alpha: float
    beta: float
    log_likelihood: float
    covariance: Floats
    failure: str | None = None


def maximise_mandelbrot(runs: Runs, start: tuple[float, float] | None = None) -> Maximum:
    """Maximise ℓ in (α, η = log(1 + β)) with damped Newton steps; β stays above −1."""
    alpha, beta = start or (_start(runs), 0.0)
    if alpha <= 0:
        return _nowhere(f"counts do not fall with rank (plain Zipf α = {alpha:.3g})")
    eta = float(np.log1p(beta))
    value, gradient, hessian = _in_eta(runs, alpha, eta)
    damping = 1e-3
    for _ in range(200):
        failure = _out_of_bounds(runs, alpha, float(np.expm1(eta)))
        if failure:
            return _nowhere(failure)
        step = _step(gradient, hessian, damping)
        trial = _in_eta(runs, alpha + step[0], eta + step[1]) if alpha + step[0] > 0 else None
        if trial is None or not trial[0] >= value:
            damping *= 10
            if damping > 1e12:
                break
            continue
        alpha, eta = alpha + step[0], eta + step[1]
        gained, (value, gradient, hessian) = trial[0] - value, trial
        damping = max(damping / 10, 1e-12)
        if gained < 1e-10 * max(1.0, abs(value)) ** 0.5 and np.abs(step).max() < 1e-7:
            break
    return _checked(alpha, eta, value, gradient, hessian)


def _start(runs: Runs) -> float:
    alpha = maximise_zipf(runs).alpha
    return alpha if np.isfinite(alpha) else 1.0


def _in_eta(runs: Runs, alpha: float, eta: float) -> tuple[float, Floats, Floats]:
    beta = np.expm1(eta)
    value, gradient, hessian = _moments(runs, alpha, float(beta))
    scale = np.array([1.0, 1 + beta])
    hessian = hessian * np.outer(scale, scale)
    hessian[1, 1] += gradient[1] * (1 + beta)
    return value, gradient * scale, hessian


def _step(gradient: Floats, hessian: Floats, damping: float) -> Floats:
    """Solve (−H + λ) step = gradient, with eigenvalues of −H made positive; no part of the step is larger than 1."""
    values, vectors = np.linalg.eigh(-hessian)
    sizes = np.maximum(np.abs(values), 1e-12 * np.abs(values).max())
    step: Floats = vectors @ ((vectors.T @ gradient) / (sizes + damping * sizes.max()))
    return step / max(1.0, float(np.abs(step).max()))


def _out_of_bounds(runs: Runs, alpha: float, beta: float) -> str | None:
    if alpha > _STEEPEST or beta > _FARTHEST * runs.ranks:
        grown = f"α and β grow without bound (α = {alpha:.3g}, β = {beta:.3g})"
        return f"{grown}: the counts fall off like an exponential, not a power"
    if beta + 1 < _CLOSEST:
        return f"β runs into −1 (α = {alpha:.3g}): the first word stands apart from a law of the others"
    return None


def _nowhere(reason: str) -> Maximum:
    return Maximum(float("nan"), float("nan"), float("nan"), np.full((2, 2), np.nan), reason)


def _checked(alpha: float, eta: float, value: float, gradient: Floats, hessian: Floats) -> Maximum:
    """Accept only a true maximum: curved downwards, with a next Newton step that is negligible."""
    values, place = np.linalg.eigvalsh(-hessian), f"α = {alpha:.3g}, β = {np.expm1(eta):.3g}"
    if not values.min() > 1e-14 * values.max():
        return _nowhere(f"the likelihood is flat near {place}: the counts do not determine both")
    left = float(np.abs(np.linalg.solve(-hessian, gradient)).max())
    if not left <= 1e-4:
        return _nowhere(f"the search stopped at {place}, a step of {left:.2g} from a maximum")
    return Maximum(
        float(alpha), float(np.expm1(eta)), value, np.asarray(np.linalg.inv(-hessian), dtype=np.float64)
    )


def maximise_zipf(runs: Runs) -> Maximum:
    """Find α of the plain law (β = 0); its likelihood is concave, so Newton's method finds the maximum."""
    alpha = 1.0
    for _ in range(100):
        value, gradient, hessian = _moments(runs, alpha, 0.0)
        step = -gradient[0] / hessian[0, 0]
        alpha += float(np.clip(step, -0.5, 0.5))
        if abs(step) < 1e-10:
            break
    value, gradient, hessian = _moments(runs, alpha, 0.0)
    covariance = np.array([[-1 / hessian[0, 0], 0.0], [0.0, 0.0]])
    if not np.isfinite(value) or abs(gradient[0] / hessian[0, 0]) > 1e-6 or alpha > _STEEPEST:
        return _nowhere(f"the plain law's α reached {alpha:.3g} without a maximum")
    return Maximum(alpha, 0.0, value, covariance)
