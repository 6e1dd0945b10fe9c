"""How sure a divergence is: bootstrap intervals, and permutation p-values.

Neither computes a new neighbour table. What is held fixed: the background and the vectors always; for methods
in which Q enters by its words and not by their counts (`support_only`), also which words each text has, so
that only their weights are drawn anew. An ordinary bootstrap would lose a third of the words that occur once
and call the texts farther apart than they are; for the same reason deviations are taken from the mean of the
draws, so that the interval shows spread, not that bias.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import OptionError
from lexicloud.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.divergences.base import Fitted, Method

    Floats = NDArray[np.float64]
    Counts = sparse.csr_array

DRAWS: Final = 500
LEVEL: Final = 0.95
_CHUNK: Final = 50  # permutations measured together: bounds memory, and one pass serves them all


def interval_level(interval: bool | float) -> float | None:
    """Read the option `interval`: no, yes (95 %), or a level between 0 and 1."""
    if interval is False:
        return None
    level = LEVEL if interval is True else float(interval)
    if not 0 < level < 1:
        raise OptionError(f"interval is True, False or a level between 0 and 1, not {interval!r}")
    return level


def deviations(
    method: Method,
    fitted: Fitted,
    p: Counts,
    q: Counts,
    rng: np.random.Generator,
    *,
    symmetric: bool,
    draws: int = DRAWS,
) -> Floats:
    """Return how far the divergence moves from its value when the tokens of both texts are drawn again."""
    deviated = _reweighted if method.support_only else _resampled
    there = deviated(fitted, p, q, rng, draws)
    return there + deviated(fitted, q, p, rng, draws) if symmetric else there


def quantiles(value: float, deviated: Floats, level: float) -> tuple[float, float]:
    """Return the interval that holds `level` of the draws."""
    low, high = np.quantile(deviated, [(1 - level) / 2, (1 + level) / 2])
    return float(value + low), float(value + high)


def _reweighted(fitted: Fitted, p: Counts, q: Counts, rng: np.random.Generator, draws: int) -> Floats:
    """Draw new weights for the words of P; each keeps its log ratio."""
    contributions = fitted.contributions(p, q)
    counts = p[:, contributions.ids].toarray().ravel()
    N = int(counts.sum())
    drawn = rng.multinomial(N, counts / N, size=draws)
    return np.asarray((drawn / counts) @ contributions.values - contributions.values.sum())


def _resampled(fitted: Fitted, p: Counts, q: Counts, rng: np.random.Generator, draws: int) -> Floats:
    """Draw each text anew while the other stays; to first order the two deviations add up."""
    of_p = fitted.between(_drawn(fitted, p, rng, draws), p if p is q else q)[:, 0]
    of_q = fitted.between(p, _drawn(fitted, q, rng, draws))[0]
    return np.asarray(of_p - of_p.mean() + of_q - of_q.mean())


def _drawn(fitted: Fitted, row: Counts, rng: np.random.Generator, draws: int) -> Counts:
    """Draw a text's tokens again with replacement, many times."""
    words = row.indices[fitted.words[row.indices] & (row.data > 0)]
    counts = row[:, words].toarray().ravel().astype(np.float64)
    N = int(counts.sum())
    return _rows(rng.multinomial(N, counts / N, size=draws), words, row.shape[1])


def permutation_p_value(
    fitted: Fitted, p: Counts, q: Counts, permutations: int, rng: np.random.Generator, *, symmetric: bool
) -> float:
    """Return how often texts of these sizes, dealt at random from the pooled tokens, diverge at least as
    much.

    The observed split counts as one of the permutations, so that the p-value is never zero.
    """
    observed = _value(fitted, p, q, symmetric=symmetric)[0]
    pool = sparse.csr_array(p + q)
    words = pool.indices[fitted.words[pool.indices] & (pool.data > 0)]
    counts = pool[:, words].toarray().ravel().astype(np.int64)
    N = int(p[:, words].sum())
    reached = 0
    for start in track(range(0, permutations, _CHUNK), "shuffling tokens between the texts"):
        size = min(_CHUNK, permutations - start)
        dealt = rng.multivariate_hypergeometric(counts, N, size=size, method="marginals")
        P, Q = _rows(dealt, words, p.shape[1]), _rows(counts - dealt, words, p.shape[1])
        values = _value(fitted, P, Q, symmetric=symmetric)
        # A deal that has no answer (nan) counts against the texts, as one that reaches the value does.
        reached += int((~(values < observed - 1e-12)).sum())
    return (1 + reached) / (1 + permutations)


def _value(fitted: Fitted, P: Counts, Q: Counts, *, symmetric: bool) -> Floats:
    there = fitted.pairs(P, Q)
    return there + fitted.pairs(Q, P) if symmetric else there


def _rows(drawn: NDArray[np.int64], words: NDArray[np.int32], width: int) -> Counts:
    """Return draws × words as counts over the whole vocabulary."""
    i, j = np.nonzero(drawn)
    return sparse.coo_array((drawn[i, j], (i, words[j])), shape=(len(drawn), width)).tocsr()
