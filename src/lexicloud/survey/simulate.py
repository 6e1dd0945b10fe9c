"""Simulated participants with known preferences: to plan a study, and to check the statistics of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lexicloud.survey.answer_store import GivenAnswer
from lexicloud.survey.design import plan
from lexicloud.survey.questionnaire import chosen_number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.survey.design import Study


@dataclass(frozen=True)
class Crowd:
    """How people choose: the strength of each method, how far persons and queries differ, and what disturbs them.

    The worth of a suggestion is the sum of these and Gumbel noise; the highest are chosen. With strengths alone, a
    head-to-head follows the Bradley–Terry model exactly.
    """

    strengths: Mapping[str, float] = field(default_factory=dict)  # methods without one have 0
    persons: float = 0.0  # standard deviation of a person's own taste for a method
    queries: float = 0.0  # standard deviation of how well a method did for a query
    # what the first place on the screen adds to a suggestion's worth; the last loses as much
    first: float = 0.0
    # mean number of answers before somebody stops (the paper's choose-3: 1,492 from 58)
    answers: float = 26.0
    careless: float = 0.0  # share of participants who always choose the same places


def simulate(
    study: Study, participants: int, crowd: Crowd, seed: int = 0, world: int = 0
) -> list[GivenAnswer]:
    """Return the answers of simulated participants; `world` seeds the queries' worth, `seed` the people."""
    import numpy as np

    queries = np.random.default_rng([world, 7]).normal(0, 1, (len(study.queries), len(study.methods)))
    answers: list[GivenAnswer] = []
    for number in range(participants):
        chance = np.random.default_rng([seed, world, number])
        answers += _answers(study, number, crowd, crowd.queries * queries, chance)
    return answers


def _answers(
    study: Study, number: int, crowd: Crowd, queries: NDArray[np.float64], chance: np.random.Generator
) -> list[GivenAnswer]:
    import numpy as np

    columns = {name: i for i, name in enumerate(study.methods)}
    base = np.array([crowd.strengths.get(name, 0.0) for name in columns])
    taste = base + crowd.persons * chance.normal(size=len(columns))
    asked = plan(study, number)
    arm = number % len(study.arms)
    # Many people stop early: the number of answers is exponential, at least one.
    count = min(len(asked.items), 1 + int(chance.exponential(crowd.answers - 1)))
    careless = chance.random() < crowd.careless
    items = asked.items[:count]
    rows = np.array([[columns[name] for name in item.shown] for item in items])
    places = crowd.first * np.linspace(1, -1, rows.shape[1])
    worth = taste[rows] + queries[np.array([item.query for item in items])[:, None], rows] + places
    worth += chance.gumbel(size=rows.shape)
    if careless:
        worth[:] = -np.arange(rows.shape[1])
    best = np.sort(np.argsort(-worth, axis=1)[:, : chosen_number(asked.arm)], axis=1).tolist()
    seconds = chance.lognormal(np.log(1.5 if careless else 12.0), 0.5, size=count).tolist()
    return [
        GivenAnswer(
            f"p{number:04d}",
            place,
            arm,
            study.queries[item.query].id,
            item.shown,
            tuple(item.shown[i] for i in best[place]),
            seconds[place],
        )
        for place, item in enumerate(items)
    ]
