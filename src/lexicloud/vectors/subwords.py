"""Vectors for words that a table does not list, made from parts of the word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from lexicloud.store.folder import PackedStrings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.vectors.word_vectors import Refinement


@dataclass(frozen=True)
class Parts:
    """A subword model as a converted folder stores it: its kind and settings, arrays and texts."""

    kind: str
    settings: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    texts: dict[str, list[str]]


class Subwords(Protocol):
    """A model that makes vectors from the parts of words."""

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each word; a row of zeros where no part of the word is known."""

    def parts(self) -> Parts:
        """Return what is needed to make this model again."""


@dataclass(frozen=True)
class RefinedSubwords:
    """A subword model that refines its vectors, for use with refined word vectors."""

    model: Subwords
    refinement: Refinement

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return refined vectors."""
        return self.refinement.apply(self.model.vectors(words))

    def parts(self) -> Parts:
        """Return the parts of the model and of the refinement."""
        inner = self.model.parts()
        extra = {"refined_mean": self.refinement.mean, "refined_components": self.refinement.components}
        return Parts(inner.kind, inner.settings, {**inner.arrays, **extra}, inner.texts)


BLOCK: Final = 8192
END_OF_SENTENCE: Final = "</s>"


@dataclass(frozen=True)
class Ngrams:
    """fastText's subword model: the vectors of n-gram buckets, and the lengths of n-grams."""

    table: NDArray[np.float32]  # one row for each bucket
    minn: int
    maxn: int

    def buckets(self, word: str) -> list[int]:
        """Return the bucket of each n-gram of a word: the slow reference for the compiled `ngram_rows`."""
        characters = [c.encode("utf-8", "surrogatepass") for c in f"<{word}>"]
        rows = []
        for i in range(len(characters)):
            for n in range(self.minn, self.maxn + 1):
                end = i + n
                if end <= len(characters) and not (n == 1 and (i == 0 or end == len(characters))):
                    rows.append(fnv1a(b"".join(characters[i:end])) % len(self.table))
        return rows

    def all_buckets(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the buckets of many words one after the other, and where those of each word begin."""
        packed = PackedStrings.pack([f"<{w}>" for w in words])
        blob, offsets = np.ascontiguousarray(packed.blob), packed.offsets.astype(np.int64)
        arguments = (self.minn, self.maxn, max(1, len(self.table)))
        from lexicloud.vectors.subwords_numba import ngram_rows

        starts = ngram_rows(blob, offsets, *arguments, np.empty(0, dtype=np.int64))
        rows = np.empty(int(starts[-1]), dtype=np.int64)
        if len(rows):
            ngram_rows(blob, offsets, *arguments, rows)
        return rows, starts

    def sums(self, words: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the sum of each word's n-gram vectors, and how many there are."""
        from scipy.sparse import csr_array

        if not len(self.table) or self.maxn < 1:
            return np.zeros((len(words), self.table.shape[1]), dtype=np.float32), np.zeros(
                len(words), dtype=np.int64
            )
        rows, starts = self.all_buckets(words)
        ones = np.ones(len(rows), dtype=np.float32)
        counts = csr_array((ones, rows, starts), shape=(len(words), len(self.table)))
        return np.asarray(counts @ self.table, dtype=np.float32), np.diff(starts)

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the average of each word's n-gram vectors."""
        total, count = self.sums(words)
        total /= np.maximum(count, 1)[:, None].astype(np.float32)
        total[[w == END_OF_SENTENCE for w in words]] = 0
        return total

    def parts(self) -> Parts:
        """Return the bucket table and the lengths."""
        return Parts("fasttext", {"minn": self.minn, "maxn": self.maxn}, {"ngrams": self.table}, {})


def fnv1a(data: bytes) -> int:
    """Return fastText's 32-bit FNV-1a hash, which takes each byte as a signed char."""
    h = 2166136261
    for byte in data:
        h = ((h ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return h


def word_rows(
    words: Sequence[str], rows: NDArray[np.int64], table: NDArray[np.float32], ngrams: Ngrams
) -> NDArray[np.float32]:
    """Return the vectors of words that a model lists: the average of the word's row and its n-grams."""
    out = np.empty((len(words), table.shape[1]), dtype=np.float32)
    for start in range(0, len(words), BLOCK):
        part = words[start : start + BLOCK]
        total, count = ngrams.sums(part)
        special = [w == END_OF_SENTENCE for w in part]  # the end of a sentence has no n-grams
        total[special], count[special] = 0, 0
        total += table[rows[start : start + BLOCK]]
        out[start : start + BLOCK] = total / (count + 1)[:, None].astype(np.float32)
    return out
