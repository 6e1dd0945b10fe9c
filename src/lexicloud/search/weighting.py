"""What a word of the ball is worth: the same for all (the paper), or by rarity and closeness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.ball import Ball
    from lexicloud.search.database import Database

# Large enough for the paper's example, small enough to stay above BM25 on relevance (docs/search.md).
LATENT: Final = 0.8  # what a neighbour at cosine 1 would count, where the word itself counts 1


class Worth(NamedTuple):
    """The weights of a ball's words, and the groups of which only the best word counts."""

    weights: NDArray[np.float64]
    groups: NDArray[np.int32]


def worth(database: Database, ball: Ball, weighting: str) -> Worth:
    """Return what each word of the ball is worth.

    "uniform": 1 each, and each word counts. "idf": idf × closeness, where a neighbour is never rarer than
    the query word it stands for, and of the words that stand for one query word the best counts.
    """
    if weighting == "uniform":
        return Worth(np.ones(len(ball)), np.arange(len(ball), dtype=np.int32))
    rarity = idf(database)
    top = np.log1p((database.n + 0.5) / 0.5)  # the idf of a word that no sentence has
    numbers = (database.ids.get(name, -1) for name in ball.names)
    own = np.array([rarity[w] if w >= 0 else top for w in numbers])
    weights = np.minimum(rarity[ball.words], own[ball.sources]) * closeness(ball.distances)
    return Worth(weights, ball.sources)


def idf(database: Database) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of every word, BM25's (Lucene's) inverse document frequency."""
    if "idf" not in database.cache:
        df = np.asarray(database.df, dtype=np.float64)
        database.cache["idf"] = np.log1p((database.n - df + 0.5) / (df + 0.5))
    values: NDArray[np.float64] = database.cache["idf"]
    return values


def closeness(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how much a word at a distance between refined vectors counts: 1 for the word itself, LATENT ·
    cosine for others.
    """
    cosine = 1 - distances**2 / 2  # refined vectors have unit length
    return np.where(distances > 0, LATENT * np.maximum(cosine, 0), 1.0)
