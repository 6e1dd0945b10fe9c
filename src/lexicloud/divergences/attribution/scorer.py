"""How like each known text a text is, and from that to a label."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.corpus.cut import joined
from lexicloud.divergences.base import Method
from lexicloud.divergences.checks import problems
from lexicloud.divergences.methods import METHODS, make_method
from lexicloud.divergences.smoothed import carry_tables
from lexicloud.divergences.standardise import Yardstick, standardise_left_out
from lexicloud.errors import EstimateError, OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]

RULES: Final = ("category-mean", "nearest")


def check_rule(rule: str) -> None:
    """Refuse a rule that is not there."""
    if rule not in RULES:
        raise OptionError(f"no rule {rule!r}: choose from {', '.join(RULES)}")


def category_scores(scores: Floats, labels: Sequence[Any], classes: Sequence[Any], rule: str) -> Floats:
    """Return rows × classes: the mean score with the texts of a class, or the least; nan entries do not count.

    A class of which a row has no score at all is at infinity: a label with a single member cannot be found for
    that member.
    """
    check_rule(rule)
    known = np.array([list(classes).index(label) for label in labels])
    out = np.full((len(scores), len(classes)), np.inf)
    for c in range(len(classes)):
        members = scores[:, known == c]
        counted = np.isfinite(members)
        some = counted.any(axis=1)
        if rule == "nearest":
            found = np.where(counted, members, np.inf).min(axis=1, initial=np.inf)
        else:
            found = np.where(counted, members, 0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
        out[some, c] = found[some]
    return out


def without_single_members(
    scores: Floats, labels: Sequence[Any], classes: Sequence[Any], rule: str
) -> Floats:
    """Return category scores for texts left out one by one, where the paper never chooses a category of one.

    Under "nearest" such a text may still be the nearest of another.
    """
    found = category_scores(scores, labels, classes, rule)
    if rule == "category-mean":
        alone = [c for c, label in enumerate(classes) if list(labels).count(label) < 2]
        found[:, alone] = np.inf
    return found


def best_two(found: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Return the best class, the runner-up, and by how much the best wins; ties go to the first class."""
    order = np.argsort(found, axis=1, kind="stable")
    best, second = order[:, 0], order[:, min(1, found.shape[1] - 1)]
    rows = np.arange(len(found))
    with np.errstate(invalid="ignore"):
        return best, second, np.asarray(found[rows, second] - found[rows, best])


COMBINED: Final = "combined"
LABELLING: Final = (COMBINED, *METHODS)

# Delta draws level with the latent words at a few thousand tokens; any ν from 1,000 to 10,000 did as well.
NU: Final = 3000.0
# D(Q‖P̃) alone is the weaker half, most of all for short texts, but makes other mistakes than D(P‖Q̃).
BACKWARD: Final = 0.5


@dataclass(frozen=True)
class Opinion:
    """A method, how much each direction of it counts, and whether that depends on the length of the text."""

    method: Method
    forward: float = 1.0
    backward: float = 0.0
    by_length: bool = False

    def weigh(self, Z: Floats, Zt: Floats | None, lengths: Floats) -> Floats:
        """Add up both directions."""
        total = self.forward * Z if Zt is None else self.forward * Z + self.backward * Zt
        return total * (lengths / (lengths + NU))[:, None] if self.by_length else total


def opinions(method: str | Method, **options: Any) -> tuple[Opinion, ...]:
    """Return what a method of labelling consists of.

    >>> [(o.method.name, o.forward, o.backward) for o in opinions("combined")]
    [('smoothed', 1.0, 0.5), ('delta', 1.0, 0.0)]
    """
    if method == COMBINED:
        return (
            Opinion(make_method("smoothed", **options), backward=BACKWARD),
            Opinion(make_method("delta"), by_length=True),
        )
    if isinstance(method, str) and method not in LABELLING:
        raise OptionError(f"no method {method!r}: choose from {', '.join(LABELLING)}")
    return (Opinion(make_method(method, **options)),)


