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
    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences whose mean vector is nearest to the query's."""
    from lexicloud.search.methods.postings_numba import distances_to

    cloud = query_cloud(database, query)
    if not len(cloud.mass):
        return []
    distances = distances_to(centroids(database), cloud.mean)
    rows = np.flatnonzero(candidates(database, options) & ~np.isnan(distances))
    found = skip_query(database, query, options, in_order(distances[rows], rows, options.top + 4))
    return [Hit(row, float(distances[row]), pairs(cloud, sentence_cloud(database, row))) for row in found]


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
