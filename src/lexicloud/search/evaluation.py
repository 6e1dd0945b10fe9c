"""The paper's comparison of search methods on an index: sentences of it as queries, and the variety of what
is suggested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.variety import Variety, variety

if TYPE_CHECKING:
    from lexicloud.search.sentence_index import SentenceIndex

# The methods of the paper's tables, in their order.
PAPER_METHODS: Final = ("setcover", "average", "wmd", "jaccard", "levenshtein")
_SHORTEST: Final = 5  # tokens: a shorter sentence says too little to ask for more like it


@dataclass(frozen=True)
class Evaluation:
    """The variety of each method on queries drawn from an index, and how they were drawn."""

    variety: Variety
    seed: int
    options: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**self.variety.to_dict(), "seed": self.seed, "options": dict(self.options)}

    def _repr_html_(self) -> str:
        return self.variety._repr_html_()


def evaluate_methods(
    index: SentenceIndex,
    queries: int = 5000,
    *,
    seed: int = 0,
    methods: Sequence[str] = PAPER_METHODS,
    top: int = 5,
    weighting: str = "uniform",
    workers: int | None = None,
    **options: Any,
) -> Evaluation:
    """Draw sentences of the index as queries, search for each by every method, and measure the variety.

    Set cover is the paper's unless `weighting` says otherwise. An index with fewer sentences of at least
    five tokens than `queries` uses all of them.
    """
    if queries < 1:
        raise OptionError(f"{queries} queries: there must be at least one")
    drawn = draw_queries(index, queries, seed)
    if not drawn:
        raise OptionError(
            f"none of the {len(index):,} sentences has {_SHORTEST} tokens: there is no query to draw"
        )
    chosen = {"top": top, "weighting": weighting, **options}
    found = {method: index.search_many(drawn, method, workers=workers, **chosen) for method in methods}
    return Evaluation(variety(found), seed, chosen)


def draw_queries(index: SentenceIndex, queries: int, seed: int) -> list[str]:
    """Return the texts of sentences drawn at random without replacement, each text at most once."""
    database = index.database
    eligible = database.lengths >= _SHORTEST
    if database.eligible is not None:
        eligible = eligible & database.eligible
    rows = np.flatnonzero(eligible)
    drawn = (
        np.random.default_rng(seed).choice(rows, size=min(queries, len(rows)), replace=False)
        if len(rows)
        else rows
    )
    return [database.texts[int(row)] for row in drawn]
