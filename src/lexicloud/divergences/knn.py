"""method="knn": the paper's estimator on the words of documents (its equations 4 and 5), for all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np
from scipy import sparse

from lexicloud.corpus import require_vectors
from lexicloud.divergences.base import Fitted, Method, WordContributions, row_numbers, shares, sizes
from lexicloud.divergences.point_clouds import check_alpha, check_k
from lexicloud.errors import OptionError
from lexicloud.neighbours import iter_reach
from lexicloud.neighbours.nearest import distinct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Distances = NDArray[np.float32]
    Floats = NDArray[np.float64]
    Block = tuple[NDArray[np.int32], NDArray[np.float32]]  # words, and ks × words × documents

# Squared distances in Q below this are skipped.
LEAST: Final = np.float32(1e-4)


def published_upsilons(
    vectors: Distances, Q: sparse.csr_array, ks: Sequence[int], words: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int32], Distances]]:
    """Yield squared distances to the k-th nearest word of each document; a word that occurs there is its own first.

    Where that is below `LEAST`, the nearest word beyond `LEAST` is taken; where there is none, infinity,
    which drops the term for α < 1 and is left to the caller otherwise.
    """
    ranks = sorted({r for k in ks for r in (k - 1, k)})
    member = (Q > 0).tocsc()
    for block, distances in iter_reach(vectors, Q, ranks, words):
        own = member[:, words[block]].T.toarray()
        chosen = [np.where(own, distances[ranks.index(k - 1)], distances[ranks.index(k)]) for k in ks]
        squared = np.stack(chosen) ** 2
        _look_farther(squared, vectors, Q, words[block])
        yield words[block], squared


def _look_farther(
    squared: Distances, vectors: Distances, Q: sparse.csr_array, words: NDArray[np.int32]
) -> None:
    """Replace distances below `LEAST` by the next one above it, in place."""
    for j, i, q in zip(*np.nonzero(squared < LEAST), strict=True):
        theirs = Q.indices[Q.indptr[q] : Q.indptr[q + 1]]
        every = ((vectors[theirs] - vectors[words[i]]) ** 2).sum(axis=1)
        squared[j, i, q] = np.min(every[every > LEAST], initial=np.inf)


# The published code takes the mean of these two for KL, instead of the exact limit.
AUTHORS_ALPHAS: Final = (0.99, 1.01)
# For this many of the largest contributions the matching neighbour is looked up.
CARRIED: Final = 200


@dataclass(frozen=True)
class Knn(Method):
    """The k-NN divergence of two documents as clouds of word vectors.

    It is a mean over the distinct content words of P, weighted by their counts. ρ_k and υ_k are Euclidean
    distances to the k-th nearest distinct other word in P and in Q (words with the same vector are one); N and M
    are tokens. Distances are not raised to the power of the dimension, so the result is a score and not an
    estimate of the divergence (`knn_divergence` is). For α ≠ 1 this shows even between equal texts: the constant
    Γ(k)² / (Γ(k−α+1) Γ(k+α−1)) belongs to distances with the power, and without it D(P‖P) is about 0.2 at
    α = 0.5, k = 3. Compare values of one α, and read none as a divergence.

    `compat="authors"` repeats the choices of the published code: the word itself counts as its first
    neighbour, υ is a squared distance, terms with υ below 1e-4 take a farther neighbour or are dropped,
    logarithms are base 2, and KL is the mean of α = 0.99 and 1.01.
    """

    name: ClassVar[str] = "knn"
    size_sensitive: ClassVar[bool] = True
    bounds: ClassVar = (-np.inf, np.inf)  # a score, which may fall below zero
    in_order: ClassVar = (1.35, 1.35, 1.4, 1.45, 1.45)
    in_no_order: ClassVar = (1.05, 1.05, 1.05, 1.05, 1.05)

    k: int = 3
    alpha: float = 1.0
    compat: Literal["authors"] | None = None

    def __post_init__(self) -> None:
        check_k(self.k)
        check_alpha(self.alpha, self.k)
        if self.compat not in (None, "authors"):
            raise OptionError(f"compat is None or 'authors', not {self.compat!r}")
        if self.compat and self.k < 2:
            raise OptionError(
                "compat='authors' needs k of at least 2: a word is its own first neighbour there"
            )

    @property
    def least_types(self) -> int:  # type: ignore[override]
        """One more than k: a word is not its own neighbour."""
        return self.k + 1

    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> KnnFitted:  # noqa: ARG002
        """Take the vectors of the content words; nothing is learned from the reference documents."""
        require_vectors(corpus, "method 'knn'")
        return KnnFitted(self, corpus.content, corpus.vectors)


class KnnFitted(Fitted):
    """The k-NN divergence over one vocabulary."""

    def __init__(self, method: Knn, words: NDArray[np.bool_], vectors: NDArray[np.float32]) -> None:
        self.method = method
        self.words = words
        self.vectors = vectors

    def types(self, P: sparse.csr_array) -> NDArray[np.int64]:
        """Return how many distinct vectors each row has."""
        P = self._kept(P)
        used = occurring(P)
        number = np.zeros(len(self.words), dtype=np.int64)
        number[used] = distinct(self.vectors[used])[1]
        points = sparse.csr_array((P.data, number[P.indices], P.indptr), shape=P.shape)
        points.sum_duplicates()
        return np.diff(points.indptr).astype(np.int64)

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:
        """Return D(P[i]‖Q[j]) for all pairs."""
        return np.asarray(self.between_ks(P, Q, (self.method.k,), prepared)[0])

    def between_ks(
        self, P: sparse.csr_array, Q: sparse.csr_array, ks: Sequence[int], prepared: Any = None
    ) -> Floats:
        """Return D(P[i]‖Q[j]) for several k in one pass, as an array ks × P × Q."""
        rho = self.prepare_ks(P, ks) if prepared is None else prepared
        P, Q = self._kept(P), self._kept(Q)
        sums = PairSums.of(self._alphas(), P)
        for words, upsilon in self._upsilons(P, Q, ks):
            run = sums.columns.run(words)
            sums.add(run, rho[:, run.stored], upsilon)
        return self._divergences(sums, sizes(P), sizes(Q), ks)

    def prepare(self, P: sparse.csr_array) -> Any:
        """Return ρ of each stored word of P."""
        return self.prepare_ks(P, (self.method.k,))

    def prepare_ks(self, P: sparse.csr_array, ks: Sequence[int]) -> NDArray[np.float32]:
        """Return ρ for each k and each stored word of P."""
        P = self._kept(P)
        return self._distances_at(P, P, self._own_ranks(ks))

    def stacked(self, prepared: Any, more: Any) -> Any:
        """Return ρ of the stored words of both."""
        return np.concatenate([prepared, more], axis=1)

    def all_pairs(self, P: sparse.csr_array) -> tuple[Floats, Any]:
        """Return D(P[i]‖P[j]) for all pairs, and what `prepare` would return."""
        values, rho = self.all_pairs_ks(P, (self.method.k,))
        return values[0], rho

    def all_pairs_ks(self, P: sparse.csr_array, ks: Sequence[int]) -> tuple[Floats, NDArray[np.float32]]:
        """Return the divergences of all pairs for several k, and ρ; one pass gives ρ and υ together."""
        if self.method.compat:
            rho = self.prepare_ks(P, ks)
            return self.between_ks(P, P, ks, rho), rho
        P = self._kept(P)
        sums, rho = PairSums.of(self._alphas(), P), np.empty((len(ks), P.nnz), dtype=np.float32)
        for words, upsilon in self._upsilons(P, P, ks):
            run = sums.columns.run(words)
            rho[:, run.stored] = run.pick(upsilon)
            sums.add(run, rho[:, run.stored], upsilon)
        return self._divergences(sums, sizes(P), sizes(P), ks), rho

    def pairs(self, P: sparse.csr_array, Q: sparse.csr_array) -> Floats:
        """Return D(P[i]‖Q[i]) for each i, in one pass over the words of all."""
        P, Q = self._kept(P), self._kept(Q)
        log_ratio, p, rows = self._log_ratios(P, Q), shares_of_tokens(P), row_numbers(P)
        terms = [p * (-log_ratio if a == 1 else powers(-log_ratio, a - 1)) for a in self._alphas()]
        totals = [np.bincount(rows, term, minlength=P.shape[0]) for term in terms]
        return self._finish(totals, np.log(sizes(P) - 1) - np.log(sizes(Q)), self.method.k)

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one divergence: each word of P adds p(w) times its log ratio of distances."""
        p, q = self._kept(p), self._kept(q)
        log_ratio = self._log_ratios(p, q) + float(np.log(sizes(p)[0] - 1) - np.log(sizes(q)[0]))
        weight = p.data / p.data.sum()
        parts = [self._shares(weight, log_ratio, a) for a in self._alphas()]
        values = np.mean(parts, axis=0) / self._unit
        return WordContributions(
            p.indices.astype(np.int64), values, self._carriers(p, q, values), measured=True
        )

    # ---- pieces

    @property
    def _unit(self) -> float:
        return float(np.log(2)) if self.method.compat else 1.0

    def _alphas(self) -> tuple[float, ...]:
        return AUTHORS_ALPHAS if self.method.compat and self.method.alpha == 1 else (self.method.alpha,)

    def _own_ranks(self, ks: Sequence[int]) -> list[int]:
        """Return which other word is the k-th neighbour: under `compat`, where a word is its own first, the k−1st."""
        return [k - 1 for k in ks] if self.method.compat else list(ks)

    def _kept(self, counts: sparse.csr_array) -> sparse.csr_array:
        """Return the counts of the method's words alone, over the same vocabulary."""
        counts = sparse.csr_array(counts)
        kept = self.words[counts.indices] & (counts.data > 0)
        starts = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
        data = counts.data[kept].astype(np.float64)
        return sparse.csr_array((data, counts.indices[kept], starts), shape=counts.shape)

    def _log_b(self, k: int, alpha: float) -> float:
        from scipy.special import gammaln

        return float(2 * gammaln(k) - gammaln(k - alpha + 1) - gammaln(k + alpha - 1))

    def _divergences(self, sums: PairSums, N: Floats, M: Floats, ks: Sequence[int]) -> Floats:
        log_size = np.log(N - 1)[:, None] - np.log(M)[None, :]
        return np.stack([self._finish(sums.totals[:, j], log_size, k) for j, k in enumerate(ks)])

    def _finish(self, totals: Any, log_size: Floats, k: int) -> Floats:
        """Turn the sums for each α into divergences."""
        values = []
        for a, total in zip(self._alphas(), totals, strict=True):
            if a == 1:
                values.append(total - log_size)
            else:
                values.append((np.log(total) + (1 - a) * log_size + self._log_b(k, a)) / (a - 1))
        return np.asarray(np.mean(values, axis=0) / self._unit)

    def _shares(self, weight: Floats, log_ratio: Floats, alpha: float) -> Floats:
        if alpha == 1:
            return -weight * log_ratio
        log_t = np.where(
            np.isinf(log_ratio), -np.inf, (1 - alpha) * log_ratio + self._log_b(self.method.k, alpha)
        )
        return shares(weight, log_t, alpha)

    def _upsilons(self, P: sparse.csr_array, Q: sparse.csr_array, ks: Sequence[int]) -> Iterator[Block]:
        """Yield υ for each k as blocks of (word numbers, ks × words × documents)."""
        words = occurring(P)
        if not self.method.compat:
            for block, distances in iter_reach(self.vectors, Q, list(ks), words):
                yield words[block], distances
            return

        yield from published_upsilons(self.vectors, Q, ks, words)

    def _distances_at(
        self, P: sparse.csr_array, Q: sparse.csr_array, ks: Sequence[int]
    ) -> NDArray[np.float32]:
        """Return the distance of each stored word of P[i] to its k-th nearest word of Q[i], as ks × stored words."""
        words = occurring(P)
        blocks = ((words[b], distances) for b, distances in iter_reach(self.vectors, Q, list(ks), words))
        return _picked(P, blocks, len(ks))

    def _log_ratios(self, P: sparse.csr_array, Q: sparse.csr_array) -> Floats:
        """Return log(ρ/υ) of each stored word of P[i] against Q[i]."""
        ks = (self.method.k,)
        rho = self._distances_at(P, P, self._own_ranks(ks))[0].astype(np.float64)
        upsilon = _picked(P, self._upsilons(P, Q, ks), 1)[0].astype(np.float64)
        return np.asarray(np.log(rho) - np.log(upsilon))

    def _carriers(self, p: sparse.csr_array, q: sparse.csr_array, values: Floats) -> NDArray[np.int64]:
        """Find the k-th nearest word of Q for the words that contribute most."""
        from lexicloud.neighbours.nearest import kth_neighbours

        carriers = np.full(p.nnz, -1, dtype=np.int64)
        top = np.argsort(-np.abs(values), kind="stable")[:CARRIED]
        theirs = q.indices
        found = kth_neighbours(self.vectors[p.indices[top]], self.vectors[theirs], self.method.k)
        carriers[top] = np.where(found >= 0, theirs[found], -1)
        return carriers


