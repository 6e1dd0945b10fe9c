"""The words that set each cluster of sentences apart from the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

# The prior weighs as much as this many tokens, so that a word met once or twice proves nothing; in a small
# corpus, no more than a tenth of it.
_PRIOR_TOKENS: Final = 500.0
_NOTABLE: Final = 1.0  # standard errors by which a word must be commoner inside than outside


def characteristic_words(
    counts: sparse.csr_array, labels: NDArray[np.int32], k: int, top: int = 10
) -> list[list[tuple[int, float]]]:
    """Return for each cluster its most characteristic words as (number, z), most characteristic first.

    z is the log-odds of the word in the cluster against all other clusters, with the corpus as prior, divided
    by its standard error (Monroe, Colaresi and Quinn, 2008). Only words commoner inside than outside are
    listed.

    >>> rows = sparse.csr_array(np.array([[5, 0, 5], [0, 5, 5]], dtype=np.float32))
    >>> [[word for word, _ in words] for words in characteristic_words(rows, np.array([0, 1]), 2)]
    [[0], [1]]
    """
    n = counts.shape[0]
    members = sparse.csr_array((np.ones(n, dtype=np.float32), (labels, np.arange(n))), shape=(k, n))
    inside = (members @ counts).tocsr()
    totals = np.asarray(inside.sum(axis=0), dtype=np.float64).ravel()
    return [_top_words(inside[[c]].toarray().ravel().astype(np.float64), totals, top) for c in range(k)]


def _top_words(inside: NDArray[np.float64], totals: NDArray[np.float64], top: int) -> list[tuple[int, float]]:
    mass = min(_PRIOR_TOKENS, totals.sum() / 10)
    prior = mass * totals / totals.sum()
    scores = np.zeros(len(totals))
    seen = inside > 0
    here, there, a = inside[seen], (totals - inside)[seen], prior[seen]
    odds_here = np.log((here + a) / (inside.sum() + mass - here - a))
    odds_there = np.log((there + a) / ((totals - inside).sum() + mass - there - a))
    scores[seen] = (odds_here - odds_there) / np.sqrt(1 / (here + a) + 1 / (there + a))
    order = np.argsort(-scores, kind="stable")[:top]
    return [(int(w), float(scores[w])) for w in order if scores[w] > _NOTABLE]
