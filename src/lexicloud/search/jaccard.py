"""Jaccard search: the share of words that two sentences have in common, stop words and punctuation left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lexicloud.search.hit import Hit, best_rows, content_words, plain, posting_lists
from lexicloud.search.suggestion import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.database import Database, Query
    from lexicloud.search.options import SearchOptions


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences with the highest |q ∩ s| / |q ∪ s|, leaving out those that share no word."""
    from lexicloud.search.postings_kernel import add_ones

    words = query.ids[content_words(database)[query.ids]]
    size = len(words) + int(query.unknown_content.sum())
    shared = np.zeros(len(database), dtype=np.int32)
    add_ones(*posting_lists(database), words, shared)
    union = size + _set_sizes(database) - shared
    scores = shared / np.maximum(union, 1)
    return [
        Hit(row, float(scores[row]), _matches(database, row, words, int(union[row])))
        for row in best_rows(database, query, options, scores)
    ]


def _set_sizes(database: Database) -> NDArray[np.int64]:
    """Return how many distinct content words each sentence has."""
    if "set sizes" not in database.cache:
        from lexicloud.search.postings_kernel import masked_totals

        ones = plain(np.ones(len(database.indices), np.int32), np.int32)
        rows = plain(database.indptr, np.int64), plain(database.indices, np.int32)
        database.cache["set sizes"] = masked_totals(*rows, ones, content_words(database))
    sizes: NDArray[np.int64] = database.cache["set sizes"]
    return sizes


def _matches(database: Database, row: int, words: NDArray[np.int32], union: int) -> tuple[Match, ...]:
    """Explain a score by the shared words, each of which adds 1 / |q ∪ s|."""
    shared = np.intersect1d(words, database.sentence(row), assume_unique=True)
    return tuple(Match(word := database.words[w], word, 0.0, 1 / union) for w in shared)
