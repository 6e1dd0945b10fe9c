"""The one call behind every search: pick the method, run it, and turn its rows into suggestions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from lexicloud.errors import OptionError
from lexicloud.search.options import METHODS, SearchOptions
from lexicloud.search.soundness import require_sound
from lexicloud.search.suggestion import Suggestion, Suggestions

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.search.candidates import Hit
    from lexicloud.search.query import Database, Query

    Searcher = Callable[[Database, Query, SearchOptions], list[Hit]]

__all__ = ["METHODS", "SearchOptions", "find"]

# Methods for which a word that no sentence has still counts, if it has a vector.
LATENT: Final = frozenset({"related", "setcover", "average", "wmd"})


def find(
    database: Database,
    query: Query,
    options: SearchOptions,
    embeddings: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None,
) -> Suggestions:
    """Return the suggestions of one method; when there are none, the notes say why."""
    if not query.tokens:
        raise OptionError("the query has no words in it: give at least one word to search for")
    if options.method != "related":  # which reads little, and checks before its compiled loops
        require_sound(database)
    if embeddings is None:
        hits = _searchers()[options.method](database, query, options)
    else:
        from lexicloud.search.methods import dense

        hits = dense.search(database, query, options, *embeddings)
    found = [
        Suggestion(
            database.identifiers[hit.row],
            database.texts[hit.row],
            hit.score,
            hit.matches,
            options.method,
            row=hit.row,
            weak=hit.weak,
        )
        for hit in hits
    ]
    lost = tuple(
        word
        for word, embedded, content in zip(
            query.unknown, query.unknown_embedded, query.unknown_content, strict=True
        )
        if content and not (embedded and options.method in LATENT)
    )
    notes = _notes(database, query, options, [s.weak is True for s in found], lost)
    return Suggestions(found, query=query.text, method=options.method, notes=notes, unknown=lost)


@cache
def _searchers() -> dict[str, Searcher]:
    """Return the methods by name; imported with the first search, since compiled loops take a moment to load."""
    from lexicloud.search.methods import average, levenshtein, lexical, related, setcover, wmd

    return {
        "related": related.search,
        "setcover": setcover.search,
        "interleaved": _interleaved,
        "average": average.search,
        "wmd": wmd.search,
        "jaccard": lexical.jaccard,
        "levenshtein": levenshtein.search,
        "bm25": lexical.bm25,
    }


def _interleaved(database: Database, query: Query, options: SearchOptions) -> list[Hit]:
    """Take turns between set cover and average, each in its own order, and every sentence once."""
    both = [
        _searchers()[name](database, query, replace(options, method=name)) for name in ("setcover", "average")
    ]
    turns = [hit for pair in zip_longest(*both) for hit in pair if hit is not None]
    return list({hit.row: hit for hit in reversed(turns)}.values())[::-1][: options.top]


def _notes(
    database: Database, query: Query, options: SearchOptions, weak: list[bool], lost: tuple[str, ...]
) -> list[str]:
    """Say what a reader of the answer should know: words that could not take part, and why it is short."""
    notes, found = [], len(weak)
    if lost:
        shown = ", ".join(lost[:10]) + (", …" if len(lost) > 10 else "")
        notes.append(f"not in the database{_and_no_vector(options)}: {shown}")
    if not found:
        notes.append(_why_empty(database, query, options, lost))
    elif all(weak):
        notes.append("all of these are weak matches: a random query finds as much")
    if 0 < found < options.top:
        notes.append(f"{found} of the {options.top} sentences asked for could be found")
    return notes


def _and_no_vector(options: SearchOptions) -> str:
    return " and without a vector" if options.method in LATENT else ""


def _why_empty(database: Database, query: Query, options: SearchOptions, lost: tuple[str, ...]) -> str:
    if not database.n:
        return "the database has no sentences"
    if database.allowed is not None and not database.eligible.any():  # type: ignore[union-attr]
        return "the filter lets no sentence through"
    ignored = database.stopwords | database.punctuation
    if options.method != "levenshtein" and ignored[query.ids].all() and not query.unknown_content.any():
        return "the query has only stop words and punctuation, which this method leaves out: levenshtein takes them"
    if lost and len(lost) == int(query.unknown_content.sum()) and ignored[query.ids].all():
        return "none of the query's words could be looked for"
    return "no sentence of the lengths asked for shares a word with the query"
