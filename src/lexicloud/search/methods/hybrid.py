"""Words and static sentence embeddings together: what `related` does unless `dense=None` is given.

    score = related + DENSE · σ · (cosine − mean cosine) / spread of cosines + stand-ins

σ is the spread of the words' scores over all texts. This is the sum of two z-scores, in the units of the words, so that
reasons add up. Embeddings take a byte a coordinate. Not all of them are read: candidates are the best texts by their
words, and the nearest by the signs of their coordinates (32 bytes a text); these are scored exactly. In a small index
all texts are candidates. In the best of them the nearest words stand in for query words that they lack (`stand_ins`).
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.search.arrays import derived, rows_by_part
from lexicloud.search.candidates import ScoredRow, plain
from lexicloud.search.methods.bm25_scores import (
    TOPIC,
    Best,
    Compiled,
    deviation,
    loaded_loop,
    query_topic,
    scorer_of,
    whole_weights,
)
from lexicloud.search.methods.related import (
    ALL_WORDS,
    _bare,
    finds_among,
    same_texts,
    scored_rows,
    wanted_terms,
    weak_below,
)
from lexicloud.search.methods.stand_ins import DEPTH, stand_ins
from lexicloud.store.bundle import in_huge_file, rows_of
from lexicloud.text import stopwords
from lexicloud.vectors.static_embeddings import unit
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Part
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.methods.bm25_scores import Plain
    from lexicloud.search.methods.stand_ins import StandIns
    from lexicloud.search.query import Query
    from lexicloud.vectors.static_embeddings import StaticEmbeddings

    Floats = NDArray[np.float64]
    Rows = NDArray[np.int32]

# Tuned on labelled tasks (docs/search-measured.md, docs/scale.md). σ takes words as independent and is smaller than the
# exact spread of scores, of which this is about 0.6.
DENSE: Final = 0.7
# Among so many texts embeddings count half: the spread of cosines cannot be measured on a few.
FEW: Final = 25
KIND: Final = "embedding"  # the kind of its reasons
COARSE: Final = 1_000  # candidates by words, and as many by signs
# Texts; of so few all are looked at, and so many tell the mean and the spread of cosines.
EVERY: Final = 4_096
_LEAST: Final = 1.5  # spreads above the mean, for a text that shares no word with the query
NEARBY: Final = 3.5  # spreads above the mean, where an embedding speaks for a text that words alone call weak
_SAID: Final = 5  # words of a text that reasons name
# The distance between the embeddings of two words up to which one is a reason for the other. Chosen by reading: of the
# pairs of 25 queries nearly all up to here belong together; of 25 others, looked at afterwards, 36 of 39 between .95
# and here, about 20 of 32 from here to 1.3, and few beyond (docs/search-measured.md).
FAR: Final = 1.25
_BLOCK: Final = 1_024  # texts whose coordinates are looked at together


def quantised(vectors: NDArray[np.float32]) -> NDArray[np.int8]:
    """Return directions in a byte a coordinate; the loss is a hundredth of the spread of cosines."""
    longest = np.abs(vectors).max(axis=1, keepdims=True, initial=1e-12)
    return np.asarray(np.rint(vectors * (127 / longest)), np.int8)


class _Space:
    """The embeddings of all texts: how cosines with a query spread, and which texts are near by their signs."""

    def __init__(self, database: Database, usual: tuple[Floats, Floats] | None = None) -> None:
        self.parts, self.dimension = database.parts, database.kept_embeddings[0]
        self.centre, self.covariance = usual_directions(sampled(database)) if usual is None else usual

    def spread(self, asked: Floats) -> tuple[float, float]:
        """Return the mean and the spread of the cosines of texts with a query."""
        variance = float(np.einsum("ij,j->i", self.covariance, asked) @ asked)
        return float(self.centre @ asked), max(variance, 0.0) ** 0.5 or 1.0

    def cosines(self, rows: Rows, asked: Floats) -> Floats:
        """Return the cosine of each of some texts with a query, rounded so that equal texts have equal ones."""
        out, loop = np.empty(len(rows)), loaded_loop("byte_cosines")
        for part, places in rows_by_part(self.parts, rows):
            own, dense = rows[places] - part.first, part.segment.dense
            if loop is None:
                out[places] = _cosines(dense, own, asked)
            elif not in_huge_file(dense):
                out[places] = loop(own.astype(np.int32), plain(dense, np.int8), asked)
            else:
                out[places] = loop(
                    np.arange(len(own), dtype=np.int32), plain(rows_of(dense, own), np.int8), asked
                )
        return np.round(out, 9)

    def signs_apart(self, asked: Floats, allowed: NDArray[np.bool_]) -> NDArray[np.int16]:
        """Return in how many signs each text differs from the query; the highest number for texts not allowed."""
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
        """Return about `count` texts whose signs agree most with the query's, or all with at most `limit` apart."""
        if (loop := loaded_loop("near_signs")) is not None:
            return self._nearest(loop, asked, allowed, count, limit)[: 4 * count]
        far = self.signs_apart(asked, allowed)
        counts = np.cumsum(np.bincount(far, minlength=self.dimension + 1))
        if limit is None:
            limit = int(np.searchsorted(counts, min(count, int(counts[self.dimension]))))
        return np.flatnonzero(far <= limit)[: 4 * count].astype(np.int32)

    def _nearest(
        self, loop: Any, asked: Floats, allowed: NDArray[np.bool_], count: int, limit: int | None
    ) -> Rows:
        """Return the same by the compiled loop, segment by segment; what is too far in one is so in the next."""
        own, counts = signs_of(asked[None, :])[0], np.zeros(self.dimension + 1, np.int64)
        reach, count = (self.dimension, count) if limit is None else (limit, 0)
        rows, far = [], []
        for part in self.parts:
            some = part.of_rows(allowed) if len(allowed) else allowed
            places, differ, reach = loop(
                plain(part.segment.signs, np.uint64), own, some, counts, reach, count
            )
            rows.append(places + np.int32(part.first))
            far.append(differ)
        return np.concatenate(rows)[np.concatenate(far) <= reach]


