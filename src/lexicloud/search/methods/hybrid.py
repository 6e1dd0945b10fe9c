"""Words and static sentence embeddings together: what `related` does unless it is told `dense=None`.

    score = related + DENSE · σ · (cosine − mean cosine) / spread of cosines

σ is the spread of the words' scores over all texts: the sum of both as z-scores, in the units of the words, so that
reasons add up. Embeddings are kept in a byte a coordinate. Not all of them are looked at: candidates are the best texts
by their words, and the nearest by the signs of their coordinates (32 bytes a text); these are scored exactly.
The first query of a process, and small indexes, look at all.
"""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, rows_by_part
from lexicloud.search.candidates import ScoredRow, plain
from lexicloud.search.methods.bm25_scores import (
    TOPIC,
    Best,
    query_topic,
    scorer_of,
    whole_weights,
)
from lexicloud.search.methods.related import _bare, finds_among, scored_rows, wanted_terms, weak_below
from lexicloud.vectors.static_embeddings import unit
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.methods.bm25_scores import Plain
    from lexicloud.search.methods.related import Wanted
    from lexicloud.search.query import Query
    from lexicloud.vectors.static_embeddings import StaticEmbeddings

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int32]

# Tuned on labelled tasks (docs/search-measured.md, docs/scale.md): 0.6 of the exact spread of scores, which is wider
# than that of words that come independently.
DENSE: Final = 0.7
FEW: Final = (
    25  # texts among which embeddings count half as much: how cosines spread cannot be told from a few
)
EMBEDDING: Final = "(embedding)"  # what reasons call the rest of it
KIND: Final = "embedding"  # the kind of its reasons
COARSE: Final = 1_000  # candidates by words, and as many by signs
EVERY: Final = (
    4_096  # texts; of so few all are looked at, and so many tell the mean and the spread of cosines
)
_LEAST: Final = 1.5  # spreads above the mean, for a text that shares no word with the query
_SAID: Final = 5  # words of a text that reasons name
_BLOCK: Final = 16_384  # texts whose coordinates are looked at together


