"""Levenshtein search: the fewest letters changed, on the raw text of the sentences.

A sentence is at least as far from the query as their lengths differ, so sentences are measured in the order
of that difference, and the search ends as soon as it exceeds the worst distance among the best found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.search.candidates import Hit, candidates, in_order
from lexicloud.search.suggestion import Match

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query

_FIRST: Final = 256  # sentences measured before the first cut; the portions then double
_FAR: Final = np.iinfo(np.int32).max


class _ByLength(NamedTuple):
    """Every sentence's text, shortest first."""

    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    texts: list[str]


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences with the fewest edits to the query's text."""
    wanted = candidates(database, options)
    distances = _distances(_by_length(database), query.text, wanted, options.top, least=options.own_edits)
    rows = np.flatnonzero(distances < _FAR)
    found = list(zip(range(options.top), in_order(distances[rows], rows, options.top), strict=False))
    return [Hit(row, float(distances[row]), edits(query.text, database.texts[row])) for _, row in found]


def _by_length(database: Database) -> _ByLength:
    if "texts by length" not in database.cache:
        texts = database.texts.to_list() if hasattr(database.texts, "to_list") else list(database.texts)
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        rows = np.argsort(lengths, kind="stable")
        database.cache["texts by length"] = _ByLength(rows, lengths[rows], [texts[i] for i in rows])
    found: _ByLength = database.cache["texts by length"]
    return found


def _distances(
    texts: _ByLength, query: str, wanted: NDArray[np.bool_], top: int, least: int
) -> NDArray[np.int32]:
    """Return every row's distance; rows that cannot be among the `top`, or are nearer than `least`, are _FAR."""
    out = np.full(len(wanted), _FAR, dtype=np.int32)
    low = high = int(np.searchsorted(texts.lengths, len(query)))
    cutoff, reach = _FAR - 1, _FIRST
    while low > 0 or high < len(wanted):
        new_low, new_high = _widen(texts.lengths, len(query), low, high, reach, cutoff)
        if (new_low, new_high) == (low, high):
            break
        for a, b in ((new_low, low), (high, new_high)):
            rows, near = _measure(texts, query, wanted, a, b, cutoff)
            out[rows] = np.where((near <= cutoff) & (near >= least), near, _FAR)
        low, high, reach = new_low, new_high, 2 * reach
        found = out[out < _FAR]
        if len(found) >= top:
            cutoff = int(np.partition(found, top - 1)[top - 1])
    return out


def _widen(
    lengths: NDArray[np.int64], length: int, low: int, high: int, reach: int, cutoff: int
) -> tuple[int, int]:
    """Return a window of about `reach` more sentences around the query's length, none farther than the cutoff."""
    floor = int(np.searchsorted(lengths, length - cutoff, "left"))
    ceiling = int(np.searchsorted(lengths, length + cutoff, "right"))
    return max(min(low, floor), low - reach, floor), min(max(high, ceiling), high + reach, ceiling)


def _measure(
    texts: _ByLength, query: str, wanted: NDArray[np.bool_], start: int, stop: int, cutoff: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the rows from `start` to `stop` that are wanted, and their distances (above the cutoff:
    something above it).
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    rows, some = texts.rows[start:stop], texts.texts[start:stop]
    keep = wanted[rows]
    if not keep.all():
        some = [text for text, ok in zip(some, keep, strict=True) if ok]
        rows = rows[keep]
    if not some:
        return rows, np.zeros(0, np.int32)
    near = cdist([query], some, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.int32)
    return rows, near[0]


def edits(query: str, text: str) -> tuple[Match, ...]:
    """Explain a distance by the pieces that change: each weighs as many edits as it takes."""
    from rapidfuzz.distance import Levenshtein

    return tuple(
        Match(
            query[op.src_start : op.src_end],
            text[op.dest_start : op.dest_end],
            float(size := max(op.src_end - op.src_start, op.dest_end - op.dest_start)),
            float(size),
        )
        for op in Levenshtein.opcodes(query, text)
        if op.tag != "equal"
    )
