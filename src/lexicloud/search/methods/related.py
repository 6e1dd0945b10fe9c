"""Ranked search (`mode="related"`): BM25 over terms, stand-ins for words that no text has, and the topic as a whole.

    score =  Σ_t √count(t) · idf(t) · impact(t)        over the query's terms t (stems, compounds whole and in parts)
          +  Σ_w √count(w) · STAND_IN · cos(w, n) · idf(n) · impact(n)      over the query's words w that no text has
                                                       (among few texts, also rare ones), n the nearest words
                                                       that there are, with cos ≥ NEAR
          +  TOPIC · max(0, cosine of the idf-weighted sums of word vectors)

impact = tf / (tf + k1 · (1 − b + b · length / mean length)), in 255 steps. Only texts that share a term or a
stand-in with the query are ranked. Weights are whole numbers, so sums are exact in any order: the compiled loop and the
plain one, which answers the first query without waiting for a compiler, agree. The topic can lift a text by TOPIC at
most, so it is computed for those texts alone that are no further than that from the best.
"""

from __future__ import annotations

import sys
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.search.candidates import Hit, candidates, ignored_words, is_copy, plain
from lexicloud.search.counts import class_lengths
from lexicloud.search.methods.ball import BallTable, idf
from lexicloud.search.suggestion import Match
from lexicloud.text.stems import MARKS, stop_terms, terms_by

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lexicloud.search.options import SearchOptions
    from lexicloud.search.query import Database, Query
    from lexicloud.text.stems import Terms

    Rows = NDArray[np.int32]

# Tuned on fifteen labelled tasks, reported on eighteen others (docs/search.md).
K1: Final = 1.5
B: Final = 0.75
TOPIC: Final = 2.0  # what a text on the very same topic gains, in units of idf
STAND_IN: Final = 0.4
NEAR: Final = 0.5
STAND_INS: Final = 5  # a word
# Among few texts hardly two use the same word, and stop words are rare by chance: there the nearest words of rare
# words, which one text has or whose idf is at least this share of the highest, stand in too, and stop words count half.
SMALL: Final = 1_000
RARE: Final = 0.6
STOP: Final = 0.5
STEPS: Final = 255
WHOLE: Final = 2**22  # the sum of all weights; times STEPS it stays below 2^31
ALL_WORDS: Final = "(all words)"  # what reasons call the topic
# A query of fewer words may well be the whole of a title; of so many, it was asked from the text that is the same.
_ASKED_FROM: Final = 5


