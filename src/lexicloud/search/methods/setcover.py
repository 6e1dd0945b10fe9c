"""Set cover search: sentences that together cover the query's words and their neighbours.

U is the query's words and the r nearest words of each, minus stop words. Each round takes the sentence s
with the highest score and then removes from U what it covered; when nothing left can be covered, the cover
starts again with the full U.

- `weighting="uniform"` is the paper's: the score is |U ∩ s| / |s|^ρ with ρ = 0.5.
- `weighting="idf"` weighs words by rarity and closeness, and lets each query word count once, by the best
  word that stands for it: Σ_q max { weight(w) : w ∈ ball(q) ∩ s } / |s|^ρ with ρ = 0.2. A covered word is
  not removed but keeps a share of its weight (`keep`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.compiled import Beside
from lexicloud.search.arrays import derived
from lexicloud.search.candidates import ScoredRow, candidates, ignored_words, is_copy, plain
from lexicloud.search.checks import require_sound
from lexicloud.search.items import match
from lexicloud.search.methods import setcover_plain
from lexicloud.search.methods.ball import COMPILED, Ball, ball, compile_nearest, worth
from lexicloud.search.methods.setcover_plain import CLASSES, WHOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Part, Segment
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.query import Query
    from lexicloud.words.reason import Reason

# Sums of whole numbers are exact in float32 up to here.
_EXACT: Final = 2.0**24
_FINEST: Final = 2.0**16  # weights are whole multiples of 1/65536 at the finest
_WIDTH: Final = 128  # blocks whose best sentences are candidates at first; 32 to 256 are about as fast
_WIDEN: Final = 8  # the factor by which blocks grow when the candidates do not settle a round
_FEW: Final = 2**14  # up to so many words in U, bounds of 16 bits are fine enough
_MARGIN: Final = 1 - 1e-9  # for the rounding of floating point; bounds themselves are rounded up


class _Lengths(NamedTuple):
    """What the lengths of sentences mean for their scores."""

    norms: NDArray[np.float64]  # length^ρ of every length up to the longest sentence (1 for length 0)
    classes: NDArray[np.uint8]  # each row's length, at most CLASSES − 1; 0 for rows that no answer may hold
    reach: NDArray[np.uint64]  # for each class the least norm / its norm, in whole parts, rounded up
    least: float  # the norm of the shortest sentence that an answer may hold


class _Scratch(NamedTuple):
    """Arrays that a search of a part writes to; to allocate them for each search would cost more than the search."""

    bounds: NDArray[np.unsignedinteger]  # one for each sentence
    place: NDArray[np.int32]  # one for each word of the vocabulary, -1 between searches


def search(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Return the sentences of the greedy cover, in the order they were chosen."""
    words = _ball(database, query, options)
    if not len(words) or not len(database):
        return []
    with _scratch(database, np.uint16 if len(words) <= _FEW else np.uint32) as scratch:
        kernel = kernel_of(database)
        return list(_Cover(database, query, options, words, scratch, kernel).take(options.top))


def _ball(database: Database, query: Query, options: SearchOptions) -> Ball:
    refined = options.weighting != "uniform"
    return ball(database, query, options.r, refined=refined, own_words=options.own_words)


class _Kernels:
    """The loops that searches of a database run: NumPy's at first, the compiled ones once they are ready."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.beside = Beside(self.steps, "lexicloud.search.methods.setcover_numba")

    def steps(self) -> Iterator[None]:
        """Run every compiled loop once, on the arrays that searches will run it on."""
        from lexicloud.search.find import SearchOptions
        from lexicloud.search.methods import setcover_numba as compiled
        from lexicloud.search.query import Query

        require_sound(self.database)
        compile_nearest(self.database)
        yield
        word = np.flatnonzero(~ignored_words(self.database))[:1].astype(np.int32)
        query, options = Query("", (), word, np.ones(len(word), np.int32)), SearchOptions(top=2)
        words = ball(self.database, query, 0, refined=False)
        if len(words):
            with _scratch(self.database, np.uint16) as scratch:
                list(_Cover(self.database, query, options, words, scratch, compiled).take(2))
        COMPILED["setcover"] = compiled
        yield


@derived
def kernels_of(database: Database) -> _Kernels:
    """Return the loops of a database."""
    return _Kernels(database)


def kernel_of(database: Database) -> Any:
    """Return the compiled loops of set cover if they are ready, else NumPy's; the second search starts to compile."""
    if "setcover" not in COMPILED:
        kernels_of(database).beside.after(len(database))
    return COMPILED.get("setcover", setcover_plain)


class Step(NamedTuple):
    """The next sentence of a cover, and what is left of the weights in U once it is covered."""

    found: ScoredRow
    left: NDArray[np.float32]


