"""KL and Rényi divergence of two texts whose background is the two texts themselves, each weighing the same.
 q̃(w) = (c_Q(w) + κ (qK)(w) + μ (p(w) + q(w)) / 2) / (M + κ + μ): no third text has a say, so a comparison of
two texts does not depend on who else is in the folder. Of the backgrounds tried it also tells authors apart
best (`docs/numbers.md`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lexicloud.divergences.base import Fitted, WordContributions, shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class Midpoint(Fitted):
    """Divergence from Q smoothed towards the mean of P and Q, and towards its latent neighbours if there is a
    kernel.
    """

    def __init__(
        self,
        words: NDArray[np.bool_],
        *,
        mu: float,
        alpha: float = 1.0,
        kappa: float = 0.0,
        kernel: sparse.csr_array | None = None,
    ) -> None:
        self.words = words
        self.mu, self.alpha, self.kappa = mu, alpha, kappa if kernel is not None else 0.0
        self.K = kernel

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:  # noqa: ARG002
        """Return D(P[i]‖Q[j]) for all pairs."""
        rows, columns = P.shape[0], Q.shape[0]
        i, j = np.repeat(np.arange(rows), columns), np.tile(np.arange(columns), rows)
        return self.pairs(P[i], Q[j]).reshape(rows, columns)

    def pairs(self, P: sparse.csr_array, Q: sparse.csr_array) -> Floats:
        """Return D(P[i]‖Q[i]) for each i."""
        both = range(P.shape[0])
        return np.array([self._terms(*self._mixed(P[[i]], Q[[i]])[1:]).sum() for i in both], dtype=np.float64)

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one divergence: each word of P adds p log(p / q̃), carried by the word of Q that gave it
        most mass.
        """
        words, mine, mixed = self._mixed(p, q)
        return WordContributions(words, self._terms(mine, mixed), self._carriers(words, q))

    def _mixed(self, p: sparse.csr_array, q: sparse.csr_array) -> tuple[NDArray[np.int64], Floats, Floats]:
        """Return the words of P with p and q̃."""
        words, counts = self._kept(p)
        theirs, their_counts = self._kept(q)
        M, mine = their_counts.sum(), counts / counts.sum()
        given = np.zeros(len(self.words))
        given[theirs] = their_counts / M
        share = given[words]
        mass = share * M + self.mu * (mine + share) / 2
        if self.K is not None:
            mass += self.kappa * (self.K[theirs].T @ given[theirs])[words]
        return words, mine, mass / (M + self.kappa + self.mu)

    def _kept(self, row: sparse.csr_array) -> tuple[NDArray[np.int64], Floats]:
        kept = self.words[row.indices] & (row.data > 0)
        return row.indices[kept].astype(np.int64), row.data[kept].astype(np.float64)

    def _terms(self, p: Floats, mixed: Floats) -> Floats:
        log_ratio = np.log(p) - np.log(mixed)
        return p * log_ratio if self.alpha == 1 else shares(p, (self.alpha - 1) * log_ratio, self.alpha)

    def _carriers(self, words: NDArray[np.int64], q: sparse.csr_array) -> NDArray[np.int64] | None:
        """Return for each word the neighbour that gave it most, -1 where its own count is larger."""
        if self.K is None:
            return None
        theirs, counts = self._kept(q)
        own = np.zeros(len(self.words))
        own[theirs] = counts
        flows = sparse.csc_array(
            sparse.diags_array(self.kappa * counts / counts.sum()) @ self.K[theirs][:, words]
        )
        carriers = np.full(len(words), -1, dtype=np.int64)
        for column in np.flatnonzero(np.diff(flows.indptr)):
            span = slice(flows.indptr[column], flows.indptr[column + 1])
            best = int(flows.data[span].argmax())
            if flows.data[span][best] > own[words[column]]:
                carriers[column] = theirs[flows.indices[span][best]]
        return carriers