def _picked(P: sparse.csr_array, blocks: Iterable[Block], ks: int) -> NDArray[np.float32]:
    """Keep of each block of distances what concerns the document that each word is stored for."""
    out, columns = np.empty((ks, P.nnz), dtype=np.float32), WordColumns.of(P)
    for words, distances in blocks:
        run = columns.run(words)
        out[:, run.stored] = run.pick(distances)
    return out


# ---- sums of log distances over the words of documents, by which the estimator is a matrix product


def occurring(P: sparse.csr_array) -> NDArray[np.int32]:
    """Return the words (columns) that are stored in some row, in ascending order."""
    return np.flatnonzero(np.bincount(P.indices, minlength=P.shape[1])).astype(np.int32)


def shares_of_tokens(P: sparse.csr_array) -> Floats:
    """Return p(w) of each stored entry: its count over the tokens of its row."""
    return np.asarray(P.data / np.repeat(sizes(P), np.diff(P.indptr)))


def powers(log_upsilon: Any, exponent: float) -> Any:
    """Return υ to a power; 0 for a word without a neighbour (υ infinite), which is left out."""
    # In double precision: near α = 1 all powers are close to one, and the small difference counts.
    log_upsilon = np.asarray(log_upsilon, dtype=np.float64)
    return np.where(np.isinf(log_upsilon), 0.0, np.exp(exponent * log_upsilon))