def step(
    database: Database,
    query: Query,
    options: SearchOptions,
    left: NDArray[np.float32] | None = None,
    taken: Sequence[int] = (),
) -> Step | None:
    """Return the best sentence of one part of an index under the weights left in U (None: all of them).

    The best over all parts is the next sentence of the cover; its `left` goes into the next round.
    """
    words = _ball(database, query, options)
    if not len(words) or not len(database):
        return None
    with _scratch(database, np.uint16 if len(words) <= _FEW else np.uint32) as scratch:
        cover = _Cover(database, query, options, words, scratch, kernel_of(database), left, taken)
        candidate, score = cover.next()
        return None if candidate < 0 else Step(cover.cover(candidate, score), cover.left_after(candidate))


class _Cover:
    """One query's greedy cover: the weights left in U, and the candidates.

    The best candidate is the best sentence of all as long as its score is above the bound of all other sentences.
    """

    def __init__(
        self,
        database: Database,
        query: Query,
        options: SearchOptions,
        words: Ball,
        scratch: list[_Scratch],
        kernel: Any,
        left: NDArray[np.float32] | None = None,
        taken: Sequence[int] = (),
    ) -> None:
        self.kernel = kernel
        self.scratch = scratch
        self.database, self.query, self.ball = database, query, words
        self.copy_edits, self.kept = options.copy_edits(query.text), np.float32(options.kept)
        self.lengths = _lengths(database, options)
        self.weights, self.groups = worth(database, words, options.weighting)
        self.scale = 1.0 if options.weighting == "uniform" else _scale(float(self.weights.sum()))
        self.full = np.maximum(np.rint(self.weights * self.scale), 1).astype(np.float32)
        self.reasons = _Reasons.of(words, self.groups, self.full)
        self.left = self.full.copy() if left is None else np.array(left, np.float32)
        self.taken = list(taken)
        self.chosen = -1  # the candidate whose words are still to be covered
        self.gather(_WIDTH)

    def gather(self, width: int) -> None:
        """Find candidates under the weights that are left, part after part."""
        lengths, taken = self.lengths, np.array(self.taken, dtype=np.int32)
        found = []
        for part, scratch in zip(self.database.parts, self.scratch, strict=True):
            u = part.own_words(self.ball.words), self.left
            own = taken[(taken >= part.first) & (taken < part.first + len(part))] - np.int32(part.first)
            sizes = part.of_rows(lengths.classes), lengths.reach, lengths.norms
            found.append(self.kernel.gather(*_arrays(part.segment), *u, *sizes, own, width, *scratch))
        self.threshold = max(threshold for threshold, *_ in found)
        self.rows, *self.candidates = _one_below_the_other(self.database.parts, [f[2:] for f in found])
        self.unit = found[0][1] * lengths.least * _MARGIN  # no bound is below score × unit
        self.scores = np.full(len(self.rows), np.inf)
        self.width, self.fresh = width, True

    def take(self, top: int) -> Iterator[ScoredRow]:
        """Yield up to `top` sentences."""
        for _ in range(top):
            candidate, score = self.next()
            if candidate < 0:
                # Nothing left in U can be covered: start again; if still nothing can, the database is exhausted.
                self.left = self.full.copy()
                self.gather(_WIDTH)
                candidate, score = self.next()
            if candidate < 0:
                return
            yield self.cover(candidate, score)

    def next(self) -> tuple[int, float]:
        """Return the best sentence that is not a copy of the query, and its score; it is not offered again."""
        while True:
            candidate, score = self.best()
            if candidate < 0:
                return -1, 0.0
            row = int(self.rows[candidate])
            self.scores[candidate] = 0
            self.taken.append(row)
            if not is_copy(self.database.texts[row], self.query.text, self.copy_edits):
                return candidate, score

    def best(self) -> tuple[int, float]:
        """Return the best candidate, once no other sentence can be as good."""
        while True:
            candidate, score = self.kernel.next_candidate(
                *self.candidates, self.scores, self.left, self.groups, self.chosen, self.kept
            )
            self.chosen = -1  # its words are covered now
            if self.threshold <= 1 or score * self.unit > self.threshold - 1:
                return candidate, score
            # Bounds under the weights left now are lower; if the bounds are fresh already, more candidates are needed.
            self.gather(_WIDEN * self.width if self.fresh else _WIDTH)

    def cover(self, candidate: int, score: float) -> ScoredRow:
        """Choose a sentence and return it with what it covers; its words are covered before the next search."""
        first, positions, norms = self.candidates
        found = positions[first[candidate] : first[candidate + 1]]
        matches = self.matches(
            found.tolist(), self.left[found].tolist(), self.scale * float(norms[candidate])
        )
        self.chosen, self.fresh = candidate, False
        return ScoredRow(int(self.rows[candidate]), score / self.scale, matches)

    def left_after(self, candidate: int) -> NDArray[np.float32]:
        """Return the weights that are left once a sentence is covered, as the compiled loop leaves them."""
        first, positions, _ = self.candidates
        covered, left = positions[first[candidate] : first[candidate + 1]], self.left.copy()
        left[covered] = np.floor(left[covered] * self.kept)
        return left

    def matches(self, found: list[int], left: list[float], unit: float) -> tuple[Reason, ...]:
        """Explain the words of U that a sentence has, those that count most first; of a group only the best counts."""
        u, counted = self.reasons, set()
        best: list[Reason] = []
        others: list[Reason] = []
        of_found = [(-weight, u.distances[i], i) for i, weight in zip(found, left, strict=True)]
        for minus, distance, i in sorted(of_found):
            counts = minus and u.groups[i] not in counted
            counted.add(u.groups[i])
            word, source = self.database.words[u.words[i]], u.names[u.sources[i]]
            adds = -minus / unit if counts else 0.0
            found_word = match(source, word, distance, adds, new=-minus == u.full[i])
            (best if counts else others).append(found_word)
        return (*best, *others)


