"""How much each kind of evidence counts: the weights that make held-out training texts likeliest.

Scores of each kind come from models that have not seen the text (stratified folds). A label's score is a weighted sum
over kinds, and its probability the softmax of the scores, so the weights set how sure the answer is. They
maximise the held-out likelihood and a prior around what suited other collections: with nine texts the prior
speaks, with hundreds the texts do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

KINDS: Final = ("smoothed words", "rare words", "mean vectors", "characters")
# Between what suits newsgroups, film reviews, chat and passages of books (rare words 0.3 to 2, mean vectors 3 to 5)
# and what suits topics of Reuters (rare words 3 to 7, characters 4 to 12), at 3 to 30 examples and 10 to 300 words.
PRIOR: Final = np.array([1.0, 2.5, 3.0, 3.0])
_COMMON: Final = 0.4  # how far all weights together may move, as a standard deviation of their logarithm
_EACH: Final = 0.7  # and each of them


@dataclass(frozen=True, eq=False)
class Joint:
    """The weights of the kinds, and the held-out scores that they gave."""

    weights: Floats
    held_out: Floats  # texts × labels: the weighted sums, not centred
    loss: float  # minus the log likelihood and the log prior

    @classmethod
    def fit(cls, scores: Sequence[Floats], y: NDArray[np.int64]) -> Joint:
        """Find the weights from each kind's held-out scores (texts × labels)."""
        from scipy.optimize import minimize

        X = np.stack(scores)
        X -= X.mean(axis=2, keepdims=True)
        right = X[:, np.arange(len(y)), y].sum(axis=1)

        def loss(moves: Floats) -> tuple[float, Floats]:
            common, each = moves[0], moves[1:]
            w = PRIOR * np.exp(common + each)
            P = softmax(np.tensordot(w, X, 1))
            value = -np.log(P[np.arange(len(y)), y] + 1e-300).sum()
            value += common**2 / (2 * _COMMON**2) + (each**2).sum() / (2 * _EACH**2)
            slope = ((P * X).sum(axis=(1, 2)) - right) * w
            return float(value), np.append(slope.sum() + common / _COMMON**2, slope + each / _EACH**2)

        found = minimize(loss, np.zeros(len(X) + 1), jac=True, method="L-BFGS-B")
        weights = PRIOR * np.exp(found.x[0] + found.x[1:])
        return cls(weights, np.tensordot(weights, np.stack(scores), 1), float(found.fun))


def softmax(logits: Floats) -> Floats:
    """Return probabilities from scores."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def folds(y: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    """Return a fold for each text, the texts of each label spread evenly.

    There are as many folds as the smallest label has texts, at least 2 and at most `most`.
    """
    rng = np.random.default_rng(seed)
    count = int(np.clip(np.bincount(y).min(), 2, most))
    part = np.empty(len(y), dtype=np.int64)
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        part[rows] = np.arange(len(rows)) % count
    return part
