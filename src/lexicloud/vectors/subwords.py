"""Vectors for words that a table does not list, put together from parts of the word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.vectors.refine import Refinement


@dataclass(frozen=True)
class Parts:
    """What a converted folder keeps of a subword model: its kind and settings, its arrays, its texts."""

    kind: str
    settings: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    texts: dict[str, list[str]]


class Subwords(Protocol):
    """A model of word parts."""

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each word; a row of zeros where no part of the word is known."""

    def parts(self) -> Parts:
        """Return what is needed to make this model again."""


@dataclass(frozen=True)
class RefinedSubwords:
    """A subword model beside refined vectors: the same refinement for what it makes."""

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
