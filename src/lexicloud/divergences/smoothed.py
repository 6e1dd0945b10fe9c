"""method="smoothed", the default: KL divergence of word frequencies where near words are almost the same word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from scipy import sparse

from lexicloud.divergences.base import (
    THE_TWO,
    Fitted,
    Method,
    WordContributions,
    check_whole,
    reference_counts,
    row_numbers,
    shares,
)
from lexicloud.errors import EstimateError, OptionError
from lexicloud.neighbours import Neighbours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]
    _Entries = tuple[Floats, NDArray[np.int64], NDArray[np.int64]]  # values, rows, columns

_WORDS_AT_ONCE = 1024  # new words whose cosines to all known words are held at once


@dataclass(frozen=True)
class Kernel:
    """The options of the kernel: `m` nearest words, `temperature` T, refined vectors or raw ones at unit length."""

    m: int
    temperature: float
    refined: bool

    def matrix(self, corpus: Corpus, background: Floats, known: NDArray[np.bool_]) -> sparse.csr_array:
        """Return K over the vocabulary, taking only `known` words into account.

        Other embedded words of the corpus (those of new texts) are added: each gives mass to its nearest known
        words, and takes from them what they would have given it. What the known words give each other does not
        change, so that a new text does not change the results of others.
        """
        size = len(corpus.vocabulary)
        table = Neighbours.of(corpus, self.m, mask=corpus.embedded & known, refined=self.refined)
        near = table.ids >= 0
        cosine = 1 - np.square(np.where(near, table.distances, 0).astype(np.float64)) / 2
        if not self.refined:
            cosine = _cosines(corpus.vectors, table.ids)
        best = np.where(near, cosine, -np.inf).max(axis=1, initial=-np.inf)
        best[~np.isfinite(best)] = 0.0
        weights = np.where(near, self._weights(cosine - best[:, None], background[table.ids]), 0.0)
        totals = weights.sum(axis=1)
        rows, places = np.nonzero(weights)
        values = weights[rows, places] / totals[rows]
        parts: list[_Entries] = [(values, rows, table.ids[rows, places].astype(np.int64))]
        new = np.flatnonzero(corpus.embedded & ~known & (corpus.totals > 0))
        if len(new) and totals.any():
            parts += self._new_words(corpus, background, np.flatnonzero(totals > 0), new, best, totals)
        data, i, j = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return sparse.csr_array((data, (i, j)), shape=(size, size))

    def _weights(self, cosine: Floats, background: Floats) -> Floats:
        return np.asarray(np.sqrt(background) * np.exp(cosine / self.temperature))

    def _new_words(
        self,
        corpus: Corpus,
        background: Floats,
        known: NDArray[np.int64],
        new: NDArray[np.int64],
        best: Floats,
        totals: Floats,
    ) -> list[_Entries]:
        vectors = corpus.refined if self.refined else _unit(corpus.vectors)
        parts: list[_Entries] = []
        for start in range(0, len(new), _WORDS_AT_ONCE):
            words = new[start : start + _WORDS_AT_ONCE]
            cosine = vectors[words] @ vectors[known].T
            m = min(self.m, len(known))
            places = np.argpartition(-cosine, m - 1, axis=1)[:, :m]
            close, theirs = np.take_along_axis(cosine, places, axis=1).astype(np.float64), known[places]
            given = self._weights(close - close.max(axis=1, keepdims=True), background[theirs])
            given /= given.sum(axis=1, keepdims=True)
            taken = self._weights(close - best[theirs], background[words][:, None]) / totals[theirs]
            mine = np.repeat(words, m)
            parts.append((given.ravel(), mine, theirs.ravel()))
            # A new word that is nearer than any known one takes at most all of a word's latent mass.
            parts.append((np.minimum(taken, 1.0).ravel(), theirs.ravel(), mine))
        return parts


def carry_tables(known: Corpus, grown: Corpus) -> None:
    """Copy the neighbour tables of a corpus to a corpus with the same vocabulary and more words at its end."""
    more = len(grown.vocabulary) - len(known.vocabulary)
    for key, table in list(known.lexicon.cache.items()):
        if isinstance(table, Neighbours):
            mask = np.pad(table.mask, (0, more))
            ids = np.pad(table.ids, ((0, more), (0, 0)), constant_values=-1)
            distances = np.pad(table.distances, ((0, more), (0, 0)), constant_values=np.inf)
            grown.lexicon.cache[(*key[:-1], mask.tobytes())] = Neighbours(ids, distances, mask)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))


def _cosines(vectors: NDArray[np.float32], ids: NDArray[np.int32]) -> Floats:
    unit = _unit(vectors)
    return np.stack([np.einsum("ij,ij->i", unit, unit[column]) for column in ids.T], axis=1).astype(
        np.float64
    )


# Numbers in a dense block of Q: 2^23 of eight bytes are 64 MiB.
_BLOCK: Final = 1 << 23


@dataclass(frozen=True)
class Smoothed(Method):
    """KL divergence of P's words from Q's, in nats, with Q smoothed by latent neighbours and the corpus.

    q̃(w) = (c_Q(w) + κ Σ_v q(v) K(v, w) + μ b(w)) / (M + κ + μ): κ tokens' worth of Q's mass go to the
    neighbours of its words (see `kernel`), μ tokens' worth come from the background b. So λ = κ / (M + κ):
    in short texts neighbours count much, in long ones little. All words count, function words too;
    words without a vector have no neighbours. `docs/meaning-measured.md` says what they are worth.
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

    def fit_pair(self, corpus: Corpus, rows: tuple[int, int]) -> Midpoint:
        """Take the two texts as their own background, and neighbours among their words alone."""
        pair = corpus.subset([corpus.names[row] for row in dict.fromkeys(rows)])
        share: Floats = np.asarray((pair.counts / pair.lengths[:, None]).mean(axis=0)).ravel()
        kernel = None
        if self.kappa:
            made = Kernel(self.m, self.temperature, self.refined)
            kernel = made.matrix(pair, np.maximum(share, 1e-12), share > 0)
        return Midpoint(np.ones(len(share), dtype=bool), mu=self.mu, kappa=self.kappa, kernel=kernel)

    def pair_background(self, corpus: Corpus) -> str:  # noqa: ARG002
        """Return, in words, the background of a comparison of two documents."""
        return THE_TWO


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
        """Explain one divergence: each word of P adds p log(p / q̃), carried by the word of Q that gave it
        most mass.
        """
        p = _frequencies(p)
        words = p.indices
        own = q[:, words].toarray().ravel().astype(np.float64)
        flows = self._flows(q, words)
        prior = self.mu * self.background[words]
        total = np.exp(self._scale(q)[0])
        mixed = (own + np.asarray(flows.sum(axis=0)).ravel() + prior) / total
        values = p.data * (np.log(p.data) - np.log(mixed))
        return WordContributions(words.astype(np.int64), values, _carriers(flows, own))

    def _alone(self, p: sparse.csr_array) -> Floats:
        terms = p.data * (np.log(p.data) - np.log(self.mu * self.background[p.indices]))
        return np.bincount(row_numbers(p), terms, minlength=p.shape[0]).astype(np.float64)

    def _scale(self, Q: sparse.csr_array) -> Floats:
        return np.log(np.asarray(Q.sum(axis=1), dtype=np.float64).ravel() + self.kappa + self.mu)

    def _latent(self, Q: sparse.csr_array, kernel: sparse.csr_array) -> sparse.csr_array:
        """Return κ qK: what latent neighbours give to the words that are the columns of `kernel`."""
        return sparse.csr_array(_frequencies(Q) @ kernel) * self.kappa

    @cached_property
    def _columns(self) -> sparse.csc_array:
        return sparse.csc_array(self.K)

    def _flows(self, q: sparse.csr_array, words: NDArray[np.integer]) -> sparse.csc_array:
        """Return κ q(v)K(v, w) for each v, and for each w of some words."""
        weights, kernel = _frequencies(q).toarray().ravel() * self.kappa, self._columns[:, words]
        parts = weights[kernel.indices] * kernel.data, kernel.indices, kernel.indptr
        return sparse.csc_array(parts, shape=kernel.shape)


