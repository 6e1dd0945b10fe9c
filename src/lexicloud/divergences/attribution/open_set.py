"""Who wrote it, or none of these: probabilities for each candidate and for somebody else.

A text's candidates compete with each other and with an outsider. Candidate c has the utility u_c = a − b·s_c + e·cos_c,
where s_c is its score (see `scorer`), and cos_c the mean cosine of frequent words and of characters, which says how
close the text is to c in absolute terms; the outsider has the utility 0. Probabilities are exp(u) over their sum.

The three numbers are learnt from known texts that were left out: passages of theirs are labelled with their author
among the candidates, and again without. What is frequent and usual is learnt anew each time without the text
itself, because a text that took part in that looks farther from the others than a new one does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.divergences.attribution.combined import Scorer, add_up
from lexicloud.divergences.attribution.features import Spelling
from lexicloud.divergences.attribution.scoring import category_scores
from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.divergences.attribution.features import WordTable

    Floats = NDArray[np.float64]

LENGTHS: Final = (300, 1000, 3000, 10_000)
FOLDS: Final = 3
PASSAGES: Final = 2
# What holds before there is anything to learn from: with one text of each label no author can be left out and be found.
BEFORE: Final = (-1.0, 1.0, 5.0)


@dataclass(frozen=True, eq=False)
class Closeness:
    """What is known of texts and candidates: scores and cosines, texts × classes."""

    scores: Floats
    cosines: Floats

    @classmethod
    def of(
        cls, distances: dict[str, Floats], labels: Sequence[str], classes: Sequence[str], rule: str
    ) -> Closeness:
        """Add up the distances from known texts, and go from texts to candidates by a rule."""
        groups = np.array([[label == c for c in classes] for label in labels], dtype=np.float64)
        scores = category_scores(add_up(distances, groups), labels, classes, rule)
        cosines = 1 - (distances["delta"] + distances["characters"]) / 2
        return cls(scores, -category_scores(-cosines, labels, classes, rule))

    def rows(self, chosen: Sequence[int]) -> Closeness:
        """Return some of the texts."""
        return Closeness(self.scores[list(chosen)], self.cosines[list(chosen)])

    def utilities(self, curve: Sequence[float] | Floats) -> Floats:
        """Return the utility of each candidate."""
        a, b, e = curve
        return np.asarray(a - b * self.scores + e * self.cosines)


def with_outsider(utilities: Floats) -> Floats:
    """Return the probability of each candidate and, in the last column, of none of them."""
    u = np.concatenate([utilities, np.zeros((len(utilities), 1))], axis=1)
    u = np.exp(u - u.max(axis=1, keepdims=True))
    return np.asarray(u / u.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Calibration:
    """The curve for each length of a text, and how sure and how right the answers were that it was learnt from."""

    lengths: tuple[int, ...]
    curves: tuple[tuple[float, ...], ...]
    sure: tuple[Floats, ...]  # the probability of the first candidate, trial by trial
    right: tuple[NDArray[np.bool_], ...]

    def curve(self, tokens: float) -> tuple[float, ...]:
        """Return the curve for a length; between two lengths by the logarithm of the length."""
        if not self.lengths:
            return BEFORE
        at, log = np.log(self.lengths), np.log(max(tokens, 1.0))
        return tuple(float(np.interp(log, at, column)) for column in np.array(self.curves).T)

    def threshold(self, tokens: float, error: float) -> float:
        """Return how sure an answer must be for at most `error` of such answers to be wrong; above 1 for never.

        Half of the trials have their author among the candidates. One more answer counts as wrong than there
        were, so that few trials promise little.
        """
        if not 0 < error < 1:
            raise OptionError(f"the accepted error is between 0 and 1, not {error!r}")
        if not self.lengths:
            return 2.0
        at = int(np.argmin(np.abs(np.log(self.lengths) - np.log(max(tokens, 1.0)))))
        order = np.argsort(-self.sure[at], kind="stable")
        wrong = np.cumsum(~self.right[at][order])
        allowed = np.flatnonzero((wrong + 1) / np.arange(2, len(order) + 2) <= error)
        return float(self.sure[at][order[allowed[-1]]]) if len(allowed) else 2.0


def calibrate(
    known: WordTable,
    tokens: Sequence[NDArray[Any]],
    labels: Sequence[str],
    rule: str,
    spelling: Spelling | None = None,
    seed: int = 0,
) -> Calibration:
    """Learn the curves from known texts, given as their counts and as the numbers of their words in their order."""
    rng, spelling = np.random.default_rng(seed), spelling or Spelling.of(known.words)
    lengths = [n for n in LENGTHS if sum(len(t) >= n for t in tokens) >= max(4, len(tokens) // 2)]
    trials: dict[int, list[tuple[Closeness, NDArray[np.int64]]]] = {n: [] for n in lengths}
    for out in left_out(labels, FOLDS):
        kept = np.setdiff1d(np.arange(len(labels)), out)
        theirs = [labels[i] for i in kept]
        if len(set(theirs)) < 3:
            continue
        scorer = Scorer.fit(known.rows(kept), spelling)
        for n in lengths:
            cut = [
                (_cut(tokens[i], n, rng), labels[i])
                for i in out
                for _ in range(PASSAGES)
                if len(tokens[i]) >= n
            ]
            if cut:
                distances = scorer.distances(known.counting([passage for passage, _ in cut]))
                trials[n] += _trials(distances, [label for _, label in cut], theirs, rule)
    found = {n: learn(some) for n, some in trials.items() if some}
    usable = {n: curve for n, curve in found.items() if curve is not None}
    answers = [_answers(trials[n], curve) for n, curve in usable.items()]
    sure, right = tuple(s for s, _ in answers), tuple(r for _, r in answers)
    return Calibration(tuple(usable), tuple(usable.values()), sure, right)


def left_out(labels: Sequence[str], folds: int) -> list[NDArray[np.int64]]:
    """Return for each fold one text of every label with several, and a share of the labels with one."""
    members: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        members.setdefault(label, []).append(i)
    alone = [rows[0] for rows in members.values() if len(rows) == 1]
    several = [rows for rows in members.values() if len(rows) > 1]
    return [
        np.array(sorted([*(r[f % len(r)] for r in several), *alone[f::folds]]), dtype=np.int64)
        for f in range(folds)
    ]


def _cut(tokens: NDArray[Any], n: int, rng: np.random.Generator) -> NDArray[Any]:
    start = int(rng.integers(len(tokens) - n + 1))
    return tokens[start : start + n]


def _trials(
    distances: dict[str, Floats], truth: list[str], labels: list[str], rule: str
) -> list[tuple[Closeness, NDArray[np.int64]]]:
    """Label passages with their author among the candidates and without; the right answer is a column, -1 for none."""
    found = []
    classes = sorted(set(labels))
    inside = [i for i, label in enumerate(truth) if label in classes]
    if inside:
        rows = {name: D[inside] for name, D in distances.items()}
        right = np.array([classes.index(truth[i]) for i in inside])
        found.append((Closeness.of(rows, labels, classes, rule), right))
    for author in sorted(set(truth)):
        rows_of = [i for i, label in enumerate(truth) if label == author]
        others = [j for j, label in enumerate(labels) if label != author]
        part = {name: D[np.ix_(rows_of, others)] for name, D in distances.items()}
        rest = [labels[j] for j in others]
        closeness = Closeness.of(part, rest, sorted(set(rest)), rule)
        found.append((closeness, np.full(len(rows_of), -1)))
    return found


def learn(trials: Sequence[tuple[Closeness, NDArray[np.int64]]]) -> tuple[float, ...] | None:
    """Return the curve under which the right answers are likeliest; present and absent authors weigh the same."""
    from scipy.optimize import minimize

    present = sum(int((right >= 0).sum()) for _, right in trials)
    absent = sum(int((right < 0).sum()) for _, right in trials)
    if not present or not absent:
        return None

    def loss(curve: Floats) -> float:
        total = 0.01 * float(((curve - BEFORE) ** 2 / (1, 1, 25)).sum())
        for closeness, right in trials:
            chance = with_outsider(closeness.utilities(curve))[np.arange(len(right)), right]
            weights = np.where(right >= 0, 0.5 / present, 0.5 / absent)
            total -= float(weights @ np.log(np.maximum(chance, 1e-12)))
        return total

    best = minimize(loss, np.array(BEFORE), method="L-BFGS-B", bounds=[(None, None), (0, None), (0, None)])
    return tuple(map(float, best.x))


def _answers(
    trials: Sequence[tuple[Closeness, NDArray[np.int64]]], curve: Sequence[float]
) -> tuple[Floats, NDArray[np.bool_]]:
    sure, right = [], []
    for closeness, truth in trials:
        chances = with_outsider(closeness.utilities(curve))[:, :-1]
        best = chances.argmax(axis=1)
        sure.append(chances[np.arange(len(best)), best])
        right.append(best == truth)
    return np.concatenate(sure), np.concatenate(right)
