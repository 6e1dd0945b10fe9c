"""The nearest words of one word, without a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import UnknownWord
from lexicloud.vectors import load_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


def nearest_in_vectors(
    word: str, k: int, vectors: str | Path | None = None, *, refined: bool = False
) -> list[tuple[str, float]]:
    """Return the `k` words nearest to `word` in all the vectors."""
    table = load_vectors(vectors)
    if not table.lookup([word]).status[0]:
        raise UnknownWord(f"no vector for {word!r} in {table.name}: check the spelling or load other vectors")
    table = table.refined() if refined else table
    return nearest(table.lookup([word]).matrix[0], table.matrix, k + 1, table.words, word)[:k]


def nearest_in_corpus(
    word: str, k: int, path: str | Path, vectors: str | Path | None = None, *, refined: bool = False
) -> list[tuple[str, float]]:
    """Return the `k` words of some texts nearest to `word`, which need not be in them."""
    corpus = Corpus.from_folder(path, vectors=vectors)
    among = np.flatnonzero(corpus.embedded & ~corpus.punctuation)
    own = _vector(corpus, word, vectors)
    if refined:
        own = corpus.lexicon.refinement.apply(own[None])[0]
    points = (corpus.refined if refined else corpus.vectors)[among]
    return nearest(own, points, k + 1, [corpus.vocabulary[i] for i in among], corpus.rules.normalise(word))[
        :k
    ]


def _vector(corpus: Corpus, word: str, vectors: str | Path | None) -> NDArray[np.float32]:
    number = corpus.vocabulary.ids.get(corpus.rules.normalise(word))
    if number is not None and corpus.embedded[number]:
        return np.asarray(corpus.vectors[number])
    table = load_vectors(vectors)
    found = table.lookup([corpus.rules.normalise(word)])
    if not found.status[0]:
        raise UnknownWord(f"no vector for {word!r} in {table.name}: check the spelling or load other vectors")
    return np.asarray(found.matrix[0])


def nearest(
    own: NDArray[np.float32], points: NDArray[np.float32], k: int, words: Sequence[str], word: str
) -> list[tuple[str, float]]:
    """Measure from one vector to all, and return the nearest other words."""
    squares = ((points - own) ** 2).sum(axis=1)
    order = np.argsort(squares, kind="stable")[: k + 1]
    listed = [(words[i], float(np.sqrt(squares[i]))) for i in order]
    return [(other, distance) for other, distance in listed if other != word][:k]