class Wanted(NamedTuple):
    """What a query looks for: terms of the database, what each is worth, and the words that led to them."""

    terms: Rows
    weights: NDArray[np.float64]
    names: list[str]  # of the terms
    words: list[str]
    distances: list[float]  # 0 for the query's own terms


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the texts with the highest scores, best first, the lower row first among equals."""
    wanted = wanted_terms(database, query)
    if not len(wanted.terms):
        return []
    scorer = scorer_of(database)
    spare = 2
    while True:
        rows, topics = _best(scorer, query, options, wanted, options.top + spare)
        finds = finds_among(database, query, options, rows)[: options.top]
        if len(finds) == options.top or len(rows) < options.top + spare:
            break
        spare *= 8  # more copies than expected
    rows, topics = [rows[i] for i in finds], [topics[i] for i in finds]
    return list(hits(scorer, wanted, rows, topics, _weak_below(database, wanted)))


def _best(
    scorer: Plain, query: Query, options: SearchOptions, wanted: Wanted, top: int
) -> tuple[list[int], list[float]]:
    """Return the `top` best rows, best first, and what the topic adds to each."""
    whole, unit = whole_weights(wanted.weights)
    rows, scores = scorer.near_the_best(options, wanted.terms, whole, top, round(TOPIC * unit) + 1)
    order = np.argsort(-scores, kind="stable")
    rows, lexical = rows[order], scores[order] / unit
    topics = scorer.topics(rows, lexical, query, top)
    rows, totals = rows[: len(topics)], lexical[: len(topics)] + topics
    order = np.lexsort((rows, -totals))[:top]
    return rows[order].tolist(), topics[order].tolist()


def _weak_below(database: Database, wanted: Wanted) -> float | None:
    """Return what the terms of a text must add up to so that it is no weak match."""
    from lexicloud.search.chance import chance_shares, weak_line

    if database.chance is None and "chance" not in database.cache:
        database.cache["chance"] = chance_shares(database)
    return weak_line(database.cache["chance"] if database.chance is None else database.chance, wanted)


def whole_weights(weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], float]:
    """Return weights as whole numbers, and what a score of 1 is in them and in steps of impact."""
    scale = WHOLE / float(weights.sum())
    return np.maximum(np.rint(weights * scale), 1).astype(np.int32), scale * STEPS


def finds_among(database: Database, query: Query, options: SearchOptions, rows: list[int]) -> list[int]:
    """Return the places of the rows that are finds: all but the one that is the query itself (or near copies of it).

    Where several texts are the query, none can be told to be the one it was asked from, and all are kept.
    """
    edits = options.near_copy
    if edits is not None and edits != 1:
        return [i for i, row in enumerate(rows) if not is_copy(database.texts[row], query.text, edits)]
    if edits is None and len(query.tokens) < _ASKED_FROM:
        return list(range(len(rows)))
    length = len(query.tokens)  # of the same text, spares decoding most others
    same = {
        i
        for i, row in enumerate(rows)
        if database.lengths[row] == length and database.texts[row] == query.text
    }
    return [i for i in range(len(rows)) if len(same) != 1 or i not in same]


# ---- what to look for


def wanted_terms(database: Database, query: Query) -> Wanted:
    """Return the query's terms that the database has, and what stands in for words that it has not."""
    terms = terms_by(database.rules)
    counts: dict[str, int] = {}
    words: dict[str, str] = {}
    for run in query.text.split():
        for term in terms[run]:
            counts[term] = counts.get(term, 0) + 1
            words.setdefault(term, run)
    get = database.term_ids.get
    numbers = {term: number for term in counts if (number := get(term, -1)) >= 0}
    ids = np.fromiter(numbers.values(), np.int32, len(numbers))
    weights = np.sqrt([counts[term] for term in numbers]) * term_idf(database, ids)
    if database.n < SMALL:
        stop = stop_terms(database.rules.language)
        weights *= [STOP if term in stop else 1.0 for term in numbers]
    said = [_bare(words[term]) for term in numbers]
    own = _living(Wanted(ids, weights, list(numbers), said, [0.0] * len(numbers)))
    return _with_stand_ins(database, query, own) if query.unknown or database.n < SMALL else own


def _living(wanted: Wanted) -> Wanted:
    """Leave out terms that no living text has; their weight is 0."""
    if wanted.weights.all():
        return wanted
    keep = np.flatnonzero(wanted.weights)
    names, words = ([values[i] for i in keep] for values in (wanted.names, wanted.words))
    distances = [wanted.distances[i] for i in keep]
    return Wanted(wanted.terms[keep], wanted.weights[keep], names, words, distances)


def _bare(run: str) -> str:
    """Return a run as a word: lower case, without the marks around it."""
    return run.strip(MARKS).lower() or run


