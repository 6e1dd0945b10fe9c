"""A word and what it adds to a score: every explanation is a list of these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lexicloud.result import Result
from lexicloud.say.blocks import Bars, bars, number, signed


@dataclass(frozen=True, slots=True)
class Reason(Result):
    """A word (or another feature) and what it adds to a score; the reasons of an explanation add up to the score.

    `kind` is the kind of the word ("content", "name", "function", "punctuation") or of the evidence ("characters").
    `near` is the word that matched it, if that is another one, at `distance`. `counts` and `rates` say how often the
    word occurs on each side of the comparison, `interval` how certain `adds` is, `passages` where the word occurs,
    `fields` in which text fields of a record.
    """

    word: str
    adds: float
    kind: str = "content"
    near: str | None = None
    distance: float | None = None
    counts: tuple[int, ...] = ()
    rates: tuple[float, ...] = ()
    interval: tuple[float, float] | None = None
    passages: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the reason as a dictionary of values that JSON has; empty fields are left out."""
        # Not `super()`, which fails in a dataclass with slots.
        said = Result.to_dict(self)
        return {key: value for key, value in said.items() if value not in (None, []) or key == "adds"}

    def __str__(self) -> str:
        return f"{self.word} {self.adds:+.4g}" + (f" (near {self.near})" if self.near else "")


def named(reason: Reason) -> str:
    """Return a reason's word, with the near word that matched it."""
    return f"{reason.word} ≈ {reason.near}" if reason.near and reason.near != reason.word else reason.word


def reason_bars(
    reasons: Iterable[Reason],
    *,
    sides: Sequence[str] = (),
    title: str = "",
    right: str = "",
    left: str = "",
    top: int = 20,
    plus: bool = True,
) -> Bars:
    """Draw reasons as bars; `sides` name what the counts (or else the rates) of a reason are of.

    Without `plus` a value has no sign: then the side that it stands on is one of two, and not below zero.
    """
    items = []
    for reason in list(reasons)[:top]:
        cells = [number(value) for value in (reason.counts or reason.rates)[: len(sides)]]
        items.append((named(reason), reason.adds, cells))
    # Four digits of what is below ten, one of what is above: more would tell nothing.
    digits = 4 if max((abs(value) for _, value, _ in items), default=0.0) < 10 else 1
    return bars(
        items,
        title=title,
        right=right,
        left=left,
        columns=sides,
        write=lambda v: signed(v, digits, plus=True) if plus else signed(abs(v), digits),
    )
