"""Which words a word shares its mass with: its latent neighbours, the nearer and the more usual the more.

K(v, w) ∝ √b(w) · exp(cos(v, w) / T) over the m nearest words w of v, rows adding up to one. The root of the background
frequency keeps a rare form from taking as much of a word's mass as its everyday synonym.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lexicloud.neighbours import Neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]
    _Entries = tuple[Floats, NDArray[np.int64], NDArray[np.int64]]  # values, rows, columns

_BLOCK = 1024  # new words whose cosines to all known words are held at once


@dataclass(frozen=True)
class Kernel:
    """How the kernel is made: `m` nearest words, `temperature` T, refined vectors or raw ones at unit length."""

    m: int
    temperature: float
    refined: bool

    def matrix(self, corpus: Corpus, background: Floats, known: NDArray[np.bool_]) -> sparse.csr_array:
        """Return K over the vocabulary, taking only `known` words into account.

        Other embedded words of the corpus (those of new texts) are joined on: each shares its mass with its
        nearest known words, and takes from them what they would have given it. What the known
        words give each other does not change, so that no new text can change what is said of another.
        """
        size = len(corpus.vocabulary)
        table = Neighbours.of(corpus, self.m, mask=corpus.embedded & known, refined=self.refined)
        near = table.ids >= 0
        cosine = 1 - np.square(np.where(near, table.distances, 0).astype(np.float64)) / 2
        if not self.refined:
            cosine = _cosines(corpus.vectors, table.ids)
        best = np.where(near, cosine, -np.inf).max(axis=1, initial=-np.inf)
        best[~np.isfinite(best)] = 0.0
        weights = np.where(near, self._weights(cosine - best[:, None], background[table.ids]), 0.0)
        totals = weights.sum(axis=1)
        rows, places = np.nonzero(weights)
        values = weights[rows, places] / totals[rows]
        parts: list[_Entries] = [(values, rows, table.ids[rows, places].astype(np.int64))]
        new = np.flatnonzero(corpus.embedded & ~known & (corpus.totals > 0))
        if len(new) and totals.any():
            parts += self._joined_on(corpus, background, np.flatnonzero(totals > 0), new, best, totals)
        data, i, j = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return sparse.csr_array((data, (i, j)), shape=(size, size))

    def _weights(self, cosine: Floats, background: Floats) -> Floats:
        return np.asarray(np.sqrt(background) * np.exp(cosine / self.temperature))

    def _joined_on(
        self,
        corpus: Corpus,
        background: Floats,
        known: NDArray[np.int64],
        new: NDArray[np.int64],
        best: Floats,
        totals: Floats,
    ) -> list[_Entries]:
        vectors = corpus.refined if self.refined else _unit(corpus.vectors)
        parts: list[_Entries] = []
        for start in range(0, len(new), _BLOCK):
            words = new[start : start + _BLOCK]
            cosine = vectors[words] @ vectors[known].T
            m = min(self.m, len(known))
            places = np.argpartition(-cosine, m - 1, axis=1)[:, :m]
            close, theirs = np.take_along_axis(cosine, places, axis=1).astype(np.float64), known[places]
            given = self._weights(close - close.max(axis=1, keepdims=True), background[theirs])
            given /= given.sum(axis=1, keepdims=True)
            taken = self._weights(close - best[theirs], background[words][:, None]) / totals[theirs]
            mine = np.repeat(words, m)
            parts.append((given.ravel(), mine, theirs.ravel()))
            # A new word nearer than any known one takes no more than all of a word's latent mass.
            parts.append((np.minimum(taken, 1.0).ravel(), theirs.ravel(), mine))
        return parts


def carry_tables(known: Corpus, grown: Corpus) -> None:
    """Hand the neighbour tables of a corpus on to one that has words added at the end of its vocabulary."""
    more = len(grown.vocabulary) - len(known.vocabulary)
    for key, table in list(known.lexicon.cache.items()):
        if isinstance(table, Neighbours):
            mask = np.pad(table.mask, (0, more))
            ids = np.pad(table.ids, ((0, more), (0, 0)), constant_values=-1)
            distances = np.pad(table.distances, ((0, more), (0, 0)), constant_values=np.inf)
            grown.lexicon.cache[(*key[:-1], mask.tobytes())] = Neighbours(ids, distances, mask)


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))


def _cosines(vectors: NDArray[np.float32], ids: NDArray[np.int32]) -> Floats:
    unit = _unit(vectors)
    return np.stack([np.einsum("ij,ij->i", unit, unit[column]) for column in ids.T], axis=1).astype(
        np.float64
    )
