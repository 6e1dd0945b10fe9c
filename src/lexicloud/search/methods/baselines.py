"""The peers of set cover: averages of word vectors, Jaccard, BM25, and edit distance."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, idf
from lexicloud.search.candidates import (
    ScoredRow,
    best_rows,
    candidates,
    content_words,
    in_order,
    plain,
    posting_lists,
    skip_query,
)
from lexicloud.search.items import match, matches_in_order
from lexicloud.search.methods.wmd import SentenceCloud, centroids, plan, query_cloud, sentence_cloud

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.query import Query
    from lexicloud.words.reason import Reason


def average(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
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
    # The transport plan that explains a distance is solved only when somebody asks for the reasons.
    return [ScoredRow(row, far[row], partial(_why_near, database, cloud, row)) for row in found]


def _why_near(database: Database, cloud: SentenceCloud, row: int) -> tuple[Reason, ...]:
    return pairs(cloud, sentence_cloud(database, row))


def _nearest(
    database: Database, mean: NDArray[np.float64], allowed: NDArray[np.bool_], count: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return `count` sentences or more, the nearest among them, and their distances."""
    from lexicloud.search.methods.baselines_numba import distances_to, near_points

    points = centroids(database)
    rows = near_points(points, mean.astype(np.float32), allowed, count)
    return rows, distances_to(points[rows], mean)


def pairs(query: SentenceCloud, sentence: SentenceCloud) -> tuple[Reason, ...]:
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
        match(
            query.words[i],
            sentence.words[j],
            float(D[i, j]),
            float(T[i, j] * ((query.vectors[i] - sentence.vectors[j]) @ along)),
        )
        for i, j in zip(*np.nonzero(T), strict=True)
    ]
    return matches_in_order(found)


K1: Final = 1.5  # the defaults of Lucene's peers (bm25s, rank_bm25)
B: Final = 0.75


