"""The words behind a divergence."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.divergence.methods import WordContributions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy import sparse

    from lexicloud.corpus import Corpus
    from lexicloud.divergence.methods import Fitted


@dataclass(frozen=True)
class WordShare:
    """What one word adds to a divergence: above zero it sets the texts apart, below zero it brings them
    together.

    `neighbour` is the word of the other text that carried the match, for methods that look at neighbours.
    """

    word: str
    value: float
    count_a: int
    count_b: int
    neighbour: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)


def explain(
    fitted: Fitted, p: sparse.csr_array, q: sparse.csr_array, *, symmetric: bool = False
) -> WordContributions:
    """Return every word's contribution to D(P‖Q), or to D(P‖Q) + D(Q‖P)."""
    there = fitted.contributions(p, q)
    return merged([there, fitted.contributions(q, p)]) if symmetric else there


def merged(parts: Sequence[WordContributions], scale: float = 1.0) -> WordContributions:
    """Add up contributions of the same words; the first part that names a carrier names it for all."""
    ids, position = np.unique(np.concatenate([part.ids for part in parts]), return_inverse=True)
    values = np.bincount(
        position.ravel(), np.concatenate([part.values for part in parts]), minlength=len(ids)
    )
    carriers = np.full(len(ids), -1, dtype=np.int64)
    for part in reversed(parts):
        if part.carriers is not None:
            where = np.searchsorted(ids, part.ids)
            carriers[where] = np.where(part.carriers >= 0, part.carriers, carriers[where])
    return WordContributions(ids, (values * scale).astype(np.float64), carriers)


def word_shares(
    corpus: Corpus, contributions: WordContributions, a: int, b: int, top: int | None = None
) -> tuple[WordShare, ...]:
    """Name the `top` words with the largest contributions, whatever their sign; without `top`, all."""
    order = np.lexsort((contributions.ids, -np.abs(contributions.values)))[:top]
    counts = corpus.counts[[a, b]].tocsc()[:, contributions.ids[order]].toarray()
    carriers = contributions.carriers
    words = corpus.vocabulary
    return tuple(
        WordShare(
            words[contributions.ids[i]],
            float(contributions.values[i]),
            int(counts[0, column]),
            int(counts[1, column]),
            None if carriers is None or carriers[i] < 0 else words[carriers[i]],
        )
        for column, i in enumerate(order)
    )
