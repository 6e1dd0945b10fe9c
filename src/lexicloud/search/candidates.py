"""Which sentences a method may answer with, and how the best rows are picked from scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query
    from lexicloud.search.suggestion import Match

# The authors drop sentences within 8 edits of the query.
NEAR_COPY: Final = 9
# Of a short query 8 edits are a third: another sentence. With a tenth nearly all that the limit cost on paraphrases is
# back (docs/search.md), and for queries of 90 letters and more nothing changes.
COPY_SHARE: Final = 0.1


def is_copy(text: str, query: str, edits: int = NEAR_COPY) -> bool:
    """Tell whether a sentence is fewer than `edits` edits away from the query; 0 lets even the query itself
    through.

    >>> is_copy("Call me Ishmael!", "Call me Ishmael."), is_copy("Call me a cab.", "Call me Ishmael.", edits=1)
    (True, False)
    """
    if edits <= 0:
        return False
    if edits == 1 or abs(len(text) - len(query)) >= edits:
        return text == query
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(text, query, score_cutoff=edits - 1) < edits


class Hit(NamedTuple):
    """A row of the database, its score, and the reasons for it."""

    row: int
    score: float
    matches: tuple[Match, ...]
    weak: bool | None = None  # True where random queries reach as much; None where nobody knows


def plain(array: NDArray[Any], dtype: type | str) -> NDArray[Any]:
    """Return a read-only ndarray of the given type: one compiled kernel then serves arrays in memory and on disk."""
    view = np.ascontiguousarray(np.asarray(array), dtype=dtype).view()
    view.flags.writeable = False
    return view


def posting_lists(database: Database) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where each word's sentences begin, and the sentences, as the kernels take them."""
    if "posting lists" not in database.cache:
        database.cache["posting lists"] = (
            plain(database.postings_ptr, np.int64),
            plain(database.postings, np.int32),
        )
    lists: tuple[NDArray[np.int64], NDArray[np.int32]] = database.cache["posting lists"]
    return lists


def candidates(database: Database, options: SearchOptions) -> NDArray[np.bool_]:
    """Return which rows may be answered with: alive, let through by the filter, and of the lengths asked for."""
    key = ("candidates", options.shortest, options.max_tokens, database.firsts is None)
    if database.allowed is None and key in database.cache:
        cached: NDArray[np.bool_] = database.cache[key]
        return cached
    rows = database.lengths >= options.shortest
    if options.max_tokens is not None:
        rows &= database.lengths <= options.max_tokens
    if database.eligible is not None:
        rows &= database.eligible
    if database.allowed is None:
        database.cache[key] = rows
    return rows


def ignored_words(database: Database) -> NDArray[np.bool_]:
    """Return which words no method but `levenshtein` looks at: stop words and punctuation."""
    if "ignored" not in database.cache:
        database.cache["ignored"] = database.stopwords | database.punctuation
    ignored: NDArray[np.bool_] = database.cache["ignored"]
    return ignored


def content_words(database: Database) -> NDArray[np.bool_]:
    """Return which words lexical methods look at: all but stop words and punctuation, with a vector or not."""
    if "content words" not in database.cache:
        database.cache["content words"] = ~ignored_words(database)
    words: NDArray[np.bool_] = database.cache["content words"]
    return words


def best_rows(
    database: Database, query: Query, options: SearchOptions, scores: NDArray[np.float64]
) -> list[int]:
    """Return the `top` rows with the highest positive scores, passing over the query itself."""
    rows = np.flatnonzero((scores > 0) & candidates(database, options))
    return list(skip_query(database, query, options, in_order(-scores[rows], rows, options.top + 4)))


def in_order(costs: NDArray[Any], rows: NDArray[np.integer], first: int) -> Iterator[int]:
    """Yield `rows` by ascending cost, the lower row first among equals, sorting only as many as are asked for."""
    done = 0
    while done < len(rows):
        reach = min(len(rows), max(first, 4 * done))
        limit = np.partition(costs, reach - 1)[reach - 1]
        near = np.flatnonzero(costs <= limit)
        order = near[np.lexsort((rows[near], costs[near]))]
        yield from (int(rows[i]) for i in order[done:])
        done = len(order)


def skip_query(
    database: Database, query: Query, options: SearchOptions, rows: Iterator[int]
) -> Iterator[int]:
    """Yield up to `top` rows, passing over the query itself."""
    left = options.top
    for row in rows:
        if left <= 0:
            return
        if not is_copy(database.texts[row], query.text, options.own_edits):
            left -= 1
            yield row
