"""How often the questionnaire's intervals hold and its tests err, on simulated people with known preferences.

    python -m benchmarks.truth.survey_calibration             # every setting, about twenty minutes
    python -m benchmarks.truth.survey_calibration 15 0.5      # one: 15 people in an arm, tastes that differ by 0.5
    python -m benchmarks.truth.survey_calibration extras      # how many answers are needed, and who is flagged

People stop when they like (1 to 40 answers, 20 on average), differ in taste by `persons` (standard deviation, in the
log odds in which methods differ by 0.4), queries favour one method or another (0.4), and the first place on the screen
has a small advantage (0.1). What is true is what 1,500 such people who answer everything say.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from benchmarks.record import RESULTS, write
from lexicloud.survey import Arm, Crowd, Study, StudyQuery, pairs_of, simulate
from lexicloud.survey.inference import (
    answers_needed,
    fit,
    holm,
    krippendorff_alpha,
    ratio_interval,
    sign_flip,
    strengths,
)
from lexicloud.survey.results import ArmCounts, count_answers, flagged

ARMS = {"choose": Arm(), "head-to-head": Arm("head-to-head", "usefulness", 1)}
METHODS = ["a", "b", "c", "d", "e"]
WORTH = {"a": -0.4}
QUERIES, ANSWERS = 40, 20.0
STUDIES = 200  # for intervals: tells a rate of 95 % to 3 points
# For tests: tells a rate of 5 % to 1 point; with 200, rates of 7 to 10 % turned up by chance alone.
TESTS = 2000
# People in an arm, and how far their tastes differ.
SETTINGS = ((8, 0.5), (15, 0.5), (30, 0.5), (60, 0.5), (15, 1.0), (30, 1.0))
DRAWS = 1000  # bootstrap samples of strengths, which take longest
TOPIC = "survey_calibration"


def study_of(arm: Arm) -> Study:
    lists = {m: tuple(f"{m} {i}" for i in range(5)) for m in METHODS}
    queries = [StudyQuery(str(i), f"query {i}", lists, dict.fromkeys(METHODS, 0)) for i in range(QUERIES)]
    return Study("simulated", (arm,), {m: {} for m in METHODS}, tuple(queries), pairs=pairs_of(METHODS))


def crowd_of(persons: float, worth: dict[str, float], **more: float) -> Crowd:
    return Crowd(worth, persons=persons, queries=0.4 if worth else 0.0, first=0.1, answers=ANSWERS, **more)


@cache
def true_values(task: str, persons: float) -> dict[str, Any]:
    """Return what very many people say about the same queries, who all answer everything."""
    study = study_of(ARMS[task])
    crowd = Crowd(WORTH, persons=persons, queries=0.4, first=0.1, answers=1e9)
    counts = count_answers(study, study.arms[0], simulate(study, 1500, crowd, seed=999))
    return {
        "shares": counts.chosen.sum(axis=0) / counts.shown.sum(axis=0),
        "margins": np.array([ratio(counts, b) for b in METHODS[1:]]),
        "strengths": fit(counts.wins.sum(axis=0)[None])[0],
        "alpha": krippendorff_alpha(counts.judgements).value,
    }


def ratio(counts: ArmCounts, other: str) -> float:
    margin, games, _ = counts.margin("a", other)
    return float(margin.sum() / games.sum())


def first_seed(people: int, persons: float) -> int:
    """Return where the seeds of a setting's tests begin: no two settings share people, so they err independently."""
    return 1_000_000 * (1 + SETTINGS.index((people, persons))) if (people, persons) in SETTINGS else 0


def coverage(study: Study, people: int, persons: float, studies: int) -> dict[str, float]:
    """Return how often each kind of interval holds what is true."""
    true, crowd = true_values(study.arms[0].task, persons), crowd_of(persons, WORTH)
    held: dict[str, list[bool]] = {"share": [], "comparison": [], "strength": [], "alpha": []}
    for number in range(studies):
        counts = count_answers(study, study.arms[0], simulate(study, people, crowd, seed=number))
        for i, share in enumerate(true["shares"]):
            held["share"].append(within(ratio_interval(counts.chosen[:, i], counts.shown[:, i]), share))
        for other, margin in zip(METHODS[1:], true["margins"], strict=True):
            x, n, _ = counts.margin("a", other)
            if (n > 0).sum() >= 6:
                held["comparison"].append(within(ratio_interval(x, n), margin))
        found = strengths(counts.wins, draws=DRAWS)
        held["strength"] += [within(s, t) for s, t in zip(found, true["strengths"], strict=bool(found))]
        held["alpha"].append(within(krippendorff_alpha(counts.judgements), true["alpha"]))
    return {name: round(float(np.mean(values)), 3) for name, values in held.items()}


