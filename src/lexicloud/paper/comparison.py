"""The published numbers, and the reports of experiments: tables that compare with them, listings, and figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DATASETS: Final = ("gatsby", "reuters", "brown", "gutenberg", "race")
TITLES: Final = dict(zip(DATASETS, ("Gatsby", "Reuters", "Brown", "Gutenberg", "RACE"), strict=True))
TASKS: Final = ("author", "genre", "reading_level")
LEVELS: Final = ("middle", "high", "college")  # the paper's pre-high school, high school and college
METHODS: Final = ("setcover", "average", "wmd", "jaccard", "levenshtein")
QUERIES: Final = (
    "“Come along,” she said.",
    "“Let me look at you.”",
    "People laughed particularly at his passion for psychology.",
    "A real machine; well, I don't mind serving a machine.",
)


@dataclass(frozen=True)
class BookLabels:
    """The three labels of a book; its author is "unique" if no other book is by the same one."""

    author: str
    genre: str
    reading_level: str


@cache
def published() -> dict[str, Any]:
    """Return every number that the paper publishes, and its example suggestions.

    >>> published()["kmeans_k"]["gatsby"]
    35
    """
    numbers: dict[str, Any] = json.loads(_resource("published.json"))
    return numbers


@cache
def book_labels() -> dict[str, BookLabels]:
    """Return the labels of the paper's 79 books by the name of their file.

    >>> book_labels()["emma"]
    BookLabels(author='austen', genre='fiction', reading_level='high')
    """
    return read_labels(_resource("books.csv"))


def read_labels(table: str) -> dict[str, BookLabels]:
    """Read labels from a table with the columns slug, genre, reading_level, and author_category or author."""
    rows = csv.DictReader(table.splitlines())
    return {
        row["slug"]: BookLabels(
            row.get("author_category") or row["author"], row["genre"], row["reading_level"]
        )
        for row in rows
    }


def _resource(name: str) -> str:
    return files("lexicloud.paper").joinpath(name).read_text(encoding="utf-8")


# ---- ours compared with them


@dataclass(frozen=True)
class Entry:
    """One number of ours, with the published one if there is one.

    If the numbers are counts, `published_of` and `ours_of` are their totals. `low` and `high` are the range over draws.
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
        """Ours less theirs; of counts with totals, in percentage points."""
        if self.ours is None or self.published is None:
            return None
        if self.ours_of and self.published_of:
            return 100 * (self.ours / self.ours_of - self.published / self.published_of)
        return self.ours - self.published

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs; of counts with totals, the ratio of shares."""
        if self.ours is None or not self.published:
            return None
        totals = self.published_of / self.ours_of if self.ours_of and self.published_of else 1.0
        return self.ours / self.published * totals


@dataclass(frozen=True)
class Drawing:
    """A figure: its file name, a description in words, a caption, and the function that draws it."""

    name: str
    alt: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class ComparisonTable:
    """Numbers in rows and columns; `keys` name the parts of a row, `why` explains differences.

    The page shows a `folded` table only when the reader opens it.
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
        """Return one record for each number, as in the CSV and JSON files."""
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
    """The results of one experiment."""

    tables: tuple[ComparisonTable | Listing, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    notes: tuple[str, ...] = field(default=())


def _rounded(value: float | None) -> float | None:
    """Round to six digits; more would be noise and differ between machines. Whole numbers stay as they are."""
    if value is None or float(value).is_integer():
        return None if value is None else int(value)
    return float(f"{value:.6g}")