def term_idf(database: Database, terms: Rows) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of terms, and 0 for those that no living text has."""
    starts = database.term_starts
    if database.alive is None:
        df = (starts[terms + 1] - starts[terms]).astype(np.float64)
    else:
        alive, rows = database.alive, database.term_rows
        df = np.array([np.count_nonzero(alive[rows[starts[t] : starts[t + 1]]]) for t in terms], float)
    return np.where(df > 0, np.log1p((database.n - df + 0.5) / (df + 0.5)), 0.0)


def _with_stand_ins(database: Database, query: Query, own: Wanted) -> Wanted:
    """Add the nearest words of query words that no text has; a word of several such words keeps its highest weight."""
    terms, ignored = terms_by(database.rules), ignored_words(database)
    found: dict[int, tuple[float, str, float]] = {}
    for source, count, near, far in _neighbours(database, query, own):
        for word, distance in zip(near[:STAND_INS].tolist(), far[:STAND_INS].tolist(), strict=True):
            cosine = 1 - distance**2 / 2  # refined vectors have unit length
            if word < 0 or cosine < NEAR or ignored[word]:
                continue
            term = next((database.term_ids.get(t, -1) for t in terms[database.words[word]]), -1)
            worth = STAND_IN * cosine * sqrt(count)
            if term >= 0 and worth > found.get(term, (0.0,))[0]:
                found[term] = (worth, source, distance)
    return _joined(database, own, found)


def _neighbours(
    database: Database, query: Query, own: Wanted
) -> Iterator[tuple[str, int, NDArray[np.int32], NDArray[np.float32]]]:
    """Yield query words that need stand-ins, how often they are said, their nearest words, and how far these are."""
    terms = terms_by(database.rules)
    there = set(own.names)
    lost = [
        i
        for i in np.flatnonzero(query.unknown_embedded & query.unknown_content)
        if there.isdisjoint(terms[query.unknown[i]])
    ]
    if lost:
        table = BallTable.of(database, STAND_INS, refined=True)
        for i, near, far in zip(lost, *table.nearest(query.unknown_refined[lost]), strict=True):
            yield query.unknown[i], int(query.unknown_counts[i]), near, far
    if database.n < SMALL:
        rare = idf(database)[query.ids] >= RARE * np.log1p((database.n + 0.5) / 0.5)
        known = np.flatnonzero((rare | (database.df[query.ids] == 1)) & database.content[query.ids])
        if len(known):
            words = query.ids[known]
            table = BallTable.of(database, STAND_INS, refined=True)
            table.fill(words)
            for i, word in zip(known, words, strict=True):
                yield database.words[word], int(query.counts[i]), table.ids[word], table.distances[word]


def _joined(database: Database, own: Wanted, found: dict[int, tuple[float, str, float]]) -> Wanted:
    taken = set(own.terms.tolist())
    more = [(term, *rest) for term, rest in found.items() if term not in taken]
    if not more:
        return own
    ids = np.array([term for term, *_ in more], np.int32)
    weights = np.array([worth for _, worth, *_ in more]) * term_idf(database, ids)
    return _living(
        Wanted(
            np.concatenate([own.terms, ids]),
            np.concatenate([own.weights, weights]),
            [*own.names, *(database.terms[term] for term, *_ in more)],
            [*own.words, *(word for _, _, word, _ in more)],
            [*own.distances, *(distance for *_, distance in more)],
        )
    )


# ---- scoring


def scorer_of(database: Database) -> Plain:
    """Return the compiled scorer, except for the first query of a process that has no compiled loops loaded yet."""
    asked = database.cache["asked"] = database.cache.get("asked", 0) + 1
    kind = Compiled if asked > 1 or "numba" in sys.modules else Plain
    if kind.__name__ not in database.cache:
        database.cache[kind.__name__] = kind(database)
    scorer: Plain = database.cache[kind.__name__]
    # A view that is filtered shares the cache of the database that it is a view of.
    return scorer if scorer.database is database else scorer.on(database)


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
        found, place = np.unique(np.concatenate([rows for rows, _ in lists]), return_inverse=True)
        scores = np.bincount(place, np.concatenate([adds for _, adds in lists]))  # exact: below 2^53
        good = scores > 0
        if len(allowed):
            good &= allowed[found]
        found, scores = found[good].astype(np.int32), scores[good]
        if len(found) > top:
            good = scores >= np.partition(scores, len(scores) - top)[len(scores) - top] - slack
            found, scores = found[good], scores[good]
        return found, scores.astype(np.int32)

    def all_scores(self, terms: Rows, weights: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the score of every text in whole numbers."""
        database, starts = self.database, self.database.term_starts
        scores = np.zeros(len(database))
        for term, weight in zip(terms, weights, strict=True):
            part = slice(starts[term], starts[term + 1])
            rows = np.asarray(database.term_rows[part])
            scores[rows] += weight * self._impacts(rows, database.term_tf[part])
        return scores

    def _impacts(self, rows: Rows, tf: NDArray[np.uint8]) -> NDArray[np.int64]:
        return self.saturation[self.database.term_lengths[rows], tf].astype(np.int64)

    def topics(self, rows: Rows, lexical: NDArray[np.float64], query: Query, top: int) -> NDArray[np.float64]:
        """Return what the topic adds to the first texts, given by falling lexical scores.

        It ends where not even the very same topic could bring a text among the `top` best.
        """
        topic = query_topic(self.database, query)
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

    def impacts(self, rows: list[int], terms: Rows) -> NDArray[np.uint8]:
        """Return the impact of each term on each text."""
        database, starts = self.database, self.database.term_starts
        out = np.zeros((len(rows), len(terms)), np.uint8)
        for j, term in enumerate(terms):
            own = database.term_rows[starts[term] : starts[term + 1]]
            at = np.minimum(np.searchsorted(own, rows), len(own) - 1)
            tf = database.term_tf[starts[term] : starts[term + 1]][at]
            out[:, j] = np.where(own[at] == rows, self._impacts(np.asarray(rows), tf), 0)
        return out


