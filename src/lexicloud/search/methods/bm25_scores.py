"""How ranked search scores texts: BM25 in whole numbers, the topic as a whole, and what random queries score.

impact = tf / (tf + k1 · (1 − b + b · length / mean length)), in 255 steps. Weights are whole numbers, so that sums are
exact in any order: the plain loop, which answers until the compiled one is ready, finds the same scores.
"""

from __future__ import annotations

import re
from bisect import bisect
from functools import cached_property
from itertools import pairwise
from math import log, sqrt
from threading import Event
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.compiled import Beside
from lexicloud.errors import BrokenIndex
from lexicloud.search.arrays import NO_NUMBER, derived, idf, refined_words, rows_by_part
from lexicloud.search.candidates import candidates, ignored_words, plain
from lexicloud.search.ids import WordIds
from lexicloud.search.postings import class_lengths
from lexicloud.store.bundle import in_huge_file, let_go_of_huge, runs_of
from lexicloud.vectors.static_embeddings import compile_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Part
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.query import Query

    Rows = NDArray[np.int32]
    Floats = NDArray[np.float64]
    Asked = tuple[Rows, NDArray[np.float64], Query]

# Tuned on fifteen labelled tasks, reported on eighteen others (docs/search-measured.md).
K1: Final = 1.5
B: Final = 0.75
TOPIC: Final = 2.0  # what a text on exactly the same topic gains, in units of idf
# Among fewer than FEW texts, the weight of a compound in the topic, as a share of the weight of its commonest part. A
# compound has the vectors of its parts, but in few texts it looks rarer than they do.
COMPOUND: Final = 0.5
FEW: Final = 100
STEPS: Final = 255
# What the topic adds is rounded to 1 / LIFTS: vectors of single precision differ by 1e-7 between processors.
LIFTS: Final = 10_000
# A term that at least one text in so many has gets a slot: an array of its impact on every text.
COMMON: Final = 16
_DENSE: Final = 16  # with fewer texts than this per posting, scores of all texts are summed in one array
MOST_SLOTS: Final = 256
# Up to so many postings (256 MiB) all impacts are computed at once, in a second or two; of more, when a term is asked
# for, which makes its first query take twice as long.
AT_ONCE: Final = 2**28
_FILLED: Final = 2**23  # of them, so many are computed before the pages of a huge file are let go of
_LETTERS: Final = re.compile(r"[^\W\d_]+")  # the parts of a compound
WHOLE: Final = 2**22  # the sum of all weights; times STEPS it stays below 2^31


class Best(NamedTuple):
    """The best texts, best first: rows, what terms and topic add to each, and the weights that were used."""

    rows: Rows
    lexical: NDArray[np.float64]  # what the terms add up to
    topics: NDArray[np.float64]
    weights: NDArray[np.int32]  # of the terms, in whole numbers
    unit: float  # a score of 1, in whole weights times steps of impact


_LOADED: Final = Event()  # set once this process has run every compiled loop


def scorer_of(database: Database, *, wait: bool = False) -> Plain:
    """Return the compiled scorer if it is ready, and otherwise the plain one, so that no query waits for a compiler.

    `wait` for the compiled one before a great many queries.
    """
    scorers = scorers_of(database)
    if not (wait or scorers.beside.ready or _LOADED.is_set()):
        scorers.beside.after(len(database))
    ready = wait or scorers.beside.ready or _LOADED.is_set()
    scorer = scorers.compiled if ready else scorers.plain
    # A view that is filtered shares the memory of the database that it is a view of.
    return scorer if scorer.database is database else scorer.on(database)


def loaded_loop(name: str) -> Any:
    """Return a compiled loop of hybrid search by its name once all are loaded; otherwise None."""
    if not _LOADED.is_set():
        return None
    from lexicloud.search.methods import hybrid_numba

    return getattr(hybrid_numba, name)


