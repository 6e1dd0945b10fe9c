"""What an experiment reports: numbers beside the published ones, listings, and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Entry:
    """One number of ours, beside the published one where there is one.

    `published_of` and `ours_of` are what counts are counted out of; `low` and `high` the range over repeats.
    """

    row: tuple[str | int, ...]
    column: str
    ours: float | None
    published: float | None = None
    ours_of: int | None = None
    published_of: int | None = None
    low: float | None = None
    high: float | None = None
    explanation: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less theirs; for counts out of different totals, in percentage points."""
        if self.ours is None or self.published is None:
            return None
        if self.ours_of and self.published_of:
            return 100 * (self.ours / self.ours_of - self.published / self.published_of)
        return self.ours - self.published

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs; for counts out of different totals, the ratio of shares."""
        if self.ours is None or not self.published:
            return None
        totals = self.published_of / self.ours_of if self.ours_of and self.published_of else 1.0
        return self.ours / self.published * totals


@dataclass(frozen=True)
class Drawing:
    """A figure: its file name, what it shows in words, and how to draw it."""

    name: str
    alt: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Table:
    """Numbers in rows and columns; `keys` name the parts of a row, `why` explains what differs and why.

    A `folded` table is shown on the page when it is asked for.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    entries: Sequence[Entry]
    unit: str
    vectors: str
    why: tuple[str, ...] = ()
    sample: str = ""
    digits: int = 2
    folded: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns, in the order of their first entry."""
        return list(dict.fromkeys(entry.column for entry in self.entries))

    @property
    def rows(self) -> dict[tuple[str | int, ...], dict[str, Entry]]:
        """Row → column → entry."""
        out: dict[tuple[str | int, ...], dict[str, Entry]] = {}
        for entry in self.entries:
            out.setdefault(entry.row, {})[entry.column] = entry
        return out

    def records(self) -> list[dict[str, Any]]:
        """Return one record for each number, as CSV and JSON hold them."""
        return [
            {
                **dict(zip(self.keys, entry.row, strict=True)),
                "column": entry.column,
                "published": entry.published,
                "published_of": entry.published_of,
                "ours": _rounded(entry.ours),
                "ours_of": entry.ours_of,
                "ours_low": _rounded(entry.low),
                "ours_high": _rounded(entry.high),
                "difference": _rounded(entry.difference),
                "ratio": _rounded(entry.ratio),
                "unit": self.unit,
                "vectors": self.vectors,
                "sample": self.sample,
                "explanation": entry.explanation,
            }
            for entry in self.entries
        ]


@dataclass(frozen=True)
class Listing:
    """A table of words rather than numbers."""

    name: str
    title: str
    headers: tuple[str, ...]
    lines: Sequence[tuple[Any, ...]]
    vectors: str
    why: tuple[str, ...] = ()
    sample: str = ""

    def records(self) -> list[dict[str, Any]]:
        """Return one record for each line."""
        return [dict(zip(self.headers, line, strict=True)) for line in self.lines]


@dataclass(frozen=True)
class Report:
    """What one experiment has to show."""

    tables: tuple[Table | Listing, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    notes: tuple[str, ...] = field(default=())


def _rounded(value: float | None) -> float | None:
    """Keep whole numbers, and six digits of others: more would be noise, and would differ between machines."""
    if value is None or float(value).is_integer():
        return None if value is None else int(value)
    return float(f"{value:.6g}")