class Compiled(Plain):
    """The same by compiled loops, which keep the impacts of terms once they were asked for."""

    def __init__(self, database: Database) -> None:
        from lexicloud.search.methods import related_numba as kernel
        from lexicloud.search.soundness import require_sound

        require_sound(database)
        super().__init__(database)
        self.kernel: Any = kernel
        self.starts, self.rows = plain(database.term_starts, np.int64), plain(database.term_rows, np.int32)
        self.tf, self.classes = plain(database.term_tf, np.uint8), plain(database.term_lengths, np.uint8)
        self.kept = np.empty(len(self.rows), np.uint8)
        self.filled = np.zeros(len(self.starts) - 1, dtype=bool)
        self.texts = (
            plain(database.indptr, np.int64),
            plain(database.indices, np.int32),
            plain(database.counts, np.uint16),
        )
        self.vectors = topic_vectors(database, np.arange(len(database.words)))

    def near_the_best(
        self, options: SearchOptions, terms: Rows, weights: NDArray[np.int32], top: int, slack: int
    ) -> tuple[Rows, NDArray[np.int32]]:
        """Return the texts within `slack` of the `top` best, ascending, and their scores in whole numbers."""
        lists = self._filled(terms)
        found: tuple[Rows, NDArray[np.int32]] = self.kernel.rank(
            *lists, terms, weights, len(self.classes), self.allowed(options), top, slack
        )
        return found

    def _filled(self, terms: Rows) -> tuple[NDArray[np.int64], Rows, NDArray[np.uint8]]:
        """Return where postings begin, their rows, and their impacts, which those of these terms now have."""
        lists = self.starts, self.rows
        self.kernel.fill_impacts(
            *lists, self.tf, terms, self.classes, self.saturation, self.kept, self.filled
        )
        return *lists, self.kept

    def topics(self, rows: Rows, lexical: NDArray[np.float64], query: Query, top: int) -> NDArray[np.float64]:
        """Return what the topic adds to the first texts, given by falling lexical scores."""
        topic = query_topic(self.database, query, self.vectors[query.ids])
        return np.asarray(self.kernel.topics(rows, lexical, *self.texts, self.vectors, topic, top, TOPIC))

    def impacts(self, rows: list[int], terms: Rows) -> NDArray[np.uint8]:
        """Return the impact of each term on each text."""
        return np.asarray(self.kernel.impacts_on(np.array(rows, np.int32), *self._filled(terms), terms))


