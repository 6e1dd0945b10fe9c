"""Average search: the least distance between the mean vectors of two sentences.

Means are taken over tokens with a vector that are neither stop words nor punctuation, unweighted, as in the
paper.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.search.candidates import Hit, candidates, in_order, skip_query
from lexicloud.search.methods.transport import Cloud, centroids, plan, query_cloud, sentence_cloud
from lexicloud.search.suggestion import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences whose mean vector is nearest to the query's."""
    cloud = query_cloud(database, query)
    if not len(cloud.mass):
        return []
    allowed, spare = candidates(database, options), 4
    while True:
        rows, distances = _nearest(database, cloud.mean, allowed, options.top + spare)
        found = list(skip_query(database, query, options, in_order(distances, rows, len(rows))))
        if len(found) == options.top or len(rows) < options.top + spare:
            break
        spare *= 8  # the query has more copies than expected
    far = dict(zip(rows.tolist(), distances.tolist(), strict=True))
    return [Hit(row, far[row], pairs(cloud, sentence_cloud(database, row))) for row in found]


def _nearest(
    database: Database, mean: NDArray[np.float64], allowed: NDArray[np.bool_], count: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return at least `count` sentences, among them the nearest, and their distances."""
    from lexicloud.search.methods.postings_numba import distances_to, near_points

    points = centroids(database)
    rows = near_points(points, mean.astype(np.float32), allowed, count)
    return rows, distances_to(points[rows], mean)


def pairs(query: Cloud, sentence: Cloud) -> tuple[Match, ...]:
    """Explain the distance of two means by pairs of words.

    For any plan T that moves one cloud onto the other, mean_q − mean_s = Σ T_ij (q_i − s_j). With u the
    direction of that gap, the pair (i, j) adds T_ij (q_i − s_j) · u to the distance. T is the cheapest
    plan, which pairs near words.
    """
    gap = query.mean - sentence.mean
    length = float(np.linalg.norm(gap))
    along = gap / length if length else gap
    T, D = plan(query, sentence)
    found = [
        Match(
            query.words[i],
            sentence.words[j],
            float(D[i, j]),
            float(T[i, j] * ((query.vectors[i] - sentence.vectors[j]) @ along)),
        )
        for i, j in zip(*np.nonzero(T), strict=True)
    ]
    return tuple(sorted(found, key=lambda m: (m.distance, m.query_word, m.word)))
