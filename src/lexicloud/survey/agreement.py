"""Krippendorff's α for yes-or-no values: do participants agree more than chance?

α = 1 − D_o / D_e: the disagreement seen within units over that expected if values were dealt out at random. 1 is
perfect agreement, 0 chance. A unit is something that several participants judged; whoever did not is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexicloud.survey.resample import DRAWS, FEWEST, Interval, draw_people, percentiles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.survey.resample import Floats


def krippendorff_alpha(values: NDArray[np.float64], seed: int = 0, draws: int = DRAWS) -> Interval:
    """Return α of people × units (1, 0, or nan where somebody did not judge) with an interval over people."""
    import numpy as np

    judged = ~np.isnan(values)
    yes = np.where(judged, values, 0.0)
    answers = judged.sum(axis=1).astype(float)
    value = float(_alphas(np.ones((1, len(values))), yes, judged.astype(float))[0])
    used = answers > 0
    if used.sum() < FEWEST or np.isnan(value):
        return Interval(value)
    weights = draw_people(int(used.sum()), seed, draws)
    samples = _alphas(weights, yes[used], judged[used].astype(float))
    low, high = percentiles(samples, answers[used])
    return Interval(value, float(np.asarray(low)), float(np.asarray(high)))


def _alphas(weights: Floats, yes: Floats, judged: Floats) -> Floats:
    """Return α for each row of weights.

    A person drawn twice agrees with herself: such pairs are left out, so a unit has (Σw)² − Σw² pairs, which is
    n (n − 1) when nobody is repeated.
    """
    import numpy as np

    count, ones = weights @ judged, weights @ yes
    pairs = count**2 - (weights**2) @ judged
    apart = 2 * ones * (count - ones)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.where(pairs > 0, apart / pairs, 0.0)
        counted = np.where(pairs > 0, count, 0.0)
        n, n1 = counted.sum(axis=1), np.where(pairs > 0, ones, 0.0).sum(axis=1)
        observed = (counted * rate).sum(axis=1) / n
        expected = 2 * n1 * (n - n1) / (n * (n - 1))
        return np.asarray(1 - observed / expected)
