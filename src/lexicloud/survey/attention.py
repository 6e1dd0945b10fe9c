"""Did participants attend? Straight-liners, haste, and how long an answer takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from statistics import median
from typing import TYPE_CHECKING, Final

from lexicloud.result import Result

if TYPE_CHECKING:
    from lexicloud.survey.design import Arm
    from lexicloud.survey.store import Answer

HASTE: Final = 3.0  # seconds: five sentences, some fifty words, take at least ten to read
FEW: Final = 5  # answers before haste is called so
# A pattern is called straight-lining where even somebody with a liking for it (this many times chance, at most this
# share) would hardly show it that often.
LIKING, LIKING_MOST, HARDLY = 2.0, 0.7, 0.001


@dataclass(frozen=True)
class Flag(Result):
    """A participant whose answers look careless, and why."""

    participant: str
    reason: str


@dataclass(frozen=True)
class Times(Result):
    """Seconds per answer: the median, and between which a tenth is faster and a tenth slower."""

    answers: int
    low: float
    median: float
    high: float


def times(answers: Sequence[Answer]) -> Times | None:
    """Return how long answers took, or None where nobody measured it."""
    import numpy as np

    seconds = [answer.seconds for answer in answers if answer.seconds is not None]
    if not seconds:
        return None
    low, middle, high = np.quantile(seconds, [0.1, 0.5, 0.9])
    return Times(len(seconds), float(low), float(middle), float(high))


def flagged(answers: Sequence[Answer], arm: Arm) -> list[Flag]:
    """Return participants who keep choosing the same places, or who answer faster than anybody reads.

    Methods change places from question to question, so a preference for a method does not look like this.
    """
    people: dict[str, list[Answer]] = {}
    for answer in answers:
        people.setdefault(answer.participant, []).append(answer)
    found = []
    for person, given in people.items():
        reasons = [reason for reason in (_same_places(given, arm), _haste(given)) if reason]
        found += [Flag(person, "; ".join(reasons))] if reasons else []
    return found


def _same_places(answers: Sequence[Answer], arm: Arm) -> str | None:
    shown = len(answers[0].shown)
    patterns = comb(shown, arm.choose if arm.task == "choose" else 1)
    counts = Counter(tuple(a.shown.index(method) + 1 for method in a.chosen) for a in answers)
    places, most = counts.most_common(1)[0]
    if patterns * _tail(len(answers), most, min(LIKING_MOST, LIKING / patterns)) >= HARDLY:
        return None
    where = ", ".join("AB"[p - 1] if arm.task == "head-to-head" else str(p) for p in places)
    return f"chose {where} in {most} of {len(answers)} answers"


def _tail(n: int, least: int, chance: float) -> float:
    """Return the probability of at least `least` successes in n trials."""
    return sum(comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(least, n + 1))


def _haste(answers: Sequence[Answer]) -> str | None:
    seconds = [a.seconds for a in answers if a.seconds is not None]
    if len(seconds) < FEW or median(seconds) >= HASTE:
        return None
    return f"half of {len(seconds)} answers took less than {median(seconds):.1f} seconds"
