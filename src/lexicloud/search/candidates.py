"""Which rows a method may answer with, and how the best of them are picked from scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.query import Query
    from lexicloud.words.reason import Reason

# The authors drop sentences within 8 edits of the query.
NEAR_COPY: Final = 9
# 8 edits change a third of a short query, which makes another sentence. A limit of a tenth of the letters regains
# nearly all that the fixed limit lost on paraphrases (docs/search-measured.md); from 90 letters on the latter holds.
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


class ScoredRow(NamedTuple):
    """A row of the database, its score, and its reasons, or a function that works them out when they are needed."""

    row: int
    score: float
    matches: tuple[Reason, ...] | Callable[[], tuple[Reason, ...]]
    weak: bool | None = None  # True where random queries score as high; None: not known
    same: bool = False  # whether its text is exactly the query


def plain(array: NDArray[Any], dtype: type | str) -> NDArray[Any]:
    """Return a read-only ndarray of the given type: one compiled kernel then serves arrays in memory and on disk."""
    view = np.ascontiguousarray(np.asarray(array), dtype=dtype).view()
    view.flags.writeable = False
    return view


@derived
def posting_lists(database: Database) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where each word's sentences begin, and the sentences, as the kernels take them."""
    return plain(database.postings_ptr, np.int64), plain(database.postings, np.int32)


@derived
def _candidate_masks(_: Database) -> dict[tuple[Any, ...], NDArray[np.bool_]]:
    """Return what `candidates` remembers, by the lengths asked for."""
    return {}


def candidates(database: Database, options: SearchOptions) -> NDArray[np.bool_]:
    """Return which rows an answer may hold: alive, allowed by the filter, and of the lengths asked for."""
    key, known = (options.shortest, options.max_tokens, database.firsts is None), _candidate_masks(database)
    if database.allowed is None and key in known:
        return known[key]
    rows = database.lengths >= options.shortest
    if options.max_tokens is not None:
        rows &= database.lengths <= options.max_tokens
    if database.eligible is not None:
        rows &= database.eligible
    if database.allowed is None:
        known[key] = rows
    return rows


@derived
def ignored_words(database: Database) -> NDArray[np.bool_]:
    """Return which words no method but `levenshtein` looks at: stop words and punctuation."""
    return np.asarray(database.stopwords | database.punctuation)


@derived
def content_words(database: Database) -> NDArray[np.bool_]:
    """Return which words lexical methods look at: all but stop words and punctuation, with a vector or not."""
    return np.asarray(~ignored_words(database))


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
