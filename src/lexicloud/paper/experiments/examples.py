"""What each method suggests for the paper's four example queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lexicloud.paper.experiments.databases import COLUMNS, databases
from lexicloud.paper.published import QUERIES
from lexicloud.paper.tables import Listing, Report

if TYPE_CHECKING:
    from lexicloud.paper.workbench import Workbench

# The books behind the paper's own suggestions give the level of each query away.
LEVEL: Final = dict(zip(QUERIES, ("college", "college", "college", "middle"), strict=True))


def letters(text: str) -> str:
    """Return what is left of a text without case, spaces and marks: copies in another edition are alike.

    >>> letters("“Come along,” she said.") == letters('"Come along", she said')
    True
    """
    return "".join(filter(str.isalnum, text.lower()))


def run(bench: Workbench) -> Report:
    """Search for each query in the database of its reading level."""
    if not bench.has("gutenberg"):
        return Report(notes=(bench.missing["gutenberg"],))
    held = databases(bench)
    lines: list[tuple[object, ...]] = []
    for number, query in enumerate(QUERIES, 1):
        level = LEVEL[query]
        if not held.texts(level):
            continue
        for column in COLUMNS:
            found = held.suggestions(level, [query], column, f"example {number}")[0]
            others = [text for text in found if letters(text) != letters(query)]
            lines += [(query, column, rank, text) for rank, text in enumerate(others, 1)]
    listing = Listing(
        "examples",
        "Suggestions for the paper's four queries",
        ("query", "method", "rank", "suggestion"),
        lines,
        bench.about_vectors,
        (
            (
                "Three queries go to the college database and the last to the pre-high-school one, as the "
                "books behind the paper's own suggestions show. Set cover is the paper's, setcover (idf) "
                "lexicloud's default."
            ),
        ),
        bench.sample,
    )
    return Report((listing,))
