"""Did one hand write these? A calibrated likelihood ratio from two distances, measured against impostors.

The unknown text may be close to the known ones because one hand wrote both, or because everybody writes that way. So
the distance is compared with those of impostors, passages by other hands, both ways: is the unknown closer to
the known than impostors are, and is the known closer to the unknown than impostors are? Two distances are used, Cosine
Delta and the min–max distance, each on the 1,000 most frequent words of the reference. A logistic curve that was fitted
to pairs whose answer is known turns both into a likelihood ratio; `docs/attribution.md` has its calibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.divergences.attribution.combined import z_scores
from lexicloud.divergences.attribution.features import WordTable
from lexicloud.divergences.attribution.impostors import (
    LEAST,
    Population,
    bootstrap_score,
    english,
    imposters_score,
    thinned,
)
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import Result, TabularResult
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

FREQUENT: Final = 1000
# Tokens of the shorter side under which nothing is reliable.
RELIABLE: Final = 100
# A probability this near to one half is no decision.
BAND: Final = 0.1
# Curves fitted on 400 pairs of each kind cannot tell larger ratios (and their inverses) from this one.
LARGEST: Final = 200.0
# The cosine from which on two passages share a text; other books of one author stay below.
COPY: Final = 0.8
# Two addresses to Congress are alike beside novels, whoever wrote them.
BUILT_IN: Final = (
    "the built-in reference is mostly novels of the nineteenth century and says nothing about texts of another kind: "
    "nine in ten speeches by two hands passed for one. Give texts of the kind of yours as the reference"
)
# method → tokens of the shorter side → intercept and weights of the logistic curve. Both distances weigh the same:
# weights of their own did no better on collections that they were not fitted on. See `docs/attribution.md`.
CURVES: Final[dict[str, dict[int, tuple[float, ...]]]] = {
    "two-sided": {300: (-0.19, 0.25, 0.25), 1000: (-0.57, 0.47, 0.47), 3000: (-1.45, 0.85, 0.85)},
    "imposters": {300: (-0.40, 2.23), 1000: (-0.97, 3.37), 3000: (-1.81, 4.69)},
}


@dataclass(frozen=True)
class WordEvidence(Result):
    """What a word adds to the log likelihood ratio: above zero it speaks for one hand.

    Rates are per thousand tokens; `usual` is the mean of the reference.
    """

    word: str
    value: float
    known: float
    unknown: float
    usual: float


@dataclass(frozen=True)
class Verification(TabularResult):
    """Whether one hand wrote the known texts and the unknown one.

    `likelihood_ratio` says how many times likelier the evidence is if one hand wrote both, up to 200, beyond which
    the data it was calibrated on cannot say; `probability` is what
    follows from it if both answers were equally likely before. `p_value` is the share of impostors that are
    as close to the known texts as the unknown is: the null hypothesis is that another author, one like those
    of the reference, wrote it. `evidence` adds up to the log of the ratio, less `intercept`.
    """

    _table = "evidence"

    likelihood_ratio: float
    probability: float
    decision: str
    p_value: float | None
    evidence: tuple[WordEvidence, ...]
    intercept: float
    scores: dict[str, float]
    tokens: tuple[int, int]
    impostors: int
    reference: str
    method: str
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.decision}, likelihood ratio {self.likelihood_ratio:.3g}, probability {self.probability:.0%}"


def verify(
    known: str | Sequence[str],
    unknown: str,
    reference: Population | Corpus | None = None,
    *,
    method: str = "two-sided",
    exclude: Sequence[str] = (),
    band: float = BAND,
    rules: TokenRules = DEFAULT_RULES,
    seed: int = 0,
) -> Verification:
    """Ask whether the hand that wrote the known texts wrote the unknown one.

    `reference` are texts by other hands, best of the same language, time and kind: a Corpus, or by default
    passages of public-domain English books. `exclude` leaves out authors of the reference who may have written
    the texts. `method` is "two-sided" or "imposters" (General Imposters, with the score of its bootstrap-distance
    variant beside it). A probability within `band` of one half is "undecided", and so is anything under 100 tokens.
    """
    texts = [known] if isinstance(known, str) else list(known)
    population = _population(reference, rules).without(exclude)
    problem = Problem.of(texts, unknown, population, rules, seed)
    if method not in CURVES:
        raise OptionError(f"no method {method!r}: choose from {', '.join(CURVES)}")
    if not 0 <= band < 0.5:
        raise OptionError(f"band must be at least 0 and under 0.5, not {band!r}")
    curve = curve_at(method, problem.shorter)
    if method == "two-sided":
        scores, values = problem.two_sided()
        log_ratio = curve[0] + sum(b * scores[n] for b, n in zip(curve[1:], scores, strict=True))
        words = sum(b * values[n] for b, n in zip(curve[1:], values, strict=True))
        p_value = problem.p_value(curve)
    else:
        scores = {"imposters": imposters_score(problem, seed), "bootstrap": bootstrap_score(problem, seed)}
        log_ratio, p_value = curve[0] + curve[1] * scores["imposters"], None
        words = np.zeros(len(problem.words))
    return _answer(problem, method, log_ratio, curve[0], scores, words, p_value, band)


@dataclass(frozen=True, eq=False)
class Problem:
    """The two sides and the impostors, as shares of the frequent words."""

    words: tuple[str, ...]
    known: WordTable
    unknown: WordTable
    as_known: WordTable  # impostors as long as the known texts
    as_unknown: WordTable  # impostors as long as the unknown text
    mean: Floats
    deviation: Floats
    authors: tuple[str, ...]
    reference: str
    notes: tuple[str, ...]

    @classmethod
    def of(
        cls, known: Sequence[str], unknown: str, population: Population, rules: TokenRules, seed: int
    ) -> Problem:
        """Count both sides, and draw from the impostors as many words as each side has."""
        sides = [
            [rules.normalise(t) for text in texts for t in tokenize(text, rules)]
            for texts in (known, [unknown])
        ]
        for tokens, what in zip(sides, ("known texts have", "unknown text has"), strict=True):
            if not tokens:
                raise EstimateError(f"the {what} no words")
        first, second = (WordTable.of_tokens([tokens]) for tokens in sides)
        return cls.between(first, second, population, seed)

    @classmethod
    def between(cls, known: WordTable, unknown: WordTable, population: Population, seed: int = 0) -> Problem:
        """Do the same with texts that are counted already."""
        words = population.passages.words[:FREQUENT]
        shares = population.passages.shares(words).toarray()
        mean, deviation = shares.mean(axis=0), shares.std(axis=0)
        varies = deviation > 1e-12 * mean
        words, mean, deviation = tuple(np.array(words)[varies].tolist()), mean[varies], deviation[varies]
        known, unknown = known.limited(words), unknown.limited(words)
        population, notes = _without_copies(population.over(words), mean, deviation, (known, unknown))
        rng = np.random.default_rng(seed)
        as_known, as_unknown = (thinned(population.passages, t.lengths[0], rng) for t in (known, unknown))
        return cls(
            words,
            known,
            unknown,
            as_known,
            as_unknown,
            mean,
            deviation,
            population.authors,
            population.name,
            notes,
        )

    @property
    def shorter(self) -> int:
        """The number of tokens of the shorter side."""
        return int(min(self.known.lengths[0], self.unknown.lengths[0]))

    def z(self, texts: WordTable) -> Floats:
        """Return z-scores, at unit length."""
        return z_scores(texts.shares(self.words).toarray(), texts.lengths, self.mean, self.deviation)

    def scaled(self, texts: WordTable) -> Floats:
        """Return shares over their deviation."""
        return np.asarray(texts.shares(self.words).toarray() / self.deviation)

    def two_sided(self) -> tuple[dict[str, float], dict[str, Floats]]:
        """Return how much closer the sides are than impostors are, in deviations, and each word's part of it."""
        scores, parts = {}, {}
        for name, likeness, form in (("delta", products, self.z), ("min–max", overlaps, self.scaled)):
            k, u = form(self.known), form(self.unknown)
            total = np.zeros(len(self.words))
            for one, impostors in ((k, form(self.as_unknown)), (u, form(self.as_known))):
                theirs = likeness(impostors, one[0])
                spread = max(float(theirs.sum(axis=1).std()), 1e-12)
                total += (likeness(k, u[0])[0] - theirs.mean(axis=0)) / spread / 2
            scores[name], parts[name] = float(total.sum()), total
        return scores, parts

    def p_value(self, curve: tuple[float, ...]) -> float:
        """Return the share of impostors that would pass for the hand of the known texts as the unknown does."""
        own, _ = self.two_sided()
        found = sum(b * own[name] for b, name in zip(curve[1:], own, strict=True))
        theirs = np.zeros(len(self.authors))
        other = np.array([[a != b for b in self.authors] for a in self.authors])
        for b, likeness, form in zip(curve[1:], (products, overlaps), (self.z, self.scaled), strict=True):
            k, as_unknown, as_known = form(self.known)[0], form(self.as_unknown), form(self.as_known)
            to_known = likeness(as_unknown, k).sum(axis=1)
            among = np.stack([likeness(as_known, one).sum(axis=1) for one in as_unknown])
            first = (to_known - to_known.mean()) / max(to_known.std(), 1e-12)
            means, spreads = _masked_moments(among, other)
            theirs += b * (first + (to_known - means) / spreads) / 2
        return float((1 + (theirs >= found).sum()) / (1 + len(theirs)))


