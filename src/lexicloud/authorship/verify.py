"""Did one hand write these? A likelihood ratio from a distance, measured against impostors and calibrated on them.

The unknown text may be close to the known ones because one hand wrote both, or because everybody writes that way. So
the distance is compared with those of impostors, passages by other hands, both ways: is the unknown closer to
the known than impostors are, and is the known closer to the unknown than impostors are? The distance is Cosine Delta
on the 1,000 most frequent words of the reference. A curve fitted to pairs of the reference's own authors turns it into
a likelihood ratio (see `likelihood_ratio`). Where the reference does not fit the texts, or cannot be calibrated, there
is no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.impostors import CHUNK, LEAST, Chunked, Population, english
from lexicloud.authorship.likelihood_ratio import (
    AUTHORS,
    CalibrationReport,
    PairCalibration,
    RatioCurve,
    calibrate_pairs,
)
from lexicloud.authorship.pairs import FREQUENT, Setting, two_sided, votes
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Facts, Sentence
from lexicloud.say.phrases import chance, many, number, percent
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.authorship.features import WordTable
    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

# Words of a side under which nothing is reliable.
RELIABLE: Final = 100
# A probability this near to one half is no decision.
BAND: Final = 0.1
# What few hundred pairs can tell: larger ratios (and their inverses) are called this one.
LARGEST: Final = 200.0
# The cosine from which on two passages share a text; other books of one author stay below.
COPY: Final = 0.8
# Times that impostors are drawn.
DRAWS: Final = 4
# A side has this share of the frequent words that the reference's own texts have (their median); see `fit_of`.
FITS: Final = 0.75
# A text of the reference's kind is likelier by its words' shares than by those of another kind, by so much a word (in
# logarithms): nine in ten modern stories of 1,000 words are, and one in ten of news, essays and addresses.
KIND: Final = 0.3
NO_VERDICT: Final = "no verdict"
SCORES: Final = {"two-sided": "delta", "imposters": "imposters"}
METHODS: Final = tuple(SCORES)
# method → words of the shorter side → intercept and slope of the curve, to which a reference's own is held.
# See `docs/attribution-measured.md`.
CURVES: Final[dict[str, dict[int, tuple[float, float]]]] = {
    "two-sided": {300: (-0.49, 0.89), 1000: (-1.09, 1.27), 3000: (-3.24, 2.58), 10_000: (-4.13, 2.96)},
    "imposters": {300: (-0.75, 4.82), 1000: (-1.33, 6.14)},
}


@dataclass(frozen=True)
class Verification(TabularResult):
    """Whether one hand wrote the known texts and the unknown one.

    `decision` is "same hand", "different hands", "undecided", or "no verdict" where the reference cannot tell (`why`);
    then `likelihood_ratio` and `probability` are None. The ratio says how many times likelier the evidence is if one
    hand wrote both, up to 200; `probability` is what follows from it if both answers were equally likely before.
    `rank` is the place of the unknown text among the impostors, one passage by each, by closeness to the known ones,
    and `p_value` = rank / (impostors + 1) is exact: the hypothesis is that somebody else, one like the authors of the
    reference, wrote it. `evidence` adds up to the log of the ratio, less `intercept`. `calibration` says how many
    pairs of the reference's own authors the ratio rests on, its cost, and its false alarms at these lengths.
    """

    _table = "evidence"
    _columns = ("word", "adds", "kind", "rates")

    decision: str
    likelihood_ratio: float | None
    probability: float | None
    p_value: float | None
    rank: int | None
    evidence: tuple[Reason, ...]
    intercept: float
    scores: dict[str, float]
    tokens: tuple[int, int]
    impostors: int
    reference: str
    method: str
    why: str = ""
    notes: tuple[str, ...] = ()
    calibration: PairCalibration | None = field(default=None)

    @property
    def conclusion(self) -> str:
        """The verdict, in words."""
        if self.decision == NO_VERDICT:
            return f"No verdict: {self.why}."
        if self.decision == "undecided":
            return "It cannot be said whether one hand wrote both."
        hand = "One hand seems to have" if self.decision == "same hand" else "Different hands seem to have"
        return f"{hand} written both ({self.decision})."

    def blocks(self) -> list[Block]:
        """Return the verdict, how far it can be believed, the words behind it, and the numbers."""
        found: list[Block] = [Sentence(self.conclusion, "answer")]
        found += [Sentence(text, "sure") for text in self._how_sure()]
        found += [Sentence(f"{note[0].upper()}{note[1:]}.", "note") for note in self.notes]
        if self.evidence:
            sides = ("known ‰", "unknown ‰", "usual ‰")
            found.append(
                reason_bars(self.evidence, sides=sides, right="speaks for one hand", left="for two", top=12)
            )
        facts = [
            ("words and marks", f"{self.tokens[0]:,} known, {self.tokens[1]:,} in question"),
            ("reference", f"{many(self.impostors, 'other hand')} ({self.reference})"),
            ("method", self.method),
        ]
        return [*found, Facts(tuple(facts))]

    def plot(self, ax: Axes | None = None, top: int = 15) -> Axes:
        """Draw the strongest evidence as bars: right speaks for one hand, left for two."""
        from lexicloud.authorship.authorship_plots import verification_bars

        return verification_bars(self, ax, top)

    def _how_sure(self) -> list[str]:
        said = []
        if self.likelihood_ratio is not None and self.probability is not None:
            ratio, p = number(self.likelihood_ratio), percent(self.probability)
            said.append(
                f"The evidence is {ratio} times as likely if one hand wrote both; if both answers were equally likely "
                f"before, the probability is now {p}."
            )
        if self.calibration is not None and self.decision != NO_VERDICT:
            pairs, known = self.calibration.pairs, self.calibration
            said.append(
                f"Tried on {pairs[0]:,} pairs by one hand ({known.authors} authors) and {pairs[1]:,} by two of the "
                f"reference at these lengths: {percent(known.false_alarms, 1)} of two hands were called the same, "
                f"{percent(known.misses, 1)} of one hand different; the cost is {known.cost:.2f} (1 says nothing)."
            )
        if self.p_value is not None and self.rank is not None:
            said.append(
                f"{number(self.rank - 1)} of {number(self.impostors)} other hands are as close to the known texts "
                f"({chance(self.p_value)} if somebody else like them wrote it)."
            )
        return said

    def __str__(self) -> str:
        if self.likelihood_ratio is None or self.probability is None:
            return f"{self.decision}: {self.why}"
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

    `reference` are texts by other hands, of the same language, time and kind: a Corpus with authors as labels, best of
    thirty authors or more with several texts each; or by default public-domain English books. `exclude` leaves out
    authors of the reference who may have written the texts. `method` is "two-sided" or "imposters" (General
    Imposters). A probability within `band` of one half is "undecided". There is no verdict where the reference has
    not the words of the texts, fewer than ten authors with several texts, or a side has under 100 words.
    """
    if method not in METHODS:
        raise OptionError(f"no method {method!r}: choose from {', '.join(METHODS)}")
    if not 0 <= band < 0.5:
        raise OptionError(f"band must be at least 0 and under 0.5, not {band!r}")
    texts = [known] if isinstance(known, str) else list(known)
    rules = rules.settled([*texts, unknown])
    population = _population(reference, rules).without(exclude)
    sides = _sides(texts, unknown, rules)
    refused = _too_short(sides) or _does_not_fit(sides, population)
    if refused:
        return _no_verdict(sides, population, method, refused)
    question = Question.of(sides, population, seed)
    return question.answer(method, band)


