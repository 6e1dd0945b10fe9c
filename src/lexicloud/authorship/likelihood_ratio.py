"""From scores to calibrated likelihood ratios: a curve fitted to pairs of the reference's own authors.

log LR = a + b · score, fitted so that pairs by one author and pairs by two weigh the same. A reference with few authors
of several texts gives an uncertain curve, so the curve is pulled towards the shipped one, which weighs as much as ten
authors. The cost and the false alarms that are reported come from pairs whose authors took no part in fitting the curve
that judged them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.pairs import two_sided, votes
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, many, percent, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.authorship.features import WordTable
    from lexicloud.authorship.pairs import Setting

    Floats = NDArray[np.float64]

# With fewer authors of several texts no verdict is given.
AUTHORS: Final = 10
# The weight of the shipped curve, in authors.
HELD: Final = 10.0
FOLDS: Final = 5
METHODS: Final = ("two-sided", "imposters")
# method → words of the shorter side → intercept and slope of the shipped curve.
# See `docs/attribution-measured.md`.
CURVES: Final[dict[str, dict[int, tuple[float, float]]]] = {
    "two-sided": {300: (-0.51, 1.06), 1000: (-1.50, 1.84), 3000: (-2.83, 2.59), 10_000: (-3.62, 2.72)},
    "imposters": {300: (-0.78, 5.23), 1000: (-1.43, 6.90), 3000: (-2.50, 8.22), 10_000: (-3.39, 7.98)},
}
# A probability this near to one half is no decision.
BAND: Final = 0.1
# "Same hand" is said only above a ratio that at most this share of pairs by two authors exceeds.
# The goal is ten in a hundred; pairs by new authors exceed it in up to two more in a hundred.
ALARM: Final = 0.07
# "Different hands" is said only below a ratio that at most this share of pairs by one author falls under.
MISS: Final = 0.20
# Forensic practice (ENFSI 2015) says that ratios under this one (and over its inverse) support nothing: no verdict
# rests on them.
WEAK: Final = 2.0
SUPPORT: Final = ((WEAK, "no support"), (10.0, "weak support"), (100.0, "moderate support"))


@dataclass(frozen=True)
class RatioCurve(Result):
    """log LR = intercept + slope · score."""

    intercept: float
    slope: float

    def log_ratio(self, scores: Any) -> Any:
        """Return the logarithms of the likelihood ratios of scores."""
        return self.intercept + self.slope * scores


def fit_curve(same: Floats, different: Floats, held_to: RatioCurve, authors: float) -> RatioCurve:
    """Fit a logistic curve to scores of pairs, pulled towards the curve `held_to`.

    Pairs by one author and pairs by two weigh `authors` each, the other curve weighs `HELD`: it adds the same scores
    with its own answers as targets.
    """
    scores = np.concatenate([same, different])
    kind = np.concatenate([np.ones(len(same)), np.zeros(len(different))])
    weight = np.concatenate([np.full(len(each), 1 / max(1, len(each))) for each in (same, different)])
    other = 1 / (1 + np.exp(-held_to.log_ratio(scores)))
    target = (authors * kind + HELD * other) / (authors + HELD)
    X = np.stack([np.ones_like(scores), scores], axis=1)
    found, loss = np.zeros(2), _cross_entropy(X, target, weight, np.zeros(2))
    for _ in range(100):
        p = 1 / (1 + np.exp(-np.clip(X @ found, -30, 30)))
        gradient = X.T @ (weight * (target - p))
        hessian = (X * (weight * p * (1 - p))[:, None]).T @ X + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        # A full Newton step may overshoot where the curve is steep, and then diverge.
        while (tried := _cross_entropy(X, target, weight, found + step)) > loss and np.abs(step).max() > 1e-9:
            step = step / 2
        if np.abs(step).max() <= 1e-9:
            break
        found, loss = found + step, tried
    if found[1] <= 0:
        # Closer sides cannot speak for two hands: a score that says nothing of the reference says nothing at all.
        share = float(weight @ target / weight.sum())
        return RatioCurve(float(np.log(share / (1 - share))), 0.0)
    return RatioCurve(float(found[0]), float(found[1]))


def _cross_entropy(X: Floats, target: Floats, weight: Floats, curve: Floats) -> float:
    answers = X @ curve
    return float(weight @ (np.logaddexp(0, answers) - target * answers))


def support(ratio: float) -> str:
    """Return a likelihood ratio, or the inverse of one under 1, in the words of forensic practice (ENFSI 2015).

    >>> support(4.2), support(0.05)
    ('weak support', 'moderate support')
    """
    size = max(ratio, 1 / ratio)
    return next((words for limit, words in SUPPORT if size < limit), "moderately strong support")


def cost(same: Floats, different: Floats) -> float:
    """Return the log-likelihood-ratio cost (Cllr): 0 is perfect, 1 is the cost of always answering 1.

    >>> cost(np.array([0.0]), np.array([0.0]))
    1.0
    """
    return float((np.log2(1 + np.exp(-same)).mean() + np.log2(1 + np.exp(different)).mean()) / 2)


@dataclass(frozen=True, eq=False)
class PairCalibration(Result):
    """The calibration of a reference for some lengths: the curve, and the log likelihood ratios of held-out pairs.

    `authors` is the number of authors with several texts, who make the pairs by one author. `thresholds` are the log
    ratios under which a verdict is "different hands" and over which it is "same hand".
    """

    _derived = ("pairs", "cost", "false_alarms", "misses", "reliability")
    _left_out = ("same", "different")

    curve: RatioCurve
    same: Floats
    different: Floats
    authors: int
    impostors: int
    words: tuple[int, int]
    texts: int
    thresholds: tuple[float, float]
    reference: str
    method: str

    @property
    def pairs(self) -> tuple[int, int]:
        """How many pairs by one hand and by two."""
        return len(self.same), len(self.different)

    @property
    def cost(self) -> float:
        """The log-likelihood-ratio cost (Cllr) of held-out pairs."""
        return cost(self.same, self.different)

    @property
    def false_alarms(self) -> float:
        """The share of held-out pairs by two hands that are called "same hand"."""
        return float((self.different > self.thresholds[1]).mean())

    @property
    def misses(self) -> float:
        """The share of held-out pairs by one hand that are called "different hands"."""
        return float((self.same < self.thresholds[0]).mean())

    @property
    def decided(self) -> tuple[float, float]:
        """The share of pairs by one hand called "same hand", and of pairs by two called "different hands"."""
        return float((self.same > self.thresholds[1]).mean()), float(
            (self.different < self.thresholds[0]).mean()
        )

    @property
    def reliability(self) -> list[list[float]]:
        """For each fifth of the probability: its mean, the share of pairs by one author, the pairs; equal priors."""
        p = 1 / (1 + np.exp(-np.concatenate([self.same, self.different])))
        weight = np.concatenate([np.full(len(each), 0.5 / len(each)) for each in (self.same, self.different)])
        one, place = np.arange(len(p)) < len(self.same), np.minimum((p * 5).astype(int), 4)
        rows = []
        for k in range(5):
            inside = place == k
            if inside.any():
                total = weight[inside].sum()
                stated, right = (weight * p)[inside].sum() / total, (weight * one)[inside].sum() / total
                rows.append([round(float(stated), 3), round(float(right), 3), int(inside.sum())])
        return rows

    @property
    def holds_for(self) -> str:
        """For what the numbers hold, in words."""
        sides = (
            f"{self.words[0]:,} words in {many(self.texts, 'known text')} and {self.words[1]:,} in question"
        )
        return f"{sides}, of the language, time and kind of {self.reference}"

    def blocks(self) -> list[Block]:
        """Return how far verdicts can be believed, for what that holds, and the numbers."""
        alarm, miss = percent(self.false_alarms, 1), percent(self.misses, 1)
        found: list[Block] = [
            Sentence(
                f"Of pairs by two hands {alarm} would be called “same hand”, and of pairs by one hand {miss} "
                "“different hands”.",
                "answer",
            ),
            Sentence(f"That holds for {self.holds_for}.", "sure"),
            Facts(tuple(self._facts())),
            table(
                ["stated", "by one hand", "pairs"],
                self.reliability,
                title="probability stated, and share by one hand",
            ),
        ]
        return [*found, *(Figure(name, alt, draw) for name, (alt, draw) in self._drawings().items())]

    def _facts(self) -> list[tuple[str, str]]:
        same, different = self.decided
        return [
            ("pairs", f"{self.pairs[0]:,} by one hand, of {self.authors} authors; {self.pairs[1]:,} by two"),
            ("cost (Cllr)", f"{self.cost:.3f}; 1 is the cost of no information"),
            ("decided", f"{percent(same)} of pairs by one hand, {percent(different)} of pairs by two"),
            (
                "curve",
                f"log LR = {self.curve.intercept:.3f} + {self.curve.slope:.3f} · score ({self.method})",
            ),
        ]

    def _drawings(self) -> dict[str, tuple[str, Any]]:
        from lexicloud.authorship import authorship_plots as draw

        return {
            "reliability": (
                "stated probability against the share by one hand",
                lambda: draw.reliability(self),
            ),
            "tippett": ("shares of pairs with at least a likelihood ratio", lambda: draw.tippett(self)),
            "ece": ("empirical cross-entropy over prior odds", lambda: draw.ece(self)),
        }

    def _figures(self) -> dict[str, Any]:
        return {name: draw for name, (_, draw) in self._drawings().items()}

    def __str__(self) -> str:
        lengths = f"{self.words[0]:,} and {self.words[1]:,} words"
        return f"cost {self.cost:.2f} and {percent(self.false_alarms, 1)} false alarms at {lengths}"


def calibrate_pairs(
    tables: Sequence[Floats], several: NDArray[np.bool_], held_to: RatioCurve, band: float
) -> tuple[RatioCurve, Floats, Floats, tuple[float, float]]:
    """Fit the curve to tables of scores, known sides × unknown sides, and judge it on authors left out of the fit.

    Returns the curve, the held-out log ratios of pairs by one author and by two, and the thresholds of verdicts.
    """
    n, own = len(several), np.flatnonzero(several)
    fold = np.zeros(n, dtype=np.int64)
    fold[own], fold[~several] = np.arange(len(own)) % FOLDS, np.arange(n - len(own)) % FOLDS
    stacked = np.stack(tables)
    apart = ~np.eye(n, dtype=bool)
    same, different = [], []
    for f in range(FOLDS):
        inside, outside = fold == f, fold != f
        part = fit_curve(
            stacked[:, own[outside[own]], own[outside[own]]].ravel(),
            stacked[:, apart & outside[:, None] & outside[None, :]].ravel(),
            held_to,
            float(outside[own].sum()),
        )
        same.append(part.log_ratio(stacked[:, own[inside[own]], own[inside[own]]].ravel()))
        different.append(part.log_ratio(stacked[:, apart & inside[:, None]].ravel()))
    curve = fit_curve(stacked[:, own, own].ravel(), stacked[:, apart].ravel(), held_to, float(len(own)))
    one, two = np.concatenate(same), np.concatenate(different)
    return curve, one, two, thresholds(one, two, band)


def thresholds(same: Floats, different: Floats, band: float) -> tuple[float, float]:
    """Return the log ratios under which a verdict is "different hands" and over which it is "same hand".

    Both are at least as far from nothing as a probability `band` away from one half and as the ratio of weak support,
    and so far that held-out pairs are called wrongly no more often than `MISS` and `ALARM` say.
    """
    least = max(float(np.log((0.5 + band) / (0.5 - band))), float(np.log(WEAK)))
    low = min(-least, float(np.quantile(same, MISS)))
    high = max(least, float(np.quantile(different, 1 - ALARM)))
    return low, high


def curve_at(method: str, words: float) -> RatioCurve:
    """Return the shipped curve for a length, interpolated on the logarithm of the length."""
    curves = CURVES[method]
    lengths, values = np.log(list(curves)), np.array(list(curves.values()))
    intercept, slope = (float(np.interp(np.log(max(words, 1)), lengths, column)) for column in values.T)
    return RatioCurve(intercept, slope)


def scored(
    setting: Setting, drawn: Sequence[tuple[WordTable, WordTable]], method: str
) -> dict[str, list[Floats]]:
    """Return, for each kind of feature and each draw, the scores of all pairs of sides, known × unknown."""
    words = setting.words
    if method == "imposters":
        return {method: [votes(words.z(y), words.z(x), seed) for seed, (y, x) in enumerate(drawn)]}
    views = {"delta": words, "characters": setting.characters, "pairs": setting.pairs}
    return {name: [two_sided(view.closeness(y, x)) for y, x in drawn] for name, view in views.items()}


def together(scores: Mapping[str, Sequence[Floats]]) -> list[Floats]:
    """Return the mean over the kinds of features, for each draw."""
    return [np.mean(each, axis=0) for each in zip(*scores.values(), strict=True)]


def scored_apart(
    setting: Setting, drawn: Sequence[tuple[WordTable, WordTable]], method: str, tables: Sequence[Floats]
) -> list[Floats]:
    """Return the scores of the reference's own pairs, computed as those of strangers are.

    Had the author of the known side taken part in learning what varies within texts, that variation would be shrunk
    in the scores, and pairs by one author would look more alike than those of strangers do (AUC .966, not .952, at
    3,000 words). `tables` are scores with all authors taking part; rows before the authors' own are left out.
    """
    asked = len(tables[0]) - len(setting.authors)
    found = [np.array(scores[asked:, asked:]) for scores in tables]
    for rows, part in setting.parts():
        for scores, apart in zip(found, together(scored(part, drawn, method)), strict=True):
            scores[rows] = apart[asked:, asked:][rows]
    return found


def calibrated(setting: Setting, tables: Sequence[Floats], method: str, band: float) -> PairCalibration:
    """Calibrate on the pairs of a setting's authors, given their scores.

    The alternative of a question is another author of the same time and kind. Where the reference may be of another
    time, two such authors look more alike than two of the reference, so the scores of pairs by two authors are raised.
    """
    words = min(setting.known, setting.unknown)
    shift, held_to = setting.population.shift(words), curve_at(method, words)
    held_to = RatioCurve(held_to.intercept - shift * held_to.slope, held_to.slope)
    tables = [table + shift * ~np.eye(len(table), dtype=bool) for table in tables]
    curve, same, different, limits = calibrate_pairs(tables, setting.several, held_to, band)
    return PairCalibration(
        curve,
        same,
        different,
        int(setting.several.sum()),
        len(setting.authors),
        (int(setting.known), int(setting.unknown)),
        setting.texts,
        limits,
        setting.population.name,
        method,
    )


@dataclass(frozen=True, eq=False)
class CalibrationReport(TabularResult):
    """The calibration of `verify` with a reference, for each length."""

    _table = "lengths"

    reference: str
    lengths: tuple[PairCalibration, ...]
    notes: tuple[str, ...] = ()

    def blocks(self) -> list[Block]:
        """Return how often verdicts are wrong, for what that holds, and the numbers of each length."""
        rows = [
            (
                each.words[0],
                each.words[1],
                each.authors,
                each.pairs[0],
                each.pairs[1],
                each.cost,
                percent(each.false_alarms, 1),
                percent(each.misses, 1),
                *(percent(share) for share in each.decided),
            )
            for each in self.lengths
        ]
        heads = ["known words", "unknown", "authors", "pairs by one hand", "by two", "cost (Cllr)"]
        heads += ["two called one", "one called two", "one hand found", "two hands found"]
        worst = max(each.false_alarms for each in self.lengths)
        return [
            Sentence(
                f"With {self.reference} as the reference at most {percent(worst, 1)} of pairs by two hands are called "
                f"“same hand”, at the lengths below.",
                "answer",
            ),
            Sentence(
                f"That holds for texts of the language, time and kind of {self.reference} only.", "sure"
            ),
            *(Sentence(f"{note[0].upper()}{note[1:]}.", "note") for note in self.notes),
            table(
                heads, rows, title="pairs of the reference's own authors, none of whom took part in the curve"
            ),
            *(block for each in self.lengths for block in each.blocks() if isinstance(block, Figure)),
        ]

    def write(self, folder: str | Path, name: str | None = None) -> list[Path]:
        """Write JSON and CSV, and the reliability, Tippett and ECE plots of each length; return the files."""
        files = super().write(folder, name)
        for each in self.lengths:
            files += each.write(folder, f"{files[0].stem}_{each.words[0]}_{each.words[1]}")
        return files

    def __str__(self) -> str:
        return f"{self.reference}: {'; '.join(map(str, self.lengths))}"
