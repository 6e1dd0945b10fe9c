"""Who wrote it, or none of these: probabilities for each candidate and for somebody else.

Two questions are kept apart. *Which candidate, if it is one of them?* A softmax of the scores (see `combined`). *Is it
one of them at all?* A logistic curve of two numbers of the first candidate: its lead over the second, and the cosine of
frequent words, which says how close the text is in absolute terms. Both are compared with their values for texts whose
author is not among the candidates, where the best of many candidates is close by chance.

The curves are learnt from known texts that were left out: all texts of some authors, who become strangers, and one text
of some others. What is frequent and usual is learnt anew each time without the texts left out, because a text that took
part in it, or another text by its author, looks farther from the others than a new text does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.combined import Scorer, add_up
from lexicloud.authorship.scoring import category_scores
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.authorship.features import KnownPassages, Spelling, WordTable

    Floats = NDArray[np.float64]

LENGTHS: Final = (300, 1000, 3000, 10_000, 30_000, 100_000)
# With fewer folds so much is left out at once that the rest is no longer like the whole.
FOLDS: Final = 8
PASSAGES: Final = 2
MOST_PASSAGES: Final = 8  # of a text that is longer than all lengths with a curve
# How much longer than the last of them known texts are, for theirs to be one of the lengths.
FURTHER: Final = 1.5
# A curve is learnt for a length that so many texts reach, or half of the texts of a small collection.
ENOUGH: Final = 12
# The most texts of an absent author that are asked about.
MOST_ABSENT: Final = 4
# A curve is pulled towards `BEFORE`, which weighs as much as this many texts: few texts are a poor guide. Ten and
# thirty were worse on the addresses, of which there are many.
HOLD: Final = 3.0
# The prior probability that the author is a candidate. Curves are learnt with as many strangers as others. With one
# half 86 % of strangers and 84 % of right answers were recognised in other collections, with this value 82 and 87.
KNOWN: Final = 0.55


@dataclass(frozen=True, eq=False)
class Closeness:
    """How close texts are to candidates: scores and cosines, texts × classes."""

    scores: Floats
    cosines: Floats

    @classmethod
    def of(cls, distances: dict[str, Floats], labels: Sequence[str], rule: str) -> Closeness:
        """Turn the distances of texts from known texts into scores and cosines with candidates, sorted by name."""
        classes = sorted(set(labels))
        groups = np.array([[label == c for c in classes] for label in labels], dtype=np.float64)
        scores = category_scores(add_up(distances, groups), labels, classes, rule)
        return cls(scores, -category_scores(distances["delta"] - 1, labels, classes, rule))

    def rows(self, chosen: Sequence[int]) -> Closeness:
        """Return some of the texts."""
        return Closeness(self.scores[list(chosen)], self.cosines[list(chosen)])

    @property
    def mean(self) -> Closeness:
        """The mean over all rows, which are passages of one text."""
        return Closeness(*(each.mean(axis=0, keepdims=True) for each in (self.scores, self.cosines)))

    def of_the_first(self) -> Floats:
        """Return texts × 2: the first candidate's lead over the second, and its cosine."""
        rows, order = np.arange(len(self.scores)), np.argsort(self.scores, axis=1, kind="stable")
        first, second = self.scores[rows, order[:, 0]], self.scores[rows, order[:, 1]]
        return np.stack([second - first, self.cosines[rows, order[:, 0]]], axis=1)


@dataclass(frozen=True)
class Curve:
    """How sharp the choice among candidates is, and how probable it is that the author is one of them.

    `usual` and `spread` are the mean and deviation of `Closeness.of_the_first` where the author is not among
    the candidates; `weights` are an intercept and the weight of each, in these deviations.
    """

    sharpness: float
    usual: tuple[float, ...]
    spread: tuple[float, ...]
    weights: tuple[float, ...]

    @classmethod
    def of_numbers(cls, numbers: Sequence[float]) -> Curve:
        """Read a curve from its eight numbers."""
        one = tuple(map(float, numbers))
        if len(one) != 8:
            raise ValueError(f"a curve of {len(one)} numbers")
        return cls(one[0], one[1:3], one[3:5], one[5:8])

    @property
    def numbers(self) -> tuple[float, ...]:
        """The curve as eight numbers."""
        return (self.sharpness, *self.usual, *self.spread, *self.weights)

    def preferences(self, closeness: Closeness) -> Floats:
        """Return the log probability of each candidate up to a constant, texts × classes."""
        return np.asarray(-self.sharpness * closeness.scores)

    def chances(self, closeness: Closeness) -> Floats:
        """Return the probability of each candidate and, in the last column, of none of them."""
        u = self.preferences(closeness)
        among = np.exp(u - u.max(axis=1, keepdims=True))
        among /= among.sum(axis=1, keepdims=True)
        z = (closeness.of_the_first() - self.usual) / self.spread
        for_one = np.log(KNOWN / (1 - KNOWN)) + self.weights[0] + z @ np.array(self.weights[1:])
        one_of_them = 1 / (1 + np.exp(-for_one))[:, None]
        return np.concatenate([among * one_of_them, 1 - one_of_them], axis=1)


