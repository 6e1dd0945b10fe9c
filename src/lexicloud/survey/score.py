"""From answers to results: every statistic of the report, arm by arm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lexicloud.survey.agreement import krippendorff_alpha
from lexicloud.survey.attention import flagged, times
from lexicloud.survey.bradley_terry import strengths
from lexicloud.survey.counts import ArmCounts, count_answers
from lexicloud.survey.resample import FEWEST, holm, ratio_interval, sign_flip
from lexicloud.survey.results import ArmResults, Comparison, MethodShare, Positions, Results
from lexicloud.survey.sample_size import answers_needed

if TYPE_CHECKING:
    from lexicloud.survey.design import Arm, Study
    from lexicloud.survey.store import Answer, Participant


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
        agreement=krippendorff_alpha(counts.judgements, seed),
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
