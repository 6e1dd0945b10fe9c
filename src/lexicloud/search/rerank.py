"""Rank and explain the best hits of another engine.

The hits become a small index in memory, which is searched as any other: by words, topic and sentence embeddings, with
reasons that add up. The hits alone say how common a word is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from lexicloud.errors import OptionError
from lexicloud.search.fields import rows_of_table
from lexicloud.search.index import SentenceIndex

if TYPE_CHECKING:
    from lexicloud.search.items import Suggestions

MOST: Final = 1_000  # hits: an engine's best 200 are plenty, and each query indexes all of them
PLACE: Final = "hit"  # the metadata key of a find's place in the other engine's list
_LEFT_OUT: Final = frozenset(("_distance", "_score", "_relevance_score", "_rowid", "vector", "embedding"))


def rerank(
    query: str,
    hits: Any,
    *,
    text: Any = None,
    id: str | None = None,  # noqa: A002 (the column's name)
    top: int | None = None,
    vectors: Any = None,
    rules: Any = None,
    **options: Any,
) -> Suggestions:
    """Return another engine's hits in our order, best first, each with its reasons and its old place (`hit`).

    `hits` are strings, (id, text) pairs, dicts or a table, best first, or an answer of OpenSearch; `text` and `id` name
    the columns of dicts, as in `SentenceIndex.build`. `options` are those of `SentenceIndex.search`.

    >>> hits = ["The band Queen played all night.", "The king of France ruled for years."]
    >>> [(found.text, found.metadata["hit"]) for found in rerank("who ruled France", hits, top=1)]
    [('The king of France ruled for years.', 2)]
    """
    items = [_placed(hit, place, text is None) for place, hit in enumerate(_listed(hits), 1)]
    if not items:
        raise OptionError("there are no hits to rank: ask the other engine first")
    if len(items) > MOST:
        raise OptionError(f"there are {len(items):,} hits, more than {MOST:,}: give the best 200")
    columns = "text" if text is None else text
    index = SentenceIndex.build(items, vectors=vectors, rules=rules, text=columns, id=id)
    found = index.search(query, top=top or len(items), **options)
    return found.with_items(found, notes=[note for note in found.notes if "asked for" not in note])


def _listed(hits: Any) -> list[Any]:
    """Return hits as a list; of an answer of OpenSearch, the documents."""
    if isinstance(hits, Mapping) and isinstance(inner := hits.get("hits"), Mapping | list):
        found = inner.get("hits", []) if isinstance(inner, Mapping) else inner
        return [{"id": hit.get("_id"), **hit.get("_source", {})} for hit in found]
    if isinstance(hits, Mapping):
        return list(hits.items())
    rows = rows_of_table(hits)
    if isinstance(rows, str) or not isinstance(rows, Iterable):
        raise OptionError(f"hits are a {type(hits).__name__}: give a list of texts or records")
    return list(rows)


def _placed(hit: Any, place: int, whole: bool) -> dict[str, Any]:
    """Return a hit as a record with its place."""
    if isinstance(hit, str):
        return {"id": place, "text": hit, PLACE: place}
    if isinstance(hit, tuple | list) and len(hit) >= 2:
        more = hit[2] if len(hit) > 2 and isinstance(hit[2], Mapping) else {}
        return {**more, "id": hit[0], "text": hit[1], PLACE: place}
    if not isinstance(hit, Mapping):
        raise OptionError(f"hit {place} is a {type(hit).__name__}: give strings, (id, text) pairs or dicts")
    if whole and "text" not in hit:
        raise OptionError(f"hit {place} has no text: say which of {', '.join(map(str, hit))} is (text=…)")
    return {**{key: value for key, value in hit.items() if key not in _LEFT_OUT}, PLACE: place}
