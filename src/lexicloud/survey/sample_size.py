"""How many answers a difference of five points needs."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lexicloud.survey.resample import Floats

POINTS: Final = 0.05
REACH: Final = (
    1.959964 + 0.841621
)  # normal quantiles: a test at 5 % that finds the difference in 80 % of studies


def answers_needed(numerators: Floats, denominators: Floats, difference: float = POINTS) -> int | None:
    """Return how many answers, from people like these, a difference needs to be found four times in five.

    The standard error comes from how participants differ (leaving one out at a time), and falls with the root of their
    number: people count, not answers alone. None where it cannot be known.
    """
    import numpy as np

    used = denominators > 0
    x, n = numerators[used], denominators[used]
    people = len(x)
    if people < 2:
        return None
    without = (x.sum() - x) / (n.sum() - n)
    variance = (people - 1) / people * ((without - without.mean()) ** 2).sum()
    if not np.isfinite(variance) or variance == 0:
        return None
    return ceil(float(n.sum() * variance * (REACH / difference) ** 2))
