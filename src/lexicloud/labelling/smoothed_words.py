"""Words as the labeller sees them, and how much likelier a label's texts make each, its neighbours' mass included.

q̃(w) / b(w) = (c(w) / b(w) + κ Σ_v q(v) k(v, w) + μ) / (M + κ + μ), where c are the counts of a label's M training
words, q = c / M, b is the background, and k(v, w) = exp(cos(v, w) / T) / Z(v) says how much likelier w becomes once
v was seen; Z(v) makes it one on average over general text. A text's score is the sum of log(q̃ / b) over its
words, a repeated word counting log₂(1 + n) times, divided by the root of the number of words: words of a text are not
independent, so evidence grows more slowly than length.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.text import DEFAULT_RULES, TokenRules, is_punctuation, is_stopword, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lexicloud.labelling.table_rows import TableRows
    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]

_REMEMBERED: Final = 200_000  # words of which vectors are kept at hand
# Words with which a kernel is normalised: more change nothing that can be measured.
_REFERENCE: Final = 10_000
# Zipf's law with Mandelbrot's offset for English: the frequency of the word of rank r is about 1 / (r + 2.7).
_OFFSET: Final = 2.7
# What the general frequencies weigh beside the training texts, in words.
_GENERAL_WORDS: Final = 1000.0
# Vector files list frequent words first; one that does not is told by the training texts' own counts.
_LEAST_AGREEMENT: Final = 0.2


@dataclass(frozen=True, eq=False)
class Words:
    """Some words: their vectors (zeros where there is none), and the share of all text that each is."""

    words: Sequence[str]
    vectors: NDArray[np.float32]  # refined: what is near is alike in meaning
    raw: NDArray[np.float32]
    embedded: NDArray[np.bool_]
    content: NDArray[np.bool_]  # neither stop word nor punctuation
    general: Floats
    own: NDArray[np.float32]  # learnt from the rows of a table; no columns where there is none

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def places(self) -> dict[str, int]:
        """Word → its place among these."""
        return {word: i for i, word in enumerate(self.words)}

    def find(self, words: Words) -> NDArray[np.int64]:
        """Return the places of other words among these, -1 where they are not."""
        return np.array([self.places.get(word, -1) for word in words.words], dtype=np.int64)


class WordSource:
    """Gives words their vectors and general frequencies, and remembers them: a large table is slow to ask."""

    def __init__(
        self, vectors: WordVectors, rules: TokenRules = DEFAULT_RULES, rows: TableRows | None = None
    ) -> None:
        self.vectors, self.rules, self.rows = vectors, rules, rows
        self._known = self._look_up([])

    def of(self, words: Sequence[str]) -> Words:
        """Look words up."""
        known = self._known
        missing = [word for word in dict.fromkeys(words) if word not in known.places]
        if missing:
            known = self._known = _joined(
                known if len(known) < _REMEMBERED else self._look_up([]), self._look_up(missing)
            )
            if any(word not in known.places for word in words):  # memory was begun anew
                return self._look_up(words)
        rows = np.array([known.places[word] for word in words], dtype=np.int64)
        return Words(
            words,
            known.vectors[rows],
            known.raw[rows],
            known.embedded[rows],
            known.content[rows],
            known.general[rows],
            known.own[rows],
        )

    def _look_up(self, words: Sequence[str]) -> Words:
        found = self.vectors.lookup(list(words))
        embedded = found.status > 0
        refined = self.vectors.refinement.apply(found.matrix)
        refined[~embedded] = 0
        content = [not is_punctuation(word) and not is_stopword(word, self.rules) for word in words]
        own = np.zeros((len(words), 0), np.float32) if self.rows is None else self.rows.vectors_of(words)
        return Words(
            words, refined, found.matrix, embedded, np.array(content, dtype=bool), self._general(words), own
        )

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
class Background:
    """How usual words are: the training texts' counts, joined with general frequencies."""

    totals: dict[str, float]
    tokens: float
    ranked: bool  # whether the vector table lists frequent words first

    @classmethod
    def of(cls, known: Words, totals: Floats) -> Background:
        """Take how often some texts have each word."""
        return cls(
            dict(zip(known.words, totals.tolist(), strict=True)), float(totals.sum()), _ranked(known, totals)
        )

    def shares(self, words: Words) -> Floats:
        """Return the share of text that each word is expected to be."""
        seen = np.array([self.totals.get(word, 0.0) for word in words.words])
        general = words.general if self.ranked else np.full(len(words), 1 / max(1.0, self.tokens))
        return np.asarray((seen + _GENERAL_WORDS * general) / (self.tokens + _GENERAL_WORDS))


