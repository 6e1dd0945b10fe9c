"""All kinds of evidence for one set of labelled texts, and the weight of each.

A label's score is a weighted sum of the scores of all kinds, and its probability the softmax of these sums. So the
weights decide how sure the answers are. They maximise the likelihood of held-out examples, times a prior around the
weights that suited other collections of similar size. With nine examples the prior decides, with hundreds the examples
do. Examples that are alike are held out together, because new texts differ more from the examples than the examples
from one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.labelling.linear import (
    Characters,
    Embeddings,
    Linear,
    MeanVectors,
    RareWords,
    StandardMeans,
    Together,
    WordPairs,
    WordScores,
)
from lexicloud.labelling.smoothed_words import (
    SMOOTHINGS,
    SmoothedWords,
    Smoothing,
    WordBackground,
    WordSource,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.labelling.smoothed_words import TextCounts

    Floats = NDArray[np.float64]


def alike_folds(features: Any, y: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Return a fold for each text, so that a label's texts in one fold are alike; features are rows of unit length.

    A fold begins with the remaining text that is least like the others, and takes its nearest. There are as many folds
    as the smallest label has texts, at least 2 and at most `most`, and each has an equal part of every label's texts.
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
    """Return a fold for each text; each label is spread evenly, and texts of one group stay together.

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
    """Return the number of each text's group; a label's only group is split up, or the label would be lost."""
    names = np.unique(np.asarray(groups, dtype=str), return_inverse=True)[1].astype(np.int64)
    for label in np.unique(y):
        rows = np.flatnonzero(y == label)
        if len(np.unique(names[rows])) == 1:
            names[rows] = names.max() + 1 + np.arange(len(rows))
    return names


KINDS: Final = (
    "smoothed words",
    "rare words",
    "mean vectors",
    "characters",
    "standardised means",
    "embeddings",
    "regression",
)
# The scores of the first four kinds are large only near a label's examples. Logistic regression, in the others, may be
# sure of a label for strange texts too.
NEARNESS: Final = 4
# The logarithm of each kind's weight (rows): first for 8 examples of 25 words and 6 labels; then what four times as
# many examples, words or labels add. Fitted by `benchmarks/make/meaning_tuning.py` to the right answers of seven tasks.
PRIOR: Final = np.array(
    [
        [-0.72, 0.56, -0.02, -0.64],
        [-0.77, 0.01, 0.13, -0.07],
        [-0.69, -0.09, -0.07, 0.15],
        [0.41, -0.24, 0.88, 0.82],
        [-1.56, -0.07, -0.13, 0.85],
        [-1.14, -0.45, 0.31, 1.04],
        [-1.37, 0.09, 0.05, 0.23],
    ]
)
# The same where unlabelled texts were used as well.
PRIOR_WITH_ROWS: Final = np.array(
    [
        [-1.02, 0.75, 0.06, -0.62],
        [-0.84, 0.03, 0.2, -0.11],
        [0.53, -0.23, 0.37, 1.34],
        [-0.12, -0.02, 0.57, 0.12],
        [-1.78, 0.03, -0.27, 0.36],
        [-1.16, -0.43, 0.2, 0.84],
        [-1.43, 0.09, 0.18, 0.06],
    ]
)
# How far the weights may move from the prior, all together and each alone, as standard deviations of their logarithms.
# These made new texts of a task likeliest with the prior fitted to the other tasks; half or twice as much did nearly as
# well.
_COMMON: Final = 0.3
_EACH: Final = 0.6
# How far tasks of the same size differ in the common scale of the weights; 0.5 to 1.4 did as well.
_TASKS: Final = 0.7
_MOST_FOLDS: Final = 5
# How much better new texts are labelled than held-out ones, and how far tasks differ in this, both in log odds. The
# first was fitted to the tuning tasks; the second was chosen with the reported tasks in view
# (docs/labelling-measured.md).
_BETTER: Final = 0.29
_APART: Final = 0.4
_COMPARED: Final = 3000  # up to so many texts of a label, all pairs are compared


@dataclass(frozen=True, eq=False)
class Joint:
    """The weights of the kinds, and the held-out scores that they give."""

    weights: Floats
    held_out: Floats  # texts × labels: the weighted sums, not centred
    # How near each text is to the examples of its nearest label, by the first four kinds.
    closeness: Floats
    loss: float  # minus the log likelihood and the log prior
    spread: float  # how uncertain the weights' common scale is: the standard deviation of its logarithm

    @classmethod
    def fit(cls, scores: Sequence[Floats], targets: Floats, prior: Floats) -> Joint:
        """Find the weights from each kind's held-out scores; `targets` (texts × labels) is 1 for a right label."""
        from scipy.optimize import minimize

        T = targets / np.maximum(targets.sum(axis=1, keepdims=True), 1)
        X = np.stack(scores)
        X -= X.mean(axis=2, keepdims=True)
        right = (X * T).sum(axis=(1, 2))

        def loss(moves: Floats) -> tuple[float, Floats]:
            common, each = moves[0], moves[1:]
            w = prior * np.exp(common + each)
            P = softmax(np.tensordot(w, X, 1))
            value = -(T * np.log(P + 1e-300)).sum()
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


