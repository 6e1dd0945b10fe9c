"""How much likelier each word is under a label, smoothed by its neighbours; and words as the labeller sees them.

q̃(w) / b(w) = (c(w) / b(w) + κ Σ_v q(v) k(v, w) + μ) / (M + κ + μ), where c are the counts of a label's M training
words, q = c / M, b is the background, and k(v, w) = exp(cos(v, w) / T) / Z(v) says how much likelier w becomes once
v was seen; Z(v) makes it one on average over general text. A text's score is the sum of log(q̃ / b) over its words,
where a word that occurs n times counts log₂(1 + n) times, divided by the root of the number of words: words of a text
are not independent, so evidence grows more slowly than length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.errors import VectorsError
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize
from lexicloud.vectors.cooccurrence import TrainOptions, train
from lexicloud.words.lexicon import Lexicon

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors
    from lexicloud.vectors.static_embeddings import StaticEmbeddings

    Floats = NDArray[np.float64]

_REMEMBERED: Final = 100_000  # words whose vectors are remembered: 140 MB
# Words by which a kernel is normalised; more make no measurable difference.
_REFERENCE: Final = 10_000
# Zipf's law with Mandelbrot's offset for English: the frequency of the word of rank r is about 1 / (r + 2.7).
_OFFSET: Final = 2.7
# General frequencies weigh as much as so many words of the training texts.
_GENERAL_WORDS: Final = 1000.0
# Most vector files list frequent words first. Below this correlation with the counts of the training texts, one does
# not.
_LEAST_AGREEMENT: Final = 0.2


@dataclass(frozen=True, eq=False)
class NumberedTerms:
    """A list of words or pairs of words, and the place of each in it."""

    words: Sequence[str]

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> dict[str, int]:
        """Word → its place in `words`."""
        return {word: i for i, word in enumerate(self.words)}

    def find(self, terms: NumberedTerms) -> NDArray[np.int64]:
        """Return the places of other words in this list, or -1."""
        return np.array([self.places.get(word, -1) for word in terms.words], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Words(NumberedTerms):
    """Some words with all that evidence needs: a lexicon, and arrays with a row for each word."""

    lexicon: Lexicon
    vectors: NDArray[np.float32]  # refined; zeros for a word without one
    general: Floats  # each word's share of general text
    own: NDArray[np.float32]  # vectors learnt from the unlabelled texts; no columns if there are none
    # Sums of the static embeddings of each word's tokens; no columns without a model.
    tokens: NDArray[np.float32]

    @property
    def raw(self) -> NDArray[np.float32]:
        """The vectors as they were loaded."""
        return self.lexicon.vectors

    @property
    def embedded(self) -> NDArray[np.bool_]:
        """Which words have a vector."""
        return self.lexicon.embedded

    @property
    def content(self) -> NDArray[np.bool_]:
        """Which words are neither stop words nor punctuation."""
        return ~(self.lexicon.stopwords | self.lexicon.punctuation)

    def take(self, rows: NDArray[np.int64]) -> Words:
        """Return some of these words."""
        words = [self.words[i] for i in rows]
        lexicon = self.lexicon.take(rows)
        return Words(
            words, lexicon, self.vectors[rows], self.general[rows], self.own[rows], self.tokens[rows]
        )

    def joined(self, more: Words) -> Words:
        """Return these words followed by others."""
        arrays = (
            np.concatenate([getattr(self, name), getattr(more, name)])
            for name in ("vectors", "general", "own", "tokens")
        )
        return Words([*self.words, *more.words], self.lexicon.joined(more.lexicon), *arrays)


class WordSource:
    """Finds the vectors and general frequencies of words, and remembers them, because a large table is slow."""

    def __init__(
        self,
        vectors: WordVectors,
        rules: TokenRules = DEFAULT_RULES,
        unlabelled: UnlabelledTexts | None = None,
        embeddings: StaticEmbeddings | None = None,
    ) -> None:
        self.vectors, self.rules, self.unlabelled, self.embeddings = vectors, rules, unlabelled, embeddings
        self._known = self._look_up([])

    def of(self, words: Sequence[str]) -> Words:
        """Look words up."""
        known = self._known
        missing = [word for word in dict.fromkeys(words) if word not in known.places]
        if missing:
            known = known if len(known) < _REMEMBERED else self._look_up([])
            known = self._known = known.joined(self._look_up(missing))
            if any(word not in known.places for word in words):  # the memory was full and has been emptied
                return self._look_up(words)
        return known.take(np.array([known.places[word] for word in words], dtype=np.int64))

    def count(self, texts: Sequence[str]) -> TextCounts:
        """Count the words and the pairs of neighbouring words of texts."""
        rows = [[self.rules.normalise(token) for token in tokenize(text, self.rules)] for text in texts]
        words, counts = count_terms(rows)
        pairs, pair_counts = count_terms([word_pairs(row) for row in rows])
        return TextCounts(self.of(words), counts, NumberedTerms(pairs), pair_counts)

    def _look_up(self, words: Sequence[str]) -> Words:
        lexicon = Lexicon.build(words, self.vectors, self.rules)
        refined = self.vectors.refinement.apply(lexicon.vectors)
        refined[~lexicon.embedded] = 0
        nothing = np.zeros((len(words), 0), np.float32)
        own = nothing if self.unlabelled is None else self.unlabelled.vectors_of(words)
        tokens = nothing if self.embeddings is None else self.embeddings.word_vectors(words)[0]
        return Words(words, lexicon, refined, self._general(words), own, tokens)

    def _general(self, words: Sequence[str]) -> Floats:
        rows = self.vectors.rows.find_many(list(words))
        size = len(self.vectors)
        ranks = np.where(rows < 0, size, rows)
        return np.asarray(1 / (ranks + _OFFSET) / _harmonic(size))

    @cached_property
    def reference(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Refined vectors of the table's first words, and their shares of general text."""
        matrix = np.asarray(self.vectors.matrix[:_REFERENCE], dtype=np.float32)
        shares = 1 / (np.arange(len(matrix)) + _OFFSET)
        return self.vectors.refinement.apply(matrix), (shares / shares.sum()).astype(np.float32)


