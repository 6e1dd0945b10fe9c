"""Labels for texts that have none, with the known texts that speak for them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.divergence.combined import COMBINED, Likeness, opinions
from lexicloud.divergence.rules import best_two, category_scores
from lexicloud.errors import EstimateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lexicloud.corpus import Corpus
    from lexicloud.divergence.methods import Method


@dataclass(frozen=True)
class Guess:
    """The label of a text that has none: the best, the runner-up, the margin, and the closest known texts."""

    name: str
    found: str
    runner_up: str
    margin: float
    nearest: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def label_unknown(
    known: Corpus,
    labels: Sequence[str],
    new: Corpus,
    *,
    method: str | Method = COMBINED,
    rule: str = "category-mean",
    standardise: bool = True,
    symmetric: bool = False,
    **options: Any,
) -> tuple[Guess, ...]:
    """Label the texts of `new` by those of `known`; a label with a single text can be found."""
    classes = sorted(set(labels))
    if len(classes) < 2:
        raise EstimateError(f"all {len(labels)} known texts have one label: at least two labels are needed")
    likeness = Likeness(opinions(method, **options), standardise, symmetric)
    scores = likeness.know(known, labels).score(new)
    found = category_scores(scores, labels, classes, rule)
    best, second, margins = best_two(found)
    nearest = np.argsort(scores, axis=1, kind="stable")[:, :3]
    return tuple(
        Guess(name, classes[b], classes[s], float(m), tuple(known.names[j] for j in near))
        for name, b, s, m, near in zip(new.names, best, second, margins, nearest, strict=True)
    )
