"""Ranked search (`mode="related"`): BM25 over terms, stand-ins for words that no text has, and the topic as a whole.

    score =  Σ_t √count(t) · idf(t) · impact(t)        over the query's terms t (stems, compounds whole and in parts)
          +  Σ_w √count(w) · STAND_IN · cos(w, n) · idf(n) · impact(n)      over the query's words w that no text has
                                                       (among few texts, also rare ones), n the nearest words
                                                       that there are, with cos ≥ NEAR
          −  Σ_t OPPOSITE · min(1, SHORT / mean length) · (min(√count(t) · idf(t), idf(o)) + TOPIC) · impact(o)
                                                       over opposites o of t that are not in the query: their
                                                       vectors are near, so what they add to the topic is taken back
          +  TOPIC · max(0, cosine of the idf-weighted sums of word vectors)

Only texts that share a term or a stand-in with the query are ranked. `bm25_scores` scores them; reasons are worked out
when somebody asks for them.
"""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files
from math import inf, log1p, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, idf, rows_by_part
from lexicloud.search.candidates import ScoredRow, ignored_words, is_copy
from lexicloud.search.items import match
from lexicloud.search.methods.ball import NearestWords
from lexicloud.search.methods.bm25_scores import TOPIC, chance_shares, mean_length, scorer_of, term_idf
from lexicloud.search.methods.bm25_scores import weak_lines as lines_of
from lexicloud.search.query import NEXT, known_by_form, runs_of, synonym_terms
from lexicloud.text.stems import MARKS, stemmer, stop_terms, terms_by
from lexicloud.text.tokens import has_unspaced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.methods.bm25_scores import Best, Lines, Plain
    from lexicloud.search.query import Query
    from lexicloud.text.stems import Terms
    from lexicloud.words.reason import Reason

    Rows = NDArray[np.int32]
    Worth = tuple[float, str, float]  # what a term is worth, the word that led to it, and how far away it is

STAND_IN: Final = 0.4
NEAR: Final = 0.5
STAND_INS: Final = 5  # of one word
# What an opposite of a query word costs a text: the vectors of *accelerates* and *slows* are near each other.
OPPOSITE: Final = 0.35
SHORT: Final = 10  # terms; longer texts often say both, and there the opposite costs less
# The distance that reasons give to opposites: that of unit vectors in opposite directions.
_APART: Final = 2.0
# Among few texts hardly two use the same word, and stop words are rare by chance: there the nearest words of rare
# words, which one text has or whose idf is at least this share of the highest, stand in too, and stop words count half.
_MET: Final = 2**14  # words whose stand-ins are remembered, before it is begun anew
SMALL: Final = 1_000
RARE: Final = 0.6
STOP: Final = 0.5
ALL_WORDS: Final = "(overall meaning)"  # the word of the reason for the topic
_FEW: Final = 8  # more queries than this at once wait for the compiled loops
_SPARE: Final = 2  # texts asked for beyond the `top`, in case some are the query itself


class Wanted(NamedTuple):
    """What a query looks for: terms of the database, what each is worth, and the words that led to them."""

    terms: Rows
    weights: NDArray[np.float64]
    words: list[str]  # as the query has them
    distances: list[float]  # 0 for the query's own terms


