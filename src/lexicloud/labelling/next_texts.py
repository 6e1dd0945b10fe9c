"""Choose the texts that a person should label next: those that represent many texts whose label is in doubt.

A text represents another to the degree that their mean vectors agree (cosine squared). The doubt about a text is the
chance that its likeliest label is wrong. Texts are chosen one by one, each time the one that covers most of the doubt
that the examples and the texts chosen before do not cover.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST: Final = 4000  # so many texts, the most doubtful, are compared with each other
# Gains that differ by less count as equal, since sums differ between processors; then the earlier text comes first.
_EQUAL: Final = 1e-6


def choose(P: Floats, vectors: Floats, n: int, examples: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return `n` texts in the order in which to label them, and how much doubt each covers in addition.

    `vectors` and `examples` are mean vectors of the texts and of the examples, of unit length.
    """
    doubt = 1 - P.max(axis=1)
    places = np.sort(np.argsort(-np.round(doubt / _EQUAL), kind="stable")[:_MOST])
    likeness = np.square(np.maximum(vectors[places] @ vectors[places].T, 0))
    np.fill_diagonal(likeness, 1.0)  # even a text without vectors represents itself
    covered = _covered(vectors[places], examples)
    taken: list[int] = []
    covers: list[float] = []
    for _ in range(min(n, len(places))):
        more = np.maximum(likeness - covered, 0) @ doubt[places]
        more[taken] = -1
        best = int((more >= more.max() - _EQUAL).argmax())
        taken.append(best)
        covers.append(float(more[best]))
        covered = np.maximum(covered, likeness[best])
    return places[taken], np.minimum.accumulate(covers)


def _covered(vectors: Floats, examples: Floats) -> Floats:
    """Return to what degree the examples represent each text."""
    out = np.zeros(len(vectors))
    for start in range(0, len(examples), _MOST):
        out = np.maximum(out, (vectors @ examples[start : start + _MOST].T).max(axis=1))
    return np.square(out)
