"""Words of a text that stand in for query words that it lacks: the last step of hybrid search, for its best texts.

    adds = Σ_q  NEAREST · min(√count(q) · idf(q), idf(w)) · max(0, cos(q, w) − LEAST) · impact of a single occurrence
           over the content words q of the query that a text lacks, w the word of the text that adds most

Where the query is a question and the texts are sentences of documents, the sentence before one lends it its words: an
answer often says *he* where the sentence before says who. It adds for each word of the query that only that one has

           LENT · √count(q) · idf(q) · impact of a single occurrence in that sentence,   if this is more

Cosines are those of static embeddings of single words, in whole numbers: their products are exact in any order. A word
never stands in for its opposite. What is added is never negative, so that a text behind the first DEPTH by words and
embedding cannot come before them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count
from math import log1p, sqrt
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, idf, rows_by_part
from lexicloud.search.filters import MISSING
from lexicloud.search.items import DOCUMENT
from lexicloud.search.methods.answers import answers, is_question
from lexicloud.search.methods.bm25_scores import STEPS
from lexicloud.search.methods.related import _bare, opposite_stems
from lexicloud.text.stems import stop_terms, terms_by
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.candidates import ScoredRow
    from lexicloud.search.methods.bm25_scores import Plain
    from lexicloud.search.methods.related import Wanted
    from lexicloud.search.query import Query
    from lexicloud.vectors.static_embeddings import StaticEmbeddings

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int32]

# Tuned on seventeen labelled tasks, reported on twenty others (docs/search-measured.md).
NEAREST: Final = 1.2
LEAST: Final = 0.3
DEPTH: Final = 20  # texts
MOST: Final = 32  # words of a query, those of the greatest weight
# Tuned on half of the questions of benchmarks/truth/answers.py, reported on the others.
LENT: Final = 1.0
BEFORE: Final = "(sentence before)"  # the word of the reason for what that lends
KIND: Final = "stand-in"  # the kind of its reasons
_MET: Final = 2**14  # words whose vectors are remembered, a kB each, before it is begun anew


class _Asked(NamedTuple):
    """The content words of a query, what each is worth, and the terms by which a text has it (none: no text has)."""

    words: list[str]
    weights: Floats
    terms: list[list[int]]  # as places among the wanted terms


@dataclass(frozen=True, eq=False)
class StandIns:
    """What stands in for the words of a query in some texts."""

    database: Database
    asked: list[str]
    words: Rows  # distinct words of all texts
    cosines: Floats  # of the query's words with them
    worth: Floats  # what they add to a text where a word has the highest impact
    places: list[NDArray[np.int64]]  # the words of each text, as places among all
    shares: Floats  # for each text and word of the query, the share of `worth` that it adds
    lent: Floats  # for each text and word of the query, what the sentence before adds
    answers: list[tuple[Reason, ...]]  # what may answer the question, in each text

    @cached_property
    def adds(self) -> Floats:
        """Return what stand-ins add to each text."""
        sizes = np.array([len(some) for some in self.places])
        if not len(self.worth):
            return np.zeros(len(sizes))
        best = np.zeros(self.shares.shape)
        if sizes.any():
            of_texts = self.worth[:, np.concatenate(self.places)]
            starts = (np.cumsum(sizes) - sizes)[sizes > 0]
            best[sizes > 0] = np.maximum.reduceat(of_texts, starts, axis=1).T
        added = np.cumsum(np.maximum(best * self.shares, self.lent), axis=1)[:, -1]
        if any(self.answers):
            added += [sum(reason.adds for reason in some) for some in self.answers]
        return added

    def explained(self, found: ScoredRow, text: int) -> ScoredRow:
        """Add to the score of a text, and to its reasons."""
        if text >= len(self.places):
            return found
        added = float(self.adds[text])
        return found._replace(score=found.score + added, matches=lambda: (*_told(found), *self.reasons(text)))

    def reasons(self, text: int) -> tuple[Reason, ...]:
        """Explain what stand-ins add to a text."""
        some, share = self.places[text], self.shares[text]
        if not len(some):
            return self.answers[text]
        best = self.worth[:, some].argmax(axis=1)
        adds = self.worth[np.arange(len(best)), some[best]] * share
        lent = self.lent[text]
        own = [
            Reason(BEFORE, float(lent[q]), KIND, self.asked[q], 0.0)
            if lent[q] > adds[q]
            else self._reason(q, int(some[best[q]]), float(adds[q]))
            for q in np.flatnonzero(np.maximum(adds, lent)).tolist()
        ]
        return (*own, *self.answers[text])

    def _reason(self, q: int, place: int, adds: float) -> Reason:
        distance = sqrt(max(0.0, 2 - 2 * float(self.cosines[q, place])))
        return Reason(self.database.words[int(self.words[place])], adds, KIND, self.asked[q], distance)


def _told(found: ScoredRow) -> tuple[Reason, ...]:
    return found.matches() if callable(found.matches) else found.matches


def stand_ins(
    scorer: Plain, query: Query, wanted: Wanted, rows: Rows, model: StaticEmbeddings, spread: float
) -> StandIns:
    """Return what stands in, in some texts, for query words that they lack, and what may answer a question there.

    `spread` is that of the words' scores over all texts.
    """
    database, asked = scorer.database, _content(scorer.database, query, wanted)
    if not (len(rows) and asked.words):
        none = np.zeros((0, 0))
        return StandIns(database, [], np.zeros(0, np.int32), none, none, [], none, none, [])
    held = _words_in(database, rows)
    numbers = [database.ids.get(word, -1) for word in asked.words]
    foreign = [word for word, number in zip(asked.words, numbers, strict=True) if number < 0]
    known = np.array([number for number in numbers if number >= 0], np.int32)
    words, places = np.unique(np.concatenate([*held, known]), return_inverse=True)
    vectors, all_lengths = _vectors(database).of(words, foreign, model)
    others, their_lengths = vectors[: len(words)], all_lengths[: len(words)]
    at, after = iter(places[len(places) - len(known) :].tolist()), count(len(words))
    mine = [next(at if number >= 0 else after) for number in numbers]
    own, lengths = vectors[mine], all_lengths[mine]
    # not BLAS, whose second thread would take longer to wake than this takes
    products = np.einsum("ij,kj->ik", own, others).astype(np.float64)
    cosines = products / (lengths[:, None] * their_lengths)
    cosines[_opposed(database, asked.words, words, cosines)] = 0
    worth = (
        NEAREST * np.minimum(asked.weights[:, None], idf(database)[words]) * np.maximum(cosines - LEAST, 0)
    )
    lacks = _lacks(scorer, wanted, asked, rows)
    shares = lacks * _once(scorer, rows)[:, None]
    lent = _lent(scorer, wanted, asked, rows, lacks) if is_question(query.text) else np.zeros(lacks.shape)
    of_each = np.split(places, np.cumsum([len(some) for some in held]))[:-1]
    said: list[tuple[Reason, ...]] = [()] * len(rows)
    if is_question(query.text):  # texts are read for a question alone
        said = answers(query.text, (database.texts[row] for row in rows.tolist()), spread)
    return StandIns(database, asked.words, words, cosines, worth, of_each, shares, lent, said)


def _words_in(database: Database, rows: Rows) -> list[Rows]:
    """Return the distinct words of each text."""
    if len(database.parts) > 1:
        return [database.counted(row)[0] for row in rows.tolist()]
    segment = database.parts[0].segment
    words, own = np.asarray(segment.indices), database.parts[0].words
    spans = zip(segment.indptr[rows].tolist(), segment.indptr[rows + 1].tolist(), strict=True)
    return [words[a:b] if own is None else own[words[a:b]] for a, b in spans]


def _content(database: Database, query: Query, wanted: Wanted) -> _Asked:
    """Return the content words of a query, those of the greatest weight if they are many."""
    stop = stop_terms(database.rules.language)
    terms, weights = dict[str, list[int]](), dict[str, float]()
    all_terms = zip(wanted.terms.tolist(), wanted.weights.tolist(), wanted.distances, strict=True)
    for place, (term, weight, distance) in enumerate(all_terms):
        if not distance and database.terms[term] not in stop:
            word = _bare(wanted.words[place])
            terms.setdefault(word, []).append(place)
            weights.setdefault(word, weight)
    rarest = log1p((database.n + 0.5) / 0.5)
    for i in np.flatnonzero(query.unknown_content).tolist():
        if query.unknown[i] not in terms:
            terms[query.unknown[i]] = []
            weights[query.unknown[i]] = rarest * sqrt(query.unknown_counts[i])
    chosen = sorted(weights, key=lambda word: -weights[word])[:MOST]
    return _Asked(chosen, np.array([weights[word] for word in chosen]), [terms[word] for word in chosen])


def _lacks(scorer: Plain, wanted: Wanted, asked: _Asked, rows: Rows) -> NDArray[np.bool_]:
    """Tell which texts lack which words of the query, in any form."""
    lacks = np.ones((len(rows), len(asked.terms)), bool)
    there = scorer.impacts(rows, wanted.terms) > 0
    for q, terms in enumerate(asked.terms):
        for term in terms:
            lacks[:, q] &= ~there[:, term]
    return lacks


def _lent(scorer: Plain, wanted: Wanted, asked: _Asked, rows: Rows, lacks: NDArray[np.bool_]) -> Floats:
    """Return what the sentence before each text adds for each word of the query that the text lacks and it has."""
    before, lent = _before(scorer.database, rows), np.zeros(lacks.shape)
    there = before >= 0
    if there.any():
        some = before[there]
        has = lacks[there] & ~_lacks(scorer, wanted, asked, some)
        lent[there] = LENT * asked.weights * has * _once(scorer, some)[:, None]
    return lent


def _before(database: Database, rows: Rows) -> Rows:
    """Return the sentence before each text in its document, -1 where there is none."""
    found = np.full(len(rows), -1, np.int32)
    for i, row in enumerate(rows.tolist()):
        part = database.part_of(row)
        column, own = part.segment.columns.get(DOCUMENT), row - part.first
        there = column is not None and own > 0 and column.codes[own] == column.codes[own - 1] != MISSING
        if there and (database.alive is None or database.alive[row - 1]):
            found[i] = row - 1
    return found


def _once(scorer: Plain, rows: Rows) -> Floats:
    """Return the impact that a word has on each text in which it occurs once."""
    lengths = np.empty(len(rows), np.int64)
    for part, places in rows_by_part(scorer.database.parts, rows):
        lengths[places] = part.segment.term_lengths[rows[places] - part.first]
    return np.asarray(scorer.saturation[lengths, 1] / STEPS, np.float64)


@cache
def _opposites(language: str) -> dict[str, set[str]]:
    """Return the opposites of stems."""
    found: dict[str, set[str]] = {}
    for pair in opposite_stems(language):
        for stem, other in (pair, pair[::-1]):
            found.setdefault(stem, set()).add(other)
    return found


def _opposed(
    database: Database, asked: list[str], words: Rows, cosines: Floats
) -> tuple[list[int], list[int]]:
    """Return which words of texts, among those near enough to count, are opposites of which words of the query."""
    terms, opposites = terms_by(database.rules), _opposites(database.rules.language)
    found: tuple[list[int], list[int]] = [], []
    for q, word in enumerate(asked):
        against = set[str]().union(*[opposites.get(stem, ()) for stem in terms[word]])
        near = np.flatnonzero(cosines[q] > LEAST).tolist() if against else ()
        for place in near:
            if not against.isdisjoint(terms[database.words[int(words[place])]]):
                found[0].append(q)
                found[1].append(place)
    return found


def _whole(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], Floats]:
    """Return directions in whole numbers, and the lengths of the rows."""
    longest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    rows = np.rint(vectors * (127 / longest)).astype(np.float32)
    return rows, np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64)), 1.0)


class _Vectors:
    """The static embeddings of single words of a database that were asked for so far."""

    def __init__(self, database: Database) -> None:
        # Not the database itself, which keeps this in its memory: a cycle of references would outlive it.
        self.words, self.lock = database.words, Lock()
        self.places = np.full(len(database.words), -1, np.int32)
        self.vectors, self.lengths = np.empty((0, 0), np.float32), np.empty(0)
        self.count = 0

    def of(
        self, numbers: Rows, foreign: list[str], model: StaticEmbeddings
    ) -> tuple[NDArray[np.float32], Floats]:
        """Return the vectors of distinct words in whole numbers, then those of foreign words, and their lengths."""
        with self.lock:
            new = numbers[self.places[numbers] < 0]
            if self.count + len(new) > max(_MET, len(self.vectors)) and self.count:
                self.places[:], self.count, new = -1, 0, numbers
            names = [*(self.words[int(i)] for i in new), *foreign]
            if names:
                vectors, lengths = _whole(model.word_vectors(names, np.ones(len(names), bool))[0])
                self._keep(new, vectors[: len(new)], lengths[: len(new)])
            places = self.places[numbers]
            found, long = self.vectors[places], self.lengths[places]
        if not foreign:
            return found, long
        return np.concatenate([found, vectors[len(new) :]]), np.concatenate([long, lengths[len(new) :]])

    def _keep(self, numbers: Rows, vectors: NDArray[np.float32], lengths: Floats) -> None:
        end = self.count + len(numbers)
        if end > len(self.vectors) or not self.count:
            longer = np.empty((max(end, min(2 * end, _MET)), vectors.shape[1]), np.float32)
            more = np.empty(len(longer))
            if self.count:
                longer[: self.count], more[: self.count] = (
                    self.vectors[: self.count],
                    self.lengths[: self.count],
                )
            self.vectors, self.lengths = longer, more
        self.vectors[self.count : end], self.lengths[self.count : end] = vectors, lengths
        self.places[numbers] = np.arange(self.count, end, dtype=np.int32)
        self.count = end


@derived
def _vectors(database: Database) -> _Vectors:
    return _Vectors(database)