def search(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Return the texts with the highest scores, best first, the lower row first among equals."""
    wanted = wanted_terms(database, query)
    return _search(database, query, options, wanted, _SPARE) if len(wanted.terms) else []


def search_many(
    database: Database, queries: Sequence[Query], options: SearchOptions
) -> list[list[ScoredRow]]:
    """Answer many queries in one call of the compiled loops, during which other threads can work."""
    wanted = [wanted_terms(database, query) for query in queries]
    scorer, top = scorer_of(database, wait=len(queries) > _FEW), options.top + _SPARE
    asked = [(w.terms, w.weights, query) for w, query in zip(wanted, queries, strict=True) if len(w.terms)]
    found = iter(scorer.best_of_many(options, asked, top) if asked else ())
    return [
        _finds(scorer, query, options, own, next(found), top) if len(own.terms) else []
        for query, own in zip(queries, wanted, strict=True)
    ]


def _search(
    database: Database, query: Query, options: SearchOptions, wanted: Wanted, spare: int
) -> list[ScoredRow]:
    scorer, top = scorer_of(database), options.top + spare
    best = scorer.best(options, wanted.terms, wanted.weights, query, top)
    return _finds(scorer, query, options, wanted, best, top)


def _finds(
    scorer: Plain, query: Query, options: SearchOptions, wanted: Wanted, best: Best, asked: int
) -> list[ScoredRow]:
    """Return the finds among the best texts; where too many of these are copies of the query, search for more."""
    database = scorer.database
    rows = best.rows.tolist()
    those = same_texts(database, query, rows)
    places = finds_among(database, query, options, rows, those)[: options.top]
    if len(places) < options.top and len(best.rows) == asked:
        return _search(database, query, options, wanted, 8 * (asked - options.top))
    return scored_rows(scorer, query, wanted, best, places, those, weak_below(database, query, wanted))


def scored_rows(
    scorer: Plain,
    query: Query,
    wanted: Wanted,
    best: Best,
    places: list[int],
    those: set[int],
    lines: Lines | None = None,
) -> list[ScoredRow]:
    """Return the scores of the texts at some places, and a way to explain each; `those` are exactly the query."""
    found = []
    rows, lexical, topics = best.rows.tolist(), best.lexical.tolist(), best.topics.tolist()
    low = [] if lines is None else [rows[i] for i in places if lexical[i] <= lines.sure]
    weak_rows = set(low) - _having_all(scorer, query, wanted, low)
    for i in places:
        weak = None if lines is None else rows[i] in weak_rows
        reasons = partial(_reasons, scorer, wanted, best, i)
        same = rows[i] in those
        found.append(ScoredRow(rows[i], lexical[i] + topics[i], reasons, weak and not same, same))
    return found


def _having_all(scorer: Plain, query: Query, wanted: Wanted, rows: list[int]) -> set[int]:
    """Return the texts that have every content word of the query, in any form: such a text is never a weak match."""
    if not rows:
        return set()
    if query.unknown and bool((query.unknown_content & ~known_by_form(scorer.database, query)).any()):
        return set()
    stop = stop_terms(scorer.database.rules.language)
    own = [
        term
        for term, distance in zip(wanted.terms.tolist(), wanted.distances, strict=True)
        if not distance and scorer.database.terms[term] not in stop
    ]
    if not own:
        return set()
    looked_at = np.sort(np.array(rows, np.int32))
    impacts = scorer.impacts(looked_at, np.array(own, np.int32))
    return set(looked_at[np.all(impacts, axis=1)].tolist())


def weak_below(database: Database, query: Query, wanted: Wanted) -> Lines | None:
    """Return what the terms of a text must add up to so that it is no weak match."""
    shares = chance_shares(database) if database.chance is None else database.chance
    pairs = zip(wanted.weights.tolist(), wanted.distances, strict=True)
    # A synonym adds nothing to what the query asks for.
    own = [weight for weight, distance in pairs if weight > 0 and distance != NEXT]
    if query.unknown:  # words that no text has, as they are written, count as the rarest
        own += [log1p((database.n + 0.5) / 0.5)] * int(np.count_nonzero(query.unknown_content))
    return lines_of(shares, own)


def finds_among(
    database: Database, query: Query, options: SearchOptions, rows: list[int], those: set[int]
) -> list[int]:
    """Return the places of the rows that are finds; `those` texts, which are exactly the query, come first.

    With `near_copy`, texts that are fewer edits away from the query are left out.
    """
    if options.near_copy:
        edits = options.near_copy
        return [i for i, row in enumerate(rows) if not is_copy(database.texts[row], query.text, edits)]
    same = [i for i, row in enumerate(rows) if row in those]
    return [*same, *(i for i in range(len(rows)) if i not in same)] if same else list(range(len(rows)))


def same_texts(database: Database, query: Query, rows: list[int]) -> set[int]:
    """Return the rows whose text is exactly the query; the hashes are compared first, which spares decoding most."""
    asked, same, wanted = np.array(rows, np.int64), set[int](), np.uint64(query.digest)
    if len(database.parts) == 1:
        alike = (database.parts[0].segment.digests[asked] == wanted).tolist()
        return {r for r, like in zip(rows, alike, strict=True) if like and database.texts[r] == query.text}
    for part, places in rows_by_part(database.parts, asked):
        hashes = part.segment.digests[asked[places] - part.first]
        same.update(asked[places[hashes == wanted]].tolist())
    return {row for row in same if database.texts[row] == query.text}


# ---- what to look for


def wanted_terms(database: Database, query: Query) -> Wanted:
    """Return the query's terms that the database has, and stand-ins, opposites and synonyms."""
    runs = runs_of(database)
    counts: dict[int, int] = {}
    said: dict[int, str] = {}
    for run in query.text.split():
        for term in runs[run].terms:
            counts[term] = counts.get(term, 0) + 1
            if term not in said:  # Chinese has no spaces between words: there name the word, not the run
                said[term] = database.terms[term] if has_unspaced(run) else run
    ids = np.array(list(counts), np.int32)
    weights = term_idf(database, ids).tolist()
    if sum(counts.values()) > len(counts):
        weights = [sqrt(n) * weight for n, weight in zip(counts.values(), weights, strict=True)]
    if database.n < SMALL:
        stop = stop_terms(database.rules.language)
        weights = [
            STOP * weight if database.terms[term] in stop else weight
            for term, weight in zip(counts, weights, strict=True)
        ]
    words = list(said.values())
    more = _opposites(database, query, counts, weights, words)
    if query.unknown or database.n < SMALL:
        more |= _stand_ins(database, query, counts)
    if query.synonyms:
        more |= synonym_terms(
            database, query.synonyms, counts, lambda own, term: term_idf(own, np.array([term]))[0]
        )
    if not more:
        return Wanted(ids, np.array(weights), words, [0.0] * len(ids))
    worth, sources, distances = zip(*more.values(), strict=True)
    terms = np.array([*counts, *more], np.int32)
    return Wanted(terms, np.array([*weights, *worth]), [*words, *sources], [0.0] * len(ids) + [*distances])


def _bare(run: str) -> str:
    """Return a run of characters as a word: in lower case, without the punctuation around it."""
    return run.strip(MARKS).lower() or run


def _opposites(
    database: Database, query: Query, there: Mapping[int, int], weights: list[float], words: list[str]
) -> dict[int, Worth]:
    """Return the opposites of the query's words, known (`there`) or in no text, as terms with their cost."""
    known = _opposites_met(database)
    asked = []
    for term, weight, word in zip(there, weights, words, strict=True):
        found = known.get(term)
        if found is None:
            found = known[term] = _opposites_of(database, database.terms[term])
        if found:
            asked.append((found, weight, word))
    for word in query.unknown:
        asked += [(_opposites_of(database, stem), inf, word) for stem in terms_by(database.rules)[word]]
    if not asked:
        return {}
    cost = OPPOSITE * min(1.0, SHORT / mean_length(database))
    return {
        term: (-cost * (min(weight, rarity) + TOPIC), word, _APART)
        for terms, weight, word in asked
        for term, rarity in terms
        if term not in there
    }


@derived
def _opposites_met(database: Database) -> dict[int, list[tuple[int, float]]]:  # noqa: ARG001 — whose they are
    """Return the opposites of the terms that were asked for so far."""
    return {}


def _opposites_of(database: Database, stem: str) -> list[tuple[int, float]]:
    """Return the opposites of a stem that some living text has, with their idf."""
    others = _opposite_of(database.rules.language).get(stem)
    if not others:
        return []
    numbers = [database.term_ids.get(other, -1) for other in others]
    terms = np.array(sorted(number for number in numbers if number >= 0), np.int32)
    return [pair for pair in zip(terms.tolist(), term_idf(database, terms).tolist(), strict=True) if pair[1]]


@cache
def _opposite_of(language: str) -> dict[str, set[str]]:
    """Return stem → the stems that mean the opposite."""
    found: dict[str, set[str]] = {}
    for pair in opposite_stems(language):
        for stem, other in (pair, pair[::-1]):
            found.setdefault(stem, set()).add(other)
    return found


@cache
def opposite_stems(language: str) -> frozenset[tuple[str, str]]:
    """Return pairs of stems that mean the opposite, without stop words; none for a language without a list."""
    listed = files("lexicloud.search.methods") / f"opposites_{language}.txt"
    if not listed.is_file():
        return frozenset()
    stem, stop = stemmer(language), stop_terms(language)
    lines = [line.split() for line in listed.read_text("utf-8").splitlines() if not line.startswith("#")]
    pairs = ((stem(a), stem(b)) for a, b in lines)
    return frozenset(pair for pair in pairs if pair[0] != pair[1] and stop.isdisjoint(pair))


def _stand_ins(database: Database, query: Query, there: Mapping[int, int]) -> dict[int, Worth]:
    """Return the nearest words of query words that need stand-ins; one that stands in for several has its best weight.

    An opposite never stands in.
    """
    found: dict[int, Worth] = {}
    met = _near_terms(database)
    if len(met) > _MET:
        met.clear()
    for source, count, near, far in _neighbours(database, query, there):
        known = met.get(source)
        if known is None:
            known = met[source] = list(_terms_near(database, source, near, far))
        for term, each, distance in known:
            worth = each * sqrt(count)
            if term not in there and worth > found.get(term, (0.0,))[0]:
                found[term] = (worth, source, distance)
    return found


@derived
def _near_terms(database: Database) -> dict[str, list[tuple[int, float, float]]]:  # noqa: ARG001 — whose they are
    """Return what stands in for the words that were asked for so far."""
    return {}


def _terms_near(
    database: Database, source: str, near: NDArray[np.int32], far: NDArray[np.float32]
) -> Iterator[tuple[int, float, float]]:
    """Yield the terms of a word's nearest words, what each is worth in its place, and how far it is."""
    terms, ignored = terms_by(database.rules), ignored_words(database)
    against = opposite_stems(database.rules.language)
    found = []
    for word, distance in zip(near[:STAND_INS].tolist(), far[:STAND_INS].tolist(), strict=True):
        cosine = 1 - distance**2 / 2  # refined vectors have unit length
        if word < 0 or cosine < NEAR or ignored[word]:
            continue
        name = next(iter(terms[database.words[word]]), "")
        term = database.term_ids.get(name, -1)
        if term >= 0 and against.isdisjoint(_both_ways(name, terms[source])):
            found.append((term, STAND_IN * cosine, distance))
    rarity = term_idf(database, np.array([term for term, _, _ in found], np.int32)).tolist()
    for (term, worth, distance), rare in zip(found, rarity, strict=True):
        yield term, worth * rare, distance


def _both_ways(name: str, others: Iterable[str]) -> list[tuple[str, str]]:
    return [pair for other in others for pair in ((name, other), (other, name))]


def _neighbours(
    database: Database, query: Query, there: Mapping[int, int]
) -> Iterator[tuple[str, int, NDArray[np.int32], NDArray[np.float32]]]:
    """Yield query words that need stand-ins, how often the query has them, their nearest words, and the distances."""
    terms = terms_by(database.rules)
    lost = [
        i
        for i in np.flatnonzero(query.unknown_embedded & query.unknown_content)
        if not any(database.term_ids.get(term, -1) in there for term in terms[query.unknown[i]])
    ]
    if lost:
        table = NearestWords.of(database, refined=True)
        names = [query.unknown[i] for i in lost]
        found = table.of_foreign(names, query.unknown_refined[lost], STAND_INS)
        for i, (near, far) in zip(lost, found, strict=True):
            yield query.unknown[i], int(query.unknown_counts[i]), near, far
    if database.n < SMALL:
        rare = idf(database)[query.ids] >= RARE * np.log1p((database.n + 0.5) / 0.5)
        known = np.flatnonzero((rare | (database.df[query.ids] == 1)) & database.content[query.ids])
        if len(known):
            words = query.ids[known]
            near_words, distances = NearestWords.of(database, refined=True).of_words(words, STAND_INS)
            for i, word, near, far in zip(known, words, near_words, distances, strict=True):
                yield database.words[word], int(query.counts[i]), near, far


# ---- reasons


def _reasons(scorer: Plain, wanted: Wanted, best: Best, place: int) -> tuple[Reason, ...]:
    """Explain a score: what every term adds, the strongest first, then the topic."""
    database = scorer.database
    row, topic = int(best.rows[place]), float(best.topics[place])
    (impacts,) = scorer.impacts(best.rows[[place]], wanted.terms)
    parts = (impacts * (best.weights / best.unit)).tolist()
    order = sorted((-part, i) for i, part in enumerate(parts) if part)
    names = {i: database.terms[wanted.terms[i]] for _, i in order}
    said = {i: _bare(wanted.words[i]) for i in names}
    words = _words_of(database, row, [(names[i], "" if wanted.distances[i] else said[i]) for i in names])
    matches = [
        match(said[i], words.get(names[i], names[i]), wanted.distances[i], -minus) for minus, i in order
    ]
    if topic > 0:
        matches.append(match(ALL_WORDS, ALL_WORDS, 1 - topic / TOPIC, topic))
    return tuple(matches)


def _words_of(database: Database, row: int, wanted: list[tuple[str, str]]) -> dict[str, str]:
    """Return, for each wanted (term, form in the query), the first word of a text that has this term."""
    terms, text = terms_by(database.rules), database.texts[row]
    folded, words = text.lower(), dict[str, str]()
    for name, word in wanted:
        if word and _has_word(folded, word):
            words[name] = word
            continue
        # Most other forms begin with their stem, so that the first run that has the stem is enough.
        at = folded.find(name)
        found = _bare(_run_at(folded, at)) if at >= 0 else ""
        if found != name and terms.stem(found) != name:
            return _words_of_all(terms, text, {name for name, _ in wanted})
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


def _words_of_all(terms: Terms, text: str, wanted: set[str]) -> dict[str, str]:
    """Return the words of `_words_of` by looking at every run of the text."""
    words = dict[str, str]()
    for run in text.split():
        for term in terms[run]:
            if term in wanted and term not in words:
                words[term] = term if has_unspaced(run) else _bare(run)
    return words
