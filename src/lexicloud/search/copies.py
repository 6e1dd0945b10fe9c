"""Telling the query itself, and sentences that differ from it by a few letters, from real finds."""

from __future__ import annotations

from typing import Final

# The authors drop sentences within 8 edits of the query.
NEAR_COPY: Final = 9
# Of a short query 8 edits are a third: another sentence. With a tenth nearly all that the limit cost on paraphrases is
# back (docs/search.md), and for queries of 90 letters and more nothing changes.
COPY_SHARE: Final = 0.1


def is_copy(text: str, query: str, edits: int = NEAR_COPY) -> bool:
    """Tell whether a sentence is fewer than `edits` edits away from the query; 0 lets even the query itself
    through.

    >>> is_copy("Call me Ishmael!", "Call me Ishmael."), is_copy("Call me a cab.", "Call me Ishmael.", edits=1)
    (True, False)
    """
    if edits <= 0:
        return False
    if edits == 1 or abs(len(text) - len(query)) >= edits:
        return text == query
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(text, query, score_cutoff=edits - 1) < edits