def bm25(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Return the sentences with the highest BM25, leaving out those that share no word with the query."""
    from lexicloud.search.methods.baselines_numba import add_saturated

    at = np.flatnonzero(content_words(database)[query.ids])
    words, weights = query.ids[at], query.counts[at] * idf(database)[query.ids[at]]
    scores = np.zeros(len(database))
    slack = _length_terms(database)
    add_saturated(*posting_lists(database), _frequencies(database), words, weights, slack, scores)
    rows = best_rows(database, query, options, scores)
    return [
        ScoredRow(row, float(scores[row]), _bm25_matches(database, row, words, weights, slack))
        for row in rows
    ]


@derived
def _frequencies(database: Database) -> NDArray[np.uint16]:
    """Return, for each posting, how often its sentence has the word; computed from the counts by sentence."""
    from scipy import sparse

    shape = (len(database), len(database.words))
    starts = np.asarray(database.indptr, np.int64)
    rows = sparse.csr_array((database.counts, database.indices, starts), shape=shape)
    return plain(rows.tocsc().data, np.uint16)


@derived
def _length_terms(database: Database) -> NDArray[np.float64]:
    """Return k1 · (1 − b + b · |s| / mean |s|) of every sentence."""
    from lexicloud.search.methods.baselines_numba import masked_totals

    kept = content_words(database)
    lengths = masked_totals(
        plain(database.indptr, np.int64),
        plain(database.indices, np.int32),
        plain(database.counts, np.uint16),
        kept,
    )
    living = lengths if database.alive is None else lengths[database.alive]
    mean = living.mean() if len(living) and living.any() else 1.0
    return np.asarray(K1 * (1 - B + B * lengths / mean))


def _bm25_matches(
    database: Database,
    row: int,
    words: NDArray[np.int32],
    weights: NDArray[np.float64],
    slack: NDArray[np.float64],
) -> tuple[Reason, ...]:
    """Explain a score by the words that the sentence shares with the query."""
    sentence, counts = database.counted(row)
    shared, at, inside = np.intersect1d(words, sentence, assume_unique=True, return_indices=True)
    tf = counts[inside]
    parts = weights[at] * tf / (tf + slack[row])
    order = np.argsort(-parts, kind="stable")
    return tuple(match(w := database.words[shared[i]], w, 0.0, float(parts[i])) for i in order)


def jaccard(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Return the sentences with the highest |q ∩ s| / |q ∪ s|, leaving out those that share no word."""
    from lexicloud.search.methods.baselines_numba import add_ones

    words = query.ids[content_words(database)[query.ids]]
    size = len(words) + int(query.unknown_content.sum())
    shared = np.zeros(len(database), dtype=np.int32)
    add_ones(*posting_lists(database), words, shared)
    union = size + _set_sizes(database) - shared
    scores = shared / np.maximum(union, 1)
    return [
        ScoredRow(row, float(scores[row]), _jaccard_matches(database, row, words, int(union[row])))
        for row in best_rows(database, query, options, scores)
    ]


@derived
def _set_sizes(database: Database) -> NDArray[np.int64]:
    """Return how many distinct content words each sentence has."""
    from lexicloud.search.methods.baselines_numba import masked_totals

    ones = plain(np.ones(len(database.indices), np.int32), np.int32)
    rows = plain(database.indptr, np.int64), plain(database.indices, np.int32)
    return np.asarray(masked_totals(*rows, ones, content_words(database)))


def _jaccard_matches(
    database: Database, row: int, words: NDArray[np.int32], union: int
) -> tuple[Reason, ...]:
    """Explain a score by the shared words, each of which adds 1 / |q ∪ s|."""
    shared = np.intersect1d(words, database.sentence(row), assume_unique=True)
    return tuple(match(word := database.words[w], word, 0.0, 1 / union) for w in shared)


_FIRST: Final = 256  # sentences measured in the first portion; portions then double
_FAR: Final = np.iinfo(np.int32).max


class _ByLength(NamedTuple):
    """Every sentence's text, shortest first."""

    rows: NDArray[np.int64]
    lengths: NDArray[np.int64]
    texts: list[str]


def levenshtein(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Return the sentences with the fewest edits to the query's text."""
    wanted = candidates(database, options)
    distances = _distances(_by_length(database), query.text, wanted, options.top, least=options.own_edits)
    rows = np.flatnonzero(distances < _FAR)
    found = list(zip(range(options.top), in_order(distances[rows], rows, options.top), strict=False))
    return [ScoredRow(row, float(distances[row]), edits(query.text, database.texts[row])) for _, row in found]


@derived
def _by_length(database: Database) -> _ByLength:
    texts = database.texts.to_list() if hasattr(database.texts, "to_list") else list(database.texts)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    rows = np.argsort(lengths, kind="stable")
    return _ByLength(rows, lengths[rows], [texts[i] for i in rows])


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
    """Widen a window of lengths by up to `reach` sentences on each side, none farther than the cutoff."""
    floor = int(np.searchsorted(lengths, length - cutoff, "left"))
    ceiling = int(np.searchsorted(lengths, length + cutoff, "right"))
    return max(min(low, floor), low - reach, floor), min(max(high, ceiling), high + reach, ceiling)


def _measure(
    texts: _ByLength, query: str, wanted: NDArray[np.bool_], start: int, stop: int, cutoff: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the wanted rows from `start` to `stop`, and their distances; those above the cutoff are not exact."""
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


def edits(query: str, text: str) -> tuple[Reason, ...]:
    """Explain a distance by the pieces that change: each adds the number of its edits."""
    from rapidfuzz.distance import Levenshtein

    return tuple(
        match(
            query[op.src_start : op.src_end],
            text[op.dest_start : op.dest_end],
            float(size := max(op.src_end - op.src_start, op.dest_end - op.dest_start)),
            float(size),
        )
        for op in Levenshtein.opcodes(query, text)
        if op.tag != "equal"
    )
