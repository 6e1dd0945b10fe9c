"""Two sides and their impostors, drawn alike, and how close each is to each: the numbers behind `verify`.

In a round every author of the reference gives a text (or several) as a known side and another as an unknown side, with
the number and length of the texts in question. A table holds how close each known side is to each unknown side. A cell
is a pair: on the diagonal by one author, elsewhere by two. The other cells of its row and of its column are what
impostors reach, so that one table scores both the question and the pairs that calibrate it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.combined import RARE, WithinTexts, unit_length, z_scores
from lexicloud.authorship.features import Spelling, WordTable
from lexicloud.authorship.impostors import CHUNK, LEAST, Population
from lexicloud.authorship.reliability import reliability
from lexicloud.errors import EstimateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    # The z-scores of passages, and the text and the author of each.
    Passages = tuple[Floats, NDArray[np.int64], NDArray[np.int64]]

# Frequent words and sequences of characters that count. With 3,000 sequences AUC was a point lower, with 20,000 equal.
FREQUENT: Final = 1000
GRAMS: Final = 8000
# The most words of a side: a reference keeps 20,000 of a text.
LONGEST: Final = 20_000
# The share of the authors that must reach the length of a side; the others take no part.
REACH: Final = 0.75
# The most authors that take part: the table holds all their pairs.
MOST: Final = 150
# Passages of a text, and of all texts, from which it is learnt what tells authors apart and what varies within texts.
# With 900 in all the cost was a hundredth lower, and an answer took three times as long.
PIECES: Final = (3, 10)
MOST_PIECES: Final = 450
# The share of the ranked passages that must have a feature. With a tenth too few ranks were exact, with three tenths
# fewer pairs by one hand came first.
SHARED: Final = 0.2
# The weight of what is expected of a feature by its frequency alone, in authors.
HELD: Final = 5.0
HELD_CHARACTERS: Final = 1.0
# Groups of authors; each is scored with what the passages of the other groups teach.
PARTS: Final = 3


@dataclass(frozen=True, eq=False)
class View:
    """One kind of features of texts (words, pairs of words or characters), with mean and deviation of each."""

    features: tuple[str, ...]
    spelt: sparse.csr_array  # columns of the reference × features: how often each word has the feature
    sizes: Floats | None  # how many sequences each word has, listed or not; None for words and pairs
    mean: Floats
    deviation: Floats
    rare: float
    weights: Floats  # how far each feature tells authors apart
    within: WithinTexts
    passages: Passages | None = None  # what both are learnt from

    @classmethod
    def of_words(cls, population: Population, asked: Sequence[WordTable], words: float) -> View:
        """Return the view of the most frequent words; `words` is the length of the shorter side."""
        return cls._columns(0, min(FREQUENT, len(population.words)), population, asked, words)

    @classmethod
    def of_pairs(cls, population: Population, asked: Sequence[WordTable], words: float) -> View:
        """Return the view of the most frequent pairs of words in a row."""
        return cls._columns(len(population.words), len(population.features), population, asked, words)

    @classmethod
    def _columns(
        cls, first: int, end: int, population: Population, asked: Sequence[WordTable], words: float
    ) -> View:
        features = population.features
        spelt = sparse.csr_array(sparse.eye_array(len(features), end - first, k=-first))
        return cls._fitted(features[first:end], spelt, None, RARE, population, asked, words)

    @classmethod
    def of_characters(cls, population: Population, asked: Sequence[WordTable], words: float) -> View:
        """Return the view of the most frequent sequences of four characters inside words."""
        spelling, pairs = Spelling.of(population.words), len(population.pairs)
        sizes = np.asarray(spelling.within.sum(axis=1), dtype=np.float64).ravel()
        totals = np.asarray(population.chunked.whole.totals[: len(sizes)] @ spelling.within).ravel()
        frequent = np.argsort(-totals, kind="stable")[:GRAMS]
        features = tuple(spelling.sequences[i] for i in frequent.tolist())
        nothing = sparse.csr_array((pairs, len(frequent)))
        spelt = sparse.csr_array(sparse.vstack([spelling.within[:, frequent], nothing]))
        sizes = np.concatenate([sizes, np.zeros(pairs)])
        return cls._fitted(features, spelt, sizes, 0.0, population, asked, words)

    @classmethod
    def _fitted(
        cls,
        features: tuple[str, ...],
        spelt: sparse.csr_array,
        sizes: Floats | None,
        rare: float,
        population: Population,
        asked: Sequence[WordTable],
        words: float,
    ) -> View:
        none, nothing = np.zeros(0), WithinTexts.nothing(0)
        plain = cls(features, spelt, sizes, none, none, rare, none, nothing)
        shares = np.concatenate([plain.shares(each)[0] for each in (population.chunked.whole, *asked)])
        mean, deviation = shares.mean(axis=0), shares.std(axis=0)
        varies = np.flatnonzero(deviation > 1e-12 * mean)
        found = cls(
            tuple(features[i] for i in varies.tolist()),
            sparse.csr_array(spelt[:, varies]),
            sizes,
            mean[varies],
            deviation[varies],
            rare,
            none,
            nothing,
        )
        passages = found.passages_of(population, words)
        return replace(found.learnt(passages), passages=passages)

    def shares(self, texts: WordTable) -> tuple[Floats, Floats]:
        """Return the share of each feature in texts, and the number of words or sequences of each text."""
        lengths = texts.lengths if self.sizes is None else np.asarray(texts.counts @ self.sizes)
        lengths = np.maximum(lengths, 1.0)
        return np.asarray((texts.counts @ self.spelt).toarray()) / lengths[:, None], lengths

    def learnt(self, passages: Passages | None) -> View:
        """Learn how far each feature tells authors apart, and how passages of one text differ."""
        prior = self.mean / (self.mean + self.rare) if self.rare else np.full(len(self.mean), 0.5)
        if passages is None:
            return replace(self, weights=np.sqrt(prior), within=WithinTexts.nothing(len(prior)))
        z, texts, authors = passages
        held = HELD if self.sizes is None else HELD_CHARACTERS
        weights = np.sqrt(reliability(z, texts, authors, prior, held))
        return replace(self, weights=weights, within=WithinTexts.of(unit_length(z * weights), texts))

    def without(self, texts: Sequence[int]) -> View:
        """Return the same view, learnt without the passages of some of the texts."""
        if self.passages is None:
            return self
        kept = ~np.isin(self.passages[1], texts)
        z, owners, authors = self.passages
        return self.learnt((z[kept], owners[kept], authors[kept]))

    def passages_of(self, population: Population, words: float) -> Passages | None:
        """Return the z-scores of some passages of each text, and the text and author of each; None without sides."""
        chunked, size = population.chunked, max(2, round(words / CHUNK))
        long = [i for i, (a, b) in enumerate(chunked.spans) if b - a >= 2 * size]
        if not words or len(long) < LEAST:
            return None
        number = int(np.clip(round(MOST_PIECES / len(long)), *PIECES))
        long = long[:: -(-number * len(long) // MOST_PIECES // 2)] or long
        starts = [
            (i, s)
            for i in long
            for s in np.linspace(*_first_and_last(chunked.spans[i], size), number).astype(int)
        ]
        drawn = [
            (
                np.asarray(chunked.table.counts[s : s + size].sum(axis=0), dtype=np.float64).ravel(),
                float(chunked.table.lengths[s : s + size].sum()),
            )
            for _, s in starts
        ]
        shares, lengths = self.shares(as_table(population.features, drawn))
        texts = np.array([i for i, _ in starts])
        _, authors = np.unique(population.authors, return_inverse=True)
        return z_scores(shares, lengths, self.mean, self.deviation), texts, authors[texts]

    def z(self, texts: WordTable) -> Floats:
        """Return z-scores at unit length, with what tells authors apart raised and what varies within texts reduced.

        They are taken around the mean of these texts, the side in question and all impostors. Around a mean without it,
        the side would lie farther out than the impostors, and closer to another text left out of the mean.
        """
        shares, lengths = self.shares(texts)
        z = z_scores(shares, lengths, shares.mean(axis=0), self.deviation) * self.weights
        return unit_length(self.within.less(unit_length(z)))

    def closeness(self, known: WordTable, unknown: WordTable) -> Floats:
        """Return known sides × unknown sides: the cosines of Delta, all as between strangers.

        A side lies away from the mean of its table, and so from every author whose other side is in that mean: by
        1 / (n - 1) of how close the author's two sides are. The authors of a question by two hands are in one mean
        each, those of the reference in both, so that strangers looked alike beside them (+.14 at 1,000 words).
        """
        S = np.asarray(self.z(known) @ self.z(unknown).T)
        own = np.diag(S) / (len(S) - 1)
        return np.asarray(S + np.where(np.eye(len(S), dtype=bool), 0.0, own[:, None] + own))

    def among(self, unknown: WordTable, known: WordTable) -> Floats:
        """Return how close unknown sides are to a known one, by what is usual of these unknown sides and nothing else.

        So all of them are treated alike. Around means in which other texts of some of their authors took part, those
        would lie nearer to the middle, and a stranger closer to the known side. For the same reason a feature counts
        only if a fifth of these sides have it: the lists hold what is peculiar to single texts of the reference (their
        names), and nothing of the kind from the text in question, which therefore looked closer than they did.
        """
        shares, lengths = self.shares(unknown)
        mean, deviation = shares.mean(axis=0), shares.std(axis=0)
        there = (shares > 0).mean(axis=0) >= SHARED
        sides = ((shares, lengths), self.shares(known))
        z, y = (z_scores(s[:, there], n, mean[there], deviation[there], self.rare) for s, n in sides)
        return np.asarray(z @ y[0])


def as_table(words: tuple[str, ...], drawn: Sequence[tuple[Floats, float]]) -> WordTable:
    """Return counts and lengths as a table."""
    counts = sparse.csr_array(np.stack([counts for counts, _ in drawn]))
    lengths = np.array([length for _, length in drawn])
    return WordTable(words, counts, lengths, tuple(map(str, range(len(drawn)))))


@dataclass(frozen=True, eq=False)
class Setting:
    """A reference cut to the sides of a question: texts and words of each side, and the authors who have as many."""

    population: Population
    authors: tuple[str, ...]
    texts: int
    known: float
    unknown: float
    words: View
    characters: View
    pairs: View

    @classmethod
    def of(
        cls, population: Population, texts: int, known: float, unknown: float, asked: Sequence[WordTable] = ()
    ) -> Setting:
        """Choose the authors, and cut the sides to a length that three quarters of the authors reach.

        Means and deviations are learnt from the sides `asked` about, too, so that these are no outliers.
        """
        reach = {author: _reach(population, author) for author in population.members}
        lengths = np.array(list(reach.values()))
        if len(lengths) < LEAST:
            raise EstimateError(
                f"the reference has {len(lengths)} authors, but {LEAST} are needed to say what is usual: "
                "give texts by more hands"
            )
        most = [_reached_by(column) for column in lengths.T]
        known, unknown = (
            whole_chunks(min(*each, LONGEST)) for each in zip((known, unknown), most, strict=True)
        )
        kept = [author for author, (a, b) in reach.items() if a >= known and b >= unknown]
        # Authors with several texts come first: they make the pairs by one author.
        kept = sorted(kept, key=lambda author: -min(2, len(population.members[author])))[:MOST]
        makers = (View.of_words, View.of_characters, View.of_pairs)
        views = (make(population, asked, min(known, unknown)) for make in makers)
        return cls(population, tuple(kept), texts, known, unknown, *views)

    @property
    def views(self) -> tuple[View, View, View]:
        """The three kinds of features; the score is the mean of their scores."""
        return self.words, self.characters, self.pairs

    @property
    def several(self) -> NDArray[np.bool_]:
        """Which authors have several texts."""
        return np.array([len(self.population.members[author]) > 1 for author in self.authors])

    def parts(self) -> Iterator[tuple[NDArray[np.int64], Setting]]:
        """Yield groups of authors, each with the setting in which nothing of passages is learnt from them."""
        if all(view.passages is None for view in self.views):
            return
        for first in range(PARTS):
            rows = np.arange(first, len(self.authors), PARTS)
            texts = [text for row in rows for text in self.population.members[self.authors[row]]]
            words, characters, pairs = (view.without(texts) for view in self.views)
            yield rows, replace(self, words=words, characters=characters, pairs=pairs)

    def draw(self, rng: np.random.Generator) -> tuple[WordTable, WordTable]:
        """Draw a known and an unknown side of every author, from different texts if the author has several."""
        sides: tuple[list[Any], list[Any]] = ([], [])
        chunked = self.population.chunked
        for author in self.authors:
            texts = list(rng.permutation(self.population.members[author]))
            long = [i for i in texts if chunked.lengths[i] >= self.unknown]
            asked = long[0] if long else max(texts, key=lambda i: chunked.lengths[i])
            others = [i for i in texts if i != asked][: self.texts] or [asked]
            if chunked.lengths[others].sum() < self.known:
                others = [i for i in texts if i != asked] or [asked]
            sides[0].append(chunked.draw(others, self.known, rng))
            sides[1].append(chunked.draw([asked], self.unknown, rng))
        first, second = (as_table(self.population.features, side) for side in sides)
        return first, second


def _first_and_last(span: tuple[int, int], size: int) -> tuple[int, int]:
    return span[0], span[1] - size


def two_sided(closeness: Floats) -> Floats:
    """Return how much closer each pair is than impostors are to either side: the mean of both sides, in deviations.

    The impostors of a pair are all authors but its own two.
    """
    return (_standing(closeness) + _standing(closeness.T).T) / 2


def _standing(S: Floats) -> Floats:
    """Return each cell minus the mean of its row's impostors, over their deviation; the diagonal is no impostor."""
    n, own = len(S), np.diag(S)[:, None]
    diagonal = np.eye(n, dtype=bool)
    number = np.where(diagonal, n - 1, n - 2)
    mean = (S.sum(axis=1, keepdims=True) - own - np.where(diagonal, 0, S)) / number
    square = ((S**2).sum(axis=1, keepdims=True) - own**2 - np.where(diagonal, 0, S**2)) / number
    spread = np.sqrt(np.maximum(square - mean**2, 1e-24))
    return np.asarray((S - mean) / spread)