def _cosines(dense: NDArray[Any], rows: NDArray[Any], asked: Floats) -> Floats:
    """Return the cosines of some rows of bytes with a query, as the compiled loop does; 0 for a row of zeros."""
    out = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        wide = np.asarray(rows_of(dense, rows[start : start + _BLOCK]), np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        # in one thread: OpenBLAS would take two, and the second goes on spinning
        out[start : start + _BLOCK] = np.einsum("ij,j->i", wide, asked) / np.where(lengths > 0, lengths, 1)
    return out


def sampled(database: Database, of: int | None = None, before: int = 0) -> NDArray[np.float32]:
    """Return the directions of about EVERY living texts, evenly spaced.

    For one part of an index, it returns its share of the sample of the whole, which has `of` living texts, `before`
    of them in earlier parts.
    """
    living = np.arange(len(database)) if database.alive is None else np.flatnonzero(database.alive)
    stride = max(1, (len(living) if of is None else of) // EVERY)
    return unit_bytes(_dense_rows(database.parts, living[-before % stride :: stride]))


def _dense_rows(parts: Sequence[Part], rows: NDArray[Any]) -> NDArray[Any]:
    """Return the embeddings of some texts as they are kept."""
    dense = parts[0].segment.dense
    out = np.empty((len(rows), dense.shape[1]), dense.dtype)
    for part, places in rows_by_part(parts, rows):
        out[places] = rows_of(part.segment.dense, rows[places] - part.first)
    return out


def usual_directions(sample: NDArray[np.float32]) -> tuple[Floats, Floats]:
    """Return the centre of directions and their covariance."""
    wide = sample.astype(np.float64)
    centre = wide.mean(axis=0) if len(wide) else np.zeros(wide.shape[1])
    wide -= centre
    return centre, wide.T @ wide / max(len(wide), 1)  # a matrix times itself is half the work


def unit_bytes(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Return directions that are kept in bytes as vectors of unit length."""
    wide = np.asarray(rows, np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
    return np.asarray(wide / np.where(lengths > 0, lengths, 1), np.float32)


def signs_of(vectors: NDArray[Any]) -> NDArray[np.uint64]:
    """Return which coordinates are positive, 64 to a number; no columns for embeddings that are kept as floats."""
    if vectors.dtype == np.float32:
        return np.zeros((len(vectors), 0), np.uint64)
    bits = np.packbits(vectors > 0, axis=1)
    if spare := -bits.shape[1] % 8:
        bits = np.pad(bits, ((0, 0), (0, spare)))
    return np.ascontiguousarray(bits).view(np.uint64)


def _hamming(signs: NDArray[np.uint64], own: NDArray[np.uint64]) -> NDArray[np.int16]:
    """Return in how many signs each text differs from the query."""
    if (loop := loaded_loop("signs_apart")) is not None:
        return np.asarray(loop(plain(signs, np.uint64), own))
    far = np.zeros(len(signs), np.int16)
    for j in range(signs.shape[1]):
        far += np.bitwise_count(signs[:, j] ^ own[j])
    return far


@derived
def space_of(database: Database) -> _Space:
    """Return the embeddings of a database."""
    return _Space(database)


def see_as_part(database: Database, usual: tuple[Floats, Floats]) -> None:
    """Give a database the centre and covariance of the whole index that it is one part of."""
    database.memory[space_of] = _Space(database, usual)


class _Lift(NamedTuple):
    """What cosines are worth for one query."""

    asked: Floats  # at unit length
    mean: float
    factor: float  # DENSE · σ / spread
    spread: float

    def of(self, cosine: Floats) -> Floats:
        """Return what cosines add to the score."""
        return self.factor * (cosine - self.mean)


class Limits(NamedTuple):
    """What all texts of an index say about one query: the sum of what its parts have `Counted`."""

    spread: float  # of the words' scores, in whole numbers
    far: int | None  # the most signs in which a candidate by signs may differ; None: all texts are candidates
    least: int  # the least score of a candidate by words


def _read(text: str) -> str:
    """Return a query as it is embedded: one in capitals in lower case, since capitals are other, rarer tokens."""
    return text.lower() if text.isupper() else text


class Counted(NamedTuple):
    """What one part of an index says about one query, before any text is ranked."""

    moments: Floats  # of each term: the sum of its impacts and the sum of their squares
    weights: NDArray[np.int32]  # of the terms, in whole numbers: the same in all parts
    far: NDArray[np.int64]  # how many texts differ in 0, 1, 2 … signs
    best: NDArray[np.int32]  # the highest scores by words

    @staticmethod
    def limits(parts: Sequence[Counted], living: int, texts: int) -> Limits:
        """Return the limits that one index of all texts would have."""
        moments = np.sum([part.moments for part in parts], axis=0)
        spread = deviation(moments, parts[0].weights, living)
        if texts <= EVERY:
            return Limits(spread, None, 0)
        near = np.cumsum(sum(part.far for part in parts))
        best = np.sort(np.concatenate([part.best for part in parts]))[::-1][:COARSE]
        far = int(np.searchsorted(near, min(COARSE, int(near[-1]))))
        return Limits(spread, far, int(best[-1]) if len(best) == COARSE else 1)


def counted(database: Database, query: Query, options: SearchOptions, model: StaticEmbeddings) -> Counted:
    """Return what this part of an index says about a query."""
    wanted, scorer, space = wanted_terms(database, query), scorer_of(database), space_of(database)
    asked, allowed = model.encode([_read(query.text)])[0].astype(np.float64), scorer.allowed(options)
    far = space.signs_apart(asked, allowed)
    signs = np.bincount(far, minlength=space.dimension + 1)[: space.dimension + 1]
    if not len(wanted.terms):
        none = np.zeros(0, np.int32)
        return Counted(np.zeros((0, 2)), none, signs, none)
    whole, _ = whole_weights(wanted.weights)
    _, scores = scorer.near_the_best(options, wanted.terms, whole, COARSE, 0)
    return Counted(scorer.moments(wanted.terms), whole, signs, np.sort(scores)[::-1][:COARSE])


def search(
    database: Database,
    query: Query,
    options: SearchOptions,
    model: StaticEmbeddings,
    limits: Limits | None = None,
) -> list[ScoredRow]:
    """Return the texts with the highest scores by words and embedding, the lower row first among equals.

    A part of an index is given the `limits` of the whole.
    """
    wanted = wanted_terms(database, query)
    if not len(wanted.terms) and not bool((query.unknown_embedded & query.unknown_content).any()):
        return []
    scorer, space = scorer_of(database), space_of(database)
    asked = model.encode([_read(query.text)])[0].astype(np.float64)
    whole, scale = whole_weights(wanted.weights) if len(wanted.terms) else (np.zeros(0, np.int32), 1.0)
    sigma = 1.0
    if len(wanted.terms):
        sigma = (scorer.spread(wanted.terms, whole) if limits is None else limits.spread) / scale
    mean, spread = space.spread(asked)
    weight = DENSE * database.n / (database.n + FEW)
    lift = _Lift(asked, mean, weight * (sigma or 1.0) / spread, spread)
    top = max(options.top, DEPTH)
    best, cosines = _ranked(
        scorer, space, options, query, (wanted.terms, whole, scale), lift, limits, top + 8
    )
    all_rows = best.rows.tolist()
    those = same_texts(database, query, all_rows)
    places = finds_among(database, query, options, all_rows, those)[:top]
    more = stand_ins(scorer, query, wanted, best.rows[places[:DEPTH]], model, sigma or 1.0)
    scores = (best.lexical + best.topics + lift.of(cosines))[places]
    chosen = _first(those, best.rows[places], scores, more)[: options.top]
    own, lines = [places[i] for i in chosen], weak_below(database, query, wanted)
    found = scored_rows(scorer, query, wanted, best, own, those, lines)
    if lines is not None:
        likely = (best.lexical > lines.likely) & (cosines >= mean + NEARBY * spread)
        found = [
            row._replace(weak=bool(row.weak and not likely[i])) for row, i in zip(found, own, strict=True)
        ]
    return [
        more.explained(_explained(database, query, model, row, lift, float(cosines[i])), place)
        for row, i, place in zip(found, own, chosen, strict=True)
    ]


def _first(those: set[int], rows: Rows, scores: Floats, more: StandIns) -> list[int]:
    """Return the order of texts once what stands in for words is added: `those` that are the query stay first."""
    scores[: len(more.places)] += more.adds
    same = 0
    while those and same < len(rows) and int(rows[same]) in those:
        same += 1
    return [*range(same), *(same + np.lexsort((rows[same:], -scores[same:]))).tolist()]


def _ranked(
    scorer: Plain,
    space: _Space,
    options: SearchOptions,
    query: Query,
    asked: tuple[Rows, NDArray[np.int32], float],
    lift: _Lift,
    limits: Limits | None,
    count: int,
) -> tuple[Best, Floats]:
    """Return the best texts by words and embedding, best first, and their cosines.

    One compiled loop does all of it where an index has one segment, which is kept in memory.
    """
    (terms, whole, scale), least = asked, 1 if limits is None else limits.least
    allowed, loop = scorer.allowed(options), loaded_loop("best_of_both")
    own = scorer.alone if isinstance(scorer, Compiled) else None
    near, every = _near(scorer, space, lift.asked, allowed, limits)
    if not isinstance(scorer, Compiled) or own is None or not loop or in_huge_file(own.part.segment.dense):
        if every:
            lexical = scorer.lexical(near, terms, whole) if len(terms) else np.zeros(len(near))
        elif len(terms):
            near, lexical = scorer.best_and(options, terms, whole, COARSE, near, least)
        else:
            lexical = np.zeros(len(near))
        return _best(scorer, query, count, (near, lexical / scale, whole, scale), lift, space)
    found: tuple[Rows, Rows, Rows] = near[:0], near[:0], np.zeros_like(near)
    if len(terms):
        found = scorer.near_the_best_and(options, terms, whole, COARSE, 0, least, near)
    dense = plain(own.part.segment.dense, np.int8)
    words = scale, query.ids, query.counts, scorer.foreign(query), TOPIC
    embedded = lift.asked, lift.mean, lift.factor, lift.mean + _LEAST * lift.spread
    counted = (*found[:2], 2 * COARSE), (near, found[2])
    rows, lexical, topics, cosines = loop(*counted, own.texts, dense, words, embedded, count)
    return Best(rows, lexical, topics, whole, scale), cosines


def _best(
    scorer: Plain,
    query: Query,
    count: int,
    asked: tuple[Rows, Floats, NDArray[np.int32], float],
    lift: _Lift,
    space: _Space,
) -> tuple[Best, Floats]:
    """Return the best of some rows, best first, and their cosines; the topic is computed only where it can matter."""
    rows, lexical, whole, scale = asked
    cosines = space.cosines(rows, lift.asked)
    likely = (lexical > 0) | (cosines >= lift.mean + _LEAST * lift.spread)
    rows, lexical, cosines = rows[likely], lexical[likely], cosines[likely]
    base, topics = lexical + lift.of(cosines), np.full(len(rows), np.nan)
    topic, some = query_topic(scorer.database, query), np.ones(len(rows), bool)
    # At first of the best by the rest of their scores, then of those that could be as good.
    if len(rows) > 2 * count:
        some = base >= -np.partition(-base, 2 * count - 1)[2 * count - 1]
    for _ in range(2):
        topics[some] = 0.0
        some &= lexical > 0
        topics[some] = scorer.topics(rows[some], topic)
        done = ~np.isnan(topics)
        if done.all():
            break
        totals = (base + topics)[done]
        some = ~done & (base + TOPIC >= -np.partition(-totals, count - 1)[count - 1])
    rows, lexical, cosines, topics = rows[done], lexical[done], cosines[done], topics[done]
    order = np.lexsort((rows, -(lexical + topics + lift.of(cosines))))[:count]
    return Best(rows[order], lexical[order], topics[order], whole, scale), cosines[order]


def _near(
    scorer: Plain, space: _Space, asked: Floats, allowed: NDArray[np.bool_], limits: Limits | None
) -> tuple[Rows, bool]:
    """Return the texts to be scored besides the best by words, ascending, and whether these are all: of a few texts all
    are, of many the nearest by signs.
    """
    texts = len(scorer.database)
    if texts <= EVERY if limits is None else limits.far is None:
        every = np.flatnonzero(allowed).astype(np.int32) if len(allowed) else np.arange(texts, dtype=np.int32)
        return every, True
    return space.nearest(asked, allowed, COARSE, None if limits is None else limits.far), False


def _explained(
    database: Database,
    query: Query,
    model: StaticEmbeddings,
    found: ScoredRow,
    lift: _Lift,
    cosine: float,
) -> ScoredRow:
    """Add the embedding to a score and its reasons."""
    adds = float(lift.of(np.array(cosine)))
    texts = _read(query.text), database.texts[found.row]
    reasons = partial(_reasons, model, texts, database.rules.language, found, lift, adds)
    return ScoredRow(found.row, found.score + adds, reasons, found.weak, found.same)


def _reasons(
    model: StaticEmbeddings, texts: tuple[str, str], language: str, found: ScoredRow, lift: _Lift, adds: float
) -> tuple[Reason, ...]:
    """Explain a score: the words as `related` has them, then the words of the text that bring its embedding near.

    The embedding of a text is the mean of those of its words, so each word adds its own product with the query's. Named
    are content words that are near one of the query. One last reason holds what the other words add, less the mean
    cosine of all texts.
    """
    assert callable(found.matches)
    (asked, _), (own, counts) = _pieces(texts[0]), _pieces(texts[1])
    sums, _ = model.word_vectors([*own, *asked], np.ones(len(own) + len(asked), bool))
    units = unit(sums)
    length = float(np.linalg.norm(counts @ sums[: len(own)])) or 1.0
    parts = lift.factor * counts * (sums[: len(own)] @ lift.asked) / length
    named = [i for i, word in enumerate(own) if parts[i] > 0 and _is_content(word, language)]
    those = [i for i, word in enumerate(asked) if _is_content(word, language)]
    said = list[Reason]()
    for i in sorted(named, key=lambda i: -parts[i]) if those else ():
        cosines = units[len(own) :][those] @ units[i]
        near = int(cosines.argmax())
        distance = float(np.sqrt(max(0.0, 2 - 2 * float(cosines[near]))))
        if distance <= FAR and len(said) < _SAID:
            said.append(Reason(_bare(own[i]), float(parts[i]), KIND, _bare(asked[those[near]]), distance))
    rest = Reason(ALL_WORDS, adds - sum(reason.adds for reason in said), KIND, ALL_WORDS, 0.0)
    return (*found.matches(), *said, rest)


def _is_content(run: str, language: str) -> bool:
    """Tell whether a run of characters is a word, and no stop word."""
    word = _bare(run)
    return word not in stopwords(language) and any(map(str.isalnum, word))


def _pieces(text: str) -> tuple[list[str], Floats]:
    """Return the distinct pieces of a text between spaces, and how often it has each."""
    counts = Counter(text.split())
    return list(counts), np.array(list(counts.values()), np.float64)
