"""Search by shared words: BM25 (Lucene's variant), and Jaccard's share of words in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.search.candidates import Hit, best_rows, content_words, plain, posting_lists
from lexicloud.search.methods.ball import idf
from lexicloud.search.suggestion import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query

K1: Final = 1.5  # the defaults of Lucene's peers (bm25s, rank_bm25)
B: Final = 0.75


def bm25(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences with the highest BM25, leaving out those that share no word with the query."""
    from lexicloud.search.methods.postings_numba import add_saturated

    at = np.flatnonzero(content_words(database)[query.ids])
    words, weights = query.ids[at], query.counts[at] * idf(database)[query.ids[at]]
    scores = np.zeros(len(database))
    slack = _length_terms(database)
    tf = plain(database.postings_tf, np.uint16)
    add_saturated(*posting_lists(database), tf, words, weights, slack, scores)
    rows = best_rows(database, query, options, scores)
    return [Hit(row, float(scores[row]), _bm25_matches(database, row, words, weights, slack)) for row in rows]


def _length_terms(database: Database) -> NDArray[np.float64]:
    """Return k1 · (1 − b + b · |s| / mean |s|) of every sentence."""
    if "bm25" not in database.cache:
        from lexicloud.search.methods.postings_numba import masked_totals

        kept = content_words(database)
        lengths = masked_totals(
            plain(database.indptr, np.int64),
            plain(database.indices, np.int32),
            plain(database.counts, np.uint16),
            kept,
        )
        living = lengths if database.alive is None else lengths[database.alive]
        mean = living.mean() if len(living) and living.any() else 1.0
        database.cache["bm25"] = K1 * (1 - B + B * lengths / mean)
    terms: NDArray[np.float64] = database.cache["bm25"]
    return terms


def _bm25_matches(
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


def jaccard(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences with the highest |q ∩ s| / |q ∪ s|, leaving out those that share no word."""
    from lexicloud.search.methods.postings_numba import add_ones

    words = query.ids[content_words(database)[query.ids]]
    size = len(words) + int(query.unknown_content.sum())
    shared = np.zeros(len(database), dtype=np.int32)
    add_ones(*posting_lists(database), words, shared)
    union = size + _set_sizes(database) - shared
    scores = shared / np.maximum(union, 1)
    return [
        Hit(row, float(scores[row]), _jaccard_matches(database, row, words, int(union[row])))
        for row in best_rows(database, query, options, scores)
    ]


def _set_sizes(database: Database) -> NDArray[np.int64]:
    """Return how many distinct content words each sentence has."""
    if "set sizes" not in database.cache:
        from lexicloud.search.methods.postings_numba import masked_totals

        ones = plain(np.ones(len(database.indices), np.int32), np.int32)
        rows = plain(database.indptr, np.int64), plain(database.indices, np.int32)
        database.cache["set sizes"] = masked_totals(*rows, ones, content_words(database))
    sizes: NDArray[np.int64] = database.cache["set sizes"]
    return sizes


def _jaccard_matches(database: Database, row: int, words: NDArray[np.int32], union: int) -> tuple[Match, ...]:
    """Explain a score by the shared words, each of which adds 1 / |q ∪ s|."""
    shared = np.intersect1d(words, database.sentence(row), assume_unique=True)
    return tuple(Match(word := database.words[w], word, 0.0, 1 / union) for w in shared)
