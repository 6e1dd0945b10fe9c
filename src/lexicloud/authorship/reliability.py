"""How far a feature tells authors apart: the share of its variance over passages that lies between authors.

Passages differ because their authors do, because the texts of one author do (in subject, in kind), and within a text.
A feature that differs mostly in the last two ways says little about who wrote a passage.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# With fewer authors of several texts there is no saying how texts of one author differ.
SEVERAL = 5


def reliability(z: Floats, texts: NDArray[Any], authors: NDArray[Any], prior: Floats, held: float) -> Floats:
    """Return the share of the variance of each column of `z` that lies between authors, pulled towards a prior.

    `texts` and `authors` say whose each passage (row) is; the prior weighs as much as `held` authors.

    >>> z = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    >>> reliability(z, np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.zeros(2), 0.0).tolist()
    [1.0, 0.0]
    """
    _, first, text = np.unique(texts, return_index=True, return_inverse=True)
    of_text, passages = _means(z, text)
    within = ((z - of_text[text]) ** 2).sum(axis=0) / max(1, len(z) - len(of_text))
    _, author = np.unique(np.asarray(authors)[first], return_inverse=True)
    of_author, several = _means(of_text, author)
    rest, free = within / passages.mean(), len(of_text) - len(of_author)
    apart = np.zeros_like(within)
    if free > SEVERAL:
        apart = np.maximum(((of_text - of_author[author]) ** 2).sum(axis=0) / free - rest, 0.0)
    noise = (apart + rest) * float(np.mean(1 / several))
    between = np.maximum(of_author.var(axis=0, ddof=1) - noise, 0.0) if len(of_author) > 1 else 0 * within
    share = between / np.maximum(between + apart + within, 1e-12)
    return np.asarray((len(of_author) * share + held * prior) / (len(of_author) + held))


def _means(rows: Floats, groups: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the mean row of each group, and how many rows it has."""
    sizes = np.bincount(groups).astype(np.float64)
    share = sparse.csr_array((1 / sizes[groups], (groups, np.arange(len(groups)))))
    return np.asarray(share @ rows), sizes
