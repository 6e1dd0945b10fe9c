"""Where the vectors of a corpus or an index came from, so that words it has never seen can be looked up there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lexicloud.errors import BrokenIndex, LexicloudError
from lexicloud.vectors.load import load_vectors
from lexicloud.vectors.refine import Refinement
from lexicloud.vectors.word_vectors import Lookup, WordVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WordLookup(Protocol):
    """Where words can be looked up: word vectors, or a lexicon that has looked its words up already."""

    def lookup(self, words: Sequence[str]) -> Lookup:
        """Find the vectors of words."""


@dataclass(frozen=True, eq=False)
class VectorSource:
    """The vectors' name and fingerprint, what refining takes out of them, and they themselves once loaded."""

    name: str
    fingerprint: str
    dimension: int
    refinement: Refinement
    _loaded: dict[str, WordVectors | None] = field(default_factory=dict, repr=False)
    _lock: Any = field(default_factory=Lock, repr=False)

    @classmethod
    def of(cls, vectors: WordVectors, name: str | None = None) -> VectorSource:
        """Describe loaded vectors; `name` is what `load_vectors` finds them by."""
        source = cls(name or vectors.name, vectors.fingerprint, vectors.dimension, vectors.refinement)
        source._loaded["vectors"] = vectors
        return source

    def load(self) -> WordVectors:
        """Return the vectors, or say that they are gone or are others than those of the index."""
        with self._lock:
            if self._loaded.get("vectors") is None:
                self._loaded["vectors"] = self.checked(load_vectors(self.name))
        vectors = self._loaded["vectors"]
        assert vectors is not None
        return vectors

    def checked(self, vectors: WordVectors) -> WordVectors:
        """Return vectors if they are those of the index."""
        if vectors.fingerprint != self.fingerprint:
            raise BrokenIndex(
                f"index of other vectors: it was built with {self.name} "
                f"({self.fingerprint}, {self.dimension} dimensions), not with {vectors.name} "
                f"({vectors.fingerprint}, {vectors.dimension} dimensions); build it again with these"
            )
        return vectors

    def use(self, vectors: WordVectors) -> None:
        """Look words up in these vectors from now on."""
        self._loaded["vectors"] = self.checked(vectors)

    def embed(
        self, words: Sequence[str]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
        """Return vectors of words, refined vectors, and which words have one; none has if the source is gone."""
        nothing = np.zeros((len(words), self.dimension), dtype=np.float32)
        found = Lookup(nothing, np.zeros(len(words), dtype=np.int8))
        if words and self._loaded.get("vectors", ...) is not None:
            try:
                found = self.load().lookup(words)
            except BrokenIndex:
                raise
            except (LexicloudError, OSError):
                self._loaded["vectors"] = None  # gone: do not try again with every query
        return found.matrix, self.refinement.apply(found.matrix), found.status > 0