class _Reasons(NamedTuple):
    """The words of U as plain lists, from which reasons read single values much faster than from arrays."""

    words: list[int]
    distances: list[float]
    sources: list[int]
    groups: list[int]
    full: list[float]
    names: tuple[str, ...]

    @classmethod
    def of(cls, u: Ball, groups: NDArray[np.int32], full: NDArray[np.float32]) -> _Reasons:
        """Turn arrays into lists."""
        return cls(
            u.words.tolist(),
            u.distances.tolist(),
            u.sources.tolist(),
            groups.tolist(),
            full.tolist(),
            u.names,
        )


def _scale(total: float) -> float:
    """Return the power of two by which weights become whole numbers whose sum is exact in float32."""
    return float(min(_FINEST, 2.0 ** np.floor(np.log2(_EXACT / 2 / max(total, 1e-9)))))


def _arrays(segment: Segment) -> tuple[NDArray[Any], ...]:
    """Return postings, sentences and lengths, as the kernel takes them."""
    known: tuple[NDArray[Any], ...] | None = segment.memory.get(_arrays)
    if known is None:
        known = segment.memory[_arrays] = (
            plain(segment.postings_ptr, np.int64),
            plain(segment.postings, np.int32),
            plain(segment.indptr, np.int64),
            plain(segment.indices, np.int32),
            plain(segment.lengths, np.int32),
        )
    return known


def _one_below_the_other(parts: Sequence[Part], found: Sequence[Any]) -> list[NDArray[Any]]:
    """Join the candidates of all parts: rows, where the words of each begin, words, and norms."""
    if len(found) == 1:
        return list(found[0])
    rows = [own[0] + np.int32(part.first) for part, own in zip(parts, found, strict=True)]
    ends = np.cumsum([0, *(len(own[2]) for own in found)])
    begins = [own[1][:-1] + np.int32(end) for own, end in zip(found, ends[:-1], strict=True)]
    begins.append(ends[-1:].astype(np.int32))
    words, norms = ([own[i] for own in found] for i in (2, 3))
    return [np.concatenate(pieces) for pieces in (rows, begins, words, norms)]


def _lengths(database: Database, options: SearchOptions) -> _Lengths:
    key = (options.penalty, options.shortest, options.max_tokens, database.firsts is None)
    known = _known_lengths(database)
    if database.allowed is None and key in known:
        return known[key]
    lengths = _lengths_of(database, options)
    if database.allowed is None:
        known[key] = lengths
    return lengths


@derived
def _known_lengths(_: Database) -> dict[tuple[Any, ...], _Lengths]:
    """Return what `_lengths` remembers, by the options that it depends on."""
    return {}


def _lengths_of(database: Database, options: SearchOptions) -> _Lengths:
    norms = _norms(database, options.penalty)
    classes = np.minimum(database.lengths, CLASSES - 1).astype(np.uint8)
    classes[~candidates(database, options)] = 0
    least = norms[min(options.shortest, CLASSES - 1, len(norms) - 1)]
    reach = np.zeros(CLASSES, dtype=np.uint64)
    some = norms[:CLASSES]
    reach[: len(some)] = np.ceil(WHOLE * np.minimum(least / some, 1))
    reach[0] = 0
    return _Lengths(norms, classes, reach, float(least))


def _norms(database: Database, rho: float) -> NDArray[np.float64]:
    """Return length^ρ for every length up to the longest sentence (1 for length 0)."""
    longest = int(database.lengths.max(initial=0))
    return np.array([1.0, *(float(n) ** rho for n in range(1, longest + 1))])


@derived
def _pools(_: Database) -> dict[type, list[list[_Scratch]]]:
    """Return the scratch space that no search is using, by the type of its bounds."""
    return {}


@contextmanager
def _scratch(database: Database, kind: type[np.unsignedinteger]) -> Iterator[list[_Scratch]]:
    """Yield scratch space and take it back afterwards; threads that search at the same time get one each."""
    pool = _pools(database).setdefault(kind, [])
    try:
        scratch = pool.pop()
    except IndexError:
        scratch = [
            _Scratch(np.empty(len(part), kind), np.full(len(part.segment.words), -1, np.int32))
            for part in database.parts
        ]
    try:
        yield scratch
    finally:
        pool.append(scratch)