# Words of both sides at which a reference is tried.
LENGTHS: Final = (300, 1000, 3000, 10_000)


def calibrate(
    reference: Population | Corpus | None = None,
    *,
    lengths: Sequence[int] = LENGTHS,
    method: str = "two-sided",
    band: float = BAND,
    rules: TokenRules = DEFAULT_RULES,
    seed: int = 0,
) -> CalibrationReport:
    """Say how far `verify` can be believed with a reference: pairs of its own authors at several lengths.

    Lengths that three quarters of its authors do not reach are left out.
    """
    if method not in METHODS:
        raise OptionError(f"no method {method!r}: choose from {', '.join(METHODS)}")
    population, found, why = _population(reference, rules), [], ""
    for words in lengths:
        setting = Setting.of(population, 1, words, words)
        if int(setting.several.sum()) < AUTHORS:
            why = _not_calibrated(setting)
        elif min(setting.known, setting.unknown) >= words:
            rng = np.random.default_rng(seed)
            drawn = tuple(setting.draw(rng) for _ in range(DRAWS))
            found.append(calibrated(setting, scored(setting, drawn, method), method, band))
    if not found:
        why = why or f"its authors have fewer than {min(lengths)} words"
        raise EstimateError(f"{population.name} cannot be calibrated: {why}")
    return CalibrationReport(population.name, tuple(found))