def quantised(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return directions in a byte a coordinate; what is lost is a hundredth of a spread of cosines."""
    longest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    return np.asarray(np.rint(vectors * (127 / longest)), np.int8)


class _Space:
    """The embeddings of all texts: how cosines with a query spread, and which texts are near by their signs."""

    def __init__(self, database: Database) -> None:
        self.parts, self.dimension = database.parts, database.parts[0].segment.dense.shape[1]
        living = np.arange(len(database)) if database.alive is None else np.flatnonzero(database.alive)
        some = living[:: max(1, len(living) // EVERY)]
        sample = unit_bytes(self._rows(some)).astype(np.float64)
        self.centre = sample.mean(axis=0) if len(some) else np.zeros(self.dimension)
        self.covariance = (sample - self.centre).T @ (sample - self.centre) / max(len(some), 1)

    def _rows(self, rows: NDArray[Any]) -> NDArray[np.int8]:
        out = np.empty((len(rows), self.dimension), np.int8)
        for part, places in rows_by_part(self.parts, rows):
            out[places] = part.segment.dense[rows[places] - part.first]
        return out

    def spread(self, asked: Floats) -> tuple[float, float]:
        """Return the mean and the spread of the cosines of texts with a query."""
        variance = float(asked @ self.covariance @ asked)
        return float(self.centre @ asked), max(variance, 0.0) ** 0.5 or 1.0

    def cosines(self, rows: Rows, asked: Floats) -> Floats:
        """Return the cosine of each of some texts with a query; equal texts have equal ones, wherever they are."""
        out = np.empty(len(rows))
        for start in range(0, len(rows), _BLOCK):
            some = rows[start : start + _BLOCK]
            out[start : start + _BLOCK] = unit_bytes(self._rows(some)) @ asked
        return np.round(out, 9)

    def signs_apart(self, asked: Floats, allowed: NDArray[np.bool_]) -> NDArray[np.int16]:
        """Return in how many signs each text differs from the query; more than there are for one that may not be."""
        own = signs_of(asked[None, :])[0]
        far = np.empty(sum(map(len, self.parts)), np.int16)
        for part in self.parts:
            part.of_rows(far)[:] = _hamming(part.segment.signs, own)
        if len(allowed):
            far[~allowed] = np.iinfo(far.dtype).max
        return far

    def nearest(
        self, asked: Floats, allowed: NDArray[np.bool_], count: int, limit: int | None = None
    ) -> Rows:
        """Return the texts whose signs agree most with the query's, or differ in no more than `limit` of them."""
        far = self.signs_apart(asked, allowed)
        counts = np.cumsum(np.bincount(far, minlength=self.dimension + 1))
        if limit is None:
            limit = int(np.searchsorted(counts, min(count, int(counts[self.dimension]))))
        return np.flatnonzero(far <= limit)[: 4 * count].astype(np.int32)


def unit_bytes(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return directions kept in bytes at unit length."""
    wide = np.asarray(rows, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return np.asarray(wide / np.where(lengths > 0, lengths, 1), np.float32)


def signs_of(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """Return which coordinates are positive, 64 to a number; no columns for embeddings that are kept as floats."""
    if vectors.dtype == np.float32:
        return np.zeros((len(vectors), 0), np.uint64)
    bits = np.packbits(vectors > 0, axis=1)
    spare = -bits.shape[1] % 8
    return np.ascontiguousarray(np.pad(bits, ((0, 0), (0, spare)))).view(np.uint64)


def _hamming(signs: NDArray[np.uint64], own: NDArray[np.uint64]) -> NDArray[np.int16]:
    """Return in how many signs each text differs from the query."""
    if "lexicloud.search.methods.related_numba" in sys.modules:  # loaded by the scorer that asks for it
        from lexicloud.search.methods.related_numba import hamming

        return np.asarray(hamming(plain(signs, np.uint64), own))
    far = np.zeros(len(signs), np.int16)
    for j in range(signs.shape[1]):
        far += np.bitwise_count(signs[:, j] ^ own[j])
    return far


@derived
def space_of(database: Database) -> _Space:
    """Return the embeddings of a database."""
    return _Space(database)


class _Lift(NamedTuple):
    """What cosines are worth for one query."""

    asked: Floats  # at unit length
    mean: float
    factor: float  # DENSE · σ / spread
    spread: float

    def of(self, cosine: Floats) -> Floats:
        """Return what cosines add to the score."""
        return self.factor * (cosine - self.mean)


def search(
    database: Database, query: Query, options: SearchOptions, model: StaticEmbeddings
) -> list[ScoredRow]:
    """Return the texts with the highest scores by words and embedding, the lower row first among equals."""
    wanted = wanted_terms(database, query)
    if not len(wanted.terms) and not bool((query.unknown_embedded & query.unknown_content).any()):
        return []
    scorer, space = scorer_of(database), space_of(database)
    asked = model.encode([query.text])[0].astype(np.float64)
    whole, scale = whole_weights(wanted.weights) if len(wanted.terms) else (np.zeros(0, np.int32), 1.0)
    sigma = scorer.spread(wanted.terms, whole) / scale if len(wanted.terms) else 1.0
    mean, spread = space.spread(asked)
    weight = DENSE * database.n / (database.n + FEW)
    lift = _Lift(asked, mean, weight * (sigma or 1.0) / spread, spread)
    rows = _candidates(scorer, space, options, wanted, whole, asked)
    best, cosines = _best(scorer, query, options.top + 8, (rows, wanted.terms, whole, scale), lift, space)
    places = finds_among(database, query, options, best.rows.tolist())[: options.top]
    found = scored_rows(scorer, query, wanted, best, places, weak_below(database, query, wanted))
    return [
        _explained(database, query, model, row, lift, float(cosines[i]))
        for row, i in zip(found, places, strict=True)
    ]


def _best(
    scorer: Plain,
    query: Query,
    count: int,
    asked: tuple[Rows, Rows, NDArray[np.int32], float],
    lift: _Lift,
    space: _Space,
) -> tuple[Best, Floats]:
    """Return the best of some rows, best first, and their cosines; the topic is worked out where it can matter."""
    rows, terms, whole, scale = asked
    lexical = scorer.lexical(rows, terms, whole) / scale if len(terms) else np.zeros(len(rows))
    cosines = space.cosines(rows, lift.asked)
    likely = (lexical > 0) | (cosines >= lift.mean + _LEAST * lift.spread)
    base = lexical + lift.of(cosines)
    if np.count_nonzero(likely) > count:
        likely &= base + TOPIC >= -np.partition(-base[likely], count - 1)[count - 1]
    rows, lexical, cosines = rows[likely], lexical[likely], cosines[likely]
    topics = np.zeros(len(rows))
    topics[lexical > 0] = scorer.topics(rows[lexical > 0], query_topic(scorer.database, query))
    order = np.lexsort((rows, -(lexical + topics + lift.of(cosines))))[:count]
    return Best(rows[order], lexical[order], topics[order], whole, scale), cosines[order]


def _candidates(
    scorer: Plain,
    space: _Space,
    options: SearchOptions,
    wanted: Wanted,
    whole: NDArray[np.int32],
    asked: Floats,
) -> Rows:
    """Return the texts to be scored, ascending: all, or the best by words and the nearest by signs."""
    allowed = scorer.allowed(options)
    texts = len(scorer.database)
    if texts <= EVERY or scorer.looks_at_all:
        every = np.flatnonzero(allowed) if len(allowed) else np.arange(texts)
        return every.astype(np.int32)
    near = space.nearest(asked, allowed, COARSE)
    if not len(wanted.terms):
        return near
    by_words, scores = scorer.near_the_best(options, wanted.terms, whole, COARSE, 0)
    if len(by_words) > 2 * COARSE:  # texts that are equally good: the first of them
        by_words = np.sort(by_words[np.argsort(-scores, kind="stable")[: 2 * COARSE]])
    return np.union1d(near, by_words).astype(np.int32)


def _explained(
    database: Database,
    query: Query,
    model: StaticEmbeddings,
    found: ScoredRow,
    lift: _Lift,
    cosine: float,
) -> ScoredRow:
    """Add the embedding to a score and its reasons; whether it is a weak match is told by its words alone."""
    adds = float(lift.of(np.array(cosine)))
    texts = query.text, database.texts[found.row]
    reasons = partial(_reasons, model, texts, found, lift, adds)
    return ScoredRow(found.row, found.score + adds, reasons, found.weak, found.same)


def _reasons(
    model: StaticEmbeddings, texts: tuple[str, str], found: ScoredRow, lift: _Lift, adds: float
) -> tuple[Reason, ...]:
    """Explain a score: the words as `related` has them, then the words of the text that bring its embedding near.

    The embedding of a text is the mean of those of its words: each adds its own product with the query's. What other
    words add, less what any text has, is one reason of its own.
    """
    assert callable(found.matches)
    (asked, _), (own, counts) = _pieces(texts[0]), _pieces(texts[1])
    sums, _ = model.word_vectors([*own, *asked], np.ones(len(own) + len(asked), bool))
    units = unit(sums)
    length = float(np.linalg.norm(counts @ sums[: len(own)])) or 1.0
    parts = lift.factor * counts * (sums[: len(own)] @ lift.asked) / length
    said = []
    for i in np.argsort(-np.abs(parts), kind="stable")[:_SAID].tolist():
        cosines = units[len(own) :] @ units[i]
        near = int(cosines.argmax())
        distance = float(np.sqrt(max(0.0, 2 - 2 * float(cosines[near]))))
        reason = Reason(_bare(own[i]), float(parts[i]), KIND, _bare(asked[near]), distance)
        said.append(reason)
    rest = Reason(EMBEDDING, adds - sum(reason.adds for reason in said), KIND, EMBEDDING, 0.0)
    return (*found.matches(), *said, rest)


def _pieces(text: str) -> tuple[list[str], Floats]:
    """Return the distinct pieces of a text between spaces, and how often it has each."""
    counts = Counter(text.split())
    return list(counts), np.array(list(counts.values()), np.float64)