@dataclass(frozen=True)
class WordColumns:
    """A CSR array read by columns: which stored entries belong to a word."""

    order: NDArray[np.intp]  # stored entries, word after word
    starts: NDArray[np.intp]  # word w has order[starts[w]:starts[w + 1]]
    rows: NDArray[np.intp]  # the row of each entry of `order`

    @classmethod
    def of(cls, P: sparse.csr_array) -> WordColumns:
        """Sort the stored entries by word."""
        order = np.argsort(P.indices, kind="stable")
        starts = np.searchsorted(P.indices[order], np.arange(P.shape[1] + 1))
        return cls(order, starts, row_numbers(P)[order])

    def run(self, words: NDArray[np.int32]) -> KnnRun:
        """Return the entries of some words, which must be ascending and leave out no stored word in between."""
        if not len(words):
            nothing = np.zeros(0, dtype=np.intp)
            return KnnRun(nothing, nothing, nothing)
        stretch = slice(self.starts[words[0]], self.starts[words[-1] + 1])
        of_word = np.repeat(np.arange(len(words)), self.starts[words + 1] - self.starts[words])
        return KnnRun(self.order[stretch], self.rows[stretch], of_word)


@dataclass(frozen=True)
class KnnRun:
    """Stored entries of a block of words: where they are stored, their rows, their word within the block."""

    stored: NDArray[np.intp]
    rows: NDArray[np.intp]
    word: NDArray[np.intp]

    def pick(self, distances: Distances) -> Distances:
        """Pick from ks × words × documents the distance of each word into the document it is stored for."""
        return distances[:, self.word, self.rows]

    def matrix(self, weights: Floats, rows: int, words: int) -> sparse.csr_array:
        """Return rows × words of the block with a weight for each entry."""
        return sparse.coo_array((weights, (self.rows, self.word)), shape=(rows, words)).tocsr()


