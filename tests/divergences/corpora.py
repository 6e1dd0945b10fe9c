"""Small corpora with vectors of their own, so that no test needs a vector file."""

from __future__ import annotations

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.vectors import WordVectors


def vectors(size: int = 60, d: int = 4, seed: int = 0) -> WordVectors:
    """Words w0, w1, … with random vectors."""
    table = np.random.default_rng(seed).normal(size=(size, d)).astype(np.float32)
    return WordVectors([f"w{i}" for i in range(size)], table, "random")


def texts(documents: int = 4, tokens: int = 120, size: int = 60, seed: int = 0) -> dict[str, str]:
    """Texts that draw their words from different, overlapping stretches of the vocabulary, unevenly."""
    rng = np.random.default_rng(seed)
    made = {}
    for i in range(documents):
        start = i * size // (2 * documents)
        words = (start + np.minimum(rng.geometric(0.06, tokens), size // 2) - 1) % size
        made["abcdefghijkl"[i]] = " ".join(f"w{w}" for w in words)
    return made


def corpus(documents: int = 4, tokens: int = 120, size: int = 60, seed: int = 0) -> Corpus:
    """The texts as a corpus."""
    return Corpus.from_texts(texts(documents, tokens, size, seed), vectors=vectors(size, seed=seed))
