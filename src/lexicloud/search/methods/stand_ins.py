"""Words of a text that stand in for query words that it lacks: the last step of hybrid search, for its best texts.

    adds = Σ_q  NEAREST · min(√count(q) · idf(q), idf(w)) · max(0, cos(q, w) − LEAST) · impact of a word that occurs once
           over the content words q of the query that a text lacks, w the word of the text nearest to q

Cosines are those of static embeddings of single words. A word never stands in for its opposite. What is added is never
negative, so that a text behind the first DEPTH by words and embedding cannot come before them.
"""

from __future__ import annotations

from math import log1p, sqrt
from threading import Lock
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, idf
from lexicloud.search.methods.bm25_scores import STEPS
from lexicloud.search.methods.related import _bare, opposite_stems
from lexicloud.text.stems import stop_terms, terms_by
from lexicloud.vectors.static_embeddings import unit
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.methods.bm25_scores import Plain
    from lexicloud.search.methods.related import Wanted
    from lexicloud.search.query import Query
    from lexicloud.vectors.static_embeddings import StaticEmbeddings

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int32]

# Tuned on seventeen labelled tasks, reported on twenty others (docs/search-measured.md).
NEAREST: Final = 1.2
LEAST: Final = 0.3
DEPTH: Final = 30  # texts
KIND: Final = "stand-in"  # the kind of its reasons
_MET: Final = 2**14  # words whose vectors are remembered, a kB each, before it is begun anew


class _Asked(NamedTuple):
    """The content words of a query, what each is worth, and the terms by which a text has it (none: no text has)."""

    words: list[str]
    weights: Floats
    terms: list[list[int]]  # as places among the wanted terms


def reasons_of(
    scorer: Plain, query: Query, wanted: Wanted, rows: Rows, model: StaticEmbeddings
) -> list[tuple[Reason, ...]]:
    """Return, for each of some texts, the words that stand in for query words that it lacks."""
    database, asked = scorer.database, _content(scorer.database, query, wanted)
    held = [database.counted(row)[0] for row in rows.tolist()]
    words, places = np.unique(np.concatenate([np.zeros(0, np.int32), *held]), return_inverse=True)
    if not asked.words or not len(words):
        return [()] * len(rows)
    own = unit(model.word_vectors(asked.words, np.ones(len(asked.words), bool))[0]).astype(np.float64)
    # to nine digits, so that the parts of an index and different processors agree
    cosines = np.round(own @ _vectors(database).of(words, model).astype(np.float64).T, 9)
    cosines[_opposed(database, asked.words, words, cosines)] = 0
    worth = np.minimum(asked.weights[:, None], idf(database)[words]) * np.maximum(cosines - LEAST, 0)
    lacks, once = _lacks(scorer, wanted, asked, rows), _once(scorer, rows)
    ends = np.cumsum([len(some) for some in held])
    found = []
    for i, some in enumerate(np.split(places, ends[:-1])):
        best = cosines[:, some].argmax(axis=1) if len(some) else np.zeros(0, np.int64)
        found.append(
            tuple(
                Reason(
                    database.words[int(words[some[at]])],
                    float(NEAREST * worth[q, some[at]] * once[i]),
                    KIND,
                    asked.words[q],
                    sqrt(max(0.0, 2 - 2 * cosines[q, some[at]])),
                )
                for q, at in enumerate(best.tolist())
                if lacks[i, q] and worth[q, some[at]] > 0
            )
        )
    return found


def _content(database: Database, query: Query, wanted: Wanted) -> _Asked:
    """Return the content words of a query: those that texts have, then those that none has."""
    stop = stop_terms(database.rules.language)
    terms, weights = dict[str, list[int]](), dict[str, float]()
    for place, (term, weight, distance) in enumerate(
        zip(wanted.terms.tolist(), wanted.weights.tolist(), wanted.distances, strict=True)
    ):
        if not distance and database.terms[term] not in stop:
            word = _bare(wanted.words[place])
            terms.setdefault(word, []).append(place)
            weights.setdefault(word, weight)
    rarest = log1p((database.n + 0.5) / 0.5)
    for i in np.flatnonzero(query.unknown_content).tolist():
        if query.unknown[i] not in terms:
            terms[query.unknown[i]] = []
            weights[query.unknown[i]] = rarest * sqrt(query.unknown_counts[i])
    return _Asked(list(terms), np.array(list(weights.values())), list(terms.values()))


def _lacks(scorer: Plain, wanted: Wanted, asked: _Asked, rows: Rows) -> NDArray[np.bool_]:
    """Tell which texts lack which words of the query, in any form."""
    there = scorer.impacts(rows, wanted.terms) > 0
    return np.stack([~there[:, terms].any(axis=1) for terms in asked.terms], axis=1)


def _once(scorer: Plain, rows: Rows) -> Floats:
    """Return the impact that a word has on each text in which it occurs once."""
    parts = [(scorer.database.part_of(row), row) for row in rows.tolist()]
    lengths = np.array([part.segment.term_lengths[row - part.first] for part, row in parts], np.int64)
    return np.asarray(scorer.saturation[lengths, 1] / STEPS, np.float64)


def _opposed(
    database: Database, asked: Iterable[str], words: NDArray[np.int32], cosines: Floats
) -> tuple[list[int], list[int]]:
    """Return which words of texts, among those near enough to count, are opposites of which words of the query."""
    terms, pairs = terms_by(database.rules), opposite_stems(database.rules.language)
    stems = {stem for pair in pairs for stem in pair}
    found: tuple[list[int], list[int]] = [], []
    for q, word in enumerate(asked):
        for own in stems.intersection(terms[word]):
            for at in np.flatnonzero(cosines[q] > LEAST).tolist():
                if any(
                    (own, other) in pairs or (other, own) in pairs
                    for other in terms[database.words[int(words[at])]]
                ):
                    found[0].append(q)
                    found[1].append(at)
    return found


class _Vectors:
    """The static embeddings of single words of a database that were asked for so far."""

    def __init__(self, database: Database) -> None:
        # Not the database itself, which keeps this in its memory: a cycle of references would outlive it.
        self.words, self.lock = database.words, Lock()
        self.places = np.full(len(database.words), -1, np.int32)
        self.vectors = np.empty((0, 0), np.float32)
        self.count = 0

    def of(self, numbers: NDArray[np.int32], model: StaticEmbeddings) -> NDArray[np.float32]:
        """Return the vectors of distinct words at unit length."""
        with self.lock:
            new = numbers[self.places[numbers] < 0]
            if self.count + len(new) > max(_MET, len(self.vectors)) and self.count:
                self.places[:], self.count, new = -1, 0, numbers
            if len(new):
                sums, _ = model.word_vectors([self.words[int(i)] for i in new], np.ones(len(new), bool))
                self._keep(new, unit(sums))
            return self.vectors[self.places[numbers]]

    def _keep(self, numbers: NDArray[np.int32], vectors: NDArray[np.float32]) -> None:
        end = self.count + len(numbers)
        if end > len(self.vectors):
            longer = np.empty((max(end, min(2 * end, _MET)), vectors.shape[1]), np.float32)
            if self.count:
                longer[: self.count] = self.vectors[: self.count]
            self.vectors = longer
        self.vectors[self.count : end] = vectors
        self.places[numbers] = np.arange(self.count, end, dtype=np.int32)
        self.count = end


@derived
def _vectors(database: Database) -> _Vectors:
    return _Vectors(database)
