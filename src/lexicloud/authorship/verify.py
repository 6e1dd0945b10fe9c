"""Did one hand write these texts? A likelihood ratio from a distance, compared with impostors and calibrated on them.

The unknown text may be close to the known ones because one hand wrote both, or because everybody writes that way. So
the distance is compared with those of impostors, passages by other hands, in both directions: is the unknown text
closer to the known ones than impostors are, and are the known texts closer to the unknown one than impostors are? The
distance is Cosine Delta on the reference's frequent words, sequences of characters and pairs of words. A curve fitted
to pairs of the reference's own authors turns it into a likelihood ratio (see `likelihood_ratio`). Where the reference
does not fit the texts, or cannot be calibrated, there is no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.authorship.copies import own_words
from lexicloud.authorship.impostors import Population, english
from lexicloud.authorship.likelihood_ratio import (
    AUTHORS,
    BAND,
    METHODS,
    CalibrationReport,
    PairCalibration,
    calibrated,
    scored,
    scored_apart,
    support,
    together,
)
from lexicloud.authorship.model import visible
from lexicloud.authorship.pairs import Setting
from lexicloud.authorship.question import (
    DRAWS,
    REST,
    Question,
    does_not_fit,
    in_other_languages,
    in_their_language,
    sides_of,
    too_short,
)
from lexicloud.errors import EstimateError, OptionError
from lexicloud.result import TabularResult
from lexicloud.say.blocks import Block, Facts, Sentence, chance, many, number, percent
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.text.language import written_name
from lexicloud.words.reason import Reason, reason_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from lexicloud.corpus import Corpus

# A few hundred pairs cannot support more: larger ratios are cut to this one, smaller ones to its inverse.
LARGEST: Final = 200.0
NO_VERDICT: Final = "no verdict"
OLDER: Final = (
    "the reference has mostly novels of the nineteenth century, compared with which two modern texts look alike, "
    "whoever wrote them; the ratio is lowered for that. A reference of the time and kind of these could say more"
)


@dataclass(frozen=True)
class Verification(TabularResult):
    """Whether one hand wrote the known texts and the unknown one.

    `decision` is "same hand", "different hands", "undecided", or "no verdict" where the reference cannot tell (`why`);
    then `likelihood_ratio` and `probability` are None. The ratio says how many times likelier the evidence is if one
    hand wrote both, at most 200; `probability` follows from it if both answers were equally likely before. `rank` is
    the place of the unknown text among the impostors, one passage by each, by closeness to the known texts. `p_value` =
    rank / (impostors + 1) is exact under the hypothesis that somebody like the authors of the reference wrote it.
    `evidence` adds up to the log of the ratio minus `intercept`. `calibration` says how many pairs of the reference's
    own authors the ratio rests on, its cost, and its false alarms at these lengths.
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
        return f"{hand} written both ({self.decision}, {support(self.likelihood_ratio or 1.0)})."

    def blocks(self) -> list[Block]:
        """Return the verdict, how reliable it is, the words behind it, and the numbers."""
        found: list[Block] = [Sentence(self.conclusion, "answer")]
        found += [Sentence(text, "sure") for text in self._how_sure()]
        found += [Sentence(f"{note[0].upper()}{note[1:]}.", "note") for note in self.notes]
        if self.evidence:
            sides = ("known ‰", "unknown ‰", "usual ‰")
            named = [e for e in self.evidence if e.word != REST]
            shown = [replace(e, word=visible(e.word)) if e.kind == "characters" else e for e in named]
            found.append(reason_bars(shown, sides=sides, right="speaks for one hand", left="for two", top=12))
        facts = [
            ("words and marks", f"{self.tokens[0]:,} known, {self.tokens[1]:,} in question"),
            ("reference", f"{many(self.impostors, 'other hand')} ({self.reference})"),
            ("method", self.method),
        ]
        return [*found, Facts(tuple(facts))]

    def plot(self, ax: Axes | None = None, top: int = 15) -> Axes:
        """Draw the strongest evidence as bars: bars to the right speak for one hand, to the left for two."""
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
                f"{percent(known.misses, 1)} of one hand different; the cost is {known.cost:.2f} (1: no information)."
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
    """Judge whether the hand that wrote the known texts wrote the unknown one.

    `reference` are texts by other hands, of the same language, time and kind: a Corpus with authors as labels, best of
    thirty authors or more with several texts each; or by default public-domain English books. `exclude` leaves out
    authors of the reference who may have written the texts. `method` is "two-sided" or "imposters" (General
    Imposters). A probability within `band` of one half is "undecided". There is no verdict where the reference has
    not the words of the texts, fewer than ten authors with several texts, or cannot tell these apart at such lengths,
    where the texts are of another kind or time than it, or where a side has under 100 words. Words in a row that stand
    in both sides, or twice in one, are left out, and so are copies in the reference.
    """
    if method not in METHODS:
        raise OptionError(f"no method {method!r}: choose from {', '.join(METHODS)}")
    if not 0 <= band < 0.5:
        raise OptionError(f"band must be at least 0 and under 0.5, not {band!r}")
    texts = [known] if isinstance(known, str) else list(known)
    rules = rules.settled([*texts, unknown])
    population = _population(reference, rules).without(exclude)
    sides, shared = own_words(sides_of(texts, unknown, rules))
    short = too_short(sides)
    if short:
        return _no_verdict(sides, population, method, "; ".join([short, *shared]))
    population = in_their_language(sides, population)
    notes = (*shared, *population.notes)
    refused = does_not_fit(sides, population)
    if refused:
        return replace(_no_verdict(sides, population, method, refused), notes=notes)
    question = Question.of(sides, population, seed)
    return answer(replace(question, notes=notes + question.notes), method, band)


