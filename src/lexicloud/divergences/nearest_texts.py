"""Each text and its nearest texts: the ranked pairs, their tree and map, and the words that bring texts together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
from scipy import sparse

from lexicloud.divergences.methods import make_method
from lexicloud.divergences.standardise import ENOUGH, standardise
from lexicloud.divergences.words import carrier, really_near
from lexicloud.progress import track
from lexicloud.result import Result
from lexicloud.words.kinds import KINDS
from lexicloud.words.reason import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted
    from lexicloud.divergences.matrix import DivergenceMatrix

    Floats = NDArray[np.float64]

NEAREST: Final = 3  # texts listed for each text
WORDS: Final = 8  # words listed on each side
OTHER_WORDS: Final = 6


@dataclass(frozen=True)
class NearText(Result):
    """A text `a`, one of its nearest texts `b`, and the words behind it.

    A word's value is a difference: what it adds to D(a‖b) minus what it adds to D(a‖r), where r is a text as
    long as b with the word frequencies of all other texts. Below zero it brings the two together, above zero it
    sets them apart, and the values of all words add up to `gain`. With two texts there are no others, and the
    values are those of D(a‖b) itself. `together` and `apart` list content words; `names` and `function_words`
    list the strongest names and function words of either sign.
    """

    _left_out = ("a",)
    _renamed: ClassVar = {"b": "text"}

    a: str
    b: str
    divergence: float
    shown: float  # the mean of both directions, standardised where the map is
    gain: float
    together: tuple[Reason, ...]
    apart: tuple[Reason, ...]
    names: tuple[Reason, ...] = ()
    function_words: tuple[Reason, ...] = ()


@dataclass(frozen=True, eq=False)
class Explainer:
    """Contributions of words to divergences between the texts of a corpus, minus what is usual."""

    corpus: Corpus
    fitted: Fitted

    def pairs(
        self, i: int, others: Sequence[int], divergences: Sequence[float], shown: Sequence[float]
    ) -> tuple[NearText, ...]:
        """Explain why text i is as near to some other texts as it is."""
        numbers = zip(others, divergences, shown, strict=True)
        return tuple(self._pair(i, j, float(d), float(s)) for j, d, s in numbers)

    def _pair(self, i: int, j: int, divergence: float, shown: float) -> NearText:
        corpus, (values, carriers) = self.corpus, self._contributions(i, self.corpus.counts[[j]])
        values = values - self._usual(i, j)
        content = self.corpus.kinds == KINDS.index("content")
        order = np.argsort(values, kind="stable")
        together = order[(values[order] < 0) & content[order]][:WORDS]
        apart = order[::-1][(values[order[::-1]] > 0) & content[order[::-1]]][:WORDS]
        others = (self._strongest(values, kind) for kind in ("name", "function"))
        listed = (self._shares(chosen, values, carriers, i, j) for chosen in (together, apart, *others))
        return NearText(corpus.names[i], corpus.names[j], divergence, shown, float(values.sum()), *listed)

    def _strongest(self, values: Floats, kind: str) -> NDArray[np.int64]:
        found = np.flatnonzero((self.corpus.kinds == KINDS.index(kind)) & (values != 0))
        return found[np.argsort(-np.abs(values[found]), kind="stable")][:OTHER_WORDS]

    def _usual(self, i: int, j: int) -> Floats:
        """Return what each word adds to the divergence of text i from the others, scaled to the length of text j.

        Methods trust the counts of a long text more than those of a short one, so lengths must be equal.
        """
        if len(self.corpus) <= 2:
            return np.zeros(len(self.corpus.vocabulary))
        others = self.corpus.totals - self.corpus.counts[[i]].toarray().ravel()
        scaled = others * (self.corpus.lengths[j] / max(others.sum(), 1))
        return self._contributions(i, sparse.csr_array(scaled[None, :]))[0]

    def _contributions(self, i: int, other: sparse.csr_array) -> tuple[Floats, NDArray[np.int64]]:
        found = self.fitted.contributions(self.corpus.counts[[i]], other)
        values = np.zeros(len(self.corpus.vocabulary))
        carriers = np.full(len(values), -1, dtype=np.int64)
        values[found.ids] = found.values
        if found.carriers is not None:
            carriers[found.ids] = found.carriers
        return values, carriers

    def _shares(
        self,
        chosen: NDArray[np.int64],
        values: Floats,
        carriers: NDArray[np.int64],
        i: int,
        j: int,
    ) -> tuple[Reason, ...]:
        words = self.corpus.vocabulary
        near = really_near(self.corpus, chosen, carriers, chosen)
        counts = self.corpus.counts[[i, j]].tocsc()[:, chosen].toarray()
        return tuple(
            Reason(
                words[w],
                float(values[w]),
                KINDS[self.corpus.kinds[w]],
                near=carrier(self.corpus, int(near[column])) if near[column] != w else None,
                counts=(int(counts[0, column]), int(counts[1, column])),
            )
            for column, w in enumerate(chosen)
        )


@dataclass(frozen=True, eq=False)
class Tree:
    """A dendrogram ready to be drawn: each join is four points (height, position), leaves at 0, 1, 2 and so on."""

    leaves: tuple[int, ...]
    heights: Floats
    positions: Floats

    @classmethod
    def of(cls, matrix: DivergenceMatrix) -> Tree:
        """Join the texts of a matrix, the nearest first, near leaves side by side."""
        from scipy.cluster.hierarchy import dendrogram, optimal_leaf_ordering
        from scipy.spatial.distance import squareform

        distances = squareform(matrix.distances(), checks=False)
        drawn = dendrogram(optimal_leaf_ordering(matrix.linkage(), distances), no_plot=True)
        # SciPy puts leaves at 5, 15, 25 …
        positions = (np.array(drawn["icoord"]) - 5) / 10
        return cls(tuple(drawn["leaves"] or ()), np.array(drawn["dcoord"]), positions)


@dataclass(frozen=True, eq=False)
class NearestTexts:
    """All pairs of texts as measured, and standardised where there are enough; the nearest of each, and the reasons."""

    matrix: DivergenceMatrix
    standardised: DivergenceMatrix | None
    tree: Tree
    near: dict[str, tuple[NearText, ...]]

    @classmethod
    def of(cls, texts: Corpus, matrix: DivergenceMatrix) -> NearestTexts:
        """Rank the pairs of a matrix, and explain the nearest of each text."""
        enough = len(matrix) >= ENOUGH
        standardised = (
            replace(matrix, values=standardise(matrix.values), standardised=True) if enough else None
        )
        shown = standardised or matrix
        near = _explained(texts, matrix, (shown.values + shown.values.T) / 2)
        return cls(matrix, standardised, Tree.of(shown), near)


def _explained(texts: Corpus, matrix: DivergenceMatrix, symmetric: Floats) -> dict[str, tuple[NearText, ...]]:
    explainer = Explainer(texts, make_method(matrix.method, **matrix.options).fit(texts))
    near = {}
    for i, name in enumerate(track(texts.names, "explaining what is near")):
        order = [j for j in np.argsort(symmetric[i], kind="stable") if j != i][:NEAREST]
        near[name] = explainer.pairs(i, order, matrix.values[i, order].tolist(), symmetric[i, order].tolist())
    return near
