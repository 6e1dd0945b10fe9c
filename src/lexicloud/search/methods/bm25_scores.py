"""How ranked search scores texts: BM25 in whole numbers, the topic as a whole, and what random queries score.

impact = tf / (tf + k1 · (1 − b + b · length / mean length)), in 255 steps. Weights are whole numbers, so sums are exact
in any order: the compiled loop and the plain one, which answers the first query without waiting for a compiler, agree.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect
from functools import cached_property
from math import log, sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, idf
from lexicloud.search.candidates import candidates, ignored_words, plain
from lexicloud.search.ids import WordIds
from lexicloud.search.postings import class_lengths

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.query import Query

    Rows = NDArray[np.int32]
    Asked = tuple[Rows, NDArray[np.float64], Query]

# Tuned on fifteen labelled tasks, reported on eighteen others (docs/search-measured.md).
K1: Final = 1.5
B: Final = 0.75
TOPIC: Final = 2.0  # what a text on the very same topic gains, in units of idf
# Among fewer texts than FEW, what a compound counts in the topic, of what the commonest of its parts counts. It lends
# their vectors, and there it is as rare as a word can be, while they are not.
COMPOUND: Final = 0.5
FEW: Final = 100
STEPS: Final = 255
COMMON: Final = 16  # a term of one text in so many, or more, has the impact on every text at hand
_DENSE: Final = 16  # texts to a posting
MOST_SLOTS: Final = 256  # of these at most
# Postings whose impacts are worked out at once, in a tenth of a second; of more, each term's when it is asked for.
AT_ONCE: Final = 2**24
_LETTERS: Final = re.compile(r"[^\W\d_]+")  # the parts of a compound
WHOLE: Final = 2**22  # the sum of all weights; times STEPS it stays below 2^31


class Best(NamedTuple):
    """The best texts, best first: rows, what terms and topic add to each, and the weights that were used."""

    rows: Rows
    lexical: NDArray[np.float64]  # what the terms add up to
    topics: NDArray[np.float64]
    weights: NDArray[np.int32]  # of the terms, in whole numbers
    unit: float  # a score of 1 in these and in steps of impact


def scorer_of(database: Database) -> Plain:
    """Return the compiled scorer, except for the first query of a process that has no compiled loops loaded yet."""
    scorers = scorers_of(database)
    scorers.asked += 1
    scorer = scorers.compiled if scorers.asked > 1 or "numba" in sys.modules else scorers.plain
    # A view that is filtered shares the memory of the database that it is a view of.
    return scorer if scorer.database is database else scorer.on(database)


class Scorers:
    """The scorers of a database, each made when it is first needed, and how often they were asked for."""

    def __init__(self, database: Database) -> None:
        self.database, self.asked = database, 0

    @cached_property
    def plain(self) -> Plain:
        """The one that needs no compiled loops."""
        return Plain(self.database)

    @cached_property
    def compiled(self) -> Plain:
        """The quick one."""
        return Compiled(self.database)


@derived
def scorers_of(database: Database) -> Scorers:
    """Return the scorers of a database."""
    return Scorers(database)


class Plain:
    """Scores in NumPy, reading only what the query's terms point to."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.saturation = saturation(database)
        self.none = np.zeros(0, dtype=bool)

    def on(self, database: Database) -> Plain:
        """Return the same scorer for another view of its database."""
        other = object.__new__(type(self))
        other.__dict__ = {**self.__dict__, "database": database}
        return other

    def allowed(self, options: SearchOptions) -> NDArray[np.bool_]:
        """Return which texts may be answered with; empty: all."""
        database = self.database
        if database.eligible is None and options.shortest <= 1 and options.max_tokens is None:
            return self.none
        return candidates(database, options)

    def best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.float64], query: Query, top: int
    ) -> Best:
        """Return the `top` best texts by terms and topic, the lower row first among equals."""
        whole, unit = whole_weights(weights)
        rows, scores = self.near_the_best(options, terms, whole, top, round(TOPIC * unit) + 1)
        order = np.argsort(-scores, kind="stable")
        rows, lexical = rows[order], scores[order] / unit
        topics = self._topics(rows, lexical, query_topic(self.database, query), top)
        rows, lexical = rows[: len(topics)], lexical[: len(topics)]
        order = np.lexsort((rows, -(lexical + topics)))[:top]
        return Best(rows[order], lexical[order], topics[order], whole, unit)

    def best_of_many(self, options: SearchOptions, asked: Sequence[Asked], top: int) -> list[Best]:
        """Return the same for many queries, each given by its terms, their weights and itself."""
        return [self.best(options, terms, weights, query, top) for terms, weights, query in asked]

    def near_the_best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.int32], top: int, slack: int
    ) -> tuple[Rows, NDArray[np.int32]]:
        """Return the texts within `slack` of the `top` best, ascending, and their scores in whole numbers."""
        database, allowed = self.database, self.allowed(options)
        starts, lists = database.term_starts, []
        for term, weight in zip(terms, weights, strict=True):
            part = slice(starts[term], starts[term + 1])
            rows = np.asarray(database.term_rows[part])
            lists.append((rows, weight * self._impacts(rows, database.term_tf[part])))
        places, adds = (np.concatenate(parts) for parts in zip(*lists, strict=True))
        if len(places) * _DENSE > len(database):  # sorting takes longer than a sum for every text
            scores = np.bincount(places, adds, len(database))  # exact: below 2^53
            found = np.flatnonzero(scores > 0)
            scores = scores[found]
        else:
            found, place = np.unique(places, return_inverse=True)
            scores = np.bincount(place, adds)
        good = scores > 0
        if len(allowed):
            good &= allowed[found]
        found, scores = found[good], scores[good]
        if len(found) > top:
            good = scores >= np.partition(scores, len(scores) - top)[len(scores) - top] - slack
            found, scores = found[good], scores[good]
        return found.astype(np.int32), scores.astype(np.int32)

    def all_scores(self, terms: Rows, weights: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the score of every text in whole numbers."""
        database, starts = self.database, self.database.term_starts
        scores = np.zeros(len(database))
        for term, weight in zip(terms, weights, strict=True):
            part = slice(starts[term], starts[term + 1])
            rows = np.asarray(database.term_rows[part])
            scores[rows] += weight * self._impacts(rows, database.term_tf[part])
        return scores

    looks_at_all = True  # one query does not pay for tables that make many quick

    def spread(self, terms: Rows, weights: NDArray[np.int32]) -> float:
        """Return the standard deviation of the scores of all living texts, in whole numbers."""
        scores = self.all_scores(terms, weights)
        alive = self.database.alive
        return float((scores if alive is None else scores[alive]).std())

    def moments(self, terms: Rows, weights: NDArray[np.int32]) -> tuple[float, float]:
        """Return the sum of the scores of all living texts, and that of their squares."""
        scores = self.all_scores(terms, weights)
        scores = scores if self.database.alive is None else scores[self.database.alive]
        return float(scores.sum()), float((scores**2).sum())

    def lexical(self, rows: Rows, terms: Rows, weights: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the scores of some texts, in whole numbers."""
        if len(rows) * _DENSE > len(self.database):
            return self.all_scores(terms, weights)[rows]
        return self.impacts(rows, terms).astype(np.float64) @ weights

    def topics(self, rows: Rows, topic: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the topic adds to each of some texts."""
        return np.array([TOPIC * max(self._cosine(row, topic), 0.0) for row in rows.tolist()])

    def _impacts(self, rows: Rows, tf: NDArray[np.uint8]) -> NDArray[np.int64]:
        return self.saturation[self.database.term_lengths[rows], tf].astype(np.int64)

    def _topics(
        self, rows: Rows, lexical: NDArray[np.float64], topic: NDArray[np.float64], top: int
    ) -> NDArray[np.float64]:
        """Return what the topic adds to the first texts, given by falling lexical scores.

        It ends where not even the very same topic could bring a text among the `top` best.
        """
        found: list[float] = []
        totals: list[float] = []
        for row, score in zip(rows.tolist(), lexical.tolist(), strict=True):
            if len(totals) >= top and score + TOPIC < sorted(totals)[-top]:
                break
            found.append(TOPIC * max(self._cosine(row, topic), 0.0))
            totals.append(score + found[-1])
        return np.array(found)

    def _cosine(self, row: int, topic: NDArray[np.float64]) -> float:
        database = self.database
        part = slice(database.indptr[row], database.indptr[row + 1])
        vectors = topic_vectors(database, database.indices[part]).astype(np.float64)
        total = np.asarray(database.counts[part], np.float64) @ vectors
        length = float(np.linalg.norm(total))
        return float(total @ topic) / length if length else 0.0

    def impacts(self, rows: Rows, terms: Rows) -> NDArray[np.uint8]:
        """Return the impact of each term on each text."""
        database, starts = self.database, self.database.term_starts
        out = np.zeros((len(rows), len(terms)), np.uint8)
        for j, term in enumerate(terms):
            own = database.term_rows[starts[term] : starts[term + 1]]
            at = np.minimum(np.searchsorted(own, rows), len(own) - 1)
            tf = database.term_tf[starts[term] : starts[term + 1]][at]
            out[:, j] = np.where(own[at] == rows, self._impacts(rows, tf), 0)
        return out


class Compiled(Plain):
    """The same by compiled loops, which keep the impacts of terms once they were asked for."""

    def __init__(self, database: Database) -> None:
        from lexicloud.search.checks import require_sound
        from lexicloud.search.methods import related_numba as kernel

        require_sound(database)
        super().__init__(database)
        self.kernel: Any = kernel
        starts, rows = plain(database.term_starts, np.int64), plain(database.term_rows, np.int32)
        self.lists = (
            starts,
            rows,
            plain(database.term_tf, np.uint8),
            plain(database.term_lengths, np.uint8),
            self.saturation,
            np.empty(len(rows), np.uint8),  # impacts, of the terms that are filled in
            *_slots(starts, len(database)),
            np.zeros(len(starts) - 1, dtype=bool),
        )
        if len(rows) <= AT_ONCE:
            kernel.fill(self.lists, np.arange(len(starts) - 1, dtype=np.int32))
        vectors = topic_vectors(database, np.arange(len(database.words)))
        self.texts = (
            plain(database.indptr, np.int64),
            plain(database.indices, np.int32),
            plain(database.counts, database.counts.dtype.name),
            vectors,
            vectors.any(axis=1),
        )
        self.nowhere = np.zeros(vectors.shape[1], np.float32)
        for numbers in (database.ids, database.term_ids):
            if isinstance(numbers, WordIds):
                numbers.read_all()
        _idf_of_all(database)

    def best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.float64], query: Query, top: int
    ) -> Best:
        """Return the `top` best texts by terms and topic, the lower row first among equals."""
        asked = query.ids, query.counts, self._foreign(query), TOPIC, self.allowed(options), top
        return Best(*self.kernel.best_texts(self.lists, self.texts, terms, weights, *asked))

    def best_of_many(self, options: SearchOptions, asked: Sequence[Asked], top: int) -> list[Best]:
        """Return the same for many queries in one compiled call."""
        ends = np.cumsum([len(own) for own, _, _ in asked])
        found, lexical, topics, wholes, units = self.kernel.best_of_many(
            self.lists,
            self.texts,
            np.concatenate([own for own, _, _ in asked]),
            np.concatenate([weights for _, weights, _ in asked]),
            ends,
            np.concatenate([query.ids for _, _, query in asked]),
            np.concatenate([query.counts for _, _, query in asked]),
            np.cumsum([len(query.ids) for _, _, query in asked]),
            np.stack([self._foreign(query) for _, _, query in asked]),
            TOPIC,
            self.allowed(options),
            top,
        )
        sizes, of_each = np.count_nonzero(found >= 0, axis=1).tolist(), np.split(wholes, ends[:-1])
        return [
            Best(found[i, :size], lexical[i, :size], topics[i, :size], of_each[i], float(units[i]))
            for i, size in enumerate(sizes)
        ]

    def _foreign(self, query: Query) -> NDArray[np.float32]:
        return _foreign_topic(self.database, query) if query.unknown else self.nowhere

    def near_the_best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.int32], top: int, slack: int
    ) -> tuple[Rows, NDArray[np.int32]]:
        """Return the texts within `slack` of the `top` best, ascending, and their scores in whole numbers."""
        found: tuple[Rows, NDArray[np.int32]] = self.kernel.near_the_best(
            self.lists, terms, weights, len(self.database), self.allowed(options), top, slack
        )
        return found

    def impacts(self, rows: Rows, terms: Rows) -> NDArray[np.uint8]:
        """Return the impact of each term on each text."""
        return np.asarray(self.kernel.impacts_on(rows, self.lists, terms))

    looks_at_all = False

    def spread(self, terms: Rows, weights: NDArray[np.int32]) -> float:
        """Return the standard deviation of the scores of all living texts, in whole numbers."""
        return deviation(*self.moments(terms, weights), self.database.living)

    def moments(self, terms: Rows, weights: NDArray[np.int32]) -> tuple[float, float]:
        """Return the sum of the scores of all living texts, and that of their squares."""
        alive = self.none if self.database.alive is None else self.database.alive
        total, squares = self.kernel.moments(self.lists, terms, weights, len(self.database), alive)
        return float(total), float(squares)

    def topics(self, rows: Rows, topic: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the topic adds to each of some texts."""
        return np.asarray(self.kernel.lifts(rows, self.texts, topic.astype(np.float32), TOPIC))


def deviation(total: float, squares: float, n: int) -> float:
    """Return the standard deviation of n numbers, given their sum and that of their squares."""
    mean = total / max(n, 1)
    return sqrt(max(squares / max(n, 1) - mean * mean, 0.0))


def _slots(starts: NDArray[np.int64], texts: int) -> tuple[Rows, NDArray[np.uint8]]:
    """Give terms of at least one text in COMMON a slot (others: -1), with room for the impact on every text."""
    df = np.diff(starts)
    often = np.flatnonzero(df * COMMON >= texts)
    often = often[np.argsort(-df[often], kind="stable")[:MOST_SLOTS]]
    slots = np.full(len(df), -1, np.int32)
    slots[often] = np.arange(len(often))
    return slots, np.zeros((len(often), texts), np.uint8)  # memory that is never written to costs nothing


def whole_weights(weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], float]:
    """Return weights as whole numbers other than 0, and what a score of 1 is in them and in steps of impact."""
    scale = WHOLE / sum(np.abs(weights).tolist())  # one after the other, as the compiled loop adds them
    whole = np.rint(weights * scale).astype(np.int32)
    if not whole.all():
        whole = np.where(whole == 0, np.sign(weights), whole).astype(np.int32)
    return whole, scale * STEPS


@derived
def mean_length(database: Database) -> float:
    """Return the mean number of terms of living texts."""
    return mean_of_classes(length_classes(database))


def length_classes(database: Database) -> NDArray[np.int64]:
    """Return how many living texts are of each class of lengths."""
    classes = np.asarray(database.term_lengths)
    return np.bincount(classes if database.alive is None else classes[database.alive], minlength=256)


def mean_of_classes(classes: NDArray[np.int64]) -> float:
    """Return the mean length of texts, given how many are of each class."""
    return max(float(classes @ class_lengths()) / max(int(classes.sum()), 1), 1e-9)


def see_as_part(database: Database, df: NDArray[np.int64], classes: NDArray[np.int64]) -> None:
    """Let a database take the frequencies of terms and the mean length of its whole for its own."""
    seen = np.asarray(df, np.float64)
    rarity = np.log1p((database.n - seen + 0.5) / (seen + 0.5))
    database.memory[_idf_of_all] = np.where(seen > 0, rarity, 0.0)
    database.memory[mean_length] = mean_of_classes(classes)


def saturation(database: Database) -> NDArray[np.uint8]:
    """Return tf / (tf + k1 · (1 − b + b · length / mean length)) by length class and tf, in 255 steps."""
    tf = np.arange(256.0)
    share = tf / (tf + K1 * (1 - B + B * class_lengths()[:, None] / mean_length(database)))
    return np.rint(STEPS * share).astype(np.uint8)


def term_idf(database: Database, terms: Rows) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of terms, and 0 for those that no living text has."""
    if _idf_of_all in database.memory:
        return np.asarray(_idf_of_all(database)[terms])
    return _term_idf(database, terms)


@derived
def _idf_of_all(database: Database) -> NDArray[np.float64]:
    return _term_idf(database, np.arange(len(database.term_starts) - 1, dtype=np.int32))


def _term_idf(database: Database, terms: Rows) -> NDArray[np.float64]:
    starts = database.term_starts
    if database.alive is None:
        df = (starts[terms + 1] - starts[terms]).astype(np.float64)
    else:
        alive, rows = database.alive, database.term_rows
        df = np.array([np.count_nonzero(alive[rows[starts[t] : starts[t + 1]]]) for t in terms], float)
    return np.where(df > 0, np.log1p((database.n - df + 0.5) / (df + 0.5)), 0.0)


# ---- the topic


def topic_vectors(database: Database, words: NDArray[Any]) -> NDArray[np.float32]:
    """Return idf · refined vector of words; zeros for stop words, punctuation and words without a vector.

    Among few texts a compound counts half as much as the commonest of its parts that they have.
    """
    kept = database.embedded[words] & ~ignored_words(database)[words]
    rarity = idf(database)[words] if database.n >= FEW else _idf_of_parts(database, words, kept)
    weights = (rarity * kept).astype(np.float32)
    return np.asarray(weights[:, None] * database.refinement.apply(np.asarray(database.vectors[words])))


def _idf_of_parts(database: Database, words: NDArray[Any], kept: NDArray[np.bool_]) -> NDArray[np.float64]:
    of_all = idf(database)
    rarity = np.array(of_all[words])
    for i in np.flatnonzero(kept).tolist():
        name = database.words[int(words[i])]
        parts = [] if name.isalpha() else [database.ids.get(part, -1) for part in _LETTERS.findall(name)]
        known = [float(of_all[part]) for part in parts if part >= 0]
        if known:
            rarity[i] = COMPOUND * min(float(rarity[i]), *known)
    return rarity


def query_topic(database: Database, query: Query) -> NDArray[np.float64]:
    """Return the sum of a query's topic vectors at unit length; words that no text has count as the rarest."""
    total = query.counts.astype(np.float64) @ topic_vectors(database, query.ids)
    if query.unknown:
        total = total + _foreign_topic(database, query)
    length = sqrt(float(total @ total))
    return np.asarray(total / length if length else total, np.float64)


def _foreign_topic(database: Database, query: Query) -> NDArray[np.float32]:
    kept = query.unknown_embedded & query.unknown_content
    rarest = np.log1p((database.n + 0.5) / 0.5)
    total = rarest * (query.unknown_counts[kept] @ query.unknown_refined[kept])
    return np.asarray(total, np.float32)


# ---- weak matches
#
# A random query is a bag of terms, each drawn from another place of the texts, so that no text is about all of them.
# Its best text still matches some, by chance. The line is the share of the query's whole weight that such best texts
# exceed once in twenty times, for queries of as many terms.

SIZES: Final = (2, 3, 5, 8, 13, 21)  # terms of random queries
BAGS: Final = 60  # random queries of each size
FEWEST: Final = 100  # texts; among fewer, chance cannot be told
LEVEL: Final = 0.95


@derived
def chance_shares(database: Database) -> tuple[float, ...]:
    """Return the line for queries of each of SIZES terms; nothing for a small database."""
    if database.n < FEWEST or not len(database.term_rows):
        return ()
    bags = random_bags(database.term_starts, lambda terms: term_idf(database, terms))
    return shares_of(bags, best_of_bags(database, bags))


def random_bags(
    starts: NDArray[np.int64], rarity: Callable[[Rows], NDArray[np.float64]]
) -> list[tuple[int, Rows, NDArray[np.float64]]]:
    """Return random queries: how many terms were drawn, those that some living text has, and their idf."""
    rng, bags = np.random.default_rng(0), []
    for size in SIZES:
        for _ in range(BAGS):
            terms = _random_terms(starts, rng, size)
            weights = rarity(terms)
            if weights.any():
                bags.append((size, terms[weights > 0], weights[weights > 0]))
    return bags


def best_of_bags(
    database: Database, bags: Sequence[tuple[int, Rows, NDArray[np.float64]]]
) -> NDArray[np.float64]:
    """Return the share of its weight that the best text matches of each random query."""
    from lexicloud.search.find import SearchOptions

    scorer, options = scorer_of(database.filtered(None, None)), SearchOptions(method="related", top=1)
    best = []
    for _, terms, weights in bags:
        whole, unit = whole_weights(weights)
        _, scores = scorer.near_the_best(options, terms, whole, 1, 0)
        best.append(scores.max(initial=0) / unit / weights.sum())
    return np.array(best)


def shares_of(
    bags: Sequence[tuple[int, Rows, NDArray[np.float64]]], best: NDArray[np.float64]
) -> tuple[float, ...]:
    """Return the line for each of SIZES."""
    sizes = np.array([size for size, _, _ in bags])
    found = [best[sizes == size] for size in SIZES]
    return tuple(float(np.quantile(own, LEVEL, method="higher")) if len(own) else 0.0 for own in found)


def _random_terms(starts: NDArray[np.int64], rng: np.random.Generator, size: int) -> Rows:
    """Draw distinct terms, a term the more likely the more texts have it."""
    places = rng.integers(0, int(starts[-1]), 2 * size)
    found = np.searchsorted(starts, places, side="right") - 1
    _, first = np.unique(found, return_index=True)
    return found[np.sort(first)][:size].astype(np.int32)


def weak_line(shares: Sequence[float], weights: Sequence[float]) -> float | None:
    """Return the score that the matched terms of a text must exceed; None where chance cannot be told.

    A query of one term has no line: a text either has it or not.
    """
    if not shares or len(weights) < SIZES[0]:
        return None
    above = min(bisect(SIZES, len(weights)), len(SIZES) - 1)
    low, high = log(SIZES[above - 1]), log(SIZES[above])
    part = min((log(len(weights)) - low) / (high - low), 1.0)  # between the two sizes measured
    return (shares[above - 1] + part * (shares[above] - shares[above - 1])) * sum(weights)