def products(texts: Floats, one: Floats) -> Floats:
    """Return each word's part of the cosines of texts with one: all at unit length."""
    return np.asarray(texts * one)


def overlaps(texts: Floats, one: Floats) -> Floats:
    """Return each word's part of the min–max (Ružička) similarity of texts with one: Σ min / Σ max."""
    return np.asarray(np.minimum(texts, one) / np.maximum(texts, one).sum(axis=1, keepdims=True))


def curve_at(method: str, tokens: float) -> tuple[float, ...]:
    """Return the logistic curve for a length, between two lengths by the logarithm of the length."""
    curves = CURVES[method]
    lengths, values = np.log(list(curves)), np.array(list(curves.values()))
    return tuple(float(np.interp(np.log(max(tokens, 1)), lengths, column)) for column in values.T)


def _population(reference: Population | Corpus | None, rules: TokenRules) -> Population:
    if isinstance(reference, Population):
        return reference
    if reference is not None:
        if reference.rules != rules:
            raise OptionError("the reference was split into words by other rules: use the same for both")
        return Population.of_corpus(reference)
    if rules.language != "english":
        raise OptionError(
            f"there is no reference for {rules.language}: give texts by other hands in that language (reference=)"
        )
    return english()


def _without_copies(
    population: Population, mean: Floats, deviation: Floats, sides: Sequence[WordTable]
) -> tuple[Population, tuple[str, ...]]:
    """Leave out impostors that share a text with a side: they would be closer than any other hand can be."""
    words = population.passages.words
    z = [
        z_scores(t.shares(words).toarray(), t.lengths, mean, deviation) for t in (population.passages, *sides)
    ]
    close = np.maximum(z[0] @ z[1][0], z[0] @ z[2][0])
    copies = {population.authors[i] for i in np.flatnonzero(close > COPY)}
    if not copies:
        kept = population
    else:
        kept = population.rows([i for i, author in enumerate(population.authors) if author not in copies])
    if len(kept) < LEAST:
        raise EstimateError(
            f"{len(kept)} impostors are left of {len(population)}, but {LEAST} are needed: give a larger reference"
        )
    notes = tuple(
        f"left {author} out of the reference: it seems to share a text with these"
        for author in sorted(copies)
    )
    return kept, notes


