"""Who is asked what, in which order, and where each method stands on the screen.

Orders are balanced over participants, and within a participant after every answer, because people stop when they
like. Queries come in the rows of a Williams square: every query stands at every place, and follows every other,
equally often once the square is complete. The rows are taken far apart from each other, so that the first few
participants cover all queries. Methods take places on the screen by the rows of a Williams square of their own;
pairs of a head-to-head alternate, and so do their sides.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lexicloud.survey.design import Arm, Study


@dataclass(frozen=True)
class Item:
    """One question of a participant: which query, and which methods in the order shown."""

    query: int
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """Everything one participant is asked."""

    arm: Arm
    items: tuple[Item, ...]


def plan(study: Study, number: int) -> Plan:
    """Return the questions of the participant with this number; the same number always gives the same."""
    arm = study.arms[number % len(study.arms)]
    row = number // len(study.arms)
    base = _mixed_queries(tuple(query.group for query in study.queries), study.seed)
    treatments: Sequence[tuple[str, ...]] = (
        panel_orders(tuple(study.methods)) if arm.task == "choose" else pair_orders(study.pairs)
    )
    order = query_order(len(base), row)
    items = [Item(base[q], treatments[(row + place) % len(treatments)]) for place, q in enumerate(order)]
    return Plan(arm, tuple(items))


@cache
def zigzag(n: int) -> tuple[int, ...]:
    """Return the first row of a Williams square: neighbours differ by every amount once.

    >>> zigzag(6)
    (0, 1, 5, 2, 4, 3)
    """
    return tuple((place + 1) // 2 if place % 2 else (n - place // 2) % n for place in range(n))


def williams_square(n: int) -> list[list[int]]:
    """Return rows in which every item stands at every place and follows every other equally often.

    An odd number needs each row's mirror image too, so there are twice as many.
    """
    rows = [[(first + shift) % n for first in zigzag(n)] for shift in range(n)]
    return rows if n % 2 == 0 else rows + [row[::-1] for row in rows]


def query_order(n: int, row: int) -> list[int]:
    """Return the order of n queries for the participant in this row; every second square is mirrored."""
    shift = _spread(n)[row % n]
    order = [(first + shift) % n for first in zigzag(n)]
    return order if row // n % 2 == 0 else order[::-1]


@lru_cache(maxsize=32)
def panel_orders(methods: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the orders in which methods take their places, one after the other."""
    return [tuple(methods[i] for i in row) for row in williams_square(len(methods))]


def pair_orders(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return every pair both ways round, with sides that alternate.

    >>> pair_orders([("a", "b"), ("a", "c")])
    [('a', 'b'), ('c', 'a'), ('b', 'a'), ('a', 'c')]
    """
    there = [pair if i % 2 == 0 else pair[::-1] for i, pair in enumerate(pairs)]
    return there + [(b, a) for a, b in there]


@cache
def _spread(n: int) -> tuple[int, ...]:
    """Return 0 … n − 1 so that any first few of them lie evenly (ranks of van der Corput's sequence)."""
    ranked = sorted(range(n), key=_radical_inverse)
    places = [0] * n
    for place, number in enumerate(ranked):
        places[number] = place
    return tuple(places)


def _radical_inverse(number: int) -> float:
    """Mirror a number's binary digits at the point: 1, 2, 3, 4 become ½, ¼, ¾, ⅛."""
    found, unit = 0.0, 0.5
    while number:
        found += unit * (number & 1)
        number, unit = number >> 1, unit / 2
    return found


@lru_cache(maxsize=32)
def _mixed_queries(labels: tuple[str | None, ...], seed: int) -> list[int]:
    """Shuffle queries within their groups by the study's seed, then take from the groups in turn."""
    groups: dict[str | None, list[int]] = {}
    for i, label in enumerate(labels):
        groups.setdefault(label, []).append(i)
    chance = random.Random(seed)
    for members in groups.values():
        chance.shuffle(members)
    most = max(map(len, groups.values()))
    return [members[i] for i in range(most) for members in groups.values() if i < len(members)]