class Scorers:
    """The scorers of a database, each made when it is first needed."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.beside = Beside(self.steps, "lexicloud.search.methods.related_numba")

    def steps(self) -> Iterator[None]:
        """Run every compiled loop once, on the arrays that queries will run it on."""
        from lexicloud.search.methods.ball import compile_nearest

        scorer = Compiled(self.database)
        yield
        compile_nearest(self.database)
        yield
        if scorer.loops and len(self.database.terms):
            yield from scorer.tried()
        if self.database.kept_embeddings[1] == np.int8:
            compile_loop()
            yield
        self.__dict__["compiled"] = scorer
        _LOADED.set()

    @cached_property
    def plain(self) -> Plain:
        """The scorer in NumPy."""
        return Plain(self.database)

    @cached_property
    def compiled(self) -> Plain:
        """The scorer with compiled loops."""
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
        """Return which texts an answer may hold; empty: all."""
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
        """Return the `best` of many queries, each given as (terms, weights, query)."""
        return [self.best(options, terms, weights, query, top) for terms, weights, query in asked]

    def near_the_best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.int32], top: int, slack: int
    ) -> tuple[Rows, NDArray[np.int32]]:
        """Return the texts within `slack` of the `top` best, ascending, and their scores in whole numbers."""
        database, allowed = self.database, self.allowed(options)
        lists = [(np.zeros(0, np.int32), np.zeros(0, np.int64))]
        for part, rows, tf, weight in self._lists(terms, weights):
            lists.append((rows + part.first, weight * self._impacts(part, rows, tf)))
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
        scores = np.zeros(len(self.database))
        for part, rows, tf, weight in self._lists(terms, weights):
            scores[rows + part.first] += weight * self._impacts(part, rows, tf)
        return scores

    def _lists(
        self, terms: Rows, weights: NDArray[np.int32]
    ) -> Iterator[tuple[Part, Rows, NDArray[np.uint8], int]]:
        """Yield the postings of terms in each part, with the terms' weights."""
        for part in self.database.parts:
            segment = part.segment
            for term, weight in zip(part.own_terms(terms).tolist(), weights.tolist(), strict=True):
                if term >= 0:
                    some = slice(segment.term_starts[term], segment.term_starts[term + 1])
                    yield part, np.asarray(segment.term_rows[some]), segment.term_tf[some], weight

    def spread(self, terms: Rows, weights: NDArray[np.int32]) -> float:
        """Return the standard deviation of the scores of all living texts, as if terms occurred independently."""
        return deviation(self.moments(terms), weights, self.database.living)

    def moments(self, terms: Rows) -> Floats:
        """Return, for each term, the sum of its impacts on all living texts and the sum of their squares."""
        alive, out = self.database.alive, np.zeros((len(terms), 2))
        for j in range(len(terms)):
            for part, rows, tf, _ in self._lists(terms[j : j + 1], np.ones(1, np.int32)):
                impacts = self._impacts(part, rows, tf)
                impacts = impacts if alive is None else impacts[part.of_rows(alive)[rows]]
                out[j] += impacts.sum(), (impacts * impacts).sum()
        return out

    def lexical(self, rows: Rows, terms: Rows, weights: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the scores of some texts, in whole numbers."""
        if len(rows) * _DENSE > len(self.database):
            return self.all_scores(terms, weights)[rows]
        return self.impacts(rows, terms).astype(np.float64) @ weights

    def best_and(
        self,
        options: SearchOptions,
        terms: Rows,
        weights: NDArray[np.int32],
        top: int,
        also: Rows,
        least: int,
    ) -> tuple[Rows, NDArray[np.float64]]:
        """Return the `top` best texts with at least a score (of equally good ones the first) and `also`, ascending.

        It returns their scores, too.
        """
        rows, scores = self.near_the_best(options, terms, weights, top, 0)
        kept = scores >= least
        return _joined(rows[kept], scores[kept], also, self.lexical(also, terms, weights), top)

    def topics(self, rows: Rows, topic: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the topic adds to each of some texts."""
        cosines = np.zeros(len(rows))
        for part, places in rows_by_part(self.database.parts, rows):
            cosines[places] = self._cosines(part, rows[places] - part.first, topic)
        if not np.isfinite(cosines).all():
            raise BrokenIndex(NO_NUMBER)
        # Rounded, so that equally near texts get the same on every processor.
        return np.minimum(TOPIC, np.round(TOPIC * np.maximum(cosines, 0.0) * LIFTS) / LIFTS)

    def _impacts(self, part: Part, rows: Rows, tf: NDArray[np.uint8]) -> NDArray[np.int64]:
        return self.saturation[part.segment.term_lengths[rows], tf].astype(np.int64)

    def _topics(
        self, rows: Rows, lexical: NDArray[np.float64], topic: NDArray[np.float64], top: int
    ) -> NDArray[np.float64]:
        """Return what the topic adds to the first texts, given in the order of falling lexical scores.

        It ends where even exactly the same topic could not bring a text among the `top` best.
        """
        some = min(len(rows), 4 * top)
        found = self.topics(rows[:some], topic)
        while some < len(rows):
            least = np.partition(lexical[:some] + found, some - top)[some - top] - TOPIC
            more = slice(some, int(np.searchsorted(-lexical, -least, side="right")))
            if more.stop <= some:
                break
            found = np.concatenate([found, self.topics(rows[more], topic)])
            some = len(found)
        return found

    def _cosines(self, part: Part, rows: Rows, topic: NDArray[np.float64]) -> Floats:
        """Return the cosine between the topic and the sum of the words' vectors of each text, 0 without words."""
        segment = part.segment
        starts = segment.indptr[rows].astype(np.int64)
        sizes = segment.indptr[rows + 1].astype(np.int64) - starts
        firsts = np.cumsum(sizes) - sizes
        places = np.arange(int(sizes.sum())) + np.repeat(starts - firsts, sizes)
        own, of_each = np.unique(segment.indices[places], return_inverse=True)
        vectors = topic_vectors(self.database, own if part.words is None else part.words[own])
        some, cosines = np.flatnonzero(sizes), np.zeros(len(rows))
        if len(some):
            weighed = segment.counts[places, None] * vectors.astype(np.float64)[of_each]
            totals = np.add.reduceat(weighed, firsts[some], axis=0)
            lengths = np.sqrt(np.einsum("ij,ij->i", totals, totals))
            cosines[some] = totals @ topic / np.where(lengths > 0, lengths, 1.0)
        return cosines

    def impacts(self, rows: Rows, terms: Rows) -> NDArray[np.uint8]:
        """Return the impact of each term on each text."""
        out = np.zeros((len(rows), len(terms)), np.uint8)
        for part, places in rows_by_part(self.database.parts, rows):
            segment, own_rows = part.segment, rows[places] - part.first
            for j, term in enumerate(part.own_terms(terms).tolist()):
                own = segment.term_rows[segment.term_starts[term] : segment.term_starts[term + 1]]
                if term < 0 or not len(own):
                    continue
                at = np.minimum(np.searchsorted(own, own_rows), len(own) - 1)
                tf = segment.term_tf[segment.term_starts[term] : segment.term_starts[term + 1]][at]
                out[places, j] = np.where(own[at] == own_rows, self._impacts(part, own_rows, tf), 0)
        return out


def _joined(
    rows: Rows, scores: NDArray[Any], also: Rows, more: NDArray[Any], top: int
) -> tuple[Rows, NDArray[np.float64]]:
    """Join the best rows, of which 2 · top count at most, and others, each once, ascending, with their scores."""
    if len(rows) > 2 * top:
        kept = np.sort(np.argsort(-scores, kind="stable")[: 2 * top])
        rows, scores = rows[kept], scores[kept]
    both, values = np.concatenate([rows, also]), np.concatenate([scores, more])
    order = np.argsort(both, kind="stable")
    both, values = both[order], values[order]
    first = np.append(True, both[1:] != both[:-1])[: len(both)]
    return both[first].astype(np.int32), values[first].astype(np.float64)


def deviation(moments: Floats, weights: NDArray[np.int32], texts: int) -> float:
    """Return the standard deviation of a weighted sum of impacts, given the sums of `moments`.

    Terms are taken to occur independently of each other, so that the moments of a term serve all queries.
    """
    means, squares = moments.T / max(texts, 1)
    variances = np.maximum(squares - means**2, 0.0)
    return sqrt(float(np.asarray(weights, np.float64) ** 2 @ variances))


class _Loops:
    """A part as the compiled loops take it."""

    def __init__(self, database: Database, part: Part, table: NDArray[np.uint8], kernel: Any) -> None:
        segment = part.segment
        self.part, terms = part, len(segment.terms)
        starts, rows = plain(segment.term_starts, np.int64), plain(segment.term_rows, np.int32)
        self.lists = (
            starts,
            rows,
            plain(segment.term_tf, np.uint8),
            plain(segment.term_lengths, np.uint8),
            table,
            np.empty(len(rows), np.uint8),  # impacts, of the terms that are filled
            *_slots(starts, len(segment)),
            np.zeros(terms, dtype=bool),  # which terms are filled
        )
        if len(rows) <= AT_ONCE:
            self._fill(kernel, np.asarray(starts))
        words = np.arange(len(database.words)) if part.words is None else part.words
        self.texts = (
            plain(segment.indptr, np.int64),
            plain(segment.indices, np.int32),
            plain(segment.counts, segment.counts.dtype.name),
            refined_words(segment, database.refinement),
            topic_weights(database, words),
        )
        self.alive = np.zeros(0, bool) if database.alive is None else part.of_rows(database.alive)
        # the sums of impacts and of their squares over living texts; -1 for terms that were never asked for
        self.moments = np.full((terms, 2), -1, np.int64)

    def _fill(self, kernel: Any, starts: NDArray[np.int64]) -> None:
        """Compute the impacts of all terms, of some at a time."""
        cuts = np.searchsorted(starts, np.arange(0, int(starts[-1]) + _FILLED, _FILLED))
        for first, last in pairwise(cuts.tolist()):
            kernel.fill(self.lists, np.arange(first, min(last, len(starts) - 1), dtype=np.int32))
            let_go_of_huge(self.part.segment.read_here_and_there)

    @cached_property
    def in_huge_file(self) -> bool:
        """Whether the words of single texts are better read than mapped."""
        return in_huge_file(self.part.segment.indices)

    def of_texts(self, rows: Rows) -> tuple[Rows, tuple[NDArray[Any], ...]]:
        """Return the numbers of some texts among `texts`, and these; of a huge file the words of these texts alone."""
        if not self.in_huge_file:
            return rows, self.texts
        begins, _, counts, vectors, weights = self.texts
        starts, ends = begins[rows].astype(np.int64), begins[rows + 1].astype(np.int64)
        words = plain(runs_of(self.part.segment.indices, starts, ends), np.int32)
        own = np.append(0, np.cumsum(ends - starts))
        counts = counts[np.arange(len(words)) + np.repeat(starts - own[:-1], ends - starts)]
        texts = plain(own, begins.dtype.name), words, plain(counts, counts.dtype.name), vectors, weights
        return np.arange(len(rows), dtype=np.int32), texts


class Compiled(Plain):
    """Scores by compiled loops, which keep the impacts of each term that was asked for."""

    def __init__(self, database: Database) -> None:
        from lexicloud.search.checks import require_sound
        from lexicloud.search.methods import hybrid_numba
        from lexicloud.search.methods import related_numba as kernel

        for part in database.parts:
            require_sound(part.segment)
        super().__init__(database)
        self.kernel: Any = kernel
        self.hybrid: Any = hybrid_numba
        self.loops = [_Loops(database, part, self.saturation, kernel) for part in database.parts]
        # With one segment that has the word and term numbers of the database, the loops take a query as it is.
        self.numbered_alike = len(self.loops) == 1 and database.parts[0].words is None
        self.alone: _Loops | None = self.loops[0] if self.numbered_alike else None
        self.nowhere = np.zeros(database.dimension, np.float32)
        for part in database.parts:
            for numbers in (part.segment.word_ids, part.segment.term_ids):
                if isinstance(numbers, WordIds):
                    numbers.read_all()
        _idf_of_all(database)

    def best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.float64], query: Query, top: int
    ) -> Best:
        """Return the `top` best texts by terms and topic, the lower row first among equals."""
        if any(own.in_huge_file for own in self.loops):
            return super().best(options, terms, weights, query, top)
        allowed = self.allowed(options)
        if self.numbered_alike:
            lists, texts = self.loops[0].lists, self.loops[0].texts
            asked = query.ids, query.counts, self.foreign(query), TOPIC, allowed, top
            return Best(*self.kernel.best_texts(lists, texts, terms, weights, *asked))
        topic, found, floor = self._topic(query), list[Best](), 0.0
        for own in self.loops:
            some = own.part.own_terms(terms), weights, topic, TOPIC, self._of_part(own, allowed), top, floor
            rows, *rest = self.kernel.best_on_topic(own.lists, own.texts, *some)
            found.append(Best(rows + np.int32(own.part.first), *rest))
            totals = np.concatenate([best.lexical + best.topics for best in found])
            if len(totals) >= top:
                floor = float(np.partition(totals, len(totals) - top)[len(totals) - top])
        rows, lexical, topics = (np.concatenate([b[i] for b in found]) for i in range(3))
        order = np.lexsort((rows, -(lexical + topics)))[:top]
        return Best(rows[order], lexical[order], topics[order], found[0].weights, found[0].unit)

    def tried(self) -> Iterator[None]:
        """Run every loop that a query runs once, so that all of them get compiled."""
        from lexicloud.search.find import SearchOptions
        from lexicloud.search.query import Query

        options, none, one = (
            SearchOptions(method="related", top=1),
            np.zeros(0, np.int32),
            np.zeros(1, np.int32),
        )
        self.near_the_best(options, one, np.ones(1, np.int32), 1, 0)
        yield
        self.best(options, one, np.ones(1), Query("", (), none, none), 1)
        yield
        self.impacts(one, one)
        self.moments(one)
        yield
        self.topics(one, np.ones(self.database.dimension))
        yield
        signs, table = plain(np.zeros((1, 4)), np.uint64), plain(np.zeros((1, 4)), np.int8)
        self.hybrid.signs_apart(signs, signs[0].copy())
        near = self.hybrid.near_signs(signs, signs[0].copy(), self.none, np.zeros(257, np.int64), 256, 1)[0]
        yield
        self.hybrid.byte_cosines(near, table, np.ones(4))
        found, lift = (near, near, 2), (np.ones(4), 0.0, 1.0, 0.0)
        query = (1.0, none, none, self.nowhere, TOPIC)
        self.hybrid.best_of_both(found, found[:2], self.loops[0].texts, table, query, lift, 1)
        yield

    def _of_part(self, own: _Loops, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        return own.part.of_rows(allowed) if len(allowed) else self.none

    def _topic(self, query: Query) -> NDArray[np.float32]:
        """Return the query's topic at unit length, computed as in the compiled loop."""
        database = self.database
        vectors = database.refinement.apply(database.vectors_of(query.ids))
        numbers = np.arange(len(query.ids), dtype=np.int32)
        return np.asarray(
            self.kernel.topic_of(
                numbers, query.counts, vectors, topic_weights(database, query.ids), self.foreign(query)
            )
        )

    def best_of_many(self, options: SearchOptions, asked: Sequence[Asked], top: int) -> list[Best]:
        """Return the `best` of many queries, in one compiled call."""
        if not self.numbered_alike or self.loops[0].in_huge_file:
            return super().best_of_many(options, asked, top)
        ends = np.cumsum([len(own) for own, _, _ in asked])
        found, lexical, topics, wholes, units = self.kernel.best_of_many(
            self.loops[0].lists,
            self.loops[0].texts,
            np.concatenate([own for own, _, _ in asked]),
            np.concatenate([weights for _, weights, _ in asked]),
            ends,
            np.concatenate([query.ids for _, _, query in asked]),
            np.concatenate([query.counts for _, _, query in asked]),
            np.cumsum([len(query.ids) for _, _, query in asked]),
            np.stack([self.foreign(query) for _, _, query in asked]),
            TOPIC,
            self.allowed(options),
            top,
        )
        sizes, of_each = np.count_nonzero(found >= 0, axis=1).tolist(), np.split(wholes, ends[:-1])
        return [
            Best(found[i, :size], lexical[i, :size], topics[i, :size], of_each[i], float(units[i]))
            for i, size in enumerate(sizes)
        ]

    def foreign(self, query: Query) -> NDArray[np.float32]:
        """Return the sum of the topic vectors of a query's words that no text has."""
        return _foreign_topic(self.database, query) if query.unknown else self.nowhere

    def near_the_best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.int32], top: int, slack: int
    ) -> tuple[Rows, NDArray[np.int32]]:
        """Return the texts within `slack` of the `top` best, ascending, and their scores in whole numbers."""
        return self.near_the_best_and(options, terms, weights, top, slack, 0, np.zeros(0, np.int32))[:2]

    def near_the_best_and(
        self,
        options: SearchOptions,
        terms: Rows,
        weights: NDArray[np.int32],
        top: int,
        slack: int,
        least: int,
        also: Rows,
    ) -> tuple[Rows, NDArray[np.int32], NDArray[np.int32]]:
        """Return those of them with at least a score, and the scores of the texts `also`, in the order of their rows.

        What the best of the segments so far score is what a text of the next one must come near to.
        """
        allowed = self.allowed(options)
        found, last = [], np.searchsorted(also, [own.part.first for own in self.loops[1:]]).tolist()
        for own, more in zip(self.loops, np.split(also, last), strict=True):
            some = own.part.own_terms(terms), weights, len(own.part), self._of_part(own, allowed), top, slack
            first = np.int32(own.part.first)
            rows, scores, of_also = self.kernel.near_the_best(own.lists, *some, least, more - first)
            found.append((rows + first, scores, of_also))
            if len(self.loops) > 1:
                every = np.concatenate([scores for _, scores, _ in found])
                if len(every) > top:
                    least = max(least, int(np.partition(every, len(every) - top)[len(every) - top]) - slack)
        if len(found) == 1:
            return found[0]
        rows, scores, of_also = (np.concatenate(parts) for parts in zip(*found, strict=True))
        good = scores >= least
        return rows[good], scores[good], of_also

    def best_and(
        self,
        options: SearchOptions,
        terms: Rows,
        weights: NDArray[np.int32],
        top: int,
        also: Rows,
        least: int,
    ) -> tuple[Rows, NDArray[np.float64]]:
        """Return the `top` best texts with at least a score (of equally good ones the first) and `also`, ascending.

        It returns their scores, too.
        """
        rows, scores, of_also = self.near_the_best_and(options, terms, weights, top, 0, least, also)
        return _joined(rows, scores, also, of_also, top)

    def impacts(self, rows: Rows, terms: Rows) -> NDArray[np.uint8]:
        """Return the impact of each term on each text."""
        out = np.zeros((len(rows), len(terms)), np.uint8)
        for own, places in self._by_part(rows):
            some = (rows[places] - own.part.first).astype(np.int32)
            out[places] = self.kernel.impacts_on(some, own.lists, own.part.own_terms(terms))
        return out

    def _by_part(self, rows: Rows) -> list[tuple[_Loops, NDArray[np.int64]]]:
        loops = {id(own.part): own for own in self.loops}
        return [(loops[id(part)], places) for part, places in rows_by_part(self.database.parts, rows)]

    def moments(self, terms: Rows) -> Floats:
        """Return, for each term, the sum of its impacts on all living texts and the sum of their squares."""
        out = np.zeros((len(terms), 2))
        for own in self.loops:
            out += self.kernel.moments(own.lists, own.part.own_terms(terms), own.alive, own.moments)
        return out

    def topics(self, rows: Rows, topic: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the topic adds to each of some texts."""
        out, wanted = np.zeros(len(rows)), topic.astype(np.float32)
        for own, places in self._by_part(rows):
            some, texts = own.of_texts((rows[places] - own.part.first).astype(np.int32))
            out[places] = self.kernel.lifts(some, texts, wanted, TOPIC)
        return out


def _slots(starts: NDArray[np.int64], texts: int) -> tuple[Rows, NDArray[np.uint8]]:
    """Give a slot to terms that one text in COMMON has or more (others: -1), with room for the impact on each text."""
    df = np.diff(starts)
    often = np.flatnonzero(df * COMMON >= texts)
    often = often[np.argsort(-df[often], kind="stable")[:MOST_SLOTS]]
    slots = np.full(len(df), -1, np.int32)
    slots[often] = np.arange(len(often))
    return slots, np.zeros((len(often), texts), np.uint8)  # memory that is never written to costs nothing


def whole_weights(weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], float]:
    """Return weights as whole numbers, none of them 0, and the unit: a score of 1 in them times STEPS."""
    scale = WHOLE / sum(np.abs(weights).tolist())  # summed one by one, as the compiled loop does
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
    counts = np.zeros(256, np.int64)
    for part in database.parts:
        classes = np.asarray(part.segment.term_lengths)
        living = classes if database.alive is None else classes[part.of_rows(database.alive)]
        counts += np.bincount(living, minlength=256)
    return counts


def mean_of_classes(classes: NDArray[np.int64]) -> float:
    """Return the mean length of texts, given how many are of each class."""
    return max(float(classes @ class_lengths()) / max(int(classes.sum()), 1), 1e-9)


def see_as_part(database: Database, df: NDArray[np.int64], classes: NDArray[np.int64]) -> None:
    """Give a database the frequencies of terms and the mean length of the whole index that it is one part of."""
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
    return _term_idf(database, np.arange(len(database.terms), dtype=np.int32))


def _term_idf(database: Database, terms: Rows) -> NDArray[np.float64]:
    df = np.zeros(len(terms))
    for part in database.parts:
        own, segment = part.own_terms(terms), part.segment
        there, starts = own >= 0, segment.term_starts
        if database.alive is None:
            df[there] += starts[own[there] + 1] - starts[own[there]]
            continue
        alive, rows = part.of_rows(database.alive), segment.term_rows
        df[there] += [np.count_nonzero(alive[rows[starts[t] : starts[t + 1]]]) for t in own[there]]
    return np.where(df > 0, np.log1p((database.n - df + 0.5) / (df + 0.5)), 0.0)


# ---- the topic


def topic_vectors(database: Database, words: NDArray[Any]) -> NDArray[np.float32]:
    """Return idf · refined vector of words; zeros for stop words, punctuation and words without a vector."""
    weights = topic_weights(database, words)
    return np.asarray(weights[:, None] * database.refinement.apply(database.vectors_of(words)))


def topic_weights(database: Database, words: NDArray[Any]) -> NDArray[np.float32]:
    """Return the idf of words; 0 for stop words, punctuation and words without a vector.

    Among few texts a compound counts half as much as the commonest of its parts that some text has.
    """
    kept = database.embedded[words] & ~ignored_words(database)[words]
    rarity = idf(database)[words] if database.n >= FEW else _idf_of_parts(database, words, kept)
    return np.asarray((rarity * kept).astype(np.float32))


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
# exceed once in ten times, for queries of as many terms; what the embedding speaks for as well need only exceed the
# median. Both levels were chosen on seven collections, to call a find right no more than once in twenty times where
# nothing answers the query (docs/search-measured.md).

SIZES: Final = (2, 3, 5, 8, 13, 21)  # terms of random queries
BAGS: Final = 60  # random queries of each size
# Texts; among fewer, all random queries take less than the second that loading loops takes.
MANY: Final = 1_000_000
FEWEST: Final = 100  # texts; among fewer, chance cannot be told
LEVELS: Final = (0.9, 0.5)


@derived
def chance_shares(database: Database) -> tuple[float, ...]:
    """Return the lines for queries of each of SIZES terms, by LEVELS; nothing for a small database."""
    if database.n < FEWEST or not database.term_starts[-1]:
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
    """Return, for each random query, the share of its weight that its best text matches."""
    from lexicloud.search.find import SearchOptions

    scorer = scorer_of(database.filtered(None, None), wait=len(database) > MANY)
    options, best = SearchOptions(method="related", top=1), []
    for _, terms, weights in bags:
        whole, unit = whole_weights(weights)
        _, scores = scorer.near_the_best(options, terms, whole, 1, 0)
        best.append(scores.max(initial=0) / unit / weights.sum())
    return np.array(best)


def shares_of(
    bags: Sequence[tuple[int, Rows, NDArray[np.float64]]], best: NDArray[np.float64]
) -> tuple[float, ...]:
    """Return the line for each of SIZES, for the first of LEVELS and then for the second."""
    sizes = np.array([size for size, _, _ in bags])
    found = [best[sizes == size] for size in SIZES]
    return tuple(
        float(np.quantile(own, level, method="higher")) if len(own) else 0.0
        for level in LEVELS
        for own in found
    )


def _random_terms(starts: NDArray[np.int64], rng: np.random.Generator, size: int) -> Rows:
    """Draw distinct terms; the more texts have a term, the likelier it is."""
    places = rng.integers(0, int(starts[-1]), 2 * size)
    found = np.searchsorted(starts, places, side="right") - 1
    _, first = np.unique(found, return_index=True)
    return found[np.sort(first)][:size].astype(np.int32)


class Lines(NamedTuple):
    """The scores by words that a text must exceed: to be no weak match, and to be none if its embedding is near."""

    sure: float
    likely: float


def weak_lines(shares: Sequence[float], weights: Sequence[float]) -> Lines | None:
    """Return the lines for a query whose terms have some weights; None where chance cannot be told.

    A query of one term has no line: a text either has it or not.
    """
    if not shares or len(weights) < SIZES[0]:
        return None
    above = min(bisect(SIZES, len(weights)), len(SIZES) - 1)
    low, high = log(SIZES[above - 1]), log(SIZES[above])
    part = min((log(len(weights)) - low) / (high - low), 1.0)  # between the two sizes measured
    sure, likely = shares[: len(SIZES)], shares[-len(SIZES) :]
    both = [own[above - 1] + part * (own[above] - own[above - 1]) for own in (sure, likely)]
    return Lines(*(share * sum(weights) for share in both))