def _masked_moments(values: Floats, counted: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    number = np.maximum(counted.sum(axis=1), 1)
    mean = np.where(counted, values, 0).sum(axis=1) / number
    spread = np.sqrt(np.where(counted, (values - mean[:, None]) ** 2, 0).sum(axis=1) / number)
    return mean, np.maximum(spread, 1e-12)


def _answer(
    problem: Problem,
    method: str,
    log_ratio: float,
    intercept: float,
    scores: dict[str, float],
    words: Any,
    p_value: float | None,
    band: float,
) -> Verification:
    bounded = float(np.clip(log_ratio, -np.log(LARGEST), np.log(LARGEST)))
    if bounded != log_ratio:  # the words share what is left
        words, log_ratio = words * ((bounded - intercept) / (log_ratio - intercept)), bounded
    probability = float(1 / (1 + np.exp(-log_ratio)))
    short = problem.shorter < RELIABLE
    notes = problem.notes + ((BUILT_IN,) if problem.reference == "english" else ())
    if short:
        notes += (f"the shorter side has {problem.shorter} tokens: under {RELIABLE} no answer is reliable",)
    decision = "same hand" if probability > 0.5 else "different hands"
    if short or abs(probability - 0.5) < band:
        decision = "undecided"
    return Verification(
        likelihood_ratio=float(np.exp(log_ratio)),
        probability=probability,
        decision=decision,
        p_value=p_value,
        evidence=_evidence(problem, words),
        intercept=intercept,
        scores=scores,
        tokens=(int(problem.known.lengths[0]), int(problem.unknown.lengths[0])),
        impostors=len(problem.authors),
        reference=problem.reference,
        method=method,
        notes=notes,
    )


def _evidence(problem: Problem, values: Floats) -> tuple[WordEvidence, ...]:
    rates = [1000 * t.shares(problem.words).toarray()[0] for t in (problem.known, problem.unknown)]
    order = np.argsort(-np.abs(values), kind="stable")
    return tuple(
        WordEvidence(
            problem.words[i],
            float(values[i]),
            float(rates[0][i]),
            float(rates[1][i]),
            float(1000 * problem.mean[i]),
        )
        for i in order
        if values[i]
    )
