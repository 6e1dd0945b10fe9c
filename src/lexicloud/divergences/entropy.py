"""Entropy: of a document's words, and of a point cloud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from lexicloud.divergences.point_clouds import check_k, warn_about_repeats
from lexicloud.errors import EstimateError, OptionError
from lexicloud.neighbours.nearest import as_counts, as_points, distinct_points, kth_distances

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lexicloud.corpus import Corpus


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
    `docs/numbers.md`).

    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5000, 1))
    >>> round(knn_entropy(X), 1), float(round(0.5 * np.log(2 * np.pi * np.e), 1))
    (1.4, 1.4)
    """
    from scipy.special import digamma, gammaln

    check_k(k)
    points = as_points(X, "X")
    scale = float(np.abs(points).max()) if points.size else 0.0
    # Scaled so that squares neither overflow nor vanish; log(scale) is given back below.
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
