"""General Imposters, and its bootstrap-distance variant: how often the unknown is closer to the known than impostors.

Koppel and Winter 2014: in every round a random half of the words and of the impostors; the share of rounds in which the
known texts are closer to the unknown one than any impostor is, and the other way round. Nagy 2024 asks in every round
of one impostor at a time, which does not saturate. All rounds are one product with a mask over the words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.divergences.attribution.verify import Problem

    Floats = NDArray[np.float64]

ROUNDS: Final = 100
# Too many impostors saturate the vote; 10 to 30 are best.
MOST: Final = 25


def imposters_score(problem: Problem, seed: int = 0) -> float:
    """Return the share of rounds won against all impostors of the round."""
    wins, rng = [], np.random.default_rng(seed)
    for own, theirs in _rounds(problem, rng):
        among = rng.random(theirs.shape) < 0.5
        wins.append((own >= np.where(among, theirs, -np.inf).max(axis=0)).mean())
    return float(np.mean(wins))


def bootstrap_score(problem: Problem, seed: int = 0) -> float:
    """Return how often a round is won against one impostor, all impostors weighing the same."""
    wins = [(own > theirs).mean() for own, theirs in _rounds(problem, np.random.default_rng(seed))]
    return float(np.mean(wins))


def _rounds(problem: Problem, rng: np.random.Generator) -> list[tuple[Floats, Floats]]:
    """Return for both directions the cosine of the two sides in each round, and of each impostor."""
    k, u = problem.z(problem.known)[0], problem.z(problem.unknown)[0]
    chosen = rng.permutation(len(problem.authors))[:MOST]
    mask = (rng.random((len(problem.words), ROUNDS)) < 0.5).astype(np.float64)
    found = []
    for one, other, impostors in ((k, u, problem.as_unknown), (u, k, problem.as_known)):
        found.append(
            (_cosines(other[None, :], one, mask)[0], _cosines(problem.z(impostors.rows(chosen)), one, mask))
        )
    return found


def _cosines(texts: Floats, one: Floats, mask: Floats) -> Floats:
    """Return texts × rounds: the cosines with one text over the words of each round."""
    sizes = np.sqrt((texts**2 @ mask) * (one**2 @ mask))
    return np.asarray(((texts * one) @ mask) / np.maximum(sizes, 1e-300))
