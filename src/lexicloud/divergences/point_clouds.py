"""The textbook estimators: Rényi and KL divergence of two point clouds (Póczos and Schneider, 2011), the entropy of
one cloud (Kozachenko and Leonenko, 1987), and, for comparison, the entropy of a document's words.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from lexicloud.errors import EstimateError, OptionError, warn
from lexicloud.neighbours.nearest import as_counts, as_points, distinct_points, kth_distances, normalised

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.neighbours.nearest import Cloud

    Floats = NDArray[np.float64]
    Counts = NDArray[np.int64]

Coincident = Literal["exclude", "count"]
Correction = Literal["extrapolate"]
# With a larger share of repeated points they are hardly a sample of a density.
MANY: Final = 0.1


def knn_divergence(
    X: ArrayLike,
    Y: ArrayLike,
    k: int = 3,
    alpha: float = 1.0,
    *,
    weights_x: ArrayLike | None = None,
    weights_y: ArrayLike | None = None,
    coincident: Coincident = "exclude",
    correction: Correction | None = None,
) -> float:
    """Estimate the Rényi-α divergence (KL at α = 1) of the source of X from the source of Y, in nats.

    σ̂ = (1/N) Σ_i [(N−1) ρ_k(X_i)^d / (M υ_k(X_i)^d)]^(1−α) · Γ(k)² / (Γ(k−α+1) Γ(k+α−1)), D̂ = log σ̂ /
    (α−1), where ρ_k and υ_k are the distances to the k-th nearest other point of X and of Y; α = 1 is the
    exact limit, the mean of log(M υ_k^d / ((N−1) ρ_k^d)). Rows are points; `weights_x` and `weights_y` say
    how often each occurs.

    Points that coincide would be neighbours at distance zero. With `coincident="exclude"` neighbours are
    *distinct other* points, N and M count distinct points, and weights only average: repeating a whole sample
    changes nothing. With `"count"` a neighbour counts as often as it occurs, the ball grows until it
    holds k points at a radius above zero, and the numbers of points in both balls take the place of k. Where
    nothing repeats, both are the same. Many repeats bring a warning: the formula is for a density.

    The estimate is biased where there are few points for their dimension. In 10 dimensions at N = M = 8,000,
    where 0.64 is true, it gives 0.48 for a shifted Gaussian, 0.99 for a wider and −0.23 for a narrower one
    (`docs/numbers-measured.md` has the table for 1 to 50 dimensions). `correction="extrapolate"` measures halves of the
    points, too, and extrapolates the bias, which shrinks like N^(−2/d), to zero: D_N + (D_N − D_{N/2}) / (2^(2/d)
    − 1). It gives 0.53, 0.77 and 0.16 there, and increases the variance.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Y = rng.normal(0, 1, (4000, 2)), rng.normal(1, 1, (4000, 2))
    >>> abs(knn_divergence(X, Y, k=5) - 1) < 0.1  # the true value is 1
    True
    """
    check_k(k)
    check_alpha(alpha, k)
    if coincident not in ("exclude", "count"):
        raise OptionError(f"coincident is 'exclude' or 'count', not {coincident!r}")
    if correction not in (None, "extrapolate"):
        raise OptionError(f"correction is None or 'extrapolate', not {correction!r}")
    points = as_points(X, "X"), as_points(Y, "Y")
    if points[0].shape[1] != points[1].shape[1]:
        raise OptionError(
            f"X has {points[0].shape[1]} dimensions but Y has {points[1].shape[1]}: use the same for both"
        )
    counts = as_counts(weights_x, points[0], "X"), as_counts(weights_y, points[1], "Y")
    moved = normalised(*points)
    x, y = distinct_points(moved[0], counts[0], "X"), distinct_points(moved[1], counts[1], "Y")
    for cloud, rows in ((x, points[0]), (y, points[1])):
        _need(cloud, k, coincident)
        if coincident == "exclude":  # "count" is chosen for repeated points
            warn_about_repeats(cloud, len(rows))
    value = _estimate(x, y, k, alpha, coincident)
    if correction is None:
        return value
    halves = _halves(x), _halves(y)
    half = np.mean([_estimate(a, b, k, alpha, coincident) for a in halves[0] for b in halves[1]])
    return float(value + (value - half) / (2 ** (2 / points[0].shape[1]) - 1))


def _estimate(x: Cloud, y: Cloud, k: int, alpha: float, coincident: Coincident) -> float:
    if coincident == "exclude":
        same = np.full(len(x), k)
        balls, N, M = Balls(kth_distances(x, x, k), kth_distances(x, y, k), same, same), len(x), len(y)
    else:
        balls, N, M = Balls(*counted_balls(x, y, k)), int(x.total), int(y.total)
    return renyi(balls, x.weights / x.total, N=N, M=M, d=x.points.shape[1], alpha=alpha)


def _halves(cloud: Cloud) -> tuple[Cloud, Cloud]:
    """Deal the distinct points into two halves, by a fixed permutation of their order."""
    order = np.random.default_rng(0).permutation(len(cloud))
    parts = order[::2], order[1::2]
    first, second = (replace(cloud, points=cloud.points[i], weights=cloud.weights[i]) for i in parts)
    return first, second


def warn_about_repeats(cloud: Cloud, rows: int) -> None:
    """Warn if many rows coincide, which points of a density never do; repeats given as weights bring no warning."""
    repeats = rows - len(cloud)
    if repeats > MANY * rows:
        warn(
            f"{repeats:,} of the {rows:,} points of {cloud.name} coincide with others: the estimate is for points of a "
            "density, takes distinct points as the sample, and weighs each by its repeats (give weights to say so)"
        )


@dataclass(frozen=True)
class Balls:
    """For each distinct point of X: the radii of its balls in X and in Y, and how many points they hold."""

    rho: Floats
    upsilon: Floats
    k_rho: NDArray[np.int64]
    k_upsilon: NDArray[np.int64]


def renyi(balls: Balls, p: Floats, *, N: float, M: float, d: int, alpha: float) -> float:
    """Return the estimate, computed in logarithms so that a distance to the power of 300 cannot overflow."""
    from scipy.special import digamma, gammaln, logsumexp

    log_ratio = np.log((N - 1) / M) + d * (np.log(balls.rho) - np.log(balls.upsilon))
    k1, k2 = balls.k_rho, balls.k_upsilon
    if alpha == 1:
        # The limit of log B / (α − 1) is ψ(k₁) − ψ(k₂), zero where both balls hold k points.
        return float(p @ (digamma(k1) - digamma(k2) - log_ratio))
    log_b = gammaln(k1) + gammaln(k2) - gammaln(k1 - alpha + 1) - gammaln(k2 + alpha - 1)
    return float(logsumexp((1 - alpha) * log_ratio + log_b, b=p) / (alpha - 1))


def check_k(k: object) -> None:
    """Refuse a k that is not a positive whole number."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer):
        raise OptionError(f"k must be a whole number, not {k!r}")
    if k < 1:
        raise OptionError(f"k must be at least 1, not {k}")


