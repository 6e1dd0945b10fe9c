"""A small world for the index tests: words with vectors of their own, and sentences made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from lexicloud.search import SentenceIndex
from lexicloud.vectors import WordVectors

KNOWN = [
    f"{a}{b}" for a in ("ka", "lo", "mi", "ru", "sen", "tor") for b in ("dan", "fel", "gos", "hin", "jat")
]
NAMELESS = ["xqzt", "vvkk"]  # no vector, and nothing that one could be recovered from
WORDS = [*KNOWN, *NAMELESS, "the", "of", "."]


def toy_vectors(seed: int = 0, name: str = "toy") -> WordVectors:
    rng = np.random.default_rng(seed)
    words = [*KNOWN, "the", "of", "unseen", "strange"]
    return WordVectors(words, rng.normal(size=(len(words), 6)).astype(np.float32), name)


VECTORS = toy_vectors()

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
records = st.dictionaries(st.sampled_from(["kind", "year"]), st.sampled_from(["a", "b", 1, 2.5]), max_size=2)


def build(items: Any, **options: Any) -> SentenceIndex:
    return SentenceIndex.build(items, vectors=VECTORS, **{"dense": None, **options})


def answers(index: SentenceIndex, query: str, method: str = "setcover", **options: Any) -> list[Any]:
    """Everything about an answer but the rows, which differ between an index with removed sentences and a fresh one.

    Numbers are rounded: a matrix product of more words may differ in the last bit.
    """
    found = index.search(query, method, **{"min_tokens": 1, "top": 8, **options})
    plain: list[Any] = [
        (
            s.id,
            s.text,
            round(s.score, 4),
            [(m.near, m.word, round(m.distance, 4), m.kind) for m in s.matches],
            s.metadata,
        )
        for s in found
    ]
    return [*plain, found.unknown]


def arrays(index: SentenceIndex) -> dict[str, Any]:
    """Every array of an index of one segment, as plain lists."""
    from lexicloud.search.arrays import ARRAYS

    (segment,) = index._snapshot.segments.values()
    plain = {name: getattr(segment, name).tolist() for name in ARRAYS}
    columns = {key: (c.codes.tolist(), c.values.to_list()) for key, c in segment.columns.items()}
    return {
        **plain,
        "words": segment.words.to_list(),
        "terms": segment.terms.to_list(),
        "texts": segment.texts.to_list(),
        "identifiers": segment.identifiers.to_list(),
        "columns": columns,
    }