# The curve where there is nothing to learn from, fitted on all five collections of the benchmark; the benchmark itself
# gives each collection weights from the other four.
BEFORE: Final = Curve(1.6, (1.0, 0.1), (0.8, 0.04), (-1.05, 0.46, 0.8))


def is_nobody(chances: Floats) -> bool:
    """Tell whether "none of these", the last column, is likelier than not.

    >>> is_nobody(np.array([0.3, 0.2, 0.5])), is_nobody(np.array([0.3, 0.1, 0.6]))
    (False, True)
    """
    return bool(chances[-1] > 0.5)


@dataclass(frozen=True, eq=False)
class Calibration:
    """The curve for each length of a text, and the certainty and correctness of the answers it was learnt from."""

    lengths: tuple[int, ...]
    curves: tuple[Curve, ...]
    sure: tuple[Floats, ...]  # the probability of the first candidate, trial by trial
    right: tuple[NDArray[np.bool_], ...]
    there: tuple[NDArray[np.bool_], ...]  # whether the author was among the candidates

    def curve(self, tokens: float) -> Curve:
        """Return the curve for a length, interpolated on the logarithm of the length."""
        if not self.lengths:
            return BEFORE
        at, log = np.log(self.lengths), np.log(max(tokens, 1.0))
        columns = np.array([curve.numbers for curve in self.curves]).T
        return Curve.of_numbers([float(np.interp(log, at, column)) for column in columns])

    def passages(self, tokens: int) -> list[slice]:
        """Return the passages by which a text is scored: all of it, or parts if no curve is for so long a text.

        A longer text is closer to every candidate, so that the curves of shorter ones do not fit it.
        """
        longest = max(self.lengths, default=tokens)
        many = min(MOST_PASSAGES, -(-tokens // longest))
        starts = np.linspace(0, max(tokens - longest, 0), many).astype(int).tolist()
        return [slice(start, start + longest) for start in starts]

    def threshold(self, tokens: float, error: float) -> float:
        """Return the least probability at which at most `error` of the answers are wrong; above 1 where there is none.

        Trials with the author among the candidates and trials without weigh the same. One extra answer is counted as
        wrong, so that few trials promise little.
        """
        if not 0 < error < 1:
            raise OptionError(f"the accepted error is between 0 and 1, not {error!r}")
        if not self.lengths:
            return 2.0
        at = int(np.argmin(np.abs(np.log(self.lengths) - np.log(max(tokens, 1.0)))))
        order = np.argsort(-self.sure[at], kind="stable")
        weights = (_balanced(self.there[at]) * len(order))[order]
        wrong, all_ = np.cumsum(weights * ~self.right[at][order]), np.cumsum(weights)
        allowed = np.flatnonzero((wrong + 1) / (all_ + 1) <= error)
        return float(self.sure[at][order[allowed[-1]]]) if len(allowed) else 2.0


def calibrate(
    known: WordTable,
    tokens: Sequence[NDArray[Any]],
    labels: Sequence[str],
    rule: str,
    spelling: Spelling,
    pieces: KnownPassages,
    seed: int = 0,
) -> Calibration:
    """Learn the curves from known texts, given as their counts and as the numbers of their words in order."""
    rng = np.random.default_rng(seed)
    lengths = lengths_of(known.lengths)
    trials: dict[int, list[Trial]] = {n: [] for n in lengths}
    for absent, left in left_out(labels, FOLDS):
        kept = np.setdiff1d(np.arange(len(labels)), [*absent, *left])
        theirs = [labels[i] for i in kept]
        if len(set(theirs)) < 2:
            continue
        scorer = Scorer.fit(known.rows(kept), spelling, pieces.of_texts(kept).by(labels))
        asked = [*_few_of_each(absent, labels), *left]
        for n in lengths:
            long = [i for i in asked for _ in range(PASSAGES) if len(tokens[i]) >= n]
            if long:
                cut = known.counting([_cut(tokens[i], n, rng) for i in long])
                trials[n].append(Trial.of(scorer.distances(cut), [labels[i] for i in long], theirs, rule))
    found = {n: learn(each) for n, each in trials.items()}
    usable = {n: curve for n, curve in found.items() if curve is not None}
    answers = [_answers(trials[n], curve) for n, curve in usable.items()]
    sure, right, there = (tuple(each[k] for each in answers) for k in range(3))
    return Calibration(tuple(usable), tuple(usable.values()), sure, right, there)  # type: ignore[arg-type]


def lengths_of(known: Floats) -> list[int]:
    """Return the lengths for which curves are learnt, given those of the known texts.

    Theirs is one more if the longest that they reach is much shorter: otherwise a text as long as they are would be
    asked about by its halves.

    >>> lengths_of(np.full(20, 2000.0)), lengths_of(np.full(20, 40_000.0))[-1]
    ([300, 1000, 2000], 30000)
    """
    enough = max(4, min(ENOUGH, len(known) // 2))
    reached = [n for n in LENGTHS if int((known >= n).sum()) >= enough]
    middle = int(np.median(known))
    if reached and FURTHER * reached[-1] <= middle < LENGTHS[-1] and int((known >= middle).sum()) >= enough:
        reached.append(middle)
    return reached


def left_out(labels: Sequence[str], folds: int) -> list[tuple[list[int], list[int]]]:
    """Return, for each fold, all texts of some labels, and one text each of about twice as many other labels.

    >>> left_out(["A", "A", "B", "B", "C", "C", "D"], 3)
    [([0, 1, 6], [2]), ([2, 3], [5]), ([4, 5], [0])]
    """
    members: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        members.setdefault(label, []).append(i)
    dealt = sorted(members, key=lambda label: (len(members[label]) == 1, label))
    folds = min(folds, len(dealt))
    found = []
    for fold in range(folds):
        next_ones = [(fold + step) % folds for step in range(1, folds // 3 + 1)]
        others = [members[label] for first in next_ones for label in dealt[first::folds]]
        left = sorted(rows[fold % len(rows)] for rows in others if len(rows) > 1)
        found.append((sorted(i for label in dealt[fold::folds] for i in members[label]), left))
    return found


def _few_of_each(rows: Sequence[int], labels: Sequence[str]) -> list[int]:
    """Return a few texts of each label, evenly spaced: they may be sorted by year."""
    members: dict[str, list[int]] = {}
    for i in rows:
        members.setdefault(labels[i], []).append(i)
    return [i for each in members.values() for i in each[:: -(-len(each) // MOST_ABSENT)]]


def _cut(tokens: NDArray[Any], n: int, rng: np.random.Generator) -> NDArray[Any]:
    start = int(rng.integers(len(tokens) - n + 1))
    return tokens[start : start + n]


@dataclass(frozen=True, eq=False)
class Trial:
    """Passages scored with some candidates; `right` is the column of each passage's author, -1 for an absent author."""

    closeness: Closeness
    right: NDArray[np.int64]

    @classmethod
    def of(
        cls, distances: dict[str, Floats], truth: Sequence[str], labels: Sequence[str], rule: str
    ) -> Trial:
        """Label passages, given their distances from known texts."""
        columns = {label: c for c, label in enumerate(sorted(set(labels)))}
        right = np.array([columns.get(label, -1) for label in truth], dtype=np.int64)
        return cls(Closeness.of(distances, labels, rule), right)


def learn(trials: Sequence[Trial]) -> Curve | None:
    """Return the curve that makes the right answers likeliest; None without both present and absent authors."""
    from scipy.optimize import minimize, minimize_scalar

    there = np.concatenate([trial.right >= 0 for trial in trials]) if trials else np.zeros(0, dtype=bool)
    if not there.any() or there.all():
        return None
    first = np.concatenate([trial.closeness.of_the_first() for trial in trials])
    usual, spread = first[~there].mean(axis=0), np.maximum(first[~there].std(axis=0), 1e-6)
    X = np.concatenate([np.ones((len(first), 1)), (first - usual) / spread], axis=1)
    sign, share, before = np.where(there, 1.0, -1.0), _balanced(there), np.array(BEFORE.weights)
    hold = HOLD * PASSAGES / float(there.sum())

    def loss(weights: Floats) -> float:
        held = hold / 2 * float(((weights - before) ** 2).sum())
        return float(share @ np.logaddexp(0, -sign * (X @ weights))) + held

    def blur(log_sharpness: float) -> float:
        missed = [_missed(trial, np.exp(log_sharpness)) for trial in trials]
        return float(np.concatenate(missed).sum() + 3 * (log_sharpness - np.log(BEFORE.sharpness)) ** 2)

    # A larger lead or cosine cannot speak against the candidate: a weight that would fall below zero is zero.
    bounds = [(None, None), (0.0, None), (0.0, None)]
    weights = minimize(loss, before, method="L-BFGS-B", bounds=bounds).x
    sharpness = float(np.exp(minimize_scalar(blur, bounds=(-2.0, 3.0), method="bounded").x))
    return Curve(sharpness, tuple(map(float, usual)), tuple(map(float, spread)), tuple(map(float, weights)))


def _missed(trial: Trial, sharpness: float) -> Floats:
    """Return the negative log probability of the right candidate, for passages whose author is a candidate."""
    rows = np.flatnonzero(trial.right >= 0)
    u = -sharpness * trial.closeness.scores[rows]
    own = u[np.arange(len(rows)), trial.right[rows]]
    return np.asarray(np.logaddexp.reduce(u, axis=1) - own)


def _balanced(there: NDArray[np.bool_]) -> Floats:
    """Return weights that sum to one: one half for trials with the author present, one half for the others."""
    return np.asarray(np.where(there, 0.5 / max(1, there.sum()), 0.5 / max(1, (~there).sum())))


def _answers(trials: Sequence[Trial], curve: Curve) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
    sure, right, there = [], [], []
    for trial in trials:
        chances = curve.chances(trial.closeness)[:, :-1]
        best = chances.argmax(axis=1)
        sure.append(chances[np.arange(len(best)), best])
        right.append(best == trial.right)
        there.append(trial.right >= 0)
    return np.concatenate(sure), np.concatenate(right), np.concatenate(there)
