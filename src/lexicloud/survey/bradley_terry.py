"""Bradley–Terry strengths: P(a beats b) = 1 / (1 + exp(s_b − s_a)), with intervals over participants.

An answer of `choose` says that each chosen suggestion beats each that was not. If the chance of a choice is
proportional to the product of its suggestions' strengths, these comparisons follow the same model; otherwise the
strengths are those that fit them best. The interval does not lean on the model: whole people are resampled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lexicloud.survey.resample import DRAWS, FEWEST, Interval, draw_people, percentiles

if TYPE_CHECKING:
    from lexicloud.survey.resample import Floats

STEPS: Final = 50
TOLERANCE: Final = 1e-8
HALF: Final = 0.5  # a win each way added to every pair that met: no strength becomes infinite


def strengths(wins: Floats, seed: int = 0, draws: int = DRAWS) -> list[Interval]:
    """Return the strength of each method, in log odds around a mean of zero, from wins (people × methods × methods).

    The list is empty where some methods never met, even through others: their strengths cannot be compared.
    """
    total = wins.sum(axis=0)
    if not connected(total):
        return []
    values = fit(total[None])[0]
    people = wins.sum(axis=(1, 2))
    used = wins[people > 0]
    if len(used) < FEWEST:
        return [Interval(float(value)) for value in values]
    weights = draw_people(len(used), seed, draws)
    sampled = (weights @ used.reshape(len(used), -1)).reshape(draws, *total.shape)
    low, high = percentiles(fit(sampled, met=total + total.T > 0, start=values), people[people > 0])
    return [Interval(float(v), float(a), float(b)) for v, a, b in zip(values, low, high, strict=True)]


def fit(wins: Floats, met: Floats | None = None, start: Floats | None = None) -> Floats:
    """Return the strengths of each table of wins (tables × methods × methods) by Newton's method, all at once."""
    import numpy as np

    games = wins + wins.transpose(0, 2, 1)
    played = (games.sum(axis=0) > 0) if met is None else met
    wins, games = wins + HALF * played, games + 2 * HALF * played
    methods = wins.shape[1]
    found = np.zeros(wins.shape[:2]) + (0.0 if start is None else start)
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(found[:, None, :] - found[:, :, None]))
        slope = (wins - games * chance).sum(axis=2)
        curve = games * chance * (1 - chance)
        # The Laplacian of the curvatures; adding 1 everywhere fixes the mean, which the data leave open.
        matrix = 1.0 - curve
        matrix[:, range(methods), range(methods)] += curve.sum(axis=2)
        step = np.clip(np.linalg.solve(matrix, slope[..., None])[..., 0], -2, 2)
        found += step - step.mean(axis=1, keepdims=True)
        if np.abs(step).max() < TOLERANCE:
            break
    return found


def connected(wins: Floats) -> bool:
    """Tell whether every method met every other, directly or through others."""
    import numpy as np

    met = (wins + wins.T > 0) | np.eye(len(wins), dtype=bool)
    return bool((np.linalg.matrix_power(met.astype(float), len(wins)) > 0).all())
