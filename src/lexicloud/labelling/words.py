"""Words as the labeller sees them: their counts in texts, their vectors, and how usual they are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy import sparse

from lexicloud.text import DEFAULT_RULES, TokenRules, is_punctuation, is_stopword, tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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

    def __init__(self, vectors: WordVectors, rules: TokenRules = DEFAULT_RULES) -> None:
        self.vectors, self.rules = vectors, rules
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
        )

    def _look_up(self, words: Sequence[str]) -> Words:
        found = self.vectors.lookup(list(words))
        embedded = found.status > 0
        refined = self.vectors.refinement.apply(found.matrix)
        refined[~embedded] = 0
        content = [not is_punctuation(word) and not is_stopword(word, self.rules) for word in words]
        return Words(
            words, refined, found.matrix, embedded, np.array(content, dtype=bool), self._general(words)
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
    def of(cls, known: Words, counts: sparse.csr_array) -> Background:
        """Count the training texts."""
        totals = np.asarray(counts.sum(axis=0), dtype=np.float64).ravel()
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
