"""A query as the database sees it: the words it knows, and vectors for those it does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
    numbers = {word: number for word in counts if (number := database.ids.get(word, -1)) >= 0}
    living = database.df[np.fromiter(numbers.values(), np.int64, len(numbers))].tolist()
    numbers = {word: i for (word, i), df in zip(numbers.items(), living, strict=True) if df}
    ids, times = (
        np.array(sorted((i, counts[word]) for word, i in numbers.items()), np.int32).reshape(-1, 2).T.copy()
    )
    unknown = [word for word in counts if word not in numbers]
    return Query(text, tokens, ids, times, **_foreign(unknown, counts, database, embed))


def _foreign(words: list[str], counts: Mapping[str, int], database: Database, embed: Embed) -> dict[str, Any]:
    """Return what a query says of its unknown words."""
    if not words:
        none = np.zeros((0, database.dimension), dtype=np.float32)
        return {"unknown_vectors": none, "unknown_refined": none}
    vectors, refined, embedded = embed(words)
    stop = stopwords(database.rules.language)
    return {
        "unknown": tuple(words),
        "unknown_counts": np.array([counts[w] for w in words], dtype=np.int32),
        "unknown_vectors": vectors,
        "unknown_refined": refined,
        "unknown_embedded": embedded,
        "unknown_content": np.array([w not in stop and not is_punctuation(w) for w in words], dtype=bool),
    }