def scored(setting: Setting, drawn: Sequence[tuple[WordTable, WordTable]], method: str) -> list[Floats]:
    """Return for each draw the scores of all pairs of sides, known × unknown."""
    if method == "imposters":
        return [votes(setting.z(y), setting.z(x), seed) for seed, (y, x) in enumerate(drawn)]
    return [two_sided(setting.closeness(y, x)) for y, x in drawn]


def calibrated(setting: Setting, tables: Sequence[Floats], method: str, band: float) -> PairCalibration:
    """Calibrate on the pairs of a setting's authors, given their scores."""
    held_to = curve_at(method, min(setting.known, setting.unknown))
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
class Question:
    """The two sides, and the reference as they see it, drawn several times."""

    setting: Setting
    known: Chunked
    unknown: Chunked
    drawn: tuple[tuple[WordTable, WordTable], ...]  # in each: the sides first, then one row for each author
    notes: tuple[str, ...] = ()
    tokens: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, sides: tuple[list[list[str]], list[str]], population: Population, seed: int = 0) -> Question:
        """Count both sides, leave out impostors that share a text with them, and draw as much from all."""
        known, unknown = _counted(sides[0], population.words), _counted([sides[1]], population.words)
        tokens = int(known.lengths.sum()), int(unknown.lengths.sum())
        kept, notes = _without_copies(population, (known, unknown))
        return cls.between(known, unknown, kept, seed, notes=notes, tokens=tokens)

    @classmethod
    def between(
        cls, known: Chunked, unknown: Chunked, population: Population, seed: int = 0, **about: Any
    ) -> Question:
        """Do the same with texts that are counted already, over the words of the population."""
        lengths = float(known.lengths.sum()), float(unknown.lengths.sum())
        setting = Setting.of(population, len(known), *lengths, asked=(known.whole, unknown.whole))
        known, unknown = (side.over(setting.population.words) for side in (known, unknown))
        rng, drawn = np.random.default_rng(seed), []
        for _ in range(DRAWS):
            others = setting.draw(rng)
            own = [
                setting.table([side.draw(range(len(side)), words, rng)])
                for side, words in ((known, setting.known), (unknown, setting.unknown))
            ]
            drawn.append((joined(own[0], others[0]), joined(own[1], others[1])))
        return cls(setting, known, unknown, tuple(drawn), **about)

    def rank(self) -> tuple[int, int]:
        """Return the place of the unknown text among the impostors' by closeness to the known ones, and of how many.

        Under the hypothesis that an author like theirs wrote it, all places are equally likely: it and they are
        treated alike.
        """
        total = np.zeros(len(self.setting.authors) + 1)
        for y, x in self.drawn:
            total += self.setting.closeness(y, x)[0]
        return int((total >= total[0]).sum()), len(total)

    def answer(self, method: str, band: float) -> Verification:
        """Score the sides, calibrate, and decide."""
        setting, tables = self.setting, scored(self.setting, self.drawn, method)
        score = float(np.mean([each[0, 0] for each in tables]))
        known = None
        if int(setting.several.sum()) >= AUTHORS:
            known = calibrated(setting, [each[1:, 1:] for each in tables], method, band)
        rank, places = self.rank()
        words = self.word_parts() if method == "two-sided" else np.zeros(len(self.setting.mean))
        found = Verification(
            decision=NO_VERDICT,
            likelihood_ratio=None,
            probability=None,
            p_value=rank / places,
            rank=rank,
            evidence=self.reasons(words),
            intercept=0.0,
            scores={SCORES[method]: score},
            tokens=self.tokens,
            impostors=places - 1,
            reference=self.setting.population.name,
            method=method,
            notes=self.notes + self._about_lengths(),
            calibration=known,
        )
        if known is None:
            return replace(found, why=_not_calibrated(setting))
        return self._decided(found, known, score, words)

    def _decided(
        self, found: Verification, known: PairCalibration, score: float, words: Floats
    ) -> Verification:
        curve, largest = known.curve, float(np.log(LARGEST))
        plain = float(curve.log_ratio(score))
        log_ratio = float(np.clip(plain, -largest, largest))
        scale = curve.slope * (
            (log_ratio - curve.intercept) / (plain - curve.intercept) if plain != log_ratio else 1
        )
        low, high = known.thresholds
        decision = "same hand" if log_ratio > high else "different hands" if log_ratio < low else "undecided"
        return replace(
            found,
            decision=decision,
            likelihood_ratio=float(np.exp(log_ratio)),
            probability=float(1 / (1 + np.exp(-log_ratio))),
            evidence=self.reasons(words * scale),
            intercept=curve.intercept,
        )

    def word_parts(self) -> Floats:
        """Return each word's part of the score."""
        total = np.zeros(len(self.setting.mean))
        for known, unknown in self.drawn:
            k, u = self.setting.z(known), self.setting.z(unknown)
            for one, others in ((k[0], u), (u[0], k)):
                parts = others * one
                spread = max(float(parts[1:].sum(axis=1).std()), 1e-12)
                total += (parts[0] - parts[1:].mean(axis=0)) / spread / 2
        return total / len(self.drawn)

    def reasons(self, values: Floats) -> tuple[Reason, ...]:
        """Return words with what they add, and how often the sides and others have them, per thousand."""
        words = self.setting.population.words
        rates = []
        for side in (self.known, self.unknown):
            counts = np.asarray(side.table.counts.sum(axis=0), dtype=np.float64).ravel()
            rates.append(1000 * counts / side.lengths.sum())
        rates.append(1000 * self.setting.mean)
        return tuple(
            Reason(words[i], float(values[i]), kind_of(words[i]), rates=tuple(float(r[i]) for r in rates))
            for i in np.argsort(-np.abs(values), kind="stable")
            if values[i]
        )

    def _about_lengths(self) -> tuple[str, ...]:
        pairs = zip(
            ("known texts", "unknown text"),
            self.tokens,
            (self.setting.known, self.setting.unknown),
            strict=True,
        )
        return tuple(
            f"of the {what} {used:,.0f} of {there:,} words are compared, as many as the other hands have"
            for what, there, used in pairs
            if used < there - CHUNK
        )


