"""The line below which a match is weak: what random queries reach.

A random query is a bag of terms, each drawn from another place of the texts, so that no text is about all of
them. Its best text still matches some, by chance. The line is the share of the query's whole weight that such best
texts exceed once in twenty times, for queries of as many terms.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.search.methods.related import scorer_of, term_idf, whole_weights
from lexicloud.search.options import SearchOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.search.methods.related import Wanted
    from lexicloud.search.query import Database

    Terms = NDArray[np.int32]

SIZES: Final = (2, 3, 5, 8, 13, 21)  # terms of random queries
BAGS: Final = 60  # random queries of each size
FEWEST: Final = 100  # texts; among fewer, chance cannot be told
LEVEL: Final = 0.95


def chance_shares(database: Database, seed: int = 0) -> tuple[float, ...]:
    """Return the line for queries of each of SIZES terms; nothing for a small database."""
    if database.n < FEWEST or not len(database.term_rows):
        return ()
    rng = np.random.default_rng(seed)
    scorer, options = scorer_of(database), SearchOptions(method="related", top=1)
    shares = []
    for size in SIZES:
        best = []
        for _ in range(BAGS):
            terms = _random_terms(database, rng, size)
            weights = term_idf(database, terms)
            if not weights.any():
                continue
            terms, weights = terms[weights > 0], weights[weights > 0]
            whole, unit = whole_weights(weights)
            _, scores = scorer.near_the_best(options, terms, whole, 1, 0)
            best.append(scores.max(initial=0) / unit / weights.sum())
        shares.append(_high(best))
    return tuple(shares)


def _random_terms(database: Database, rng: np.random.Generator, size: int) -> Terms:
    """Draw distinct terms, a term the more likely the more texts have it."""
    places = rng.integers(0, len(database.term_rows), 2 * size)
    found = np.searchsorted(database.term_starts, places, side="right") - 1
    _, first = np.unique(found, return_index=True)
    return found[np.sort(first)][:size].astype(np.int32)


def _high(best: Sequence[float]) -> float:
    """Return the level that one in twenty exceeds."""
    return float(np.quantile(best, LEVEL, method="higher")) if best else 0.0


def weak_line(shares: Sequence[float], wanted: Wanted) -> float | None:
    """Return the score that the matched terms of a text must exceed; None where chance cannot be told.

    A query of one term has no line: a text either has it or not.
    """
    terms = len(wanted.terms)
    if not shares or terms < SIZES[0]:
        return None
    return _share(tuple(shares), terms) * float(wanted.weights.sum())


@lru_cache(maxsize=256)
def _share(shares: tuple[float, ...], terms: int) -> float:
    """Return the line of so many terms, between those of the sizes that were measured."""
    return float(np.interp(np.log(terms), np.log(SIZES), shares))