def within(interval: Any, value: float) -> bool:
    return interval.low is not None and bool(interval.low <= value <= interval.high)


def errors(study: Study, people: int, persons: float, studies: int) -> dict[str, float]:
    """Return how often tests at 5 % find something where nobody on average prefers anything."""
    found: dict[str, list[bool]] = {"comparison": [], "any_holm": [], "equal": [], "position": []}
    crowd, seed = Crowd(persons=persons, answers=ANSWERS), first_seed(people, persons)
    for number in range(studies):
        counts = count_answers(study, study.arms[0], simulate(study, people, crowd, seed=seed + number))
        margins = [counts.margin("a", other) for other in METHODS[1:]]
        p_values = [sign_flip(x - none * n) for x, n, none in margins]
        found["comparison"] += [p <= 0.05 for p in p_values]
        found["any_holm"].append(min(holm(p_values)) <= 0.05)
        found["equal"].append(sign_flip(counts.chosen - counts.chance * counts.shown) <= 0.05)
        places = counts.places - counts.chance * counts.places_shown[:, None]
        found["position"].append(sign_flip(places) <= 0.05)
    return {name: round(float(np.mean(values)), 3) for name, values in found.items()}


def power(study: Study, persons: float, studies: int) -> dict[str, Any]:
    """Return how often a difference is found with as many people as studies of thirty say that it needs."""
    crowd, arm = crowd_of(persons, WORTH), study.arms[0]
    pilots = [
        count_answers(study, arm, simulate(study, 30, crowd, seed=30_000 + i)).margin("a", "b")
        for i in range(20)
    ]
    true = float(np.mean([x.sum() / n.sum() - none for x, n, none in pilots]))
    needed = [30 * (answers_needed(x, n, abs(true)) or 0) / n.sum() for x, n, _ in pilots]
    people = round(float(np.median(needed)))
    hits = []
    for number in range(studies):
        counts = count_answers(study, arm, simulate(study, people, crowd, seed=20_000 + number))
        x, n, none = counts.margin("a", "b")
        hits.append(sign_flip(x - none * n) <= 0.05)
    spread = [round(float(q)) for q in np.quantile(needed, [0.1, 0.9])]
    return {
        "difference": round(true, 3),
        "people": people,
        "pilots_say": spread,
        "found": round(float(np.mean(hits)), 3),
    }


def flags(study: Study, studies: int) -> dict[str, float]:
    """Return the share of careful people who are flagged, and of careless ones with ten answers who are not."""
    wrong = careful = missed = careless = 0
    for number in range(studies):
        answers = simulate(study, 50, crowd_of(0.8, WORTH), seed=40_000 + number)
        wrong, careful = wrong + len(flagged(answers, study.arms[0])), careful + 50
        slack = simulate(study, 10, crowd_of(0.8, WORTH, careless=1.0), seed=50_000 + number)
        long = {a.participant for a in slack if a.place == 9}
        caught = {flag.participant for flag in flagged(slack, study.arms[0])}
        missed, careless = missed + len(long - caught), careless + len(long)
    return {"careful_flagged": round(wrong / careful, 4), "careless_missed": round(missed / careless, 4)}


def setting(
    task: str, people: int, persons: float, studies: int = STUDIES, tests: int = TESTS
) -> dict[str, Any]:
    study = study_of(ARMS[task])
    return {
        "task": task,
        "people": people,
        "persons": persons,
        "studies": studies,
        "coverage": coverage(study, people, persons, studies),
        "tested": tests,
        "errors": errors(study, people, persons, tests),
    }


def extras(task: str, studies: int = STUDIES) -> dict[str, Any]:
    study = study_of(ARMS[task])
    return {"power": power(study, 0.5, studies), "flags": flags(study, studies // 10)}


def main() -> None:
    path = RESULTS / f"{TOPIC}.json"
    kept = json.loads(path.read_text())["results"] if path.exists() else {"settings": [], "extras": {}}
    asked: Any = [(int(sys.argv[1]), float(sys.argv[2]))] if len(sys.argv) > 2 else SETTINGS
    asked = () if sys.argv[1:] == ["extras"] else asked
    for (people, persons), task in product(asked, ARMS):
        key = (task, people, persons)
        others = [s for s in kept["settings"] if (s["task"], s["people"], s["persons"]) != key]
        found = setting(*key)
        kept["settings"] = sorted([*others, found], key=lambda s: (s["task"], s["persons"], s["people"]))
        write(TOPIC, kept)
        print(json.dumps(found))
    for task in ARMS if len(sys.argv) < 3 else ():
        kept["extras"][task] = extras(task)
        write(TOPIC, kept)
        print(json.dumps(kept["extras"]))


if __name__ == "__main__":
    main()
