"""How far apart the texts are: all pairs, their tree and map, and the words behind each text's nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.divergence import DivergenceMatrix, divergence_matrix, make_method
from lexicloud.progress import track
from lexicloud.report.grouping import By, group_by, merged_by_label
from lexicloud.report.parts.closeness import Closeness, Explainer
from lexicloud.report.parts.part import Part
from lexicloud.report.wording import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

NEAREST: Final = 3  # texts listed for each text
# With fewer texts, "closer than usual" rests on fewer than seven others, and is mostly chance.
_LEAST_FOR_STANDARD: Final = 8


@dataclass(frozen=True, eq=False)
class Tree:
    """A dendrogram ready to be drawn: each join is four points (height, position), leaves at 0, 1, 2 and so on."""

    leaves: tuple[int, ...]
    heights: Floats
    positions: Floats


@dataclass(frozen=True, eq=False)
class DivergenceMap(Part):
    """All pairs of texts (or of labels, each one text), as measured and standardised."""

    id = "divergence_map"
    title = "Who is like whom"

    matrix: DivergenceMatrix
    standardised: DivergenceMatrix | None
    by: str
    labels: tuple[str | None, ...]
    tree: Tree
    points: Floats
    neighbours: dict[str, tuple[Closeness, ...]]
    kind: str = "label"  # what a label is: an author, a president

    @classmethod
    def gather(
        cls,
        corpus: Corpus,
        method: str,
        *,
        by: By = "auto",
        sample: int | None = None,
        seed: int = 0,
        kind: str = "label",
    ) -> DivergenceMap:
        """Measure all pairs."""
        how = group_by(corpus, by)
        texts = merged_by_label(corpus) if how == "label" else corpus
        if sample is not None:
            # The paper's method is defined on content words; the others look at running text.
            texts = texts.sample(sample, seed, running=method != "knn")
        matrix = divergence_matrix(texts, method, skip_bad=True)
        assert isinstance(matrix, DivergenceMatrix)  # one method, one matrix
        return cls._of(texts.subset(matrix.names), matrix, how, kind)

    @classmethod
    def _of(cls, texts: Corpus, matrix: DivergenceMatrix, by: str, kind: str) -> DivergenceMap:
        standardised = _standardised(matrix)
        shown = standardised or matrix
        return cls(
            matrix=matrix,
            standardised=standardised,
            by=by,
            labels=texts.labels or (None,) * len(texts),
            tree=_tree(shown),
            points=shown.coordinates(),
            neighbours=_neighbours(texts, matrix, shown),
            kind=kind,
        )

    @property
    def shown(self) -> DivergenceMatrix:
        """The matrix that the figures show: standardised where there are enough texts."""
        return self.standardised or self.matrix

    @property
    def names(self) -> tuple[str, ...]:
        """The texts that were measured."""
        return self.matrix.names

    @property
    def closest(self) -> Closeness:
        """The pair with the least divergence, seen from the text that is nearer."""
        firsts = [near[0] for near in self.neighbours.values()]
        return min(firsts, key=lambda c: c.shown)

    @property
    def loneliest(self) -> Closeness:
        """The text whose nearest text is the farthest."""
        firsts = [near[0] for near in self.neighbours.values()]
        return max(firsts, key=lambda c: c.shown)

    @property
    def mutual(self) -> tuple[tuple[str, str], ...]:
        """Pairs of texts that are each other's nearest."""
        first = {name: near[0].b for name, near in self.neighbours.items()}
        return tuple((a, b) for a, b in first.items() if first[b] == a and a < b)

    @property
    def same_label(self) -> tuple[int, int] | None:
        """How many texts have a nearest text of their own label, of how many that could."""
        label = dict(zip(self.names, self.labels, strict=True))
        able = [n for n in self.names if label[n] is not None and self.labels.count(label[n]) > 1]
        right = sum(label[self.neighbours[n][0].b] == label[n] for n in able)
        return (right, len(able)) if able else None

    @property
    def finding(self) -> str:
        """The closest pair and the loneliest text."""
        near, lone = self.closest, self.loneliest
        if len(self.names) == 2:
            (a, b), values = self.names, self.matrix.values
            return (
                f"{a} diverges from {b} by {values[0, 1]:.3g}, and the other way round by {values[1, 0]:.3g}."
            )
        text = (
            f"Of {many(len(self.names), self.thing)}, {near.a} and {near.b} are the closest pair"
            f"{self._amount(near.shown)}; {lone.a} stands most alone, even from {lone.b}, the "
            f"nearest{self._amount(lone.shown)}."
        )
        same = self.same_label
        if same is not None:
            text += f" {same[0]} of {same[1]} texts have a nearest neighbour of their own {self.kind}."
        return text

    @property
    def thing(self) -> str:
        """What a row of the matrix is: a text, or all texts of an author."""
        return "text" if self.by == "text" else self.kind

    def _amount(self, value: float) -> str:
        if self.standardised is None:
            return f" ({value:.3g})"
        return f" ({abs(value):.1f} standard deviations {'nearer' if value < 0 else 'farther'} than usual)"

    def figures(self) -> dict[str, Callable[[], Any]]:
        """Heat map, dendrogram and map."""
        return {"heatmap": self.shown.plot, "dendrogram": self.shown.dendrogram, "map": self.shown.map}

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "finding": self.finding,
            "by": self.by,
            "method": self.matrix.method,
            "names": list(self.names),
            "labels": list(self.labels),
            "divergences": self.matrix.values.tolist(),
            "standardised": None if self.standardised is None else self.standardised.values.tolist(),
            "nearest": {name: [c.to_dict() for c in near] for name, near in self.neighbours.items()},
            "skipped": [s.to_dict() for s in self.matrix.skipped],
        }


def _standardised(matrix: DivergenceMatrix) -> DivergenceMatrix | None:
    from lexicloud.divergence import standardise

    if len(matrix) < _LEAST_FOR_STANDARD:
        return None
    return replace(matrix, values=standardise(matrix.values), standardised=True, source=None)


def _tree(matrix: DivergenceMatrix) -> Tree:
    from scipy.cluster.hierarchy import dendrogram, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    distances = squareform(matrix.distances(), checks=False)
    drawn = dendrogram(optimal_leaf_ordering(matrix.linkage(), distances), no_plot=True)
    # SciPy puts leaves at 5, 15, 25 …
    positions = (np.array(drawn["icoord"]) - 5) / 10
    return Tree(tuple(drawn["leaves"] or ()), np.array(drawn["dcoord"]), positions)


def _neighbours(
    texts: Corpus, matrix: DivergenceMatrix, shown: DivergenceMatrix
) -> dict[str, tuple[Closeness, ...]]:
    method = make_method(matrix.method, **matrix.options)
    explainer = Explainer(texts, method.fit(texts))
    symmetric = (shown.values + shown.values.T) / 2
    near = {}
    for i, name in enumerate(track(texts.names, "explaining what is near")):
        order = [j for j in np.argsort(symmetric[i], kind="stable") if j != i][:NEAREST]
        near[name] = explainer.pairs(i, order, matrix.values[i, order].tolist(), symmetric[i, order].tolist())
    return near
