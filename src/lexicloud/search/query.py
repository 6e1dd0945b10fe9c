"""A query as the database sees it: the words it knows, and vectors for those it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.database import Database, Query
from lexicloud.text import is_punctuation, stopwords, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Unknown words → their raw vectors, their refined vectors, and which of them have one.
    Embed = Callable[[Sequence[str]], tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]]


def read_query(text: str, database: Database, embed: Embed) -> Query:
    """Tokenise a query by the database's own rules and look its words up."""
    if not isinstance(text, str):
        raise OptionError(f"a query is a string, not a {type(text).__name__}")
    rules = database.rules
    tokens = tuple(map(rules.normalise, tokenize(text, rules)))
    counts = Counter(tokens)
    known: dict[int, int] = {}
    unknown: list[str] = []
    for word, count in counts.items():
        number = database.ids.get(word, -1)
        if number >= 0 and database.df[number]:
            known[number] = count
        else:
            unknown.append(word)
    ids = np.array(sorted(known), dtype=np.int32)
    vectors, refined, embedded = embed(unknown)
    stop = stopwords(rules.language)
    return Query(
        text=text,
        tokens=tokens,
        ids=ids,
        counts=np.array([known[int(i)] for i in ids], dtype=np.int32),
        unknown=tuple(unknown),
        unknown_counts=np.array([counts[w] for w in unknown], dtype=np.int32),
        unknown_vectors=vectors,
        unknown_refined=refined,
        unknown_embedded=embedded,
        unknown_content=np.array([w not in stop and not is_punctuation(w) for w in unknown], dtype=bool),
    )