@dataclass
class PairSums:
    """Σ_w p(w) log(υ/ρ) for α = 1, else Σ_w p(w) (ρ/υ)^(1−α): for every α, every k and every pair of
    documents.
    """

    alphas: tuple[float, ...]
    p: Floats
    rows: int
    columns: WordColumns
    totals: Any = field(default=0.0)  # α × ks × P × Q, once a block was added

    @classmethod
    def of(cls, alphas: tuple[float, ...], P: sparse.csr_array) -> PairSums:
        """Start with nothing added."""
        return cls(alphas, shares_of_tokens(P), P.shape[0], WordColumns.of(P))

    def add(self, run: KnnRun, rho: Distances, upsilon: Distances) -> None:
        """Add a block of words: ρ for its stored entries, υ into every document."""
        p, log_rho, log_upsilon = self.p[run.stored], np.log(rho.astype(np.float64)), np.log(upsilon)
        self.totals = self.totals + np.stack(
            [self._block(a, run, p, log_rho, log_upsilon) for a in self.alphas]
        )

    def _block(self, a: float, run: KnnRun, p: Floats, log_rho: Floats, log_upsilon: Distances) -> Floats:
        if a != 1:
            tables = zip(log_rho, log_upsilon, strict=True)
            return np.stack([self._powers(a, run, p, own, theirs) for own, theirs in tables])
        # The weights are the same for all k, so that one product serves the tables of all k side by side.
        ks, words, documents = log_upsilon.shape
        side_by_side = log_upsilon.transpose(1, 0, 2).reshape(words, ks * documents)
        theirs = (run.matrix(p, self.rows, words) @ side_by_side).reshape(self.rows, ks, documents)
        mine = np.stack([np.bincount(run.rows, p * own, minlength=self.rows) for own in log_rho])
        return np.asarray(theirs.transpose(1, 0, 2) - mine[:, :, None])

    def _powers(self, a: float, run: KnnRun, p: Floats, log_rho: Floats, log_upsilon: Distances) -> Floats:
        weights = run.matrix(p * np.exp((1 - a) * log_rho), self.rows, len(log_upsilon))
        return np.asarray(weights @ powers(log_upsilon, a - 1))
