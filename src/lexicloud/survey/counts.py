"""The answers of one arm as arrays, one row for each participant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexicloud.survey.design import Arm, Study
    from lexicloud.survey.resample import Floats
    from lexicloud.survey.store import Answer


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