@dataclass(frozen=True, eq=False)
class WordBackground:
    """How common words are, by the counts of the training texts and general frequencies."""

    totals: dict[str, float]
    tokens: float
    ranked: bool  # whether the vector table lists frequent words first

    @classmethod
    def of(cls, known: Words, totals: Floats) -> WordBackground:
        """Make the background from how often some texts have each word."""
        return cls(
            dict(zip(known.words, totals.tolist(), strict=True)), float(totals.sum()), _ranked(known, totals)
        )

    def shares(self, words: Words) -> Floats:
        """Return the expected share of each word in a text."""
        seen = np.array([self.totals.get(word, 0.0) for word in words.words])
        general = words.general if self.ranked else np.full(len(words), 1 / max(1.0, self.tokens))
        return np.asarray((seen + _GENERAL_WORDS * general) / (self.tokens + _GENERAL_WORDS))


@dataclass(frozen=True, eq=False)
class TextCounts:
    """The counts of words and of pairs of neighbouring words (columns) in each text (rows)."""

    words: Words
    counts: sparse.csr_array
    pairs: NumberedTerms
    pair_counts: sparse.csr_array

    def __len__(self) -> int:
        return int(self.counts.shape[0])


def count_terms(rows: Sequence[Sequence[str]]) -> tuple[list[str], sparse.csr_array]:
    """Return the distinct words of texts (lists of words), and how often each text has each."""
    ids: dict[str, int] = {}
    columns = [ids.setdefault(term, len(ids)) for row in rows for term in row]
    bounds = np.cumsum([0, *map(len, rows)])
    shape = (len(rows), len(ids))
    counts = sparse.csr_array((np.ones(len(columns)), np.array(columns, dtype=np.int64), bounds), shape=shape)
    counts.sum_duplicates()
    return list(ids), counts


def word_pairs(words: Sequence[str]) -> list[str]:
    """Return the pairs of neighbouring words; the first word follows a mark of the beginning.

    >>> word_pairs(["how", "many", "?"])
    ['^ how', 'how many', 'many ?']
    """
    return [f"{a} {b}" for a, b in pairwise(["^", *words])]


def _harmonic(size: int) -> float:
    return float(np.log((size + _OFFSET) / _OFFSET) + 0.5 / _OFFSET)


def _ranked(known: Words, totals: Floats) -> bool:
    """Tell whether the table of vectors lists frequent words first, as far as the texts show."""
    some = known.embedded & (totals > 0)
    if not some.any():
        return False
    if some.sum() < 20 or len(np.unique(totals[some])) < 2:
        return True
    agreement = np.corrcoef(_mean_ranks(known.general[some]), _mean_ranks(totals[some]))[0, 1]
    return bool(agreement > _LEAST_AGREEMENT)


