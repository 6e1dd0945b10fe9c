"""How much of a corpus has vectors, and what was lost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Coverage:
    """Counts of what has a vector (exactly), what was recovered by the ladder, and what was lost.

    `lost` and `recovered` list words with their counts, most frequent first. Punctuation counts as tokens
    like any other.
    """

    tokens: int
    types: int
    exact_tokens: int
    exact_types: int
    recovered_tokens: int
    recovered_types: int
    lost_tokens: int
    lost_types: int
    recovered: tuple[tuple[str, int], ...] = ()
    lost: tuple[tuple[str, int], ...] = ()

    @property
    def share(self) -> float:
        """The share of tokens with a vector, exact or recovered."""
        return (self.exact_tokens + self.recovered_tokens) / self.tokens if self.tokens else 0.0

    @property
    def type_share(self) -> float:
        """The share of distinct words with a vector, exact or recovered."""
        return (self.exact_types + self.recovered_types) / self.types if self.types else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**asdict(self), "share": self.share, "type_share": self.type_share}

    def __str__(self) -> str:
        return (
            f"{self.share:.1%} of {self.tokens:,} tokens have a vector ({self.recovered_tokens:,} recovered, "
            f"{self.lost_tokens:,} lost in {self.lost_types:,} words)"
        )
