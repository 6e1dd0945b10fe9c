"""method="jensen-shannon": how far two documents' word frequencies are from their mean; symmetric, at most log 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from lexicloud.divergences.base import Method, WordContributions, row_numbers
from lexicloud.divergences.categorical import Frequencies
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class JensenShannon(Method):
    """JS(P, Q) = ½ KL(P‖m) + ½ KL(Q‖m) with m the mean of the two, in nats.

    All words count; `words="content"` takes embedded words that are neither stop words nor punctuation.
    """

    name: ClassVar[str] = "jensen-shannon"
    is_symmetric: ClassVar[bool] = True
    bounds: ClassVar = (0.0, float(np.log(2)))

    words: Literal["all", "content"] = "all"

    def __post_init__(self) -> None:
        if self.words not in ("all", "content"):
            raise OptionError(f"words is 'all' or 'content', not {self.words!r}")

    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> JensenShannonFitted:  # noqa: ARG002
        """Choose the words; nothing is learned from the corpus."""
        words = corpus.content if self.words == "content" else np.ones(len(corpus.vocabulary), dtype=bool)
        return JensenShannonFitted(words, 1.0)


class JensenShannonFitted(Frequencies):
    """Jensen–Shannon divergence over one vocabulary."""

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:  # noqa: ARG002
        """Return JS(P[i], Q[j]) for all pairs."""
        p, q = self.frequencies(P), self.frequencies(Q)
        out, rows = np.empty((p.shape[0], q.shape[0])), row_numbers(q)
        dense = np.zeros(p.shape[1])
        for i in range(p.shape[0]):
            stretch = slice(p.indptr[i], p.indptr[i + 1])
            dense[p.indices[stretch]] = p.data[stretch]
            terms = _saved(dense[q.indices], q.data)
            out[i] = np.log(2) - np.bincount(rows, terms, minlength=q.shape[0])
            dense[p.indices[stretch]] = 0
        return np.maximum(out, 0.0)

    def pairs(self, P: sparse.csr_array, Q: sparse.csr_array) -> Floats:
        """Return JS(P[i], Q[i]) for each i."""
        p, q = self.frequencies(P), self.frequencies(Q)
        out, dense = np.empty(p.shape[0]), np.zeros(p.shape[1])
        for i in range(p.shape[0]):
            mine, theirs = (slice(x.indptr[i], x.indptr[i + 1]) for x in (p, q))
            dense[p.indices[mine]] = p.data[mine]
            out[i] = np.log(2) - _saved(dense[q.indices[theirs]], q.data[theirs]).sum()
            dense[p.indices[mine]] = 0
        return np.maximum(out, 0.0)

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one divergence; no word's contribution is negative."""
        p, q = self.frequencies(p), self.frequencies(q)
        union = np.union1d(p.indices, q.indices)
        mine, theirs = p[:, union].toarray().ravel(), q[:, union].toarray().ravel()
        values = (mine + theirs) / 2 * np.log(2) - _saved(mine, theirs)
        return WordContributions(self.numbers(union), values)


def _saved(p: Floats, q: Floats) -> Floats:
    """Return by how much a word lowers log 2: ½ [p log((p+q)/p) + q log((p+q)/q)], zero where one text lacks it."""
    both = (p > 0) & (q > 0)
    p, q = np.where(both, p, 1.0), np.where(both, q, 1.0)
    return np.where(both, (p * np.log1p(q / p) + q * np.log1p(p / q)) / 2, 0.0)
