"""Scores of a text with each known text and with each label: by the default method of labelling, or by any divergence.

A rule turns scores with texts into a label: "category-mean" takes the label whose texts are closest on average (the
paper's rule), "nearest" that of the closest text, and "between", the default, the mean of the two: an author's books
differ, so the closest says most, but a single text may be close by chance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.authorship.combined import WEIGHTS, Scorer, about_as_long, add_up, weigh
from lexicloud.authorship.features import KnownPassages, WordTable
from lexicloud.corpus.cut import concat
from lexicloud.divergences.base import Method, problems
from lexicloud.divergences.methods import METHODS, make_method
from lexicloud.divergences.smoothed import Smoothed, carry_tables
from lexicloud.divergences.standardise import UsualDistances, membership, standardise_left_out
from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus
    from lexicloud.divergences.base import Fitted

    Floats = NDArray[np.float64]

COMBINED: Final = "combined"
CHARACTERS: Final = "characters"
LABELLING: Final = (COMBINED, CHARACTERS, *METHODS)
# In known texts of fewer tokens words count for their latent neighbours, too; in longer ones this would move less than
# 5 % of their mass, and changed nothing in trials.
LATENT: Final = 2000
RULES: Final = ("between", "category-mean", "nearest")
RULE: Final = "between"


def check_rule(rule: str) -> None:
    """Refuse an unknown rule."""
    if rule not in RULES:
        raise OptionError(f"no rule {rule!r}: choose from {', '.join(RULES)}")


def category_scores(scores: Floats, labels: Sequence[Any], classes: Sequence[Any], rule: str) -> Floats:
    """Return rows × classes: the mean score with the texts of a class, the least, or the mean of both; nan is left out.

    A class for which a row has no score gets infinity: the only text of a label cannot find that label.
    """
    check_rule(rule)
    known = np.array([list(classes).index(label) for label in labels])
    out = np.full((len(scores), len(classes)), np.inf)
    for c in range(len(classes)):
        members = scores[:, known == c]
        counted = np.isfinite(members)
        some = counted.any(axis=1)
        nearest = np.where(counted, members, np.inf).min(axis=1, initial=np.inf)
        mean = np.where(counted, members, 0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
        found = {"nearest": nearest, "category-mean": mean, "between": (nearest + mean) / 2}[rule]
        out[some, c] = found[some]
    return out


def without_single_members(
    scores: Floats, labels: Sequence[Any], classes: Sequence[Any], rule: str
) -> Floats:
    """Return category scores for texts left out one by one; under "category-mean" a class of one text gets infinity.

    The paper never chooses a category of one. Under the other rules such a text may still be the nearest.
    """
    found = category_scores(scores, labels, classes, rule)
    if rule == "category-mean":
        alone = [c for c, label in enumerate(classes) if list(labels).count(label) < 2]
        found[:, alone] = np.inf
    return found


def best_two(found: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Return the best class, the runner-up, and the difference of their scores; ties go to the first class."""
    order = np.argsort(found, axis=1, kind="stable")
    best, second = order[:, 0], order[:, min(1, found.shape[1] - 1)]
    rows = np.arange(len(found))
    with np.errstate(invalid="ignore"):
        return best, second, np.asarray(found[rows, second] - found[rows, best])


class ScoringMethod(ABC):
    """A method of scoring texts against known ones; a smaller score is closer."""

    @abstractmethod
    def fit(self, corpus: Corpus) -> Known:
        """Learn what is frequent and usual in known texts."""

    @abstractmethod
    def left_out_of(
        self, measured: dict[str, Floats], labels: Sequence[Any], lengths: NDArray[Any]
    ) -> Floats:
        """Score each text (row) with each other as if the row's text were new; nan on the diagonal."""


@dataclass(frozen=True, eq=False)
class Known(ABC):
    """Known texts that a method of scoring was fitted to."""

    corpus: Corpus

    @abstractmethod
    def problems(self) -> dict[int, str]:
        """Return row → error message for texts that cannot be measured."""

    @property
    @abstractmethod
    def measured(self) -> dict[str, Floats]:
        """The distances of all pairs of known texts."""

    @abstractmethod
    def score(self, new: Corpus, labels: Sequence[Any]) -> Floats:
        """Return the score of each new text (row) with each known text; other new texts do not change it."""


def scoring_method(
    method: str | Method = COMBINED, *, standardise: bool = True, symmetric: bool = False, **options: Any
) -> ScoringMethod:
    """Return the method of scoring of a name: "combined", "characters", or a divergence method."""
    if isinstance(method, str) and method not in LABELLING:
        raise OptionError(f"no method {method!r}: choose from {', '.join(LABELLING)}")
    if method not in {COMBINED, CHARACTERS}:
        return ByMethod(make_method(method, **options), standardise, symmetric)
    if options or symmetric or not standardise:
        wrong = next(iter(options), "symmetric" if symmetric else "standardise=False")
        raise OptionError(
            f"method {method!r} does not take {wrong}: choose another method to standardise or not"
        )
    return Combined() if method == COMBINED else Combined((CHARACTERS,))


