"""A little world of vectors where every theme is a far-off group of words, known by construction."""

from __future__ import annotations

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.vectors import WordVectors

WORDS_PER_THEME = 8
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def word(theme: int, i: int) -> str:
    """Letters only, so that no rule of the tokenizer takes it apart."""
    return f"theme{_LETTERS[theme]}word{_LETTERS[i]}"


def theme_vectors(themes: int, dimension: int = 12, seed: int = 0) -> WordVectors:
    """Themes lie 40 standard deviations of their words apart, or more."""
    rng = np.random.default_rng(seed)
    centres = 20 * np.linalg.qr(rng.standard_normal((dimension, dimension)))[0][:themes]
    table = {
        word(t, i): (centres[t] + 0.5 * rng.standard_normal(dimension)).astype(np.float32)
        for t in range(themes)
        for i in range(WORDS_PER_THEME)
    }
    return WordVectors.from_dict(table, "themes")


def theme_corpus(sizes: list[int], seed: int = 0) -> Corpus:
    """Build one document whose theme t has sizes[t] distinct sentences of five of its own words."""
    rng = np.random.default_rng(seed)
    seen: dict[str, None] = {}
    for theme, size in enumerate(sizes):
        wanted = len(seen) + size
        while len(seen) < wanted:
            chosen = rng.integers(WORDS_PER_THEME, size=5)
            seen[" ".join(word(theme, i) for i in chosen).capitalize() + "."] = None
    return Corpus.from_texts([" ".join(seen)], vectors=theme_vectors(len(sizes)))
