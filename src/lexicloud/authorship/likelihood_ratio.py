"""From scores to likelihood ratios that can be believed: a curve fitted to pairs of the reference's own authors.

log LR = a + b · score, fitted so that pairs by one hand and by two weigh the same. A reference with few authors of
several texts cannot say much, so the curve is held to the one that is shipped as if that were ten authors more. What
is reported about it (cost, false alarms) is of pairs whose authors took no part in fitting the curve that judged them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.pairs import two_sided, votes
from lexicloud.result import Result, TabularResult
from lexicloud.say.blocks import Block, Facts, Figure, Sentence, table
from lexicloud.say.phrases import many, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lexicloud.authorship.features import WordTable
    from lexicloud.authorship.pairs import Setting

    Floats = NDArray[np.float64]

# Authors of several texts under which no verdict is given.
AUTHORS: Final = 10
# Authors' worth of the shipped curve.
HELD: Final = 10.0
FOLDS: Final = 5
METHODS: Final = ("two-sided", "imposters")
# method → words of the shorter side → intercept and slope of the curve, to which a reference's own is held.
# See `docs/attribution-measured.md`.
CURVES: Final[dict[str, dict[int, tuple[float, float]]]] = {
    "two-sided": {300: (-0.45, 0.99), 1000: (-1.24, 1.63), 3000: (-2.52, 2.30), 10_000: (-3.81, 2.83)},
    "imposters": {300: (-0.67, 4.56), 1000: (-1.29, 6.42), 3000: (-2.26, 7.48), 10_000: (-3.30, 8.05)},
}
# A probability this near to one half is no decision.
BAND: Final = 0.1
# Nothing is called "same hand" that more than this share of pairs by two hands would be called, too.
# Ten in a hundred are the goal; pairs by new authors come out up to two more than this.
ALARM: Final = 0.07
# Nothing is called "different hands" that more than this share of pairs by one hand would be called, too.
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
    """Fit a logistic curve to scores of pairs; both kinds weigh `authors`, and the curve it is held to `HELD`.

    Holding is done with the same scores, answered as the other curve would answer them.
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
        # A whole step overshoots where the curve is steep, and would never come back.
        while (tried := _cross_entropy(X, target, weight, found + step)) > loss and np.abs(step).max() > 1e-9:
            step = step / 2
        if np.abs(step).max() <= 1e-9:
            break
        found, loss = found + step, tried
    return RatioCurve(float(found[0]), float(found[1]))


def _cross_entropy(X: Floats, target: Floats, weight: Floats, curve: Floats) -> float:
    answers = X @ curve
    return float(weight @ (np.logaddexp(0, answers) - target * answers))


def support(ratio: float) -> str:
    """Put a likelihood ratio, or the inverse of one under 1, into the words of forensic practice (ENFSI 2015).

    >>> support(4.2), support(0.05)
    ('weak support', 'moderate support')
    """
    size = max(ratio, 1 / ratio)
    return next((words for limit, words in SUPPORT if size < limit), "moderately strong support")


def cost(same: Floats, different: Floats) -> float:
    """Return the log-likelihood-ratio cost (Cllr): 0 is perfect, 1 is what always answering 1 costs.

    >>> cost(np.array([0.0]), np.array([0.0]))
    1.0
    """
    return float((np.log2(1 + np.exp(-same)).mean() + np.log2(1 + np.exp(different)).mean()) / 2)


@dataclass(frozen=True, eq=False)
class PairCalibration(Result):
    """What a reference can tell at some lengths: the curve, and the log likelihood ratios of held-out pairs.

    `authors` have several texts and make the pairs by one hand. `thresholds` are the log ratios under which a verdict
    is "different hands" and over which it is "same hand".
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
        """In fifths of the probability, if both kinds are as likely: the mean stated, and the share by one hand."""
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
            ("cost (Cllr)", f"{self.cost:.3f}; always saying nothing costs 1"),
            ("decided", f"{percent(same)} of pairs by one hand, {percent(different)} of pairs by two"),
            (
                "curve",
                f"log LR = {self.curve.intercept:.3f} + {self.curve.slope:.3f} · score ({self.method})",
            ),
        ]

    def _drawings(self) -> dict[str, tuple[str, Any]]:
        from lexicloud.authorship import calibration_plots as draw

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

    Returns the curve, the held-out log ratios of pairs by one hand and by two, and the thresholds of verdicts.
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
    """Return the shipped curve for a length, between two lengths by the logarithm of the length."""
    curves = CURVES[method]
    lengths, values = np.log(list(curves)), np.array(list(curves.values()))
    intercept, slope = (float(np.interp(np.log(max(words, 1)), lengths, column)) for column in values.T)
    return RatioCurve(intercept, slope)


def scored(
    setting: Setting, drawn: Sequence[tuple[WordTable, WordTable]], method: str
) -> dict[str, list[Floats]]:
    """Return for each draw the scores of all pairs of sides, known × unknown, by each thing that is looked at."""
    words = setting.words
    if method == "imposters":
        return {method: [votes(words.z(y), words.z(x), seed) for seed, (y, x) in enumerate(drawn)]}
    views = {"delta": words, "characters": setting.characters, "pairs": setting.pairs}
    return {name: [two_sided(view.closeness(y, x)) for y, x in drawn] for name, view in views.items()}


def together(scores: Mapping[str, Sequence[Floats]]) -> list[Floats]:
    """Return the mean over what is looked at, draw by draw."""
    return [np.mean(each, axis=0) for each in zip(*scores.values(), strict=True)]


def scored_apart(
    setting: Setting, drawn: Sequence[tuple[WordTable, WordTable]], method: str, tables: Sequence[Floats]
) -> list[Floats]:
    """Return the scores of the reference's own pairs as those of strangers would be.

    What varies within the texts of a known side's author was not taken out of the scores, as it would have been had
    the author taken part: such pairs by one hand look more alike than those of strangers do (AUC .966, not .952, at
    3,000 words). `tables` are scores with everybody taking part; rows before the authors' own are left out.
    """
    asked = len(tables[0]) - len(setting.authors)
    found = [np.array(scores[asked:, asked:]) for scores in tables]
    for rows, part in setting.parts():
        for scores, apart in zip(found, together(scored(part, drawn, method)), strict=True):
            scores[rows] = apart[asked:, asked:][rows]
    return found


def calibrated(setting: Setting, tables: Sequence[Floats], method: str, band: float) -> PairCalibration:
    """Calibrate on the pairs of a setting's authors, given their scores.

    The somebody else of the question is of the time and kind of its texts. Where the reference may be of another, what
    they share makes two hands look alike, and pairs by two hands are raised by as much.
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
    """How far `verify` can be believed with a reference, length by length."""

    _table = "lengths"

    reference: str
    lengths: tuple[PairCalibration, ...]

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
