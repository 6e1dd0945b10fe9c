"""method="categorical" and method="jensen-shannon": divergences of word frequencies.

The first is KL and Rényi divergence, with a Dirichlet prior or on shared words only; the second is how far two
documents' frequencies are from their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np
from scipy import sparse

from lexicloud.divergences.base import (
    THE_TWO,
    Fitted,
    Method,
    WordContributions,
    reference_counts,
    row_numbers,
    shares,
    sizes,
)
from lexicloud.divergences.point_clouds import check_alpha
from lexicloud.divergences.smoothed import Midpoint
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# The weight of the background in tokens: Zhai and Lafferty (2004) found 500 to 2,000 to serve texts of all kinds.
MU: Final = 1000.0


@dataclass(frozen=True)
class Categorical(Method):
    """Divergence of word frequencies, in nats.

    `support="background"`: Q is smoothed towards the corpus, q̃(w) = (c_Q(w) + μ b(w)) / (M + μ) with b the
    frequency of w in the reference documents (a word they never use counts as used once).
    `support="intersection"`: both are renormalised over the words they share, the paper's baseline. All words
    count, with or without a vector; `words="content"` takes content words only, as in the paper.
    `compat="authors"` is the intersection in bits over content words.
    """

    name: ClassVar[str] = "categorical"

    alpha: float = 1.0
    mu: float = MU
    support: Literal["background", "intersection"] = "background"
    words: Literal["all", "content"] = "all"
    compat: Literal["authors"] | None = None

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        if not (np.isfinite(self.mu) and self.mu > 0):
            raise OptionError(f"mu must be a positive number, not {self.mu}")
        for field, allowed in (
            ("support", ("background", "intersection")),
            ("words", ("all", "content")),
            ("compat", (None, "authors")),
        ):
            value = getattr(self, field)
            if value not in allowed:
                raise OptionError(f"{field} is one of {', '.join(map(repr, allowed))}, not {value!r}")

    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> Fitted:
        """Count the background in the reference documents."""
        content = self.words == "content" or self.compat is not None
        words = corpus.content if content else np.ones(len(corpus.vocabulary), dtype=bool)
        if self.support == "intersection" or self.compat:
            return Intersection(words, self.alpha, float(np.log(2)) if self.compat else 1.0)
        counts = reference_counts(corpus, reference)
        background = np.maximum(counts, 1) / max(1, counts[words].sum())
        return Dirichlet(words, self.alpha, self.mu, background)

    def fit_pair(self, corpus: Corpus, rows: tuple[int, int]) -> Fitted:
        """Take the two texts as their own background."""
        if self.pair_background(corpus) != THE_TWO:
            return self.fit(corpus, rows)
        words = corpus.content if self.words == "content" else np.ones(len(corpus.vocabulary), dtype=bool)
        return Midpoint(words, mu=self.mu, alpha=self.alpha)

    def pair_background(self, corpus: Corpus) -> str:
        """Return, in words, the background of a comparison of two documents."""
        own = self.support == "background" and self.compat is None
        return THE_TWO if own else super().pair_background(corpus)


class Frequencies(Fitted):
    """What both supports share: frequencies over the method's words."""

    def __init__(self, words: NDArray[np.bool_], alpha: float) -> None:
        self.words = words
        self.alpha = alpha

    def kept(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return the counts of the method's words, as floats."""
        kept = sparse.csr_array(counts)[:, self.words].astype(np.float64)
        kept.eliminate_zeros()
        return kept

    def frequencies(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return p(w) of each row over the method's words."""
        kept = self.kept(counts)
        return _with(kept, kept.data / np.repeat(sizes(kept), np.diff(kept.indptr)))

    def numbers(self, positions: NDArray[Any]) -> NDArray[np.int64]:
        """Return the numbers in the vocabulary of kept columns."""
        return np.asarray(np.flatnonzero(self.words)[positions], dtype=np.int64)


class Dirichlet(Frequencies):
    """Divergence from Q smoothed towards the background.

    log q̃(w) = log μb(w) − log(M+μ) + log(1 + c_Q(w) / μb(w)), and the last term is zero for words that Q
    does not have: so all pairs are one product of sparse matrices.
    """

    def __init__(self, words: NDArray[np.bool_], alpha: float, mu: float, background: Floats) -> None:
        super().__init__(words, alpha)
        self.mu = mu
        self.log_prior = np.log(mu * background[words])

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:  # noqa: ARG002
        """Return D(P[i]‖Q[j]) for all pairs."""
        p, q = self.frequencies(P), self.kept(Q)
        scale = np.log(sizes(q) + self.mu)[None, :]
        log_gain = np.log1p(q.data / np.exp(self.log_prior[q.indices]))
        if self.alpha == 1:
            alone = _row_sums(p, p.data * (np.log(p.data) - self.log_prior[p.indices]))
            return np.asarray(alone[:, None] + scale - (p @ _with(q, log_gain).T).toarray())
        a = self.alpha
        weights = np.exp(a * np.log(p.data) + (1 - a) * self.log_prior[p.indices])
        gain = (_with(p, weights) @ _with(q, np.expm1((1 - a) * log_gain)).T).toarray()
        return np.asarray((np.log(_row_sums(p, weights)[:, None] + gain) - (1 - a) * scale) / (a - 1))

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one divergence: each word of P adds p log(p / q̃)."""
        p, q = self.frequencies(p), self.kept(q)
        theirs = q[:, p.indices].toarray().ravel() + np.exp(self.log_prior[p.indices])
        log_ratio = np.log(p.data) - np.log(theirs) + np.log(sizes(q)[0] + self.mu)
        return WordContributions(self.numbers(p.indices), _terms(p.data, log_ratio, self.alpha))


class Intersection(Frequencies):
    """Divergence over the words that P and Q share, both renormalised over them."""

    def __init__(self, words: NDArray[np.bool_], alpha: float, unit: float) -> None:
        super().__init__(words, alpha)
        self.unit = unit

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:  # noqa: ARG002
        """Return D(P[i]‖Q[j]) for all pairs; nan where two documents share no word."""
        p, q = self.frequencies(P), self.frequencies(Q)
        in_p, in_q = _with(p, np.ones(p.nnz)), _with(q, np.ones(q.nnz))
        share_p, share_q = (p @ in_q.T).toarray(), (in_p @ q.T).toarray()
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.alpha == 1:
                log_ratio = _with(p, p.data * np.log(p.data)) @ in_q.T - p @ _with(q, np.log(q.data)).T
                values = log_ratio.toarray() / share_p - np.log(share_p) + np.log(share_q)
            else:
                a = self.alpha
                total = (_with(p, p.data**a) @ _with(q, q.data ** (1 - a)).T).toarray()
                values = (np.log(total) - a * np.log(share_p) - (1 - a) * np.log(share_q)) / (a - 1)
        return np.asarray(np.where(share_p > 0, values, np.nan) / self.unit)

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one divergence: each shared word adds p log(p / q), renormalised."""
        p, q = self.frequencies(p), self.frequencies(q)
        theirs = q[:, p.indices].toarray().ravel()
        shared = theirs > 0
        mine, theirs = p.data[shared], theirs[shared]
        mine, theirs = mine / mine.sum(), theirs / theirs.sum()
        values = _terms(mine, np.log(mine) - np.log(theirs), self.alpha) / self.unit
        return WordContributions(self.numbers(p.indices[shared]), values)


def _terms(p: Floats, log_ratio: Floats, alpha: float) -> Floats:
    """Return each word's share of the divergence; Rényi's is the mean of (p/q)^(α−1)."""
    return p * log_ratio if alpha == 1 else shares(p, (alpha - 1) * log_ratio, alpha)


def _with(like: sparse.csr_array, data: Floats) -> sparse.csr_array:
    """Return a sparse array with other values in the same places."""
    return sparse.csr_array((data, like.indices, like.indptr), shape=like.shape)


def _row_sums(like: sparse.csr_array, data: Floats) -> Floats:
    return np.asarray(_with(like, data).sum(axis=1), dtype=np.float64).ravel()


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
