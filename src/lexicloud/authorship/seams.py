"""Where the hand changes along a text: what `drift` and `rolling` both find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lexicloud.result import Result
from lexicloud.say.blocks import Passage, Passages
from lexicloud.say.phrases import percent


@dataclass(frozen=True)
class Seam(Result):
    """A change of hand after so many tokens, with the words around it.

    `rolling` knows the hands: `before`, `after`, and the `probability` that they are two. `drift` knows none: its
    `strength` is how far what follows differs from what went before, over the limit that single-hand texts of that
    length seldom pass (it is above 1), and `unlike` is the share of single-hand texts in which no place is as strong.
    """

    position: int
    context: str = ""
    before: str | None = None
    after: str | None = None
    probability: float | None = None
    strength: float | None = None
    unlike: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; what is not known is left out."""
        return {key: value for key, value in super().to_dict().items() if value is not None}

    def phrases(self) -> Iterator[str]:
        """Yield where it is, and how sure."""
        hands = f": {self.before}, then {self.after}" if self.before else ""
        yield f"seam at word {self.position:,}{hands}"
        if self.probability is not None:
            yield f"two hands with {percent(self.probability)}"
        if self.unlike is not None:
            yield f"stronger than any place in {percent(self.unlike)} of texts by one hand"


def seam_passages(seams: Sequence[Seam]) -> Passages:
    """Show the words around each seam."""
    shown = []
    for seam in seams:
        where, *sure = seam.phrases()
        shown.append(Passage(f"… {seam.context} …", source=where, remark=", ".join(sure)))
    return Passages(tuple(shown), "where the hand changes")


def around(tokens: Sequence[str], at: int, words: int = 8) -> str:
    """Return the words around a place, with a bar at it.

    >>> around(["a", "b", "c", "d"], 2)
    'a b | c d'
    """
    return " ".join([*tokens[max(0, at - words) : at], "|", *tokens[at : at + words]])
