"""Evidence from words: how much likelier a label's texts make each word, its latent neighbours' mass included.

q̃(w) / b(w) = (c(w) / b(w) + κ Σ_v q(v) k(v, w) + μ) / (M + κ + μ), where c are the counts of a label's M training
words, q = c / M, b is the background, and k(v, w) = exp(cos(v, w) / T) / Z(v) says how much likelier w becomes once
v was seen; Z(v) makes it one on average over general text. A text's score is the sum of log(q̃ / b) over its
words, a repeated word counting log₂(1 + n) times, divided by the root of the number of words: words of a text are not
independent, so evidence grows more slowly than length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.labelling.words import Background, Words, WordSource

    Floats = NDArray[np.float64]

_BLOCK: Final = 1 << 22  # cosines held at once: 16 MiB
# Training words that share their mass with neighbours, the most frequent: thousands of examples have many more words,
# but then the rarer ones are needed less, and time grows with the product of both.
_CARRIERS: Final = 8000


@dataclass(frozen=True)
class Smoothing:
    """How strongly neighbours count (κ words' worth) and how near they must be (T)."""

    kappa: float
    temperature: float


# Held-out likelihood on the training texts chooses one of these.
SMOOTHINGS: Final = (
    Smoothing(1000.0, 0.12),
    Smoothing(3000.0, 0.15),
    Smoothing(10_000.0, 0.2),
)
MU: Final = 1000.0  # background words' worth; 200 to 5,000 did as well


class SmoothedWords:
    """Neighbour kernels from the words of the training texts to any words."""

    def __init__(self, source: WordSource, known: Words, background: Background) -> None:
        self.known, self.background = known, background
        self.carriers = _most_frequent(known, background, _CARRIERS)
        vectors, shares = source.reference
        self._reference = vectors, shares
        self._norms: dict[float, NDArray[np.float32]] = {}

    @staticmethod
    def amounts(counts: sparse.csr_array) -> sparse.csr_array:
        """Return how much each word of each text counts."""
        amounts = counts.copy()
        amounts.data = np.log2(1 + amounts.data)
        total = np.asarray(amounts.sum(axis=1)).ravel()
        return sparse.csr_array(sparse.diags_array(1 / np.sqrt(np.maximum(total, 1))) @ amounts)

    def weights(self, label_counts: Floats, words: Words, smoothing: Smoothing) -> Floats:
        """Return log(q̃ / b) of each word (rows) for each row of label counts (columns)."""
        M = np.maximum(label_counts.sum(axis=1), 1)
        q = label_counts / M[:, None]
        own = self._own(label_counts, words) / self.background.shares(words)
        ratio = own + smoothing.kappa * self.latent(q, words, smoothing.temperature) + MU
        return np.asarray((np.log(ratio) - np.log(M + smoothing.kappa + MU)[:, None]).T)

    def _own(self, label_counts: Floats, words: Words) -> Floats:
        """Return the label counts of each word; words of no training text have none."""
        if words is self.known:
            return label_counts
        columns = self.known.find(words)
        return np.where(columns >= 0, label_counts[:, columns], 0.0)

    def latent(self, q: Floats, words: Words, temperature: float) -> Floats:
        """Return Σ_v q(v) k(v, w); words without a vector neither give nor take, which leaves them at q's own mass."""
        out = np.ones((len(q), len(words)))
        given = (q[:, self.carriers] / self._normaliser(temperature)).astype(np.float32)
        missing = 1 - q[:, self.carriers].sum(axis=1)
        places = np.flatnonzero(words.embedded)
        step = max(1, _BLOCK // max(1, len(self.carriers)))
        vectors = self.known.vectors[self.carriers]
        for start in range(0, len(places), step):
            some = places[start : start + step]
            out[:, some] = given @ kernel(vectors, words.vectors[some], temperature) + missing[:, None]
        return out

    def flows(self, q: Floats, word: NDArray[np.float32], temperature: float) -> Floats:
        """Return what each training word gives to one word under one label's q, zero for words without a vector."""
        out = np.zeros(len(self.known))
        near = kernel(self.known.vectors[self.carriers], word[None], temperature)[:, 0]
        out[self.carriers] = q[self.carriers] / self._normaliser(temperature) * near
        return out

    def _normaliser(self, temperature: float) -> NDArray[np.float32]:
        """Return Z(v): the mean of exp(cos / T) over general text."""
        if temperature not in self._norms:
            vectors, shares = self._reference
            carriers = self.known.vectors[self.carriers]
            step = max(1, _BLOCK // max(1, len(vectors)))
            parts = [
                kernel(carriers[start : start + step], vectors, temperature) @ shares
                for start in range(0, len(carriers), step)
            ]
            self._norms[temperature] = np.concatenate(parts) if parts else np.ones(0, dtype=np.float32)
        return self._norms[temperature]


def _most_frequent(known: Words, background: Background, most: int) -> NDArray[np.int64]:
    """Return the most frequent words with a vector, in the order of their numbers."""
    counts = np.array([background.totals[word] for word in known.words])
    counts[~known.embedded] = -1
    order = np.argsort(-counts, kind="stable")[: min(most, int(known.embedded.sum()))]
    return np.sort(order)


def kernel(a: NDArray[np.float32], b: NDArray[np.float32], temperature: float) -> NDArray[np.float32]:
    """Return exp(cos / T) of all pairs of unit vectors."""
    cosines = a @ b.T
    cosines /= np.float32(temperature)
    return np.asarray(np.exp(cosines, out=cosines))
