"""What every divergence method provides, and which documents it can measure.

A *method* is a small frozen dataclass whose fields are its options: `Knn(k=3, alpha=1.0)`. *Fitting* it to a
corpus collects whatever the method needs to know about the vocabulary (background frequencies, neighbours,
means and deviations), from the `reference` documents alone. What comes back measures the divergence between
any rows of counts over the corpus's vocabulary: documents, windows of a document, resampled documents, or new
texts against known ones. A document that a method cannot measure is refused in a sentence that says why.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from numbers import Number
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from lexicloud.errors import EstimateError, OptionError, warn
from lexicloud.result import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# The backgrounds of a comparison of two documents, as results name them.
THE_TWO: Final = "the two texts, each weighing the same"
THE_TWO_ALONE: Final = "none needed, the two texts alone"
BOOKS: Final = "reference books of the language"
COMPANY: Final = "all documents of the corpus"


@dataclass(frozen=True, eq=False)
class WordContributions:
    """How much each word adds to D(P‖Q), positive where it sets the texts apart; `values.sum()` is the value.

    `carriers[i]` is the number of the word of Q that word `ids[i]` was matched with, -1 where there is none (the
    word itself, or a method without neighbours). Where distances are `measured`, this word is named however far
    it is.
    """

    ids: NDArray[np.int64]
    values: NDArray[np.float64]
    carriers: NDArray[np.int64] | None = None
    measured: bool = False

    @property
    def value(self) -> float:
        """The divergence that the contributions add up to."""
        return float(self.values.sum())


class Fitted(ABC):
    """A method fitted to a corpus. All counts are CSR arrays over that corpus's vocabulary, of any number type."""

    words: NDArray[np.bool_]
    """Which words of the vocabulary the method looks at; all others are ignored in the counts it is given."""

    @abstractmethod
    def between(self, P: sparse.csr_array, Q: sparse.csr_array, prepared: Any = None) -> NDArray[np.float64]:
        """Return D(P[i]‖Q[j]) for all i and j, finite for rows with at least `Method.least_types` words of `words`.

        This holds even for words that no reference document uses. A pair that cannot be measured all the same is
        nan, and the caller reports it.
        """

    @abstractmethod
    def contributions(self, p: sparse.csr_array, q: sparse.csr_array) -> WordContributions:
        """Explain the divergence of one row from another: contributions add up to `between(p, q)[0, 0]`."""

    def types(self, P: sparse.csr_array) -> NDArray[np.int64]:
        """Return the number of distinct words of each row that the method looks at."""
        return np.asarray((P[:, self.words] > 0).sum(axis=1), dtype=np.int64).ravel()

    def tokens(self, P: sparse.csr_array) -> NDArray[np.int64]:
        """Return the number of tokens of each row that the method looks at."""
        return np.asarray(P[:, self.words].sum(axis=1)).ravel().astype(np.int64)

    def prepare(self, P: sparse.csr_array) -> Any:  # noqa: ARG002
        """Return what `between` computes from the rows of P alone, to be passed to it as `prepared`."""
        return None

    def stacked(self, prepared: Any, more: Any) -> Any:  # noqa: ARG002
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
    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)
    """The least and the greatest possible divergence; intervals are cut to them."""
    needs_company: ClassVar[bool] = False
    """Whether texts are compared with what is usual among all texts, which two texts alone cannot show."""

    # The factor by which passages of a book differ more than five blocks of one passage do, at 100, 500, 2,000, 10,000
    # and 40,000 tokens, and the same for words in no order. Tuned on half of the authors:
    # see `docs/numbers-measured.md`.
    in_order: ClassVar[tuple[float, ...]] = (1.55, 1.55, 2.0, 3.2, 4.0)
    in_no_order: ClassVar[tuple[float, ...]] = (0.9, 0.9, 0.8, 0.8, 0.8)

    @abstractmethod
    def fit(self, corpus: Corpus, reference: Sequence[int] | None = None) -> Fitted:
        """Collect the statistics of the vocabulary from the `reference` rows of a corpus (all of them by
        default).
        """

    def fit_pair(self, corpus: Corpus, rows: tuple[int, int]) -> Fitted:
        """Collect what a comparison of two documents needs, from these two alone."""
        return self.fit(corpus, rows)

    def pair_background(self, corpus: Corpus) -> str:  # noqa: ARG002
        """Return, in words, the background of a comparison of two documents."""
        return THE_TWO_ALONE

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the options as plain values."""
        options = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"method": self.name, **options}


def sizes(P: sparse.csr_array) -> Floats:
    """Return the number of tokens of each row."""
    return np.asarray(P.sum(axis=1), dtype=np.float64).ravel()


def row_numbers(P: sparse.csr_array) -> NDArray[np.intp]:
    """Return the row of each stored entry."""
    return np.repeat(np.arange(P.shape[0]), np.diff(P.indptr))


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


# log(M/N) is part of the k-NN score; from this ratio of sizes on it is about as large as differences between books.
IMBALANCE: Final = 3.0
# From this ratio of lengths on, a divergence of frequencies changes as much as with another author.
UNEQUAL: Final = 10.0


@dataclass(frozen=True)
class Skipped(Result):
    """A document that was left out, and why."""

    name: str
    reason: str


def problems(corpus: Corpus, rows: Sequence[int], method: Method, fitted: Fitted) -> dict[int, str]:
    """Return row → error message for rows that the method cannot measure."""
    chosen = corpus.counts[np.asarray(rows, dtype=np.int64)]
    types, tokens = fitted.types(chosen), fitted.tokens(chosen)
    found = {}
    for row, has, kept in zip(rows, types, tokens, strict=True):
        if has < method.least_types:
            found[row] = _problem(corpus, row, method, int(has), int(kept))
    return found


def _problem(corpus: Corpus, row: int, method: Method, types: int, tokens: int) -> str:
    name, length = corpus.names[row], int(corpus.lengths[row])
    if not length:
        return f"document {name!r} is empty: remove it"
    if not tokens:
        return (
            f"none of the {length} tokens of document {name!r} can be used by method {method.name!r} (they "
            "have no vector, or are stop words or punctuation): use other vectors or method 'categorical', "
            "or leave it out"
        )
    k = getattr(method, "k", None)
    why = (
        f"k = {k} but document"
        if k is not None
        else f"method {method.name!r} needs {method.least_types} but document"
    )
    return f"{why} {name!r} has only {types} distinct words: use a smaller k or a longer text"


def require(corpus: Corpus, rows: Sequence[int], method: Method, fitted: Fitted) -> None:
    """Raise the first problem, if there is one."""
    for problem in problems(corpus, rows, method, fitted).values():
        raise EstimateError(problem)


def runs(fitted: Fitted, corpus: Corpus) -> bool:
    """Tell whether a method needs samples of all words; False where it looks at content words alone."""
    return not np.array_equal(fitted.words, corpus.content)


def require_sampled(corpus: Corpus, names: Sequence[str], n: int, fitted: Fitted) -> None:
    """Raise an error with both numbers for a document that has fewer tokens than a sample needs."""
    for name in names:
        has = int(fitted.tokens(corpus.counts[[corpus.position(name)]])[0])
        if has < n:
            raise EstimateError(
                f"a sample of {n:,} tokens was asked for but document {name!r} has only {has:,}: sample fewer"
            )


def nothing_shared(a: str, b: str) -> str:
    """Return the error message for two documents that a method cannot compare."""
    return f"{a!r} and {b!r} have no word in common that the method could compare: use method 'smoothed'"


def check_whole(value: object, what: str, least: int) -> None:
    """Refuse a count that is no whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise OptionError(f"{what} must be a whole number of at least {least}, not {value!r}")


