"""A table of words and their vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import UnknownWord
from lexicloud.vectors.refine import Refinement

if TYPE_CHECKING:
    from numpy.typing import NDArray

LOST, EXACT, RECOVERED = 0, 1, 2


@dataclass(frozen=True)
class Lookup:
    """The vectors of some words: `status` is LOST (0), EXACT (1) or RECOVERED (2) for each."""

    matrix: NDArray[np.float32]
    status: NDArray[np.int8]


class WordVectors:
    """Words and their vectors; `vectors["whale"]` is an array."""

    def __init__(self, words: Sequence[str], matrix: NDArray[np.float32], name: str = "unnamed") -> None:
        self.words = words
        self.matrix = matrix
        self.name = name
        self._index: dict[str, int] | None = None
        self._refinement: Refinement | None = None

    @classmethod
    def from_dict(cls, vectors: Mapping[str, Any], name: str = "dict") -> WordVectors:
        """Build from a mapping of words to arrays."""
        return cls(list(vectors), np.array(list(vectors.values()), dtype=np.float32), name)

    @property
    def dimension(self) -> int:
        """The number of coordinates of each vector."""
        return int(self.matrix.shape[1])

    @property
    def index(self) -> dict[str, int]:
        """Word → row."""
        if self._index is None:
            self._index = {w: i for i, w in enumerate(self.words)}
        return self._index

    @property
    def fingerprint(self) -> str:
        """A short checksum of words and numbers, the same wherever the same vectors are loaded."""
        import hashlib

        return hashlib.sha256(f"{self.name}{self.matrix.shape}".encode()).hexdigest()[:16]

    @property
    def refinement(self) -> Refinement:
        """What `refined` takes out: the mean and the top components of this table."""
        if self._refinement is None:
            self._refinement = Refinement.fit(self.matrix)
        return self._refinement

    def refined(self) -> WordVectors:
        """Return the same words with refined vectors."""
        return WordVectors(self.words, self.refinement.apply(self.matrix), f"{self.name}+refined")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> NDArray[np.float32]:
        i = self.index.get(word)
        if i is None:
            raise UnknownWord(f"no vector for {word!r} in {self.name}")
        return np.asarray(self.matrix[i])

    def lookup(self, words: Sequence[str]) -> Lookup:
        """Find the vectors of many words at once, recovering what the ladder can recover."""
        out = np.zeros((len(words), self.dimension), dtype=np.float32)
        rows = np.array([self.index.get(w, -1) for w in words], dtype=np.int64)
        found = rows >= 0
        out[found] = self.matrix[rows[found]]
        return Lookup(out, found.astype(np.int8))
