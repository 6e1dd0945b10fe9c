"""From answers to results: every statistic of the report, arm by arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb
from statistics import median
from typing import TYPE_CHECKING, Final

from lexicloud.survey.findings import ArmResults, Comparison, Flag, MethodShare, Positions, Results, Times
from lexicloud.survey.inference import (
    FEWEST,
    answers_needed,
    holm,
    krippendorff_alpha,
    ratio_interval,
    sign_flip,
    strengths,
)

if TYPE_CHECKING:
    from lexicloud.survey.answer_store import Answer, Participant
    from lexicloud.survey.design import Arm, Study
    from lexicloud.survey.inference import Floats

HASTE: Final = 3.0  # seconds: five sentences, some fifty words, take at least ten to read
FEW: Final = 5  # answers before haste is called so
# A pattern is called straight-lining where even somebody with a liking for it (this many times chance, at most this
# share) would hardly show it that often.
LIKING, LIKING_MOST, HARDLY = 2.0, 0.7, 0.001


def score(
    study: Study, answers: Sequence[Answer], participants: Sequence[Participant] = (), seed: int = 0
) -> Results:
    """Return the results of all answers to a study."""
    free = {b.id for b in study.background if not b.options}
    background: dict[str, dict[str, int]] = {
        b.id: dict.fromkeys(b.options, 0) for b in study.background if b.options
    }
    for person in participants:
        for question, told in person.background.items():
            if question not in free:
                background[question][told] += 1
    arms = [
        _score_arm(study, arm, [a for a in answers if a.arm == i], seed) for i, arm in enumerate(study.arms)
    ]
    people = dict.fromkeys([p.id for p in participants] + [a.participant for a in answers])
    return Results(study.title, study.checksum, tuple(arms), background, tuple(people), seed)


def _score_arm(study: Study, arm: Arm, answers: list[Answer], seed: int) -> ArmResults:
    if not answers:
        return ArmResults(arm, 0, 0)
    counts = count_answers(study, arm, answers)
    flags = tuple(flagged(answers, arm))
    careless = {flag.participant for flag in flags}
    attentive = [a for a in answers if a.participant not in careless]
    return ArmResults(
        arm,
        participants=len(counts.people),
        answers=len(answers),
        shares=_shares(counts, seed),
        attentive=_shares(count_answers(study, arm, attentive), seed) if flags and attentive else (),
        by_group=_by_group(study, arm, answers, seed),
        p_equal=_p_equal(counts, seed),
        comparisons=_comparisons(study, counts, seed),
        strengths=dict(zip(study.methods, strengths(counts.wins, seed), strict=False)),
        agreement=krippendorff_alpha(counts.judgements),
        positions=_positions(counts, seed),
        seconds=times(answers),
        flags=flags,
    )


def _shares(counts: ArmCounts, seed: int) -> tuple[MethodShare, ...]:
    found = []
    for i, method in enumerate(counts.methods):
        chosen, shown = counts.chosen[:, i], counts.shown[:, i]
        if shown.sum():
            share = ratio_interval(chosen, shown, seed)
            found.append(MethodShare(method, int(chosen.sum()), int(shown.sum()), share, counts.chance))
    return tuple(found)


def _by_group(study: Study, arm: Arm, answers: list[Answer], seed: int) -> dict[str, tuple[MethodShare, ...]]:
    groups = {query.id: query.group for query in study.queries}
    names = sorted({group for a in answers if (group := groups[a.query]) is not None})
    if len(names) < 2:
        return {}
    chosen = {name: [a for a in answers if groups[a.query] == name] for name in names}
    return {name: _shares(count_answers(study, arm, given), seed) for name, given in chosen.items()}


def _p_equal(counts: ArmCounts, seed: int) -> float | None:
    if len(counts.people) < FEWEST:
        return None
    return sign_flip(counts.chosen - counts.chance * counts.shown, seed)


def _comparisons(study: Study, counts: ArmCounts, seed: int) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for first, second in study.pairs:
        margin, games, none = counts.margin(first, second)
        if not games.sum():
            continue
        value = ratio_interval(margin, games, seed)
        enough = int((games > 0).sum()) >= FEWEST
        p_value = sign_flip(margin - none * games, seed) if enough else None
        needed = answers_needed(margin, games) if enough else None
        found.append(Comparison(first, second, int(games.sum()), value, none, p_value, None, needed))
    adjusted = iter(holm([c.p_value for c in found if c.p_value is not None]))
    return tuple(
        Comparison(**{**vars(c), "p_holm": None if c.p_value is None else next(adjusted)}) for c in found
    )


def _positions(counts: ArmCounts, seed: int) -> Positions:
    answers = counts.places_shown
    shares = [ratio_interval(column, answers, seed) for column in counts.places.T]
    enough = len(counts.people) >= FEWEST
    p_value = sign_flip(counts.places - counts.chance * answers[:, None], seed) if enough else None
    return Positions(tuple(shares), counts.chance, p_value)


@dataclass(frozen=True, eq=False)
class ArmCounts:
    """Counts by participant, from which every statistic is made."""

    people: tuple[str, ...]
    methods: tuple[str, ...]
    task: str
    chance: float  # of a suggestion that is shown to be chosen
    chosen: Floats  # people × methods
    shown: Floats  # people × methods
    wins: Floats  # people × methods × methods: the first was chosen where both were shown and the second was not
    places: Floats  # people × places on the screen: how often something there was chosen
    places_shown: Floats  # people: their answers
    judgements: Floats  # people × units: 1, 0, or nan

    def margin(self, first: str, second: str) -> tuple[Floats, Floats, float]:
        """Return what a comparison is made of: a numerator and a denominator for each person, and its null value.

        To choose: the first chosen less the second chosen, over answers. Head to head: wins of the first over meetings.
        """
        a, b = self.methods.index(first), self.methods.index(second)
        if self.task == "choose":
            return self.chosen[:, a] - self.chosen[:, b], self.shown[:, a], 0.0
        return self.wins[:, a, b], self.wins[:, a, b] + self.wins[:, b, a], 0.5


def count_answers(study: Study, arm: Arm, answers: Sequence[Answer]) -> ArmCounts:
    """Count the answers of one arm."""
    import numpy as np

    people = list(dict.fromkeys(answer.participant for answer in answers))
    row = {person: i for i, person in enumerate(people)}
    column = {method: i for i, method in enumerate(study.methods)}
    who = np.array([row[answer.participant] for answer in answers])
    seen = np.array([[column[method] for method in answer.shown] for answer in answers])
    picked = np.array([[method in answer.chosen for method in answer.shown] for answer in answers])
    width = seen.shape[1]
    chosen, shown = np.zeros((len(people), len(column))), np.zeros((len(people), len(column)))
    wins, places = np.zeros((len(people), len(column), len(column))), np.zeros((len(people), width))
    np.add.at(shown, (who[:, None], seen), 1)
    np.add.at(chosen, (who[:, None], seen), picked)
    np.add.at(places, (who[:, None], np.arange(width)), picked)
    for i, j in permutations(range(width), 2):
        np.add.at(wins, (who, seen[:, i], seen[:, j]), picked[:, i] & ~picked[:, j])
    return ArmCounts(
        people=tuple(people),
        methods=tuple(column),
        task=arm.task,
        chance=len(answers[0].chosen) / width,
        chosen=chosen,
        shown=shown,
        wins=wins,
        places=places,
        places_shown=np.bincount(who, minlength=len(people)).astype(float),
        judgements=_judgements(row, column, answers),
    )


def _judgements(row: dict[str, int], column: dict[str, int], answers: Sequence[Answer]) -> Floats:
    """Return what each person said about each unit: a method's suggestion for a query, or a pair of lists."""
    import numpy as np

    said: dict[tuple[str, ...], dict[int, bool]] = {}
    for answer in answers:
        person = row[answer.participant]
        named = sorted(answer.shown, key=column.__getitem__)
        if len(named) == 2:  # one unit: did the first of the two win?
            said.setdefault((answer.query, *named), {})[person] = named[0] in answer.chosen
        else:
            for method in named:
                said.setdefault((answer.query, method), {})[person] = method in answer.chosen
    values = np.full((len(row), len(said)), np.nan)
    for unit, judged in enumerate(said.values()):
        values[list(judged), unit] = list(judged.values())
    return values