def check_labels(labels: Sequence[object]) -> None:
    """Refuse labels of different kinds: written or sorted, 1 and "1" would silently become one label."""
    names = ((str, "text"), (bool, "truth value"), (Number, "number"))
    kinds = {next((name for of, name in names if isinstance(v, of)), type(v).__name__) for v in labels}
    if len(kinds) > 1:
        raise OptionError(f"labels are of different kinds ({', '.join(sorted(kinds))}): use one kind for all")


def warn_about_sizes(method: Method, tokens: NDArray[np.int64]) -> None:
    """Warn that unequal sizes change the value, where they do."""
    if not method.size_sensitive or not len(tokens):
        return
    least, most = int(tokens.min()), int(tokens.max())
    if most >= IMBALANCE * least:
        warn(
            f"the texts have {least:,} to {most:,} tokens, and method {method.name!r} adds the logarithm of "
            f"the ratio of sizes to the divergence: compare samples of equal size (sample={least} or --sample {least})"
        )


def warn_about_lengths(method: Method, N: int, M: int) -> None:
    """Warn that very unequal lengths change a divergence of frequencies; `warn_about_sizes` is for other methods."""
    least, most = min(N, M), max(N, M)
    if not method.size_sensitive and least and most >= UNEQUAL * least:
        warn(
            f"the texts have {N:,} and {M:,} tokens: a divergence of word frequencies depends on both lengths, so read "
            f"its excess over the yardstick, or compare samples of equal size (sample={least} or --sample {least})"
        )


def warn_about_negative(method: Method, value: float, N: int, M: int) -> None:
    """Warn of an estimate below zero and say where it comes from."""
    if value >= 0:
        return
    reason = "the texts cannot be told apart"
    if method.size_sensitive:
        reason = (
            f"a k-NN estimate from N = {N:,} and M = {M:,} tokens falls there when the texts cannot be told "
            "apart, or when they differ in size (then compare samples of equal size, sample=n or --sample n)"
        )
    warn(f"the estimate is {value:.3g}, below zero, which no divergence is: {reason}")


def warn_about_company(method: Method, texts: int) -> None:
    """Warn if a method compares deviations from what is usual and there are only two texts."""
    if method.needs_company and texts == 2:
        warn(
            f"method {method.name!r} compares how texts deviate from the usual, and two texts alone deviate in "
            "opposite directions: the distance is 2 whatever they are; compare them within a folder of more "
            "texts, or by method 'smoothed'"
        )