def check_alpha(alpha: float, k: int | None = None) -> None:
    """Refuse an α that is not finite, or for which a k-NN estimate of this k has no finite mean."""
    if not np.isfinite(alpha):
        raise OptionError(f"alpha must be a finite number, not {alpha}")
    if k is not None and k <= abs(alpha - 1):
        raise OptionError(
            f"alpha = {alpha} needs k > |alpha − 1| = {abs(alpha - 1):g}, but k = {k}: use a larger k"
        )


def _need(cloud: Cloud, k: int, coincident: Coincident) -> None:
    if not len(cloud):
        raise EstimateError(f"{cloud.name} has no points")
    enough = len(cloud) >= k if coincident == "exclude" else cloud.total >= k
    if not enough:
        what = f"{len(cloud)} distinct points" if coincident == "exclude" else f"{cloud.total:.0f} points"
        raise EstimateError(f"k = {k} but only {what} in {cloud.name}: use a smaller k or more points")


_BLOCK: Final = 2_000_000  # distances held at once (16 MiB)


def counted_balls(x: Cloud, y: Cloud, k: int) -> tuple[Floats, Floats, Counts, Counts]:
    """Return ρ, υ and how many points each ball holds, for each distinct point of X."""
    rho, k_rho = _balls(x, x, k, own=1)
    upsilon, k_upsilon = _balls(x, y, k, own=0)
    return rho, upsilon, k_rho, k_upsilon