def times(answers: Sequence[Answer]) -> Times | None:
    """Return how long answers took, or None where nobody measured it."""
    import numpy as np

    seconds = [answer.seconds for answer in answers if answer.seconds is not None]
    if not seconds:
        return None
    low, middle, high = np.quantile(seconds, [0.1, 0.5, 0.9])
    return Times(len(seconds), float(low), float(middle), float(high))


def flagged(answers: Sequence[Answer], arm: Arm) -> list[Flag]:
    """Return participants who keep choosing the same places, or who answer faster than anybody reads.

    Methods change places from question to question, so a preference for a method does not look like this.
    """
    people: dict[str, list[Answer]] = {}
    for answer in answers:
        people.setdefault(answer.participant, []).append(answer)
    found = []
    for person, given in people.items():
        reasons = [reason for reason in (_same_places(given, arm), _haste(given)) if reason]
        found += [Flag(person, "; ".join(reasons))] if reasons else []
    return found


def _same_places(answers: Sequence[Answer], arm: Arm) -> str | None:
    shown = len(answers[0].shown)
    patterns = comb(shown, arm.choose if arm.task == "choose" else 1)
    counts = Counter(tuple(a.shown.index(method) + 1 for method in a.chosen) for a in answers)
    places, most = counts.most_common(1)[0]
    if patterns * _tail(len(answers), most, min(LIKING_MOST, LIKING / patterns)) >= HARDLY:
        return None
    where = ", ".join("AB"[p - 1] if arm.task == "head-to-head" else str(p) for p in places)
    return f"chose {where} in {most} of {len(answers)} answers"


def _tail(n: int, least: int, chance: float) -> float:
    """Return the probability of at least `least` successes in n trials."""
    return sum(comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(least, n + 1))


def _haste(answers: Sequence[Answer]) -> str | None:
    seconds = [a.seconds for a in answers if a.seconds is not None]
    if len(seconds) < FEW or median(seconds) >= HASTE:
        return None
    return f"half of {len(seconds)} answers took less than {median(seconds):.1f} seconds"