def count_words(
    texts: Sequence[str], rules: TokenRules, known: Sequence[str] = ()
) -> tuple[list[str], sparse.csr_array]:
    """Return the words of some texts, after the known ones, and how often each text has each word."""
    ids = {word: i for i, word in enumerate(known)}
    columns: list[int] = []
    bounds = [0]
    for text in texts:
        columns += [ids.setdefault(rules.normalise(token), len(ids)) for token in tokenize(text, rules)]
        bounds.append(len(columns))
    shape = (len(texts), len(ids))
    counts = sparse.csr_array((np.ones(len(columns)), columns, bounds), shape=shape)
    counts.sum_duplicates()
    return list(ids), counts


def _joined(a: Words, b: Words) -> Words:
    return Words(
        [*a.words, *b.words],
        np.concatenate([a.vectors, b.vectors]),
        np.concatenate([a.raw, b.raw]),
        np.concatenate([a.embedded, b.embedded]),
        np.concatenate([a.content, b.content]),
        np.concatenate([a.general, b.general]),
        np.concatenate([a.own, b.own]),
    )


def _harmonic(size: int) -> float:
    return float(np.log((size + _OFFSET) / _OFFSET) + 0.5 / _OFFSET)


def _ranked(known: Words, totals: Floats) -> bool:
    """Tell whether frequent words of the texts stand early in the table of vectors."""
    from scipy.stats import spearmanr

    some = known.embedded & (totals > 0)
    if not some.any():
        return False
    if some.sum() < 20 or len(np.unique(totals[some])) < 2:
        return True
    return bool(spearmanr(known.general[some], totals[some]).statistic > _LEAST_AGREEMENT)


_BLOCK: Final = 1 << 22  # cosines held at once: 16 MiB
# Training words that share their mass with neighbours, the most frequent: thousands of examples have many more words,
# but then the rarer ones are needed less, and time grows with the product of both.
_CARRIERS: Final = 8000


@dataclass(frozen=True)
class Smoothing:
    """How strongly neighbours count (κ words' worth) and how near they must be (T = 0.6 / power)."""

    kappa: float
    power: int


# Held-out likelihood on the training texts chooses one of these. Whole powers, ascending: each kernel is the one before
# it times another, which is faster than the exponential.
SMOOTHINGS: Final = (Smoothing(10_000.0, 3), Smoothing(3000.0, 4), Smoothing(1000.0, 5))
_WIDEST: Final = 0.6
MU: Final = 1000.0  # background words' worth; 200 to 5,000 did as well


class SmoothedWords:
    """Neighbour kernels from the words of the training texts to any words."""

    def __init__(self, source: WordSource, known: Words, background: Background) -> None:
        self.known, self.background = known, background
        self.carriers = _most_frequent(known, background, _CARRIERS)
        vectors, shares = source.reference
        self._reference = vectors, shares
        self._norms: dict[int, NDArray[np.float32]] = {}

    @staticmethod
    def amounts(counts: sparse.csr_array) -> sparse.csr_array:
        """Return how much each word of each text counts."""
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

        Words without a vector neither give nor take, which leaves them at q's own mass.
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
        """Return what each training word gives to one word under one label's q, zero for words without a vector."""
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


def _most_frequent(known: Words, background: Background, most: int) -> NDArray[np.int64]:
    """Return the most frequent words with a vector, in the order of their numbers."""
    counts = np.array([background.totals[word] for word in known.words])
    counts[~known.embedded] = -1
    order = np.argsort(-counts, kind="stable")[: min(most, int(known.embedded.sum()))]
    return np.sort(order)


def kernels(
    a: NDArray[np.float32], b: NDArray[np.float32], powers: Sequence[int]
) -> Iterator[NDArray[np.float32]]:
    """Yield exp(cos / T) of all pairs of unit vectors for T = 0.6 / power, powers ascending, in one array."""
    base = a @ b.T
    base /= np.float32(_WIDEST)
    np.exp(base, out=base)
    product, reached = base.copy(), 1
    for power in powers:
        for _ in range(power - reached):
            product *= base
        reached = power
        yield product
