"""Search where the right answers share no content word with the query: what neighbours of words can do alone.

A query is a short text of a collection with labels. Candidates are all texts that share none of its content words
(their first five letters), and those with its label are right: precision among the first ten. BM25 finds nothing there
by construction, so it is at chance. The same methods on all texts show what neighbours cost where words are shared.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import Source, collections, content_stems
from benchmarks.truth.meaning import no_vectors
from lexicloud.search import SentenceIndex
from lexicloud.search.methods.dense import embedder
from lexicloud.text import stopwords

WORDS = 20
TEXTS = 40  # of each label
LABELS = 15
QUERIES = 80
TOP = 10
METHODS: dict[str, dict[str, Any]] = {
    "bm25": {"method": "bm25"},
    "average": {"method": "average"},
    "wmd": {"method": "wmd"},
    "set cover, no neighbours": {"r": 0, "keep": 1.0},
    "set cover, r = 10": {"r": 10, "keep": 1.0},
    "set cover, r = 50": {"r": 50, "keep": 1.0},
    "set cover, r = 200": {"r": 200, "keep": 1.0},
    "related": {"mode": "related"},
    "related + wordllama": {"mode": "related", "dense": "wordllama"},
}
FIRST = 150  # texts ranked for a query; fewer than ten of them may share nothing with it

Rank = Callable[[str], list[int]]


def sample(sources: Sequence[Source], seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts of equally many of each label, and the labels."""
    rng = random.Random(seed)
    texts, labels = [], []
    for label in sorted({s.label for s in sources}):
        files = [s for s in sources if s.label == label and len(s.places) >= WORDS]
        if len(files) >= TEXTS and len(set(labels)) < LABELS:
            texts += [s.cut(WORDS, rng) for s in rng.sample(files, TEXTS)]
            labels += [label] * TEXTS
    return texts, labels


def precision(ranked: Sequence[int], allowed: Any, right: Any) -> float:
    """Return the share of right ones among the first ten allowed; places left empty are filled by chance."""
    first = [i for i in ranked if allowed[i]][:TOP]
    rest = allowed.copy()
    rest[first] = False
    chance = float(right[rest].mean()) if rest.any() else 0.0
    return (sum(bool(right[i]) for i in first) + (TOP - len(first)) * chance) / TOP


def contenders(texts: Sequence[str]) -> Iterator[tuple[str, Rank]]:
    """Yield every method with what ranks the texts for a query."""
    items = [(str(i), text) for i, text in enumerate(texts)]
    index, plain = SentenceIndex.build(items), SentenceIndex.build(items, vectors=no_vectors())
    for name, options in METHODS.items():
        yield name, searching(index, options)
    yield "related, no vectors", searching(plain, {"mode": "related"})
    embed = embedder("wordllama")
    embedded = embed(texts)
    yield "wordllama", lambda query: np.argsort(-(embedded @ embed([query])[0]), kind="stable").tolist()


def searching(index: SentenceIndex, options: dict[str, Any]) -> Rank:
    return lambda query: [int(s.id) for s in index.search(query, top=FIRST, near_copy=0, **options)]


def measure(sources: Sequence[Source]) -> dict[str, Any]:
    """Return the precision of every method, where nothing is shared and over all texts."""
    texts, labels = sample(sources)
    stems = [content_stems(text, frozenset(stopwords())) for text in texts]
    names = np.array(labels)
    queries = random.Random(1).sample(range(len(texts)), QUERIES)
    out: dict[str, Any] = {}
    for method, rank in contenders(texts):
        scores: dict[str, list[float]] = {"none shared": [], "all": []}
        for q in queries:
            other = np.arange(len(texts)) != q
            apart = np.array([not (stems[q] & s) for s in stems]) & other
            found = rank(texts[q])
            right = names == names[q]
            scores["none shared"].append(precision(found, apart, right))
            scores["all"].append(precision(found, other, right))
        out[method] = {
            what: [round(100 * float(np.mean(v)), 2), round(196 * float(np.std(v)) / len(v) ** 0.5, 2)]
            for what, v in scores.items()
        }
        print(method, out[method], flush=True)
    return {"texts": len(texts), "labels": len(set(labels)), "queries": QUERIES, "precision": out}


def main() -> None:
    results = {name: measure(sources) for name, sources in collections().items() if "Brown" not in name}
    record.write("no_shared_words", results)


if __name__ == "__main__":
    main()
