"""From scores with texts to a label.

"category-mean" takes the label whose texts are closest on average (the paper's rule), "nearest" that of the closest
text, and "between", the default, the mean of the two: an author's books differ, so the closest says most, but one alone
may be close by chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RULES: Final = ("between", "category-mean", "nearest")
RULE: Final = "between"


def check_rule(rule: str) -> None:
    """Refuse a rule that is not there."""
    if rule not in RULES:
        raise OptionError(f"no rule {rule!r}: choose from {', '.join(RULES)}")


def category_scores(scores: Floats, labels: Sequence[Any], classes: Sequence[Any], rule: str) -> Floats:
    """Return rows × classes: the mean score with the texts of a class, the least, or both; nan does not count.

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
        nearest = np.where(counted, members, np.inf).min(axis=1, initial=np.inf)
        mean = np.where(counted, members, 0).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
        found = {"nearest": nearest, "category-mean": mean, "between": (nearest + mean) / 2}[rule]
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
