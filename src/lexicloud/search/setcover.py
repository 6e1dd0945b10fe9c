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

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.search.ball import Ball, ball
from lexicloud.search.copies import is_copy
from lexicloud.search.hit import Hit, candidates, plain, posting_lists
from lexicloud.search.suggestion import Match
from lexicloud.search.weighting import worth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.database import Database, Query
    from lexicloud.search.options import SearchOptions

    Floats = NDArray[np.float32]

# Sums of whole numbers are exact in float32 up to here.
_EXACT: Final = 2.0**24
_FINEST: Final = 2.0**16  # no weight is kept finer than 1/65536


class _Scratch(NamedTuple):
    """Arrays that a search writes to: fresh memory for each would cost more than the search."""

    mass: Floats  # one for each sentence
    place: NDArray[np.int32]  # one for each word of the vocabulary, -1 between searches


def search(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Return the sentences of the greedy cover, in the order they were chosen."""
    words = ball(database, query, options.r, refined=options.weighting != "uniform")
    if not len(words) or not len(database):
        return []
    with _scratch(database) as scratch:
        scratch.place[words.words] = np.arange(len(words))
        try:
            return list(_Cover(database, query, options, words, scratch).take(options.top))
        finally:
            scratch.place[words.words] = -1


class _Cover:
    """One query's greedy cover: the weights left in U, and the mass that each sentence had when it was last counted."""

    def __init__(
        self, database: Database, query: Query, options: SearchOptions, words: Ball, scratch: _Scratch
    ) -> None:
        from lexicloud.search import setcover_kernel as kernel

        self.kernel = kernel
        self.database, self.query, self.options, self.ball, self.scratch = (
            database,
            query,
            options,
            words,
            scratch,
        )
        self.norms = _norms(database, options.penalty)
        self.inverse = _inverse(database, options, self.norms)
        self.lengths = plain(database.lengths, np.int32)
        self.rows = plain(database.indptr, np.int64), plain(database.indices, np.int32)
        self.worth = worth(database, words, options.weighting)
        self.scale = 1.0 if options.weighting == "uniform" else _scale(float(self.worth.weights.sum()))
        self.full = np.maximum(np.rint(self.worth.weights * self.scale), 1).astype(np.float32)
        self.order = np.lexsort((-self.full, self.worth.groups))
        self.bounds = np.empty(-(-len(database) // kernel.BLOCK), dtype=np.float32)
        self.taken: list[int] = []
        self.start()

    def start(self) -> None:
        """Begin a cover of the full U; what was taken before stays taken."""
        self.left = self.full.copy()
        u = self.ball.words, self.left, self.worth.groups, self.order
        self.kernel.begin(*posting_lists(self.database), *u, self.scratch.mass, self.inverse, self.bounds)
        self.scratch.mass[self.taken] = self.kernel.TAKEN

    def take(self, top: int) -> Iterator[Hit]:
        """Yield up to `top` sentences."""
        for _ in range(top):
            row, score = self.next()
            if row < 0:
                # Nothing left in U can be covered: start again; if still nothing can, the database is exhausted.
                self.start()
                row, score = self.next()
            if row < 0:
                return
            yield self.cover(row, score)

    def next(self) -> tuple[int, float]:
        """Return the best sentence that is not a copy of the query, and take it out of the running."""
        sentences = self.scratch.mass, self.inverse, self.bounds, self.lengths, self.norms
        u = self.scratch.place, self.left, self.worth.groups
        while True:
            row, score = self.kernel.best_sentence(*sentences, *self.rows, *u)
            if row < 0:
                return -1, 0.0
            self.scratch.mass[row] = self.kernel.TAKEN
            self.taken.append(row)
            if not is_copy(self.database.texts[row], self.query.text, self.options.near_copy):
                return row, score / self.scale

    def cover(self, row: int, score: float) -> Hit:
        """Remove from U what a sentence covers, and say what that was."""
        found = self.scratch.place[self.database.sentence(row)]
        found = found[found >= 0]
        matches = self.matches(found, self.scale * self.norms[self.lengths[row]])
        self.left[found] = np.floor(self.left[found] * np.float32(self.options.kept))
        return Hit(row, score, matches)

    def matches(self, found: NDArray[np.int32], unit: float) -> tuple[Match, ...]:
        """Explain the words of U that a sentence has, those that count most first; of a group only the best counts."""
        u, groups, reasons = self.ball, self.worth.groups, []
        counted: set[int] = set()
        for i in sorted(found.tolist(), key=lambda i: (-self.left[i], u.distances[i], i)):
            weight = 0.0 if groups[i] in counted else float(self.left[i] / unit)
            counted.add(groups[i])
            new = bool(self.left[i] == self.full[i])
            word = self.database.words[u.words[i]]
            reasons.append(Match(u.names[u.sources[i]], word, float(u.distances[i]), weight, new))
        return tuple(sorted(reasons, key=lambda m: -m.weight))


def _scale(total: float) -> float:
    """Return the power of two by which weights become whole numbers whose sum is exact in float32."""
    return float(min(_FINEST, 2.0 ** np.floor(np.log2(_EXACT / 2 / max(total, 1e-9)))))


def _norms(database: Database, rho: float) -> NDArray[np.float64]:
    """Return length^ρ for every length up to the longest sentence (1 for length 0)."""
    key = ("norms", rho)
    if key not in database.cache:
        longest = int(database.lengths.max(initial=0))
        database.cache[key] = np.array([1.0, *(float(n) ** rho for n in range(1, longest + 1))])
    norms: NDArray[np.float64] = database.cache[key]
    return norms


def _inverse(database: Database, options: SearchOptions, norms: NDArray[np.float64]) -> Floats:
    """Return 1 / length^ρ of every row, and 0 for rows that may not be answered with."""
    key = ("inverse", options.penalty, options.shortest, options.max_tokens)
    if database.allowed is None and key in database.cache:
        cached: Floats = database.cache[key]
        return cached
    inverse = (1 / norms).astype(np.float32)[database.lengths]
    inverse[~candidates(database, options)] = 0
    if database.allowed is None:
        database.cache[key] = inverse
    return inverse


@contextmanager
def _scratch(database: Database) -> Iterator[_Scratch]:
    """Lend scratch space; every thread that searches at the same time gets its own."""
    pool: list[_Scratch] = database.cache.setdefault("scratch", [])
    try:
        scratch = pool.pop()
    except IndexError:
        n = len(database)
        place = np.full(len(database.words), -1, dtype=np.int32)
        scratch = _Scratch(np.empty(n, np.float32), place)
    try:
        yield scratch
    finally:
        pool.append(scratch)
