"""What every divergence method provides.

A *method* is a small frozen dataclass whose fields are its options: `Knn(k=3, alpha=1.0)`. *Fitting* it to a
corpus collects whatever the method needs to know about the vocabulary (background frequencies, neighbours,
means and deviations), from the `reference` documents alone. What comes back measures the divergence between
any rows of counts over the corpus's vocabulary: documents, windows of a document, resampled documents, or new
texts against known ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# What a comparison of two documents takes as usual, as a result says it.
THE_TWO: Final = "the two texts, each weighing the same"
BOOKS: Final = "reference books of the language"
COMPANY: Final = "all documents of the corpus"


@dataclass(frozen=True, eq=False)
class WordContributions:
    """How much each word adds to D(P‖Q), positive where it sets the texts apart; `values.sum()` is the value.

    `carriers[i]` is the number of the word of Q that carried the match of word `ids[i]`, -1 where there is
    none (the word itself, or a method without neighbours).
    """

    ids: NDArray[np.int64]
    values: NDArray[np.float64]
    carriers: NDArray[np.int64] | None = None

    @property
    def value(self) -> float:
        """The divergence that the contributions add up to."""
        return float(self.values.sum())


class Fitted(ABC):
    """A method that has seen a corpus. All counts are CSR arrays over that corpus's vocabulary, of any number
    type.
    """

    words: NDArray[np.bool_]
    """Which words of the vocabulary the method looks at; all others are ignored in the counts it is given."""

    @abstractmethod
    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> NDArray[np.float64]:
        """Return D(P[i]‖Q[j]) for all i and j, finite for all rows with at least `Method.least_types` words
        of `words`.

        That includes words which no reference document uses. A pair that has no answer all the same is nan,
        and the caller names it.
        """

    @abstractmethod
    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain the divergence of one row from another: contributions add up to `between(p, q)[0, 0]`."""

    def types(self, P: sparse.csr_array) -> NDArray[np.int64]:
        """Return how many distinct words that the method looks at each row has."""
        return np.asarray((P[:, self.words] > 0).sum(axis=1), dtype=np.int64).ravel()

    def tokens(self, P: sparse.csr_array) -> NDArray[np.int64]:
        """Return how many tokens that the method looks at each row has."""
        return np.asarray(P[:, self.words].sum(axis=1)).ravel().astype(np.int64)

    def prepare(self, P: sparse.csr_array) -> Any:  # noqa: ARG002
        """Return what `between` needs of its rows alone, so that a later column does not compute it again."""
        return None

    def joined(self, prepared: Any, more: Any) -> Any:  # noqa: ARG002
        """Return what `prepare` would return for the rows of both, one after the other."""
        return None

    def all_pairs(self, P: sparse.csr_array) -> tuple[NDArray[np.float64], Any]:
        """Return D(P[i]‖P[j]) for all pairs, and what `prepare` returns for P."""
        prepared = self.prepare(P)
        return self.between(P, P, prepared), prepared

    def pairs(self, P: sparse.csr_array, Q: sparse.csr_array) -> NDArray[np.float64]:
        """Return D(P[i]‖Q[i]) for each i; methods with a faster way than one by one override this."""
        both = range(P.shape[0])
        return np.array([self.between(P[[i]], Q[[i]])[0, 0] for i in both], dtype=np.float64)


class Method(ABC):
    """The options of a method. Subclasses are frozen dataclasses; every field has a default and is checked on
    creation.
    """

    name: ClassVar[str]
    least_types: int = 1
    """How many distinct words of `Fitted.words` a document needs."""
    is_symmetric: ClassVar[bool] = False
    """Whether D(P‖Q) = D(Q‖P)."""
    size_sensitive: ClassVar[bool] = False
    """Whether the ratio of the two sizes enters the value, which asks for samples of equal size."""
    needs_company: ClassVar[bool] = False
    """Whether texts are seen against what is usual among them, which two texts alone cannot say."""

    @abstractmethod
    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> Fitted:
        """Collect the statistics of the vocabulary from the `reference` rows of a corpus (all of them by
        default).
        """

    def fit_pair(self, corpus: Corpus, rows: tuple[int, int]) -> Fitted:
        """Collect what a comparison of two documents needs from these two alone, whoever else is in the
        corpus.
        """
        return self.fit(corpus, rows)

    def pair_background(self, corpus: Corpus) -> str:  # noqa: ARG002
        """Say what a comparison of two documents takes as usual."""
        return "none"

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the options as plain values."""
        options = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"method": self.name, **options}


def reference_counts(corpus: Corpus, reference: Sequence[int] | None) -> NDArray[np.int64]:
    """Return how often each word of the vocabulary occurs in the reference documents."""
    if reference is None:
        return corpus.totals
    chosen = corpus.counts[np.asarray(reference, dtype=np.int64)]
    return np.asarray(chosen.sum(axis=0)).ravel().astype(np.int64)


def shares(p: Floats, log_t: Floats, alpha: float) -> Floats:
    """Split D = log σ / (α−1), with σ = Σ p t and Σ p = 1, into one share for each word.

    A logarithm of a sum has no terms of its own, but σ − 1 = Σ p (t − 1) has, and D is proportional to it:
    D = Σ p (t − 1) · [log σ / (σ − 1)] / (α − 1). The shares add up to D, and as α → 1 they become the
    familiar p · log ratio. `log_t` may be -inf for terms that are left out.
    """
    gain = p * np.expm1(log_t)
    excess = float(gain.sum())
    slope = np.log1p(excess) / excess if excess else 1.0
    return np.asarray(gain * (slope / (alpha - 1)))
