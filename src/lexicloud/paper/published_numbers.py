"""What the paper published: its numbers, and the labels of its books."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

DATASETS: Final = ("gatsby", "reuters", "brown", "gutenberg", "race")
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
    """The three labels of a book; the author of a book whose author has no other is "unique"."""

    author: str
    genre: str
    reading_level: str


@cache
def published() -> dict[str, Any]:
    """Return every number that the paper publishes.

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
