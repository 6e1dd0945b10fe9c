"""Comparing texts: how far apart they are, which words say so, and which of several are nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from lexicloud.errors import EstimateError, OptionError
from lexicloud.operations.asked import (
    TEXTS,
    Name,
    Operation,
    Shelf,
    SourceId,
    TextItem,
    corpus_of,
    named_apart,
    refuse_senseless,
)
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import Divergence, DivergenceMatrix


@dataclass(frozen=True)
class TextComparison(Result):
    """Two texts, or the nearest two of several: `pair` compares them, `matrix` has all pairs of several texts.

    `points` are the places of the texts on a map.
    """

    names: tuple[str, ...]
    pair: Divergence
    matrix: DivergenceMatrix | None = None
    points: tuple[tuple[float, float], ...] = ()

    def blocks(self) -> list[Block]:
        """Return which texts are nearest, and the words that set those two apart."""
        if self.matrix is None:
            return self.pair.blocks()
        nearest = f"Of {len(self.names)} texts, {self.pair.a} and {self.pair.b} are nearest to each other."
        left = [
            Sentence(f"{skipped.name} was left out: {skipped.reason}.", "note")
            for skipped in self.matrix.skipped
        ]
        from lexicloud.divergences.divergence_plots import map_block

        return [Sentence(nearest, "answer"), *left, map_block(self.matrix, self.points), *self.pair.blocks()]


class Compare(Operation):
    """Compare two or more texts, sent along or named in a source: how far apart, and which words say so."""

    path: ClassVar[str] = "compare"
    heading: ClassVar[str] = "compare"
    doing: ClassVar[str] = "comparing"

    texts: list[TextItem] | None = Field(default=None, min_length=2, max_length=TEXTS)
    source: SourceId | None = None
    names: list[Name] | None = Field(default=None, max_length=TEXTS)
    method: Literal["smoothed", "knn", "categorical", "delta", "jensen-shannon"] = "smoothed"
    top: int = Field(default=30, ge=1, le=1000, description="How many words of each kind to list.")

    def check(self, shelf: Shelf) -> None:  # noqa: ARG002
        """Refuse anything but either texts or names of texts, at least two."""
        if (self.texts is None) == (self.names is None):
            raise OptionError("give either texts or names: send texts, or names of texts of a source")
        if self.names is not None and len(set(self.names)) < 2:
            raise OptionError(
                f"{len(set(self.names)) or 'no'} text is chosen: choose at least two different texts"
            )

    def run(self, shelf: Shelf) -> TextComparison:
        """Measure one pair, or all pairs and the nearest."""
        self.check(shelf)
        if self.texts is not None:
            texts = named_apart(self.texts)
            refuse_senseless(texts)
            corpus = corpus_of(texts, shelf.vectors)
        else:
            source, names = shelf.get(self.source), list(dict.fromkeys(self.names or ()))
            refuse_senseless([text for text in source.whole_texts() if text.name in names])
            corpus = source.corpus.subset(names)
        if len(corpus) == 2:
            return TextComparison(corpus.names, self._pair(corpus, *corpus.names))
        return self._all(corpus)

    def _pair(self, corpus: Corpus, a: str, b: str) -> Divergence:
        from lexicloud.divergences import divergence

        # Both ways: the words of both texts count, and neither text comes first.
        return divergence(corpus, a, b, method=self.method, top=self.top, symmetric=True)

    def _all(self, corpus: Corpus) -> TextComparison:
        from lexicloud.divergences import divergence_matrix

        matrix = divergence_matrix(corpus, method=self.method, skip_bad=True)
        if len(matrix) < 2:
            raise EstimateError("fewer than two of the texts can be measured: send longer texts")
        a, b = matrix.nearest_pair()
        points = tuple((float(x), float(y)) for x, y in matrix.coordinates())
        return TextComparison(matrix.names, self._pair(corpus, a, b), matrix, points)
