"""Made-up authors: each prefers some words of one language, and writes text after text with those preferences."""

from __future__ import annotations

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.vectors import WordVectors

_SYLLABLES = [c + v for c in "bdfglmnprst" for v in "aeiou"]
WORDS = [a + b for a in _SYLLABLES[:20] for b in _SYLLABLES[20:40]]
VECTORS = WordVectors.from_dict({"bada": [1.0, 0.0], "fugo": [0.0, 1.0]}, "two words")


def preferences(author: int, strength: float = 0.6) -> np.ndarray:
    """Return an author's word frequencies: Zipf's, each word up or down by a factor of the author's own."""
    usual = 1 / np.arange(1, len(WORDS) + 1)
    own = usual * np.exp(strength * np.random.default_rng(1000 + author).normal(size=len(WORDS)))
    return np.asarray(own / own.sum())


def write(author: int, tokens: int, seed: int) -> str:
    rng = np.random.default_rng([author, seed])
    return " ".join(rng.choice(WORDS, tokens, p=preferences(author)))


def library(authors: int = 5, texts: int = 3, tokens: int = 1500) -> Corpus:
    """Return a corpus of some texts by each author, labelled A, B, …"""
    names = {f"{chr(65 + a)}_{i}": write(a, tokens, i) for a in range(authors) for i in range(texts)}
    return Corpus.from_texts(names, labels=[name[0] for name in names], vectors=VECTORS)
