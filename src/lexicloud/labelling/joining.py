"""All kinds of evidence for one set of labelled texts, and how much each counts.

Scores of each kind come from models that have not seen the text. Texts that are alike are held out together, since new
texts differ more from the examples than these from one another. A label's score is a weighted sum over kinds, and
its probability the softmax of the scores, so the weights set how sure the answer is. They maximise the held-out
likelihood and a prior around what suited other collections with as many labels and examples and texts as long: with
nine texts the prior speaks, with hundreds the texts do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.labelling.linear import (
    Characters,
    Linear,
    MeanVectors,
    RareWords,
    StandardMeans,
)
from lexicloud.labelling.smoothed_words import (
    SMOOTHINGS,
    Background,
    SmoothedWords,
    Smoothing,
    Words,
    WordSource,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    Floats = NDArray[np.float64]

KINDS: Final = ("smoothed words", "rare words", "mean vectors", "characters", "standardised means")
# So many of them are large only near a label's examples; logistic regression leans to a label for strange texts, too.
NEARNESS: Final = 4
# The logarithm of each kind's weight (rows): for 8 examples of 70 words and 6 labels; and what four times as many
# examples, words and labels add. Fitted by `benchmarks/meaning_tuning.py` to the right answers of eleven tasks.
PRIOR: Final = np.array(
    [
        [-0.97, 0.57, -0.34, 0.02],
        [0.97, -0.26, 0.98, 0.75],
        [0.08, 0.07, -0.01, 0.76],
        [1.15, -0.32, 0.5, 0.64],
        [-1.74, -0.22, -0.08, 0.37],
    ]
)
PRIOR_WITH_ROWS: Final = np.array(  # where the rows of a table taught as well
    [
        [-1.33, 0.68, -0.34, 0.18],
        [0.77, -0.4, 1.04, 0.82],
        [0.89, -0.21, 0.14, 0.6],
        [0.87, -0.16, 0.53, 0.63],
        [-1.93, -0.05, -0.25, 0.34],
    ]
)
# How far weights may move from there, all together and each, as standard deviations of their logarithms: what made new
# texts of a task likeliest when the prior was fitted to the other tasks; half or twice as much did nearly as well.
_COMMON: Final = 0.3
_EACH: Final = 0.6
# How far tasks of one size differ in the common scale; 0.5 to 1.4 made new texts as likely.
_TASKS: Final = 0.7
_MOST_FOLDS: Final = 5
_COMPARED: Final = 3000  # texts of one label up to which all pairs are compared


@dataclass(frozen=True, eq=False)
class Joint:
    """The weights of the kinds, and the held-out scores that they gave."""

    weights: Floats
    held_out: Floats  # texts × labels: the weighted sums, not centred
    closeness: (
        Floats  # the largest sum of each text over the kinds that tell how near a label's examples it is
    )
    loss: float  # minus the log likelihood and the log prior
    spread: float  # how uncertain the examples leave the weights' common scale: deviation of its logarithm

    @classmethod
    def fit(cls, scores: Sequence[Floats], y: NDArray[np.int64], prior: Floats) -> Joint:
        """Find the weights from each kind's held-out scores (texts × labels)."""
        from scipy.optimize import minimize

        X = np.stack(scores)
        X -= X.mean(axis=2, keepdims=True)
        right = X[:, np.arange(len(y)), y].sum(axis=1)

        def loss(moves: Floats) -> tuple[float, Floats]:
            common, each = moves[0], moves[1:]
            w = prior * np.exp(common + each)
            P = softmax(np.tensordot(w, X, 1))
            value = -np.log(P[np.arange(len(y)), y] + 1e-300).sum()
            value += common**2 / (2 * _COMMON**2) + (each**2).sum() / (2 * _EACH**2)
            slope = ((P * X).sum(axis=(1, 2)) - right) * w
            return float(value), np.append(slope.sum() + common / _COMMON**2, slope + each / _EACH**2)

        found = minimize(loss, np.zeros(len(X) + 1), jac=True, method="L-BFGS-B")
        weights = prior * np.exp(found.x[0] + found.x[1:])
        centred = np.tensordot(weights, X, 1)
        P = softmax(centred)
        known = float(((P * centred**2).sum(axis=1) - (P * centred).sum(axis=1) ** 2).sum())
        spread = (1 / (1 / _TASKS**2 + known)) ** 0.5  # Laplace's approximation
        sums = [np.tensordot(weights[:last], np.stack(scores[:last]), 1) for last in (len(X), NEARNESS)]
        return cls(weights, sums[0], sums[1].max(axis=1), float(found.fun), spread)


def prior_weights(labels: int, examples: float, words: float, *, rows: bool = False) -> Floats:
    """Return the weights that suit a number of labels, of examples a label, and of words a text; and a table's rows.

    Beyond what was measured (2 to 15 labels, 3 to 30 examples, 10 to 300 words) the nearest measured number counts.
    """
    prior = PRIOR_WITH_ROWS if rows else PRIOR
    return np.asarray(np.exp(prior @ prior_features(labels, examples, words)))


