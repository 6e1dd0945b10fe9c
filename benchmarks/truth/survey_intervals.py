"""Which interval over people holds: percentiles of a bootstrap, plain or taken further out, studentised, jackknife.

People choose 3 of 5 methods, of which one is a little better; they answer 1 to 100 times (26 on average) and differ in
taste by `tastes`. The share of the better method is estimated, and what is true is what 30,000 people say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.record import write
from lexicloud.survey.inference import draw_people, effective_people, percentiles

TASTES = (0.0, 0.5, 1.0)
STUDIES, DRAWS = 500, 4000
PEOPLE = (6, 8, 12, 20, 40)
ADVANTAGE = np.array([0.3, 0, 0, 0, 0])


def answers_of(people: int, tastes: float, mean: float, chance: np.random.Generator) -> tuple[Any, Any]:
    """Return how often each person chose the better method, and how often each answered."""
    n = np.minimum(1 + chance.exponential(mean - 1, people).astype(int), 100)
    chosen = np.zeros(people)
    for person in range(people):
        worth = ADVANTAGE + tastes * chance.normal(size=5)
        ranked = np.argsort(-(worth + chance.gumbel(size=(n[person], 5))), axis=1)
        chosen[person] = (ranked[:, :3] == 0).sum()
    return chosen, n.astype(float)


def intervals(x: Any, n: Any, weights: Any) -> dict[str, tuple[float, float]]:
    """Return the ends of each kind of interval."""
    from scipy.special import stdtrit

    people, value = len(x), x.sum() / n.sum()
    ratios = (weights @ x) / (weights @ n)
    without = (x.sum() - x) / (n.sum() - n)
    jackknife = np.sqrt((people - 1) / people * ((without - without.mean()) ** 2).sum())
    reach = stdtrit(people - 1, 0.975) * jackknife
    effective = stdtrit(max(1.0, effective_people(n) - 1), 0.975) * jackknife
    t = (ratios - value) / standard_errors(weights, x, n)
    low, high = np.quantile(t[np.isfinite(t)], [0.025, 0.975])
    error = standard_errors(np.ones((1, people)), x, n)[0]
    further = percentiles(ratios, n)
    return {
        "percentile": tuple(np.quantile(ratios, [0.025, 0.975])),
        "studentised": (value - high * error, value - low * error),
        "jackknife": (value - reach, value + reach),
        "jackknife_effective": (value - effective, value + effective),
        "expanded": (float(further[0]), float(further[1])),
    }


def standard_errors(weights: Any, x: Any, n: Any) -> Any:
    """Return the standard error of each weighted sample's ratio, with people as the units."""
    total = weights @ n
    ratio = (weights @ x) / total
    squares = weights @ (x * x) - 2 * ratio * (weights @ (x * n)) + ratio**2 * (weights @ (n * n))
    people = weights.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt(np.maximum(squares, 0) * people / (people - 1)) / total


def trial(people: int, tastes: float, truth: float, chance: np.random.Generator) -> dict[str, Any]:
    """Return how often each interval held, and how wide it was within the range of shares."""
    weights = draw_people(people, 5, DRAWS)
    held: dict[str, int] = {}
    width: dict[str, float] = {}
    for _ in range(STUDIES):
        with np.errstate(divide="ignore", invalid="ignore"):
            found = intervals(*answers_of(people, tastes, 26, chance), weights)
        for name, (low, high) in found.items():
            low, high = max(0.0, low), min(1.0, high)  # noqa: PLW2901
            held[name] = held.get(name, 0) + (low <= truth <= high)
            width[name] = width.get(name, 0.0) + high - low
    kinds = {name: {"held": held[name] / STUDIES, "width": round(width[name] / STUDIES, 3)} for name in held}
    return {"people": people, "tastes": tastes, "studies": STUDIES, **kinds}


def main() -> None:
    chance, found = np.random.default_rng(2), []
    for tastes in TASTES:
        chosen, n = answers_of(30_000, tastes, 10, chance)
        for people in PEOPLE:
            found.append(trial(people, tastes, chosen.sum() / n.sum(), chance))
            print(found[-1])
    write("survey_intervals", {"trials": found})


if __name__ == "__main__":
    main()
