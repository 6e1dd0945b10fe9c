"""How the words of one document share a Rényi divergence among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def shares(p: Floats, log_t: Floats, alpha: float) -> Floats:
    """Split D = log σ / (α−1), with σ = Σ p t and Σ p = 1, into one share for each word.

    A logarithm of a sum has no terms of its own, but σ − 1 = Σ p (t − 1) has, and D is proportional to it:
    D = Σ p (t − 1) · [log σ / (σ − 1)] / (α − 1). The shares add up to D, and as α → 1 they become the
    familiar p · log ratio. `log_t` may be -inf for terms that are left out.
    """
    gain = p * np.expm1(log_t)
    excess = float(gain.sum())
    slope = np.log1p(excess) / excess if excess else 1.0
    return np.asarray(gain * (slope / (alpha - 1)))