# General Imposters: the number of rounds, and of impostors in a round, of which half is drawn; with too many, the vote
# saturates.
ROUNDS: Final = 100
VOTERS: Final = 25


def votes(known: Floats, unknown: Floats, seed: int = 0) -> Floats:
    """Return the share of rounds won in General Imposters (Koppel and Winter 2014), for every known × unknown side.

    Each round takes a random half of the words and of 25 impostors. A pair wins, in each direction, if it is at least
    as close as every impostor.
    """
    rng, n = np.random.default_rng(seed), len(known)
    won = np.zeros((n, n))
    for _ in range(ROUNDS):
        words = rng.random(known.shape[1]) < 0.5
        among = rng.permutation(n)[:VOTERS]
        among = among[rng.random(len(among)) < 0.5]
        cosine = _unit(known[:, words]) @ _unit(unknown[:, words]).T
        won += (cosine >= _best_impostor(cosine, among)).astype(float) / 2
        won += (cosine >= _best_impostor(cosine.T, among).T).astype(float) / 2
    return won / ROUNDS


def _best_impostor(S: Floats, among: NDArray[Any]) -> Floats:
    """Return, for each cell, the largest value of its row in some columns, without its own column and the diagonal."""
    n = len(S)
    if not len(among):
        return np.full((n, n), -np.inf)
    part = S[:, among].copy()
    part[among[None, :] == np.arange(n)[:, None]] = -np.inf
    order = np.argsort(-part, axis=1)
    rows = np.arange(n)
    first = part[rows, order[:, 0]]
    second = part[rows, order[:, 1]] if len(among) > 1 else np.full(n, -np.inf)
    is_first = among[order[:, 0]][:, None] == np.arange(n)[None, :]
    return np.where(is_first, second[:, None], first[:, None])


def _unit(z: Floats) -> Floats:
    return np.asarray(z / np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-300))


def whole_chunks(words: float) -> float:
    """Return a length rounded down to whole chunks, so that no passage has to be thinned; under a chunk as it is."""
    return words // CHUNK * CHUNK if words >= CHUNK else words


def _reach(population: Population, author: str) -> tuple[float, float]:
    """Return how many words an author has for a known side, and for an unknown one."""
    lengths = np.sort(population.chunked.lengths[list(population.members[author])])
    if len(lengths) == 1:
        return float(lengths[0]), float(lengths[0])
    # The longest text is the unknown side, the others are the known side.
    return float(lengths[:-1].sum()), float(lengths[-1])


def _reached_by(lengths: Floats) -> float:
    """Return the length that three quarters of the authors reach, and at least LEAST of them."""
    number = max(LEAST, int(np.ceil(REACH * len(lengths))))
    return float(np.sort(lengths)[::-1][number - 1])
