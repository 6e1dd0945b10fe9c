"""Sums of log distances over the words of documents: what turns the k-NN estimator into a matrix product."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from lexicloud.divergences.base import row_numbers, sizes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Distances = NDArray[np.float32]  # ks × words × documents, or ks × stored words


def occurring(P: sparse.csr_array) -> NDArray[np.int32]:
    """Return the words (columns) that are stored in some row, in ascending order."""
    return np.flatnonzero(np.bincount(P.indices, minlength=P.shape[1])).astype(np.int32)


def shares_of_tokens(P: sparse.csr_array) -> Floats:
    """Return p(w) of each stored entry: its count over the tokens of its row."""
    return np.asarray(P.data / np.repeat(sizes(P), np.diff(P.indptr)))


def powers(log_upsilon: Any, exponent: float) -> Any:
    """Return υ to a power; a word that found no neighbour (υ infinite) is a term that is left out."""
    # In double precision: near α = 1 powers differ from one by little, and that little is what counts.
    log_upsilon = np.asarray(log_upsilon, dtype=np.float64)
    return np.where(np.isinf(log_upsilon), 0.0, np.exp(exponent * log_upsilon))


@dataclass(frozen=True)
class Columns:
    """A CSR array read by columns: which stored entries belong to a word."""

    order: NDArray[np.intp]  # stored entries, word after word
    starts: NDArray[np.intp]  # word w has order[starts[w]:starts[w + 1]]
    rows: NDArray[np.intp]  # the row of each entry of `order`

    @classmethod
    def of(cls, P: sparse.csr_array) -> Columns:
        """Sort the stored entries by word."""
        order = np.argsort(P.indices, kind="stable")
        starts = np.searchsorted(P.indices[order], np.arange(P.shape[1] + 1))
        return cls(order, starts, row_numbers(P)[order])

    def run(self, words: NDArray[np.int32]) -> Run:
        """Return the entries of some words, in ascending order and with no stored word left out between."""
        if not len(words):
            nothing = np.zeros(0, dtype=np.intp)
            return Run(nothing, nothing, nothing)
        stretch = slice(self.starts[words[0]], self.starts[words[-1] + 1])
        of_word = np.repeat(np.arange(len(words)), self.starts[words + 1] - self.starts[words])
        return Run(self.order[stretch], self.rows[stretch], of_word)


@dataclass(frozen=True)
class Run:
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
    columns: Columns
    totals: Any = field(default=0.0)  # α × ks × P × Q, once a block was added

    @classmethod
    def of(cls, alphas: tuple[float, ...], P: sparse.csr_array) -> PairSums:
        """Start with nothing added."""
        return cls(alphas, shares_of_tokens(P), P.shape[0], Columns.of(P))

    def add(self, run: Run, rho: Distances, upsilon: Distances) -> None:
        """Add a block of words: ρ for its stored entries, υ into every document."""
        p, log_rho, log_upsilon = self.p[run.stored], np.log(rho.astype(np.float64)), np.log(upsilon)
        self.totals = self.totals + np.stack(
            [self._block(a, run, p, log_rho, log_upsilon) for a in self.alphas]
        )

    def _block(self, a: float, run: Run, p: Floats, log_rho: Floats, log_upsilon: Distances) -> Floats:
        if a != 1:
            tables = zip(log_rho, log_upsilon, strict=True)
            return np.stack([self._powers(a, run, p, own, theirs) for own, theirs in tables])
        # The weights are the same for all k, so that the tables stand side by side in one product.
        ks, words, documents = log_upsilon.shape
        side_by_side = log_upsilon.transpose(1, 0, 2).reshape(words, ks * documents)
        theirs = (run.matrix(p, self.rows, words) @ side_by_side).reshape(self.rows, ks, documents)
        mine = np.stack([np.bincount(run.rows, p * own, minlength=self.rows) for own in log_rho])
        return np.asarray(theirs.transpose(1, 0, 2) - mine[:, :, None])

    def _powers(self, a: float, run: Run, p: Floats, log_rho: Floats, log_upsilon: Distances) -> Floats:
        weights = run.matrix(p * np.exp((1 - a) * log_rho), self.rows, len(log_upsilon))
        return np.asarray(weights @ powers(log_upsilon, a - 1))