def _balls(x: Cloud, y: Cloud, k: int, own: int) -> tuple[Floats, Counts]:
    """Return, for each point of X, the radius of the smallest ball with at least k points of Y, and their number.

    The radius is positive. `own` points at the centre do not count: the point itself, where Y is X. Points at the
    same distance enter together, so that the answer does not depend on their order.
    """
    from scipy.spatial.distance import cdist

    radii, held = np.empty(len(x)), np.empty(len(x), dtype=np.int64)
    step = max(1, _BLOCK // max(1, len(y)))
    for start in range(0, len(x), step):
        distances = cdist(x.points[start : start + step], y.points)
        for i, row in enumerate(distances, start):
            radii[i], held[i] = _ball(row, y, k, own)
    return radii, held


def _ball(distances: Floats, y: Cloud, k: int, own: int) -> tuple[float, int]:
    shells, inverse = np.unique(distances, return_inverse=True)
    inside = np.cumsum(np.bincount(inverse.ravel(), y.weights)) - own
    enough = np.flatnonzero((shells > 0) & (inside >= k))
    if not len(enough):
        raise EstimateError(
            f"k = {k} but only {inside[-1]:.0f} points of {y.name} in {len(shells)} distinct places around a "
            "point: use a smaller k or more points"
        )
    return float(shells[enough[0]]), int(inside[enough[0]])


def entropy(
    corpus: Corpus,
    name: str,
    *,
    correction: Literal["miller-madow"] | None = None,
    words: Literal["all", "content"] = "all",
) -> float:
    """Return the entropy of a document's words in nats, from their frequencies.

    Frequencies underestimate the entropy of the source; `correction="miller-madow"` adds (types − 1) / (2 ·
    tokens).

    >>> from lexicloud.corpus import Corpus
    >>> round(entropy(Corpus.from_texts({"a": "to be or not to be"}), "a"), 4)
    1.3297
    """
    if correction not in (None, "miller-madow"):
        raise OptionError(f"correction is None or 'miller-madow', not {correction!r}")
    if words not in ("all", "content"):
        raise OptionError(f"words is 'all' or 'content', not {words!r}")
    tokens = corpus.tokens(corpus.position(name))
    if words == "content":
        tokens = tokens[corpus.content[tokens]]
    if not len(tokens):
        kind = "content words" if words == "content" else "words"
        raise EstimateError(f"document {name!r} has no {kind} to take the entropy of")
    counts = np.unique(tokens, return_counts=True)[1]
    p = counts / counts.sum()
    plug_in = float(-(p * np.log(p)).sum())
    return plug_in + ((len(counts) - 1) / (2 * counts.sum()) if correction else 0.0)


def knn_entropy(X: ArrayLike, k: int = 3, *, weights: ArrayLike | None = None) -> float:
    """Estimate the differential entropy of a cloud's source in nats (Kozachenko and Leonenko, 1987).

    Ĥ = ψ(N) − ψ(k) + log V_d + (d/N) Σ log ρ_k(X_i), with V_d the volume of the unit ball. Neighbours are
    distinct other points and N counts distinct points; weights only average, so that repeating a whole sample
    changes nothing. Many repeats bring a warning. In high dimensions the estimate is too high (see
    `docs/numbers-measured.md`).

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5000, 1))
    >>> round(knn_entropy(X), 1), float(round(0.5 * np.log(2 * np.pi * np.e), 1))
    (1.4, 1.4)
    """
    from scipy.special import digamma, gammaln

    check_k(k)
    points = as_points(X, "X")
    scale = float(np.abs(points).max()) if points.size else 0.0
    # Scaled so that squares neither overflow nor vanish; log(scale) is added again below.
    cloud = distinct_points(points / (scale or 1.0), as_counts(weights, points, "X"), "X")
    if len(cloud) <= k:
        raise EstimateError(
            f"k = {k} but only {len(cloud)} distinct points in X: use a smaller k or more points"
        )
    warn_about_repeats(cloud, len(points))
    d = points.shape[1]
    log_volume = d / 2 * np.log(np.pi) - gammaln(d / 2 + 1)
    mean_log = cloud.weights @ np.log(kth_distances(cloud, cloud, k)) / cloud.total
    return float(digamma(len(cloud)) - digamma(k) + log_volume + d * (mean_log + np.log(scale)))