@dataclass(frozen=True)
class Combined(ScoringMethod):
    """The default: words, frequent words and characters (see `combined`), or some of them; labels weigh the same."""

    parts: tuple[str, ...] = tuple(WEIGHTS)

    def fit(self, corpus: Corpus) -> KnownCombined:
        """Learn what is frequent and usual."""
        table = WordTable.of(corpus)
        pieces = KnownPassages.of(table, [corpus.tokens(i) for i in range(len(corpus))])
        return KnownCombined(corpus, self.weights, Scorer.fit(table, pieces=pieces))

    @property
    def weights(self) -> dict[str, float]:
        """How much each part counts."""
        return {part: WEIGHTS[part] for part in self.parts}

    def left_out_of(
        self, measured: dict[str, Floats], labels: Sequence[Any], lengths: NDArray[Any]
    ) -> Floats:
        """Add up the distances, row by row without the text itself."""
        groups = membership(labels, len(labels))
        out = np.full((len(labels), len(labels)), np.nan)
        for i in range(len(labels)):
            others = np.flatnonzero(np.arange(len(labels)) != i)
            rows = {name: D[[i]][:, others] for name, D in measured.items()}
            out[i, others] = add_up(rows, groups[others], self.weights)[0]
        alike = about_as_long(lengths, lengths)
        if alike.any():
            both = {name: standardise_left_out(measured[name], labels) for name in self.parts}
            out[alike] = weigh(both, self.weights, lengths)[alike]
        return out


@dataclass(frozen=True, eq=False)
class KnownCombined(Known):
    """Known texts that `Combined` was fitted to."""

    weights: dict[str, float]
    scorer: Scorer

    @property
    def latent(self) -> bool:
        """Whether words count for their latent neighbours, too: texts are short and have vectors."""
        return bool(np.median(self.corpus.lengths) < LATENT and self.corpus.embedded.any())

    def problems(self) -> dict[int, str]:
        """Return the empty texts: only these cannot be measured."""
        empty = np.flatnonzero(self.corpus.lengths == 0)
        return {int(i): f"document {self.corpus.names[i]!r} is empty: remove it" for i in empty}

    @cached_property
    def measured(self) -> dict[str, Floats]:
        """The three distances of all pairs."""
        distances = self.scorer.distances(WordTable.of(self.corpus))
        if self.latent:
            distances["words"] = Smoothed().fit(self.corpus).all_pairs(self.corpus.counts)[0]
        return distances

    def score(self, new: Corpus, labels: Sequence[Any]) -> Floats:
        """Add up the distances of new texts; in short texts a word counts for its neighbours, too."""
        distances = self.scorer.distances(WordTable.of(new))
        if self.latent:
            distances["words"] = _new_distances(Smoothed(), self.corpus, new)[0]
        out = add_up(distances, membership(labels, len(labels)), self.weights)
        alike = about_as_long(new.lengths, self.corpus.lengths)
        if alike.any():
            usual = self.usual(labels)
            both = {name: usual[name].apply(distances[name]) for name in self.weights}
            out[alike] = weigh(both, self.weights, new.lengths)[alike]
        return out

    def usual(self, labels: Sequence[Any]) -> dict[str, UsualDistances]:
        """Return what is usual of the known texts among themselves, part by part."""
        return {name: UsualDistances.of(self.measured[name], labels) for name in self.weights}


@dataclass(frozen=True)
class ByMethod(ScoringMethod):
    """One divergence, standardised or not, in one direction or both."""

    method: Method
    standardise: bool = True
    symmetric: bool = False

    def fit(self, corpus: Corpus) -> KnownByMethod:
        """Fit the method."""
        return KnownByMethod(corpus, self, self.method.fit(corpus))

    def left_out_of(
        self, measured: dict[str, Floats], labels: Sequence[Any], _lengths: NDArray[Any]
    ) -> Floats:
        """Standardise each row by the other texts and labels alone, where that is asked for."""
        (D,) = measured.values()
        if self.standardise:
            return standardise_left_out(D, labels)
        return np.asarray(np.where(np.eye(len(D), dtype=bool), np.nan, D))


@dataclass(frozen=True, eq=False)
class KnownByMethod(Known):
    """Known texts that `ByMethod` was fitted to."""

    by: ByMethod
    fitted: Fitted

    def problems(self) -> dict[int, str]:
        """Return the texts that the method cannot measure."""
        return problems(self.corpus, range(len(self.corpus)), self.by.method, self.fitted)

    @cached_property
    def measured(self) -> dict[str, Floats]:
        """The divergences of all pairs."""
        D = self.fitted.all_pairs(self.corpus.counts)[0]
        return {self.by.method.name: D + D.T if self.by.symmetric else D}

    def score(self, new: Corpus, labels: Sequence[Any]) -> Floats:
        """Return the divergences of new texts; a word that no known text has counts where one has words near it."""
        there, back = _new_distances(self.by.method, self.corpus, new, both=self.by.symmetric)
        if back is not None:
            there = there + back
        if not self.by.standardise:
            return there
        (D,) = self.measured.values()
        return UsualDistances.of(D, labels).apply(there)


def _new_distances(
    method: Method, known: Corpus, new: Corpus, *, both: bool = False
) -> tuple[Floats, Floats | None]:
    """Return the divergences of new texts (rows) from known ones, and the other way round if asked."""
    everything, size = concat(known, new), len(known)
    carry_tables(known, everything)
    fitted = method.fit(everything, range(size))
    for problem in problems(everything, range(size, len(everything)), method, fitted).values():
        raise EstimateError(problem)
    old, fresh = everything.counts[:size], everything.counts[size:]
    return fitted.between(fresh, old), fitted.between(old, fresh).T if both else None