def unseen_scores(
    scores: Sequence[Floats],
    targets: Floats,
    prior: Floats,
    part: NDArray[np.int64],
    *,
    temper_them: bool = True,
) -> Floats:
    """Return scores of the examples by models and weights that have not seen them, for judging the accuracy."""
    together = np.stack(scores)
    out = np.zeros(targets.shape)
    for fold in np.unique(part):
        held = part == fold
        joint = Joint.fit(list(together[:, ~held]), targets[~held], prior)
        own = np.tensordot(joint.weights, together[:, held], 1)
        out[held] = temper(own, joint.spread) if temper_them else own
    return out


def prior_weights(labels: int, examples: float, words: float, *, rows: bool = False) -> Floats:
    """Return the prior weights for a number of labels, examples a label and words a text, with or without table rows.

    Outside the measured range (2 to 15 labels, 3 to 20 examples, 10 to 100 words) the nearest measured number is taken.
    """
    prior = PRIOR_WITH_ROWS if rows else PRIOR
    return np.asarray(np.exp(prior @ prior_features(labels, examples, words)))


def prior_features(labels: int, examples: float, words: float) -> Floats:
    """Return the inputs of the prior, which is linear in them: 1, and examples, words and labels as logs to base 4."""
    sizes = np.clip([examples, words, labels], [3, 10, 2], [20, 100, 15]) / [8, 25, 6]
    return np.append(1.0, np.log(sizes) / np.log(4))