def prior_features(labels: int, examples: float, words: float) -> Floats:
    """Return what the prior is a line through: one, and the logarithms of examples, words and labels, to base 4."""
    sizes = np.clip([examples, words, labels], [3, 10, 2], [30, 300, 15]) / [8, 70, 6]
    return np.append(1.0, np.log(sizes) / np.log(4))


def softmax(logits: Floats) -> Floats:
    """Return probabilities from scores."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def temper(scores: Floats, spread: float) -> Floats:
    """Return scores whose softmax is the mean over the common scales that the examples leave possible.

    A score's lead over the other labels is as uncertain as the scale times the lead, so large leads shrink most
    (MacKay's approximation, 1992): three examples do not make anything certain.
    """
    top = scores.argmax(axis=1)[:, None]
    rest = scores.copy()
    np.put_along_axis(rest, top, -np.inf, axis=1)
    most = rest.max(axis=1, keepdims=True)
    others = most + np.log(np.exp(rest - most).sum(axis=1, keepdims=True))
    lead = np.take_along_axis(scores, top, axis=1) - others
    return np.asarray(scores / np.sqrt(1 + np.pi / 8 * (spread * lead) ** 2))


def alike_folds(features: Any, y: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return a fold for each text, such that a label's texts in one fold are like each other (rows of unit length).

    A fold begins with the text that is least like the others left, and takes its nearest. There are as many folds as
    the smallest label has texts, at least 2 and at most `most`, and they share the texts of each label evenly.
    """
    count = int(np.clip(np.bincount(y).min(), 2, most))
    part = np.empty(len(y), dtype=np.int64)
    for label in np.unique(y):
        left = np.flatnonzero(y == label)
        near = np.asarray((features[left] @ features[left].T).todense())
        for fold in range(count):
            inside = near.sum(axis=1) - near.diagonal()
            order = np.argsort(-near[inside.argmin()], kind="stable")
            size = len(left) // (count - fold)
            part[left[order[:size]]] = fold
            rest = np.sort(order[size:])
            left, near = left[rest], near[np.ix_(rest, rest)]
    return part


def folds(
    y: NDArray[np.int64], most: int, seed: int, groups: Sequence[str] | None = None
) -> NDArray[np.int64]:
    """Return a fold for each text, the texts of each label spread evenly and those of one group kept together.

    There are as many folds as the smallest label has texts, at least 2 and at most `most`.
    """
    names = np.arange(len(y)) if groups is None else _groups(y, groups)
    order = np.random.default_rng(seed).permutation(len(y))
    order = order[np.argsort(-np.bincount(names)[names[order]], kind="stable")]  # large groups first
    part = np.full(len(y), -1, dtype=np.int64)
    sizes = np.zeros((int(np.clip(np.bincount(y).min(), 2, most)), int(y.max()) + 1), dtype=np.int64)
    for text in order:
        if part[text] < 0:
            together = np.flatnonzero(names == names[text])
            labels = np.bincount(y[together], minlength=sizes.shape[1])
            alike = (sizes * (labels > 0)).sum(axis=1)
            part[together] = fold = int(np.lexsort((sizes.sum(axis=1), alike))[0])
            sizes[fold] += labels
    return part


def _groups(y: NDArray[np.int64], groups: Sequence[str]) -> NDArray[np.int64]:
    """Return the number of each text's group; that of a label's only group is broken up, or the label would be lost."""
    names = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1].astype(np.int64)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        if len(np.unique(names[rows])) == 1:
            names[rows] = names.max() + 1 + np.arange(len(rows))
    return names


