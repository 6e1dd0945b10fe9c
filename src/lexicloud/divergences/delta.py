"""method="delta": Cosine Delta on the most frequent words, the stylometrist's standard.

Smith and Aldridge 2011; Evert and others 2017 found it best with some thousand words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from lexicloud.divergences.base import (
    BOOKS,
    COMPANY,
    Fitted,
    Method,
    WordContributions,
    check_whole,
    reference_counts,
)
from lexicloud.errors import EstimateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Delta(Method):
    """One minus the cosine between the z-scores of the frequencies of the `n` most frequent words.

    Frequencies are shares of all tokens of a document; which words are frequent, their means and
    deviations come from the reference documents. Between 0 (the same deviations) and 2 (opposite ones).
    """

    name: ClassVar[str] = "delta"
    is_symmetric: ClassVar[bool] = True
    needs_company: ClassVar[bool] = True
    bounds: ClassVar = (0.0, 2.0)
    in_order: ClassVar = (2.6, 1.7, 1.6, 2.1, 2.1)
    in_no_order: ClassVar = (1.2, 1.2, 0.9, 0.9, 0.9)

    n: int = 5000

    def __post_init__(self) -> None:
        check_whole(self.n, "n", 1)

    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> DeltaFitted:
        """Find the frequent words of the reference documents, with their means and deviations."""
        totals = reference_counts(corpus, reference)
        rows = np.arange(len(corpus)) if reference is None else np.asarray(reference, dtype=np.int64)
        rows = rows[corpus.lengths[rows] > 0]
        if len(rows) < 2:
            raise EstimateError(
                f"method 'delta' needs at least two documents to compare with, not {len(rows)}"
            )
        frequent = np.argsort(-totals, kind="stable")[: self.n]
        frequent = np.sort(frequent[totals[frequent] > 0])
        shares = _shares(corpus.counts[rows], frequent)
        mean, deviation = shares.mean(axis=0), shares.std(axis=0)
        varies = deviation > 1e-12 * mean
        if not varies.any():
            raise EstimateError("method 'delta' finds no word whose frequency differs between the documents")
        return DeltaFitted(len(totals), frequent[varies], mean[varies], deviation[varies])

    def fit_pair(self, corpus: Corpus, rows: tuple[int, int]) -> DeltaFitted:
        """Take means and deviations from the shipped reference books of the language; without any, from the corpus.

        Only words that one of the two texts has count, whatever else is in the corpus.
        """
        usual = _usual_of(corpus)
        if usual is None:
            return self.fit(corpus)
        known, mean, deviation = usual
        present = np.flatnonzero(np.asarray(corpus.counts[list(rows)].sum(axis=0)).ravel())
        place = {word: i for i, word in enumerate(known[: self.n])}
        found = [
            (number, place[corpus.vocabulary[number]])
            for number in present
            if corpus.vocabulary[number] in place
        ]
        if not found:
            raise EstimateError(
                "method 'delta' finds no word that is usual in this language: check the language"
            )
        numbers, places = np.array(found, dtype=np.int64).T
        return DeltaFitted(len(corpus.vocabulary), numbers, mean[places], deviation[places])

    def pair_background(self, corpus: Corpus) -> str:
        """Return, in words, the background of a comparison of two documents."""
        return COMPANY if _usual_of(corpus) is None else BOOKS


def _usual_of(corpus: Corpus) -> tuple[list[str], Floats, Floats] | None:
    """Return the usual shares of the corpus's language; None for lemmas, of which there are none."""
    return None if corpus.rules.lemmas else usual_shares(corpus.rules.language)


@cache
def usual_shares(language: str) -> tuple[list[str], Floats, Floats] | None:
    """Return the most frequent words of a language, with mean and deviation of their shares over reference books.

    None for a language without such a table; `benchmarks/make/reference_pairs.py` made the English one.
    """
    source = resources.files("lexicloud.divergences") / "reference" / f"{language}_words.csv"
    if not source.is_file():
        return None
    rows = [line.rsplit(",", 2) for line in source.read_text(encoding="utf-8").splitlines()[1:]]
    mean, deviation = (np.array([float(row[i]) for row in rows]) / 1e6 for i in (1, 2))
    return [row[0].strip('"') or '"' for row in rows], mean, deviation


class DeltaFitted(Fitted):
    """The frequent words of one corpus, with the mean and deviation of each one's share of a document."""

    def __init__(self, size: int, frequent: NDArray[np.int64], mean: Floats, deviation: Floats) -> None:
        self.words = np.ones(size, dtype=bool)  # rarer words count in the length of a document
        self.frequent = frequent
        self.mean = mean
        self.deviation = deviation

    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> Floats:
        """Return one minus the cosine for all pairs."""
        rows = self.prepare(P) if prepared is None else prepared
        columns = rows if Q is P else self.prepare(Q)
        return np.asarray(1 - rows @ columns.T)

    def prepare(self, P: sparse.csr_array) -> Floats:
        """Return the z-scores of each row, at unit length."""
        z = (_shares(P, self.frequent) - self.mean) / self.deviation
        lengths = np.linalg.norm(z, axis=1, keepdims=True)
        return np.asarray(z / np.where(lengths > 0, lengths, 1.0))

    def stacked(self, prepared: Floats, more: Floats) -> Floats:
        """Return the z-scores of both."""
        return np.concatenate([prepared, more])

    def pairs(self, P: sparse.csr_array, Q: sparse.csr_array) -> Floats:
        """Return one minus the cosine for each row of both."""
        return np.asarray(1 - np.einsum("ij,ij->i", self.prepare(P), self.prepare(Q)))

    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain one distance, 1 − cosine: each word adds its part of the 1 and subtracts its product of z-scores.

        Negative for words in which both texts deviate from the usual in the same direction.
        """
        product = self.prepare(p)[0] * self.prepare(q)[0]
        return WordContributions(self.frequent.astype(np.int64), 1 / len(product) - product)


def _shares(counts: sparse.csr_array, words: NDArray[np.int64]) -> Floats:
    sizes = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(counts[:, words].toarray() / np.maximum(sizes, 1)[:, None])
