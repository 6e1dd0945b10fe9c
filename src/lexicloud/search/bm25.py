"""BM25 (Lucene's variant): the yardstick of lexical search.

Over words that are neither stop words nor punctuation, with tf the times a sentence has the word and |s|
its number of such words:

    Σ_{w ∈ q} count_q(w) · idf(w) · tf / (tf + k1 · (1 − b + b · |s| / mean |s|)),   k1 = 1.5, b = 0.75
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.search.hit import Hit, best_rows, content_words, plain, posting_lists
from lexicloud.search.suggestion import Match
from lexicloud.search.weighting import idf

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.database import Database, Query
    from lexicloud.search.options import SearchOptions

K1: Final = 1.5  # the defaults of Lucene's peers (bm25s, rank_bm25)
B: Final = 0.75


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences with the highest BM25, leaving out those that share no word with the query."""
    from lexicloud.search.postings_kernel import add_saturated

    at = np.flatnonzero(content_words(database)[query.ids])
    words, weights = query.ids[at], query.counts[at] * idf(database)[query.ids[at]]
    scores = np.zeros(len(database))
    slack = _length_terms(database)
    tf = plain(database.postings_tf, np.int32)
    add_saturated(*posting_lists(database), tf, words, weights, slack, scores)
    rows = best_rows(database, query, options, scores)
    return [Hit(row, float(scores[row]), _matches(database, row, words, weights, slack)) for row in rows]


def _length_terms(database: Database) -> NDArray[np.float64]:
    """Return k1 · (1 − b + b · |s| / mean |s|) of every sentence."""
    if "bm25" not in database.cache:
        from lexicloud.search.postings_kernel import masked_totals

        kept = content_words(database)
        lengths = masked_totals(
            plain(database.indptr, np.int64),
            plain(database.indices, np.int32),
            plain(database.counts, np.int32),
            kept,
        )
        living = lengths if database.alive is None else lengths[database.alive]
        mean = living.mean() if len(living) and living.any() else 1.0
        database.cache["bm25"] = K1 * (1 - B + B * lengths / mean)
    terms: NDArray[np.float64] = database.cache["bm25"]
    return terms


def _matches(
    database: Database,
    row: int,
    words: NDArray[np.int32],
    weights: NDArray[np.float64],
    slack: NDArray[np.float64],
) -> tuple[Match, ...]:
    """Explain a score by the words that the sentence shares with the query."""
    sentence, counts = (
        database.sentence(row),
        database.counts[database.indptr[row] : database.indptr[row + 1]],
    )
    shared, at, inside = np.intersect1d(words, sentence, assume_unique=True, return_indices=True)
    tf = counts[inside]
    parts = weights[at] * tf / (tf + slack[row])
    order = np.argsort(-parts, kind="stable")
    return tuple(Match(w := database.words[shared[i]], w, 0.0, float(parts[i])) for i in order)