def answer(question: Question, method: str, band: float = BAND) -> Verification:
    """Score the sides of a question, calibrate, and decide."""
    setting, scores = question.setting, scored(question.setting, question.drawn, method)
    tables, known, why = together(scores), None, _not_calibrated(setting, method)
    if not why:
        known = calibrated(setting, scored_apart(setting, question.drawn, method, tables), method, band)
        why = _tells_nothing(known)
    rank, places = question.rank()
    found = Verification(
        decision=NO_VERDICT,
        likelihood_ratio=None,
        probability=None,
        p_value=rank / places,
        rank=rank,
        evidence=(),
        intercept=0.0,
        scores={name: float(np.mean([t[0, 0] for t in each])) for name, each in scores.items()},
        tokens=question.tokens,
        impostors=places - 1,
        reference=setting.population.name,
        method=method,
        notes=question.notes + question.about_lengths() + (OLDER,) * bool(setting.population.kinship),
        calibration=known,
    )
    if known is None or why:
        return replace(found, why=why, evidence=_evidence(question, method, 1.0))
    return _decided(found, question, known, float(np.mean([each[0, 0] for each in tables])))


def _decided(found: Verification, question: Question, known: PairCalibration, score: float) -> Verification:
    curve, largest = known.curve, float(np.log(LARGEST))
    plain = float(curve.log_ratio(score))
    log_ratio = float(np.clip(plain, -largest, largest))
    scale = curve.slope
    if plain != log_ratio:
        scale *= (log_ratio - curve.intercept) / (plain - curve.intercept)
    low, high = known.thresholds
    return replace(
        found,
        decision="same hand" if log_ratio > high else "different hands" if log_ratio < low else "undecided",
        likelihood_ratio=float(np.exp(log_ratio)),
        probability=float(1 / (1 + np.exp(-log_ratio))),
        evidence=_evidence(question, found.method, scale),
        intercept=curve.intercept,
    )


def _evidence(question: Question, method: str, scale: float) -> tuple[Reason, ...]:
    """Return what each feature adds to the log of the ratio; nothing for General Imposters, which has no such parts."""
    return question.reasons([scale * each for each in question.parts()]) if method == "two-sided" else ()


# The lengths of both sides, in words, at which a reference is tried.
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
    """Measure how reliable `verify` is with a reference, on pairs of its own authors at several lengths.

    Lengths that fewer than three quarters of its authors reach are left out.
    """
    if method not in METHODS:
        raise OptionError(f"no method {method!r}: choose from {', '.join(METHODS)}")
    population, found, why = _population(reference, rules), [], ""
    if foreign := in_other_languages(population):
        raise EstimateError(
            f"{population.name} cannot be calibrated: {foreign} of its {len(population.members)} authors seem to "
            "write another language than the others, and two texts of one language look alike beside them: calibrate "
            "on each language alone"
        )
    for words in lengths:
        setting = Setting.of(population, 1, words, words)
        not_calibrated = _not_calibrated(setting, method)
        if not_calibrated:
            why = not_calibrated
        elif min(setting.known, setting.unknown) >= words:
            rng = np.random.default_rng(seed)
            drawn = tuple(setting.draw(rng) for _ in range(DRAWS))
            tables = together(scored(setting, drawn, method))
            found.append(calibrated(setting, scored_apart(setting, drawn, method, tables), method, band))
    if not found:
        why = why or f"its authors have fewer than {min(lengths)} words"
        raise EstimateError(f"{population.name} cannot be calibrated: {why}")
    return CalibrationReport(population.name, tuple(found), population.notes)


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


def _not_calibrated(setting: Setting, method: str) -> str:
    """Return a sentence that says why no likelihood ratio can be given; empty where one can."""
    if method == "imposters" and setting.population.kinship:
        return "General Imposters needs a reference of the time and kind of the texts: give one of your own"
    several = int(setting.several.sum())
    if several >= AUTHORS:
        return ""
    return (
        f"only {many(several, 'author')} of the reference have several texts of these lengths, and {AUTHORS} are "
        "needed to say how often such an answer is wrong (thirty are better)"
    )


def _tells_nothing(known: PairCalibration) -> str:
    """Say that the reference cannot tell its own authors apart at these lengths; nothing where it can."""
    if known.cost < 1:
        return ""
    return (
        f"tried on the reference's own authors at these lengths, the answers cost {known.cost:.2f}, and from 1 on they "
        "say nothing: give longer texts, or a reference with more authors of several texts"
    )


def _population(reference: Population | Corpus | None, rules: TokenRules) -> Population:
    if isinstance(reference, Population):
        return reference
    if reference is not None:
        if reference.rules != rules:
            raise OptionError("the reference was split into words by other rules: use the same for both")
        return Population.of_corpus(reference)
    if rules.language != "english" or rules.lemmas:
        what = f"lemmas in {written_name(rules.language)}" if rules.lemmas else rules.language
        raise OptionError(
            f"there is no reference for {what}: give texts by other hands in that language "
            "(--reference FOLDER, in Python reference=)"
        )
    return english()
