"""Sentences and queries for the benchmarks of search: those of the books, or made up where the books are absent."""

from __future__ import annotations

import numpy as np

from benchmarks.record import SHARED
from lexicloud.text import split_sentences
from lexicloud.vectors import load_vectors

BOOKS = SHARED / "books"
SENTENCES = 240_000
QUERIES = 40


def sentences(n: int = SENTENCES) -> list[str]:
    found: list[str] = []
    for book in sorted(BOOKS.glob("*.txt")):
        found += split_sentences(book.read_text(encoding="utf-8-sig"))
        if len(found) >= n:
            return found[:n]
    return found or synthetic(n)


def synthetic(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    words = np.array([w for w in load_vectors().words[:40_000] if w.isalpha()])
    ranks = rng.zipf(1.3, size=n * 16) % len(words)
    lengths = rng.integers(4, 29, size=n)
    ends = np.cumsum(lengths) % len(ranks)
    return [
        " ".join(words[np.take(ranks, range(e - k, e), mode="wrap")]) + "."
        for e, k in zip(ends, lengths, strict=True)
    ]


def queries(texts: list[str], n: int = QUERIES, seed: int = 1) -> list[str]:
    rng = np.random.default_rng(seed)
    usable = [t for t in (texts[i] for i in rng.choice(len(texts), size=4 * n)) if 5 <= len(t.split()) <= 40]
    return usable[:n]
