"""How alike two short texts are in meaning: sentences, titles, questions.

A divergence of word frequencies needs some hundred words. For a sentence or two the vectors of the words say more:
the mean of two likenesses, the cosine of the weighted means of both texts' vectors, and how well each word of one text
is covered by the nearest word of the other, both ways. Rare words weigh more (Arora and others 2017): a / (a + p(t)),
where p(t) follows from the rank of a word among the vectors, which are kept from the most frequent word down.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import EstimateError
from lexicloud.result import Result, TabularResult
from lexicloud.text import DEFAULT_RULES, TokenRules, is_punctuation, tokenize

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]

# Arora and others found 1e-4 to 1e-3 alike.
SMOOTH: Final = 1e-3


@dataclass(frozen=True)
class Covered(Result):
    """A word, the word of the other text that covers it, their cosine, and what it adds to the coverage."""

    word: str
    by: str
    cosine: float
    adds: float


@dataclass(frozen=True)
class Similarity(TabularResult):
    """How alike two short texts are, at most 1: the mean of `means` and `coverage`; `words` add up to the coverage."""

    _table = "words"

    value: float
    means: float
    coverage: float
    words: tuple[Covered, ...]

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} (means {self.means:.3f}, coverage {self.coverage:.3f})"


def similarity(
    a: str, b: str, *, vectors: WordVectors | str | Path | None = None, rules: TokenRules = DEFAULT_RULES
) -> Similarity:
    """Compare two short texts by the vectors of their words.

    For texts of some hundred words and more, `divergence` says more, and says how sure it is.

    >>> near = similarity("A boat left the harbour.", "The ship sailed from the port.")
    >>> far = similarity("A boat left the harbour.", "The judge read the verdict.")
    >>> near.value > far.value
    True
    """
    from lexicloud.vectors import WordVectors, load_vectors

    table = vectors if isinstance(vectors, WordVectors) else load_vectors(vectors)
    sides = [_side(text, table, rules, what) for text, what in ((a, "first"), (b, "second"))]
    (words_a, X, u), (words_b, Y, v) = sides
    means = _cosine(u @ X, v @ Y)
    cosines = np.asarray(X @ Y.T, dtype=np.float64)
    covered = (*_covered(words_a, words_b, cosines, u), *_covered(words_b, words_a, cosines.T, v))
    coverage = float(sum(word.adds for word in covered))
    ranked = tuple(sorted(covered, key=lambda word: -abs(word.adds)))
    return Similarity((means + coverage) / 2, means, coverage, ranked)


def _side(text: str, vectors: WordVectors, rules: TokenRules, what: str) -> tuple[list[str], Any, Floats]:
    """Return the words of a text that have a vector, their refined vectors, and their weights, which sum to one."""
    words = [w for w in map(rules.normalise, tokenize(text, rules)) if not is_punctuation(w)]
    found = vectors.lookup(words) if words else None
    some = [] if found is None else np.flatnonzero(found.status > 0).tolist()
    if found is None or not some:
        raise EstimateError(
            f"no word of the {what} text has a vector ({len(words)} words): use other vectors"
        )
    kept = [words[i] for i in some]
    weights = _weights(kept, vectors)
    return kept, vectors.refinement.apply(found.matrix[some]), weights / weights.sum()


def _weights(words: list[str], vectors: WordVectors) -> Floats:
    """Return a / (a + p) with Zipf's p for the rank of a word; a word found by its parts counts as rare."""
    rows = vectors.rows.find_many(words)
    ranks = np.where(rows >= 0, rows, len(vectors)).astype(np.float64)
    p = 1 / ((ranks + 2.7) * np.log(max(len(vectors), 3)))
    return np.asarray(SMOOTH / (SMOOTH + p))


def _covered(words: list[str], others: list[str], cosines: Floats, weights: Floats) -> list[Covered]:
    best = cosines.argmax(axis=1)
    return [
        Covered(word, others[j], float(cosines[i, j]), float(weights[i] * cosines[i, j] / 2))
        for i, (word, j) in enumerate(zip(words, best, strict=True))
    ]


def _cosine(x: Floats, y: Floats) -> float:
    size = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y) / size if size else 0.0