@dataclass(frozen=True)
class Likeness:
    """How divergences become scores: the opinions, and what is done to each."""

    opinions: tuple[Opinion, ...]
    standardise: bool = True
    symmetric: bool = False

    def __post_init__(self) -> None:
        if len(self.opinions) > 1 and not self.standardise:
            raise OptionError(
                "method 'combined' adds up standardised divergences: choose another or standardise"
            )

    def left_out(self, corpus: Corpus, labels: Sequence[Any]) -> Floats:
        """Return the score of each text (row) with each other, as if the row's text were new; nan on the diagonal."""
        return self.left_out_of(self.measure(corpus), labels, comparable_lengths(corpus, corpus))

    def left_out_of(self, measured: Sequence[Floats], labels: Sequence[Any], lengths: Floats) -> Floats:
        """Do the same with the divergences of each opinion, measured already, and the lengths of the texts."""
        total = np.zeros(measured[0].shape)
        for opinion, D in zip(self.opinions, map(self._one, measured), strict=True):
            if not self.standardise:
                return np.asarray(np.where(np.eye(len(D), dtype=bool), np.nan, D))
            Z = standardise_left_out(D, labels)
            back = standardise_left_out(D.T, labels) if opinion.backward else None
            total += opinion.weigh(Z, back, lengths)
        return total

    def measure(self, corpus: Corpus) -> tuple[Floats, ...]:
        """Return the divergences of all pairs of a corpus, for each opinion."""
        return tuple(o.method.fit(corpus).all_pairs(corpus.counts)[0] for o in self.opinions)

    def know(self, corpus: Corpus, labels: Sequence[Any]) -> Known:
        """Measure the known texts against each other."""
        return Known(self, corpus, tuple(labels), tuple(map(self._one, self.measure(corpus))))

    def _one(self, D: Floats) -> Floats:
        return D + D.T if self.symmetric else D


@dataclass(frozen=True, eq=False)
class Known:
    """Known texts with their labels, against which new texts can be scored."""

    likeness: Likeness
    corpus: Corpus
    labels: tuple[Any, ...]
    measured: tuple[Floats, ...]  # made symmetric already, where that is asked for

    def left_out(self) -> Floats:
        """Return the score of each known text with each other, as if the row's text were new."""
        once = replace(self.likeness, symmetric=False)
        return once.left_out_of(self.measured, self.labels, comparable_lengths(self.corpus, self.corpus))

    def score(self, new: Corpus) -> Floats:
        """Return the score of each new text (row) with each known one.

        All statistics come from the known texts, so that a new text's row does not depend on the other new
        texts. Words that no known text has still count where a known text has words near them.
        """
        everything, size = joined(self.corpus, new), len(self.corpus)
        carry_tables(self.corpus, everything)
        rows = range(size, len(everything))
        old, fresh = everything.counts[:size], everything.counts[size:]
        lengths = comparable_lengths(self.corpus, new)
        total = np.zeros((len(new), size))
        for opinion, D in zip(self.likeness.opinions, self.measured, strict=True):
            fitted = opinion.method.fit(everything, range(size))
            for problem in problems(everything, rows, opinion.method, fitted).values():
                raise EstimateError(problem)
            there = fitted.between(fresh, old)
            both = self.likeness.symmetric or opinion.backward
            back = fitted.between(old, fresh).T if both else there
            if self.likeness.symmetric:
                there = there + back
            if not self.likeness.standardise:
                return there
            Z = Yardstick.of(D, self.labels).apply(there)
            Zt = Yardstick.of(D.T, self.labels).apply(back) if opinion.backward else None
            total += opinion.weigh(Z, Zt, lengths)
        return total


def comparable_lengths(known: Corpus, new: Corpus) -> Floats:
    """Return the tokens that a comparison can count on: a text's own, or those of the usual known text if fewer."""
    return np.minimum(new.lengths, np.median(known.lengths)).astype(np.float64)