def joined(first: WordTable, second: WordTable) -> WordTable:
    """Return the rows of two tables over the same words."""
    from scipy import sparse

    return replace(
        second,
        counts=sparse.csr_array(sparse.vstack([first.counts, second.counts])),
        lengths=np.concatenate([first.lengths, second.lengths]),
        names=(*first.names, *second.names),
    )


def kind_of(word: str) -> str:
    """Tell marks from words."""
    return "content" if any(c.isalnum() for c in word) else "punctuation"


def curve_at(method: str, words: float) -> RatioCurve:
    """Return the shipped curve for a length, between two lengths by the logarithm of the length."""
    curves = CURVES[method]
    lengths, values = np.log(list(curves)), np.array(list(curves.values()))
    intercept, slope = (float(np.interp(np.log(max(words, 1)), lengths, column)) for column in values.T)
    return RatioCurve(intercept, slope)


def fit_of(sides: Sequence[Chunked], population: Population) -> tuple[float, float]:
    """Return the least share of words (no marks) of a side among the reference's frequent words, and what is usual.

    Usual is the median of the reference's own texts.
    """
    words = population.words[:FREQUENT]
    listed = np.array([kind_of(word) != "punctuation" for word in words])
    shares = []
    for texts in (*(side.whole for side in sides), population.chunked.whole):
        all_marks = np.array([kind_of(word) == "punctuation" for word in texts.words])
        counts = texts.counts
        marks = np.asarray(counts @ all_marks.astype(float))
        among = np.asarray(texts.over(words) @ listed.astype(float))
        shares.append(among / np.maximum(texts.lengths - marks, 1))
    least = min(
        float(np.average(each, weights=side.lengths)) for each, side in zip(shares, sides, strict=False)
    )
    return least, float(np.median(shares[-1]))


