"""The words that bring a text nearer to another than to texts in general, and those that keep them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.divergence import WordShare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergence.methods import Fitted

    Floats = NDArray[np.float64]

WORDS: Final = 8  # words listed on each side
FUNCTION_WORDS: Final = 6


@dataclass(frozen=True)
class Closeness:
    """A text `a`, one of its nearest texts `b`, and the words behind it.

    A word's value is a difference: what it adds to D(a‖b), less what it adds to D(a‖r), where r is a text as
    long as b in which the words of all other texts stand in their usual proportions. Below zero it brings the
    two together, above zero it sets them apart, and the values of all words add up to `gain`. With two texts
    there are no others, and the values are those of D(a‖b) itself. `together` and `apart` list content words;
    the strongest function words of either sign, which say more about manner than matter, stand in
    `function_words`.
    """

    a: str
    b: str
    divergence: float
    shown: float  # both ways, standardised where the map is
    gain: float
    together: tuple[WordShare, ...]
    apart: tuple[WordShare, ...]
    function_words: tuple[WordShare, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "text": self.b,
            "divergence": self.divergence,
            "shown": self.shown,
            "gain": self.gain,
            "together": [w.to_dict() for w in self.together],
            "apart": [w.to_dict() for w in self.apart],
            "function_words": [w.to_dict() for w in self.function_words],
        }


@dataclass(frozen=True, eq=False)
class Explainer:
    """Contributions of words to divergences between the texts of a corpus, less what is usual."""

    corpus: Corpus
    fitted: Fitted

    def pairs(
        self, i: int, others: Sequence[int], divergences: Sequence[float], shown: Sequence[float]
    ) -> tuple[Closeness, ...]:
        """Explain why text i is as near to some other texts as it is."""
        numbers = zip(others, divergences, shown, strict=True)
        return tuple(self._pair(i, j, float(d), float(s)) for j, d, s in numbers)

    def _pair(self, i: int, j: int, divergence: float, shown: float) -> Closeness:
        corpus, (values, carriers) = self.corpus, self._contributions(i, self.corpus.counts[[j]])
        values = values - self._usual(i, j)
        content = ~corpus.stopwords & ~corpus.punctuation
        order = np.argsort(values, kind="stable")
        together = order[(values[order] < 0) & content[order]][:WORDS]
        apart = order[::-1][(values[order[::-1]] > 0) & content[order[::-1]]][:WORDS]
        manner = np.flatnonzero(corpus.stopwords & (values != 0))
        manner = manner[np.argsort(-np.abs(values[manner]), kind="stable")][:FUNCTION_WORDS]
        listed = (self._shares(chosen, values, carriers, i, j) for chosen in (together, apart, manner))
        return Closeness(corpus.names[i], corpus.names[j], divergence, shown, float(values.sum()), *listed)

    def _usual(self, i: int, j: int) -> Floats:
        """Return what each word adds to the divergence of text i from the others, cut to the length of text j.

        Methods trust a long text's counts more than a short one's, so that only equal lengths compare.
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
    ) -> tuple[WordShare, ...]:
        words = self.corpus.vocabulary
        counts = self.corpus.counts[[i, j]].tocsc()[:, chosen].toarray()
        return tuple(
            WordShare(
                words[w],
                float(values[w]),
                int(counts[0, column]),
                int(counts[1, column]),
                words[carriers[w]] if carriers[w] >= 0 and carriers[w] != w else None,
            )
            for column, w in enumerate(chosen)
        )
