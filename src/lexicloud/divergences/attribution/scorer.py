"""How like each known text a text is: by the default method of labelling, or by any divergence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus.cut import joined
from lexicloud.divergences.attribution.combined import Scorer, add_up
from lexicloud.divergences.attribution.word_table import WordTable
from lexicloud.divergences.base import Method, problems
from lexicloud.divergences.methods import METHODS, make_method
from lexicloud.divergences.smoothed import Smoothed, carry_tables
from lexicloud.divergences.standardise import Yardstick, membership, standardise_left_out
from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

COMBINED: Final = "combined"
LABELLING: Final = (COMBINED, *METHODS)
# Known texts of fewer tokens lend words to their latent neighbours; from there on that is under 5 % of their mass,
# which changed nothing that was measured.
LATENT: Final = 2000


class Likeness(ABC):
    """A way to score texts against known ones, the smaller the closer."""

    @abstractmethod
    def problems(self, corpus: Corpus) -> dict[int, str]:
        """Return for each row that cannot be measured the sentence that an error would say."""

    @abstractmethod
    def measure(self, corpus: Corpus) -> dict[str, Floats]:
        """Return the distances of all pairs of a corpus."""

    @abstractmethod
    def left_out_of(self, measured: dict[str, Floats], labels: Sequence[Any]) -> Floats:
        """Score each text (row) with each other as if the row's text were new; nan on the diagonal."""

    @abstractmethod
    def know(self, corpus: Corpus, labels: Sequence[Any]) -> Known:
        """Measure known texts, against which new ones can then be scored."""


@dataclass(frozen=True, eq=False)
class Known(ABC):
    """Known texts with their labels."""

    likeness: Likeness
    corpus: Corpus
    labels: tuple[Any, ...]
    measured: dict[str, Floats]

    def left_out(self) -> Floats:
        """Return the score of each known text with each other, as if the row's text were new."""
        return self.likeness.left_out_of(self.measured, self.labels)

    @abstractmethod
    def score(self, new: Corpus) -> Floats:
        """Return the score of each new text (row) with each known one, whatever other new texts there are."""


def make_likeness(
    method: str | Method = COMBINED, *, standardise: bool = True, symmetric: bool = False, **options: Any
) -> Likeness:
    """Return the way of scoring that goes by a name: "combined", or a divergence method."""
    if isinstance(method, str) and method not in LABELLING:
        raise OptionError(f"no method {method!r}: choose from {', '.join(LABELLING)}")
    if method != COMBINED:
        return ByMethod(make_method(method, **options), standardise, symmetric)
    if options or symmetric or not standardise:
        wrong = next(iter(options), "symmetric" if symmetric else "standardise=False")
        raise OptionError(
            f"method 'combined' does not take {wrong}: choose another method to standardise or not"
        )
    return Combined()


@dataclass(frozen=True)
class Combined(Likeness):
    """The default: words, frequent words and characters (see `combined`), every label weighing the same."""

    def problems(self, corpus: Corpus) -> dict[int, str]:
        """Only an empty text cannot be measured."""
        empty = np.flatnonzero(corpus.lengths == 0)
        return {int(i): f"document {corpus.names[i]!r} is empty: remove it" for i in empty}

    def measure(self, corpus: Corpus) -> dict[str, Floats]:
        """Return the three distances of all pairs."""
        texts = WordTable.of(corpus)
        distances = Scorer.fit(texts).distances(texts)
        if _latent(corpus):
            distances["words"] = Smoothed().fit(corpus).all_pairs(corpus.counts)[0]
        return distances

    def left_out_of(self, measured: dict[str, Floats], labels: Sequence[Any]) -> Floats:
        """Add up the distances, row by row without the text itself."""
        groups = membership(labels, len(labels))
        out = np.full((len(labels), len(labels)), np.nan)
        for i in range(len(labels)):
            others = np.flatnonzero(np.arange(len(labels)) != i)
            rows = {name: D[[i]][:, others] for name, D in measured.items()}
            out[i, others] = add_up(rows, groups[others])[0]
        return out

    def know(self, corpus: Corpus, labels: Sequence[Any]) -> KnownCombined:
        """Learn what is frequent and usual."""
        return KnownCombined(
            self, corpus, tuple(labels), self.measure(corpus), Scorer.fit(WordTable.of(corpus))
        )


@dataclass(frozen=True, eq=False)
class KnownCombined(Known):
    """Known texts for the default."""

    scorer: Scorer

    def score(self, new: Corpus) -> Floats:
        """Add up the distances of new texts; in short texts a word counts for its neighbours, too."""
        distances = self.scorer.distances(WordTable.of(new))
        if _latent(self.corpus):
            distances["words"] = _new_distances(Smoothed(), self.corpus, new)[0]
        return add_up(distances, membership(self.labels, len(self.labels)))


@dataclass(frozen=True)
class ByMethod(Likeness):
    """One divergence, standardised or not, in one direction or both."""

    method: Method
    standardise: bool = True
    symmetric: bool = False

    def problems(self, corpus: Corpus) -> dict[int, str]:
        """Ask the method."""
        return problems(corpus, range(len(corpus)), self.method, self.method.fit(corpus))

    def measure(self, corpus: Corpus) -> dict[str, Floats]:
        """Return the divergences of all pairs."""
        D = self.method.fit(corpus).all_pairs(corpus.counts)[0]
        return {self.method.name: D + D.T if self.symmetric else D}

    def left_out_of(self, measured: dict[str, Floats], labels: Sequence[Any]) -> Floats:
        """Standardise each row by the other texts and labels alone, where that is asked for."""
        (D,) = measured.values()
        if self.standardise:
            return standardise_left_out(D, labels)
        return np.asarray(np.where(np.eye(len(D), dtype=bool), np.nan, D))

    def know(self, corpus: Corpus, labels: Sequence[Any]) -> KnownByMethod:
        """Measure the known texts against each other."""
        return KnownByMethod(self, corpus, tuple(labels), self.measure(corpus), self)


@dataclass(frozen=True, eq=False)
class KnownByMethod(Known):
    """Known texts for one divergence."""

    by: ByMethod

    def score(self, new: Corpus) -> Floats:
        """Measure new texts; words that no known text has still count where a known text has words near them."""
        there, back = _new_distances(self.by.method, self.corpus, new, both=self.by.symmetric)
        if back is not None:
            there = there + back
        if not self.by.standardise:
            return there
        (D,) = self.measured.values()
        return Yardstick.of(D, self.labels).apply(there)


def _new_distances(
    method: Method, known: Corpus, new: Corpus, *, both: bool = False
) -> tuple[Floats, Floats | None]:
    """Return the divergences of new texts (rows) from known ones, and the other way round if asked."""
    everything, size = joined(known, new), len(known)
    carry_tables(known, everything)
    fitted = method.fit(everything, range(size))
    for problem in problems(everything, range(size, len(everything)), method, fitted).values():
        raise EstimateError(problem)
    old, fresh = everything.counts[:size], everything.counts[size:]
    return fitted.between(fresh, old), fitted.between(old, fresh).T if both else None


def _latent(corpus: Corpus) -> bool:
    return bool(np.median(corpus.lengths) < LATENT)