def saturation(database: Database) -> NDArray[np.uint8]:
    """Return tf / (tf + k1 · (1 − b + b · length / mean length)) by length class and tf, in 255 steps."""
    classes = np.asarray(database.term_lengths)
    living = classes if database.alive is None else classes[database.alive]
    lengths = class_lengths()
    mean = max(float(np.bincount(living, minlength=256) @ lengths) / max(len(living), 1), 1e-9)
    tf = np.arange(256.0)
    share = tf / (tf + K1 * (1 - B + B * lengths[:, None] / mean))
    return np.rint(STEPS * share).astype(np.uint8)


# ---- the topic


def topic_vectors(database: Database, words: NDArray[Any]) -> NDArray[np.float32]:
    """Return idf · refined vector of words; zeros for stop words, punctuation and words without a vector."""
    kept = database.embedded[words] & ~ignored_words(database)[words]
    weights = (idf(database)[words] * kept).astype(np.float32)
    return np.asarray(weights[:, None] * database.refinement.apply(np.asarray(database.vectors[words])))


def query_topic(database: Database, query: Query, vectors: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """Return the sum of a query's topic vectors at unit length; words that no text has count as the rarest."""
    own = topic_vectors(database, query.ids) if vectors is None else vectors
    total = query.counts @ own.astype(np.float64)
    kept = query.unknown_embedded & query.unknown_content
    if kept.any():
        rarest = np.log1p((database.n + 0.5) / 0.5)
        total = total + rarest * (query.unknown_counts[kept] @ query.unknown_refined[kept])
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length else total, np.float64)


# ---- reasons


def hits(
    scorer: Plain,
    wanted: Wanted,
    rows: list[int],
    topics: Sequence[float] | None = None,
    weak_below: float | None = None,
) -> Iterator[Hit]:
    """Explain the score of each row: what every term adds, the strongest first, then the topic."""
    whole, unit = whole_weights(wanted.weights) if len(wanted.terms) else (np.zeros(0, np.int32), 1.0)
    adds = scorer.impacts(rows, wanted.terms) * (whole / unit)
    names = wanted.names
    for row, topic, parts in zip(rows, topics or [0.0] * len(rows), adds.tolist(), strict=True):
        order = sorted((-part, i) for i, part in enumerate(parts) if part)
        own = [names[i] for _, i in order]
        said = ["" if wanted.distances[i] else wanted.words[i] for _, i in order]
        words = _words_of(scorer.database, row, own, said)
        matches = [
            Match(wanted.words[i], words.get(names[i], names[i]), wanted.distances[i], -minus)
            for minus, i in order
        ]
        lexical = sum(match.weight for match in matches)
        if topic > 0:
            matches.append(Match(ALL_WORDS, ALL_WORDS, 1 - topic / TOPIC, topic))
        weak = None if weak_below is None else lexical <= weak_below
        yield Hit(row, lexical + topic, tuple(matches), weak)


def _words_of(database: Database, row: int, names: list[str], said: list[str]) -> dict[str, str]:
    """Return the first word of a text for each of some terms that it has; `said` are the query's own forms."""
    terms, text = terms_by(database.rules), database.texts[row]
    folded, words = text.lower(), dict[str, str]()
    for name, word in zip(names, said, strict=True):
        if word and _has_word(folded, word):
            words[name] = word
            continue
        # Most other forms begin with their stem: the one run where it stands tells, and no other need be looked at.
        at = folded.find(name)
        found = _bare(_run_at(folded, at)) if at >= 0 else ""
        if found != name and terms.stem(found) != name:
            return _words_of_all(terms, text, names)
        words[name] = found
    return words


def _has_word(text: str, word: str) -> bool:
    """Tell whether a text has a word with no letter or digit on either side of where it first stands."""
    at = text.find(word)
    end = at + len(word)
    return at >= 0 and not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum()


def _run_at(text: str, at: int) -> str:
    """Return the run of non-space characters around a place."""
    start = end = at
    while start and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[start:end]


def _words_of_all(terms: Terms, text: str, names: list[str]) -> dict[str, str]:
    """Return the same by looking at every run."""
    wanted, words = set(names), dict[str, str]()
    for run in text.split():
        for term in terms[run]:
            if term in wanted and term not in words:
                words[term] = _bare(run)
    return words