def softmax(logits: Floats) -> Floats:
    """Return probabilities from scores."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def temper(scores: Floats, spread: float) -> Floats:
    """Return scores whose softmax allows for the uncertain common scale of the weights.

    The larger a label's lead over the others, the more uncertain it is, so large leads shrink most (MacKay's
    approximation, 1992): three examples do not make anything certain.
    """
    top = scores.argmax(axis=1)[:, None]
    rest = scores.copy()
    np.put_along_axis(rest, top, -np.inf, axis=1)
    most = rest.max(axis=1, keepdims=True)
    others = most + np.log(np.exp(rest - most).sum(axis=1, keepdims=True))
    lead = np.take_along_axis(scores, top, axis=1) - others
    return np.asarray(scores / np.sqrt(1 + np.pi / 8 * (spread * lead) ** 2))


def accuracy_to_expect(held_out: float, texts: int) -> tuple[float, float, float]:
    """Return the share of right answers to expect on new texts, with its 95 % interval, from that of held-out texts.

    Held-out texts were labelled from fewer examples, without those like them. So new texts are labelled better, by
    `_BETTER` in log odds on the tuning tasks. The interval includes the differences between tasks.
    """
    share = (held_out * texts + 0.5) / (texts + 1)
    middle = np.log(share / (1 - share)) + _BETTER
    half = 1.96 * (1 / (texts * share * (1 - share)) + _APART**2) ** 0.5
    found = 1 / (1 + np.exp(-np.array([middle, middle - half, middle + half])))
    return float(found[0]), float(found[1]), float(found[2])


class LabelEvidence:
    """Models of each kind of evidence, fitted to the counts of labelled texts; `targets` (texts × labels) is 0 or 1."""

    def __init__(self, source: WordSource, texts: TextCounts, targets: Floats) -> None:
        self.known, self.counts, self.targets, self.texts = texts.words, texts.counts, targets, texts
        known, counts, rows = texts.words, texts.counts, source.unlabelled
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
        background = WordBackground.of(known, totals)
        seen, times = (known, totals) if rows is None else (source.of(rows.words), rows.totals)
        self.has_rows = rows is not None
        self.smoothed = SmoothedWords(source, known, background)
        rare = RareWords(known, background, counts, rows)
        pairs = WordPairs(texts.pairs, background, texts.pair_counts)
        embeddings = Embeddings(known, background)
        self.vectors = MeanVectors(known, WordBackground.of(seen, times), seen, times)
        self.linear: tuple[Linear, ...] = (
            rare,
            self.vectors,
            Characters(known, background, counts),
            StandardMeans(known, background),
            embeddings,
            Together([rare, pairs, embeddings]),
        )
        self._training = [kind.train(texts) for kind in self.linear]

    def join(
        self, seed: int, groups: Sequence[str] | None = None, *, temper_them: bool = True
    ) -> tuple[Smoothing, Joint, Floats]:
        """Choose the smoothing and the weights of the kinds by held-out likelihood.

        Also return scores of the examples by models and weights that have not seen them, tempered or not.
        """
        prior = self.prior()
        part = self.folds(seed, groups)
        every = self.held_out(part)
        joints = [Joint.fit(scores, self.targets, prior) for scores in every]
        best = int(np.argmin([joint.loss for joint in joints]))
        unseen = unseen_scores(every[best], self.targets, prior, part, temper_them=temper_them)
        return SMOOTHINGS[best], joints[best], unseen

    def prior(self) -> Floats:
        """Return the prior weights for examples of this size."""
        words = self.counts.sum() / len(self.targets)
        labels = self.targets.shape[1]
        return prior_weights(labels, self.targets.sum() / labels, words, rows=self.has_rows)

    def held_out(self, part: NDArray[np.int64]) -> list[list[Floats]]:
        """Return for each smoothing the scores of each kind for texts that it has not seen."""
        others = self._held_out_linear(part)
        return [[scores, *others] for scores in self._held_out_smoothed(part)]

    def folds(self, seed: int, groups: Sequence[str] | None) -> NDArray[np.int64]:
        """Return a fold for each text; a text with several labels counts for its rarest one."""
        sizes = self.targets.sum(axis=0)
        y = np.where(self.targets > 0, sizes, np.inf).argmin(axis=1)
        y = np.unique(y, return_inverse=True)[1].astype(np.int64)
        if groups is None and np.bincount(y).max() <= _COMPARED:
            return alike_folds(self._training[0], y, _MOST_FOLDS)
        return folds(y, _MOST_FOLDS, seed, groups)

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
        self._surplus = shares - shares.mean(
            axis=0
        )  # how much commoner each word is with a label than on average
        self.lines = [
            kind.lines(X, self.targets) for kind, X in zip(self.linear, self._training, strict=True)
        ]

    def times(self, term: str, column: int, *, pairs: bool = False) -> int:
        """Return how often a label's examples have a word, or a pair of words."""
        place = (self.texts.pairs if pairs else self.known).places.get(term)
        if place is None:
            return 0
        if not pairs:
            return int(self.all_counts[column, place])
        return int((self._pair_counts[:, [place]].T @ self.targets[:, column])[0])

    @cached_property
    def _pair_counts(self) -> sparse.csc_array:
        return self.texts.pair_counts.tocsc()

    def carrier(self, vector: NDArray[np.float32], column: int, nearest: float) -> tuple[str, float] | None:
        """Return the content word of a label's texts, near a vector, that supports the label most, and its distance."""
        flows = self.smoothed.flows(self._surplus[column], vector, self.smoothing.power)
        speaking = np.flatnonzero((flows > 0) & self.known.content)
        cosines = self.known.vectors[speaking] @ vector
        near = np.flatnonzero(cosines >= nearest)
        if not len(near):
            return None
        best = near[np.argmax(flows[speaking[near]])]
        return self.known.words[speaking[best]], float(1 - cosines[best])

    def word_scores(self, texts: TextCounts) -> list[list[WordScores]]:
        """Return for each kind what each word of each text adds to each label's score."""
        (smoothed,) = self.smoothed.weights(self.all_counts, texts.words, [self.smoothing])
        kinds = [[WordScores(self.smoothed.amounts(texts.counts), smoothed)]]
        kinds += [k.word_scores(texts, lines) for k, (lines, _) in zip(self.linear, self.lines, strict=True)]
        return [[part.times(w) for part in parts] for w, parts in zip(self.joint_weights, kinds, strict=True)]

    def kind_scores(self, texts: TextCounts) -> dict[str, Floats]:
        """Return the score of each text (rows) for each label (columns), by kind of evidence."""
        kinds = zip(KINDS, self.constants, self.word_scores(texts), strict=True)
        return {name: constants + sum(part.total for part in parts) for name, constants, parts in kinds}

    def scores(self, texts: TextCounts) -> Floats:
        """Return each text's scores; tempered, they give the probabilities."""
        return np.asarray(sum(self.kind_scores(texts).values()))

    def scores_and_closeness(self, texts: TextCounts) -> tuple[Floats, Floats]:
        """Return each text's scores, and how near it is to the examples of the nearest label."""
        kinds = list(self.kind_scores(texts).values())
        return np.asarray(sum(kinds)), np.asarray(sum(kinds[:NEARNESS])).max(axis=1)

    def text_vectors(self, texts: TextCounts) -> Floats:
        """Return the mean vector of each text, at unit length."""
        return np.asarray(self.vectors.train(texts))

    @property
    def example_vectors(self) -> Floats:
        """The mean vectors of the examples, at unit length."""
        return np.asarray(self._training[1])

    @property
    def constants(self) -> list[Floats]:
        """The score of each kind for each label before any word is read; zero for smoothed words."""
        weighted = [w * c for w, (_, c) in zip(self.joint_weights[1:], self.lines, strict=True)]
        return [np.zeros(self.targets.shape[1]), *weighted]