def _frequencies(counts: sparse.csr_array) -> sparse.csr_array:
    counts = sparse.csr_array(counts).astype(np.float64)  # a copy
    counts.sum_duplicates()
    counts.eliminate_zeros()
    sizes = np.asarray(counts.sum(axis=1)).ravel()
    counts.data /= np.repeat(sizes, np.diff(counts.indptr))
    return counts


def _carriers(flows: sparse.csc_array, own: Floats) -> NDArray[np.int64]:
    """Return the row with the largest flow of each column, -1 where the word's own count is larger."""
    carriers = np.full(flows.shape[1], -1, dtype=np.int64)
    some = np.flatnonzero(np.diff(flows.indptr))
    if not len(some):
        return carriers
    starts = flows.indptr[some]
    best = np.maximum.reduceat(flows.data, starts)
    # The first entry of each column that is as large as its largest.
    as_large = np.flatnonzero(flows.data == np.repeat(best, np.diff([*starts, flows.nnz])))
    rows = flows.indices[as_large[np.searchsorted(as_large, starts)]]
    larger = best > own[some]
    carriers[some[larger]] = rows[larger]
    return carriers


class Midpoint(Fitted):
    """Divergence from Q smoothed towards the mean of the two texts, and towards latent neighbours if there is a
    kernel.

    q̃(w) = (c_Q(w) + κ (qK)(w) + μ (p(w) + q(w)) / 2) / (M + κ + μ): a comparison of two texts does not depend
    on other texts in the folder. Of the backgrounds tried, this one also separates authors best
    (`docs/numbers-measured.md`).
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
        """Return, for each word, the neighbour that gave it most mass, -1 where its own count is larger."""
        if self.K is None:
            return None
        theirs, counts = self._kept(q)
        own = np.zeros(len(self.words))
        own[theirs] = counts
        flows = sparse.csc_array(
            sparse.diags_array(self.kappa * counts / counts.sum()) @ self.K[theirs][:, words]
        )
        carriers = _carriers(flows, own[words])
        return np.where(carriers >= 0, theirs[carriers], -1)