def _mean_ranks(values: Floats) -> Floats:
    """Return each value's rank; equal values get the mean of their ranks, as for Spearman's correlation."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[place])


_BLOCK: Final = 1 << 22  # cosines held at once: 16 MiB
# So many training words, the most frequent, share their mass with neighbours. Thousands of examples have many more
# words, but then rarer ones matter less, and time grows with their number.
_CARRIERS: Final = 8000


@dataclass(frozen=True)
class Smoothing:
    """How strongly neighbours count (as much as κ words) and how near they must be (T = 0.6 / power)."""

    kappa: float
    power: int


# The likelihood of held-out examples chooses one of these. Powers are whole and ascending, so that each kernel is the
# one before it multiplied again, which is faster than the exponential.
SMOOTHINGS: Final = (Smoothing(10_000.0, 3), Smoothing(3000.0, 4), Smoothing(1000.0, 5))
_WIDEST: Final = 0.6
MU: Final = 1000.0  # the background weighs as much as so many words; 200 to 5,000 did as well


class SmoothedWords:
    """The smoothing: kernels from the words of the training texts to any words."""

    def __init__(self, source: WordSource, known: Words, background: WordBackground) -> None:
        self.known, self.background = known, background
        self.carriers = _most_frequent(known, background, _CARRIERS)
        vectors, shares = source.reference
        self._reference = vectors, shares
        self._norms: dict[int, NDArray[np.float32]] = {}

    @staticmethod
    def amounts(counts: sparse.csr_array) -> sparse.csr_array:
        """Return the weight of each word in each text."""
        amounts = counts.copy()
        amounts.data = np.log2(1 + amounts.data)
        total = np.asarray(amounts.sum(axis=1)).ravel()
        return sparse.csr_array(sparse.diags_array(1 / np.sqrt(np.maximum(total, 1))) @ amounts)

    def weights(
        self, label_counts: Floats, words: Words, smoothings: Sequence[Smoothing]
    ) -> Iterator[Floats]:
        """Yield log(q̃ / b) of each word (rows) for each row of label counts (columns), for each smoothing."""
        M = np.maximum(label_counts.sum(axis=1), 1)
        own = self._own(label_counts, words) / self.background.shares(words) + MU
        latents = self.latents(label_counts / M[:, None], words, [s.power for s in smoothings])
        for smoothing, latent in zip(smoothings, latents, strict=True):
            ratio = own + smoothing.kappa * latent
            yield np.asarray((np.log(ratio) - np.log(M + smoothing.kappa + MU)[:, None]).T)

    def _own(self, label_counts: Floats, words: Words) -> Floats:
        """Return the label counts of each word; words of no training text have none."""
        if words is self.known:
            return label_counts
        columns = self.known.find(words)
        return np.where(columns >= 0, label_counts[:, columns], 0.0)

    def latents(self, q: Floats, words: Words, powers: Sequence[int]) -> list[Floats]:
        """Return Σ_v q(v) k(v, w) for each power of the kernel.

        Words without a vector neither give nor take mass: for them the sum is 1.
        """
        out = [np.ones((len(q), len(words))) for _ in powers]
        norms = self._normalisers(powers)
        given = [(q[:, self.carriers] / norm).astype(np.float32) for norm in norms]
        missing = 1 - q[:, self.carriers].sum(axis=1)
        places = np.flatnonzero(words.embedded)
        step = max(1, _BLOCK // max(1, len(self.carriers)))
        vectors = self.known.vectors[self.carriers]
        for start in range(0, len(places), step):
            some = places[start : start + step]
            near = kernels(vectors, words.vectors[some], powers)
            for latent, shares, kernel in zip(out, given, near, strict=True):
                latent[:, some] = shares @ kernel + missing[:, None]
        return out

    def flows(self, q: Floats, word: NDArray[np.float32], power: int) -> Floats:
        """Return the mass that each training word gives to one word, for one label's q; zero without a vector."""
        out = np.zeros(len(self.known))
        (near,) = kernels(self.known.vectors[self.carriers], word[None], [power])
        (norm,) = self._normalisers([power])
        out[self.carriers] = q[self.carriers] / norm * near[:, 0]
        return out

    def _normalisers(self, powers: Sequence[int]) -> list[NDArray[np.float32]]:
        """Return Z(v) for each power: the mean of exp(cos / T) over general text."""
        if any(power not in self._norms for power in powers):
            vectors, shares = self._reference
            carriers = self.known.vectors[self.carriers]
            step = max(1, _BLOCK // max(1, len(vectors)))
            norms = np.ones((len(powers), len(carriers)), dtype=np.float32)
            for start in range(0, len(carriers), step):
                for norm, near in zip(
                    norms, kernels(carriers[start : start + step], vectors, powers), strict=True
                ):
                    norm[start : start + step] = near @ shares
            self._norms |= dict(zip(powers, norms, strict=True))
        return [self._norms[power] for power in powers]


def _most_frequent(known: Words, background: WordBackground, most: int) -> NDArray[np.int64]:
    """Return the most frequent words with a vector, in the order of their numbers."""
    counts = np.array([background.totals[word] for word in known.words])
    counts[~known.embedded] = -1
    order = np.argsort(-counts, kind="stable")[: min(most, int(known.embedded.sum()))]
    return np.sort(order)


def kernels(
    a: NDArray[np.float32], b: NDArray[np.float32], powers: Sequence[int]
) -> Iterator[NDArray[np.float32]]:
    """Yield exp(cos / T) of all pairs of unit vectors for T = 0.6 / power; the next (ascending) power overwrites it."""
    base = a @ b.T
    base /= np.float32(_WIDEST)
    np.exp(base, out=base)
    product, reached = base.copy(), 1
    for power in powers:
        for _ in range(power - reached):
            product *= base
        reached = power
        yield product


# What is learnt from the rows of a table without labels: how rare words are, and which occur together.
# Vectors trained on six billion words know English; vectors learnt from a few thousand rows know the subject of these
# rows. Both together are better than either. Labellers that see only the labelled rows lack these, and the rarity of
# words in the table.

# With fewer texts it does not pay: see docs/labelling-measured.md.
LEAST_TEXTS: Final = 300
_CHARACTERS: Final = 6_000_000  # about a million words are read; more take long and add little
_OPTIONS: Final = TrainOptions(dimension=50, window=10, least_count=3, most_words=20_000)


@dataclass(frozen=True, eq=False)
class UnlabelledTexts:
    """The words of all rows, how often they occur, how many rows have them, and vectors learnt from the rows."""

    words: list[str]
    totals: NDArray[np.float64]
    having: NDArray[np.int64]
    texts: int
    vectors: NDArray[np.float32]  # of the most frequent words; zeros for the others

    @classmethod
    def learn(cls, texts: Sequence[str], rules: TokenRules, beside: WordVectors) -> UnlabelledTexts | None:
        """Learn from rows, labelled or not; return None if there are too few rows or words."""
        if len(texts) < LEAST_TEXTS:
            return None
        step = max(1, round(sum(map(len, texts)) / _CHARACTERS))
        rows = [[rules.normalise(token) for token in tokenize(text, rules)] for text in texts[::step]]
        try:
            found = train(rows, _OPTIONS)
        except VectorsError:
            return None
        ids: dict[str, int] = {word: i for i, word in enumerate(found.words)}
        columns = [ids.setdefault(word, len(ids)) for row in rows for word in row]
        once = [ids[word] for row in rows for word in set(row)]
        vectors = np.zeros((len(ids), found.dimension), dtype=np.float32)
        vectors[: len(found)] = found.matrix * _scale(found, beside)
        return cls(
            list(ids),
            np.bincount(columns, minlength=len(ids)).astype(np.float64),
            np.bincount(once, minlength=len(ids)),
            len(rows),
            vectors,
        )

    @cached_property
    def places(self) -> dict[str, int]:
        """Word → its place in `words`."""
        return {word: i for i, word in enumerate(self.words)}

    def vectors_of(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some words, or zeros."""
        places = np.array([self.places.get(word, -1) for word in words], dtype=np.int64)
        return np.where(places[:, None] >= 0, self.vectors[places], np.float32(0))


def _scale(found: WordVectors, beside: WordVectors) -> np.float32:
    """Return the factor that makes learnt vectors on average as long as the others."""
    theirs = beside.lookup(list(found.words))
    lengths = np.linalg.norm(theirs.matrix[theirs.status > 0], axis=1)
    own = np.linalg.norm(found.matrix, axis=1).mean()
    return np.float32(lengths.mean() / own) if len(lengths) and own > 0 else np.float32(1)