class Evidence:
    """Models of each kind of evidence, fitted to counts of labelled texts."""

    def __init__(
        self, source: WordSource, known: Words, counts: sparse.csr_array, y: NDArray[np.int64]
    ) -> None:
        self.known, self.counts, self.y = known, counts, y
        self.targets = np.eye(int(y.max()) + 1)[y]
        rows, totals = source.rows, np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        background = Background.of(known, totals)
        seen, times = (known, totals) if rows is None else (source.of(rows.words), rows.totals)
        self.has_rows = rows is not None
        self.smoothed = SmoothedWords(source, known, background)
        self.linear: tuple[Linear, ...] = (
            RareWords(known, background, counts, rows),
            MeanVectors(known, Background.of(seen, times), seen, times),
            Characters(known, background, counts),
            StandardMeans(known, background),
        )
        self._training = [kind.amounts(counts, known)[1] for kind in self.linear]

    def join(self, seed: int, groups: Sequence[str] | None = None) -> tuple[Smoothing, Joint]:
        """Choose the smoothing and the weights of the kinds by held-out likelihood."""
        words = self.counts.sum() / len(self.y)
        labels = self.targets.shape[1]
        prior = prior_weights(labels, len(self.y) / labels, words, rows=self.has_rows)
        found = [
            (smoothing, Joint.fit(scores, self.y, prior))
            for smoothing, scores in zip(SMOOTHINGS, self.held_out(seed, groups), strict=True)
        ]
        return min(found, key=lambda pair: pair[1].loss)

    def held_out(self, seed: int, groups: Sequence[str] | None) -> list[list[Floats]]:
        """Return for each smoothing what each kind says of texts that it has not seen."""
        part = self._folds(seed, groups)
        others = self._held_out_linear(part)
        return [[scores, *others] for scores in self._held_out_smoothed(part)]

    def _folds(self, seed: int, groups: Sequence[str] | None) -> NDArray[np.int64]:
        if groups is None and np.bincount(self.y).max() <= _COMPARED:
            return alike_folds(self._training[0], self.y, _MOST_FOLDS)
        return folds(self.y, _MOST_FOLDS, seed, groups)

    def _held_out_linear(self, part: NDArray[np.int64]) -> list[Floats]:
        return [
            kind.held_out(X, self.targets, part) for kind, X in zip(self.linear, self._training, strict=True)
        ]

    def _held_out_smoothed(self, part: NDArray[np.int64]) -> Iterator[Floats]:
        """Yield the held-out scores for each smoothing."""
        amounts = self.smoothed.amounts(self.counts)
        labels = self.targets.shape[1]
        count = part.max() + 1
        stacked = np.concatenate([self.label_counts(part != fold) for fold in range(count)])
        for weights in self.smoothed.weights(stacked, self.known, SMOOTHINGS):
            out = np.zeros(self.targets.shape)
            for fold in range(count):
                held = part == fold
                out[held] = amounts[held] @ weights[:, fold * labels : (fold + 1) * labels]
            yield out

    def label_counts(self, rows: NDArray[np.bool_] | slice = slice(None)) -> Floats:
        """Return how often each label's texts (rows) have each training word (columns)."""
        return np.asarray(self.counts[rows].T @ self.targets[rows]).T

    def fit(self, smoothing: Smoothing, weights: Floats, spread: float) -> None:
        """Fit every kind to all texts."""
        self.smoothing, self.joint_weights, self.spread = smoothing, weights, spread
        self.all_counts = self.label_counts()
        shares = self.all_counts / np.maximum(self.all_counts.sum(axis=1, keepdims=True), 1)
        self._surplus = shares - shares.mean(axis=0)  # which words are more usual with a label than elsewhere
        self.lines = [
            kind.lines(X, self.targets) for kind, X in zip(self.linear, self._training, strict=True)
        ]

    def has_word(self, word: str, column: int) -> bool:
        """Tell whether a label's training texts have a word."""
        place = self.known.places.get(word)
        return place is not None and bool(self.all_counts[column, place])

    def carriers(self, vector: NDArray[np.float32], column: int, nearest: float) -> list[str]:
        """Return the content words of a label's texts that speak for it and are near a vector, the strongest first."""
        flows = self.smoothed.flows(self._surplus[column], vector, self.smoothing.power)
        speaking = np.flatnonzero((flows > 0) & self.known.content)
        near = speaking[self.known.vectors[speaking] @ vector >= nearest]
        return [self.known.words[i] for i in near[np.argsort(-flows[near], kind="stable")]]

    def word_scores(self, counts: sparse.csr_array, words: Words) -> list[tuple[sparse.csr_array, Floats]]:
        """Return for each kind how much of each word each text holds, and what one of it adds to each label's score."""
        (smoothed,) = self.smoothed.weights(self.all_counts, words, [self.smoothing])
        kinds = [(self.smoothed.amounts(counts), smoothed)]
        for kind, (lines, _) in zip(self.linear, self.lines, strict=True):
            amounts, _ = kind.amounts(counts, words)
            kinds.append((amounts, np.asarray(kind.features(words) @ lines)))
        return [(amounts, w * adds) for w, (amounts, adds) in zip(self.joint_weights, kinds, strict=True)]

    def kind_scores(self, counts: sparse.csr_array, words: Words) -> dict[str, Floats]:
        """Return what each kind of evidence says for each label of each text."""
        kinds = zip(KINDS, self.constants, self.word_scores(counts, words), strict=True)
        return {name: constants + amounts @ adds for name, constants, (amounts, adds) in kinds}

    def scores(self, counts: sparse.csr_array, words: Words) -> Floats:
        """Return each text's scores: tempered, they give the probabilities."""
        return np.asarray(sum(self.kind_scores(counts, words).values()))

    def scores_and_closeness(self, counts: sparse.csr_array, words: Words) -> tuple[Floats, Floats]:
        """Return each text's scores, and how near it is to the examples of the nearest label."""
        kinds = list(self.kind_scores(counts, words).values())
        return np.asarray(sum(kinds)), np.asarray(sum(kinds[:NEARNESS])).max(axis=1)

    def text_vectors(self, counts: sparse.csr_array, words: Words) -> Floats:
        """Return the mean vector of each text, at unit length."""
        return np.asarray(self.linear[1].amounts(counts, words)[1])

    @property
    def example_vectors(self) -> Floats:
        """The mean vectors of the examples, at unit length."""
        return np.asarray(self._training[1])

    @property
    def constants(self) -> list[Floats]:
        """What each kind says for each label before any word is read: nothing, if it is about words alone."""
        weighted = [w * c for w, (_, c) in zip(self.joint_weights[1:], self.lines, strict=True)]
        return [np.zeros(self.targets.shape[1]), *weighted]