def _sides(known: Sequence[str], unknown: str, rules: TokenRules) -> tuple[list[list[str]], list[str]]:
    first = [[rules.normalise(t) for t in tokenize(text, rules)] for text in known]
    second = [rules.normalise(t) for t in tokenize(unknown, rules)]
    for tokens, what in ((sum(map(len, first)), "known texts have"), (len(second), "unknown text has")):
        if not tokens:
            raise EstimateError(f"the {what} no words")
    return [tokens for tokens in first if tokens], second


def _counted(texts: Sequence[Sequence[str]], words: tuple[str, ...]) -> Chunked:
    ids = {word: i for i, word in enumerate(words)}
    return Chunked.of_ids(
        [np.array([ids.get(t, -1) for t in tokens], dtype=np.int64) for tokens in texts], words
    )


def _too_short(sides: tuple[list[list[str]], list[str]]) -> str:
    counts = [
        sum(kind_of(token) != "punctuation" for text in texts for token in text)
        for texts in (sides[0], [sides[1]])
    ]
    short = min(counts)
    if short >= RELIABLE:
        return ""
    what = ("known texts have", "unknown text has")[counts.index(short)]
    return f"the {what} {many(short, 'word')}, and under {RELIABLE} nobody can tell: give longer texts"


def _does_not_fit(sides: tuple[list[list[str]], list[str]], population: Population) -> str:
    counted = [_counted(texts, population.words) for texts in (sides[0], [sides[1]])]
    share, usual = fit_of(counted, population)
    if share >= FITS * usual:
        return _of_another_kind(counted, population)
    return (
        f"the reference ({population.name}) has too few of the words of these texts: {percent(share)} of them are "
        f"among its frequent words, {percent(usual)} are usual. Give texts by other hands in the language and of "
        "the kind of these"
    )


def _of_another_kind(sides: Sequence[Chunked], population: Population) -> str:
    """Say that a side is of another kind than the reference, where that knows what other kinds are like."""
    if population.elsewhere is None:
        return ""
    usual = np.asarray(population.chunked.whole.shares().mean(axis=0)).ravel()
    lead = np.log((usual + 1e-6) / (np.array(population.elsewhere) + 1e-6))
    for side, what in zip(sides, ("known texts are", "unknown text is"), strict=True):
        counts = np.asarray(side.table.counts.sum(axis=0), dtype=np.float64).ravel()
        if float(counts @ lead) < KIND * side.lengths.sum():
            return (
                f"the {what} less like the reference ({population.about.split(';')[0]}) than like speeches and essays, "
                "of which any two look alike beside it: give texts by other hands of the kind of these"
            )
    return ""


def _no_verdict(
    sides: tuple[list[list[str]], list[str]], population: Population, method: str, why: str
) -> Verification:
    tokens = sum(map(len, sides[0])), len(sides[1])
    return Verification(
        NO_VERDICT,
        None,
        None,
        None,
        None,
        (),
        0.0,
        {},
        tokens,
        len(population.members),
        population.name,
        method,
        why,
    )


def _not_calibrated(setting: Setting) -> str:
    several = int(setting.several.sum())
    return (
        f"only {many(several, 'author')} of the reference have several texts of these lengths, and {AUTHORS} are "
        "needed to say how often such an answer is wrong (thirty are better)"
    )


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


def _without_copies(population: Population, sides: Sequence[Chunked]) -> tuple[Population, tuple[str, ...]]:
    """Leave out authors of whom a text is shared with a side: they would be closer than any other hand can be."""
    from lexicloud.authorship.combined import z_scores
    from lexicloud.authorship.pairs import usual_words

    words, mean, deviation = usual_words(population)
    z = [
        z_scores(whole.shares(words).toarray(), whole.lengths, mean, deviation)
        for whole in (population.chunked.whole, *(side.whole for side in sides))
    ]
    close = np.max([z[0] @ one for side in z[1:] for one in side], axis=0)
    copies = {population.authors[i] for i in np.flatnonzero(close > COPY)}
    if not copies:
        return population, ()
    kept = population.rows([i for i, author in enumerate(population.authors) if author not in copies])
    if len(kept.members) < LEAST:
        raise EstimateError(
            f"{len(kept.members)} impostors are left of {len(population.members)}, but {LEAST} are needed: "
            "give a larger reference"
        )
    notes = (
        f"left {author} out of the reference: it seems to share a text with these"
        for author in sorted(copies)
    )
    return kept, tuple(notes)
