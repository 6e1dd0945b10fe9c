"""method="smoothed", the default: KL divergence of word frequencies where near words count as almost the same word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

from lexicloud.divergence.documents import check_whole
from lexicloud.divergence.kernel import Kernel
from lexicloud.divergence.methods import Fitted, Method, WordContributions, reference_counts
from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# Numbers held at once while a block of Q is dense: 2^23 of eight bytes are 64 MiB.
_BLOCK: Final = 1 << 23


@dataclass(frozen=True)
class Smoothed(Method):
    """KL divergence of P's words from Q's, in nats, where Q shares its mass with latent neighbours and the corpus.

    q̃(w) = (c_Q(w) + κ Σ_v q(v) K(v, w) + μ b(w)) / (M + κ + μ): κ tokens' worth of Q's mass go to the neighbours of
    its words (see `kernel`), μ tokens' worth come from the background b. So λ = κ / (M + κ): short
    texts lean on their neighbours, long ones speak for themselves. All words count, function words too; words
    without a vector have no neighbours. `docs/attribution.md` says how κ, μ, m and T were chosen.
    """

    name: ClassVar[str] = "smoothed"

    kappa: float = 100.0
    mu: float = 1000.0
    m: int = 30
    temperature: float = 0.1
    refined: bool = True

    def __post_init__(self) -> None:
        check_whole(self.m, "m", 1)
        for name in ("mu", "temperature"):
            if not (np.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise OptionError(f"{name} must be a positive number, not {getattr(self, name)!r}")
        if not (np.isfinite(self.kappa) and self.kappa >= 0):
            raise OptionError(f"kappa must be zero or more, not {self.kappa!r}")

    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> SmoothedFitted:
        """Count the background in the reference documents and find the neighbours of their words."""
        counts = reference_counts(corpus, reference)
        if not counts.sum():
            raise EstimateError("the reference documents have no words")
        # A word that no reference document has counts as seen once: new texts may bring it.
        background = np.maximum(counts, 1) / counts.sum()
        kernel = Kernel(self.m, self.temperature, self.refined)
        key = ("kernel", kernel, counts.tobytes(), corpus.totals.tobytes() if reference is not None else b"")
        cache = corpus.lexicon.cache
        if self.kappa and key not in cache:
            cache[key] = kernel.matrix(corpus, background, counts > 0)
        shape = (len(counts), len(counts))
        K = cache[key] if self.kappa else sparse.csr_array(shape, dtype=np.float64)
        return SmoothedFitted(self, background, K)


class SmoothedFitted(Fitted):
    """Background and kernel of one corpus."""

    def __init__(self, method: Smoothed, background: Floats, K: sparse.csr_array) -> None:
        self.kappa, self.mu = method.kappa, method.mu
        self.background = background
        self.K = K
        self.words = np.ones(len(background), dtype=bool)

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:  # noqa: ARG002
        """Return D(P[i]‖Q[j]) for all pairs.

        log q̃(w) = log μb(w) − log(M + κ + μ) + log(1 + (c_Q(w) + κ(qK)(w)) / μb(w)); a block of
        Q at a time is dense, over the words of P alone.
        """
        p = _frequencies(P)
        used = np.unique(p.indices)
        alone, within = self._alone(p), p[:, used]
        kernel, prior = self.K[:, used], self.mu * self.background[used]
        out = np.empty((P.shape[0], Q.shape[0]))
        step = max(1, _BLOCK // max(1, len(used)))
        for start in range(0, Q.shape[0], step):
            block = Q[start : start + step]
            mass = (block[:, used] + self._latent(block, kernel)).toarray()
            np.divide(mass, prior, out=mass)
            np.log1p(mass, out=mass)
            out[:, start : start + step] = np.asarray(within @ mass.T)
        return np.asarray(alone[:, None] + self._scale(Q)[None, :] - out)

    def pairs(self, P: sparse.csr_array, Q: sparse.csr_array) -> Floats:
        """Return D(P[i]‖Q[i]) for each i."""
        p = _frequencies(P)
        here = sparse.csr_array((np.ones(p.nnz), p.indices, p.indptr), shape=p.shape)
        mass = sparse.csr_array((Q + self._latent(Q, self.K)).multiply(here))
        gain = np.log1p(mass.data / (self.mu * self.background[mass.indices]))
        gains = sparse.csr_array((gain, mass.indices, mass.indptr), shape=mass.shape).multiply(p)
        return np.asarray(self._alone(p) + self._scale(Q) - np.asarray(gains.sum(axis=1)).ravel())

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one divergence: each word of P adds p log(p / q̃), carried by the word of Q that gave it most mass."""
        p = _frequencies(p)
        words = p.indices
        own = q[:, words].toarray().ravel().astype(np.float64)
        flows = sparse.csc_array(self._flows(q, self.K[:, words]))
        prior = self.mu * self.background[words]
        total = np.exp(self._scale(q)[0])
        mixed = (own + np.asarray(flows.sum(axis=0)).ravel() + prior) / total
        values = p.data * (np.log(p.data) - np.log(mixed))
        return WordContributions(words.astype(np.int64), values, _carriers(flows, own))

    def _alone(self, p: sparse.csr_array) -> Floats:
        terms = p.data * (np.log(p.data) - np.log(self.mu * self.background[p.indices]))
        return np.bincount(_rows(p), terms, minlength=p.shape[0]).astype(np.float64)

    def _scale(self, Q: sparse.csr_array) -> Floats:
        return np.log(np.asarray(Q.sum(axis=1), dtype=np.float64).ravel() + self.kappa + self.mu)

    def _latent(self, Q: sparse.csr_array, kernel: sparse.csr_array) -> sparse.csr_array:
        """Return κ qK: what latent neighbours give to the words that are the columns of `kernel`."""
        return sparse.csr_array(_frequencies(Q) @ kernel) * self.kappa

    def _flows(self, q: sparse.csr_array, kernel: sparse.csr_array) -> sparse.csr_array:
        """Return κ q(v)K(v, w) for each v and w."""
        weights = _frequencies(q).toarray().ravel() * self.kappa
        return sparse.csr_array(sparse.diags_array(weights) @ kernel)


def _frequencies(counts: sparse.csr_array) -> sparse.csr_array:
    counts = sparse.csr_array(counts).astype(np.float64)  # a copy
    counts.sum_duplicates()
    counts.eliminate_zeros()
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    counts.data /= np.repeat(sizes, np.diff(counts.indptr))
    return counts


def _rows(like: sparse.csr_array) -> NDArray[np.int64]:
    return np.repeat(np.arange(like.shape[0]), np.diff(like.indptr))


def _carriers(flows: sparse.csc_array, own: Floats) -> NDArray[np.int64]:
    """Return the row with the largest flow of each column, -1 where the word's own count is larger."""
    carriers = np.full(flows.shape[1], -1, dtype=np.int64)
    for column in np.flatnonzero(np.diff(flows.indptr)):
        span = slice(flows.indptr[column], flows.indptr[column + 1])
        best = int(flows.data[span].argmax())
        if flows.data[span][best] > own[column]:
            carriers[column] = flows.indices[span][best]
    return carriers
