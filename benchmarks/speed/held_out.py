"""Queries from other texts than the index holds, from a cold process: words that the index lacks, totals, the slowest.

240,000 sentences of novels are built and saved; sentences of Reuters' news ask (where these are absent, made-up ones),
and beside them sentences of the index itself.
Each contender opens what it saved in a process of its own and answers all queries, one after the other, in one thread.
Times are the processor's, all threads of the process together: of each query the least of RUNS processes, in which the
contenders take turns, since others use the machine. bm25s compiles in its first query, so totals are
told with it and without. `python -m benchmarks.speed.held_out`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks import record
from benchmarks.sentences import queries, sentences, synthetic
from benchmarks.speed.search import worked
from lexicloud.search import SentenceIndex
from lexicloud.search.methods import hybrid
from lexicloud.text import split_sentences

QUERIES: Final = 500
RUNS: Final = 5
WAYS: Final = ("related, words alone", "related", "varied", "bm25s (Numba)")


def foreign() -> list[str]:
    """Return sentences of news, of 5 to 40 words."""
    folder = record.SHARED / "nltk_data" / "corpora" / "reuters" / "test"
    found = []
    for story in sorted(folder.glob("*"))[:1_000]:
        found += [" ".join(s.split()) for s in split_sentences(story.read_text(encoding="latin-1"))]
    return queries(found or synthetic(8 * QUERIES, seed=7), QUERIES, seed=3)


def opened(way: str, folder: str) -> Callable[[str], Any]:
    """Open what a contender saved."""
    if not way.startswith("bm25s"):
        index = SentenceIndex.open(f"{folder}/index")
        options: dict[str, Any] = {"dense": None} if "words" in way else {"mode": way}
        return lambda query: index.search(query, **options)
    import bm25s

    retriever = bm25s.BM25.load(f"{folder}/bm25s", mmap=True)

    def ask(query: str) -> None:
        tokens = bm25s.tokenize(query, stopwords="en", show_progress=False, return_ids=False)
        retriever.retrieve(tokens, k=5, show_progress=False, n_threads=0, backend_selection="numba")

    return ask


def cold(way: str, folder: str, queries: str) -> list[float]:
    """Return the processor time of each query of a process that has only opened the index."""
    command = [sys.executable, "-m", "benchmarks.speed.held_out", way, folder, queries]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ})
    return list(json.loads(told.stdout))


def summary(took: list[float], peer: list[float]) -> dict[str, Any]:
    """Return first query, median, 99th percentile and totals, and the same as multiples of the peer's."""

    def of(times: list[float]) -> dict[str, float]:
        after = times[1:]
        named = {"first": times[0], "median": np.median(after), "p99": np.percentile(after, 99)}
        return named | {"total": sum(times), "total without the first": sum(after)}

    mine, other = of(took), of(peer)
    ms = {f"{name}_ms": round(1e3 * float(value), 3) for name, value in mine.items()}
    return ms | {"times_bm25s": {name: round(float(mine[name] / other[name]), 3) for name in mine}}


def save(folder: str, texts: list[str]) -> dict[str, Any]:
    """Build and save both; return the processor time of each, the less of two turns."""
    import bm25s

    def theirs() -> None:
        retriever = bm25s.BM25(backend="numba")
        retriever.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)
        retriever.save(f"{folder}/bm25s", corpus=texts)

    def ours(name: str, **options: Any) -> None:
        SentenceIndex.build(texts, workers=1, **options).save(f"{folder}/{name}")

    tasks = (lambda: ours("words", dense=None)), (lambda: ours("index")), theirs
    words, both, peer = np.min([[worked(task) for task in tasks] for _ in range(2)], axis=0).tolist()
    return {
        "words_alone_s": words,
        "with_embeddings_s": both,
        "bm25s_s": peer,
        "words_alone_times_bm25s": words / peer,
        "with_embeddings_times_bm25s": both / peer,
    }


def add_and_search(folder: str) -> dict[str, float]:
    """Return the processor time of adding one text to a saved index, and of the first search after it."""
    index = SentenceIndex.open(f"{folder}/index")
    index.search("a stormy night at sea")
    index.prepare()
    added = worked(lambda: index.add([("new", "The lighthouse keeper polished the lens.")]))
    searched = worked(lambda: index.search("the keeper of the lighthouse"))
    return {"add_ms": 1e3 * added, "search_after_ms": 1e3 * searched}


def coarse_loss(folder: str, asked: list[str]) -> dict[str, float]:
    """Return how many of the first ten by a scan of all embeddings the search by words and signs has."""
    index = SentenceIndex.open(f"{folder}/index")
    index.prepare()
    some = [[s.id for s in index.search(query, top=10)] for query in asked]
    every, hybrid.EVERY = hybrid.EVERY, 2**31  # type: ignore[misc]
    full = [[s.id for s in index.search(query, top=10)] for query in asked]
    hybrid.EVERY = every  # type: ignore[misc]
    both = [(a, b) for a, b in zip(some, full, strict=True) if b]
    shared = [len(set(a) & set(b)) / len(b) for a, b in both]
    return {
        "of_the_first_ten": float(np.mean(shared)),
        "same_first": float(np.mean([a[0] == b[0] for a, b in both])),
    }


def run() -> dict[str, Any]:
    """Measure; some minutes."""
    texts = sentences()
    with tempfile.TemporaryDirectory() as folder:
        result: dict[str, Any] = {"sentences": len(texts), "build_and_save": save(folder, texts)}
        asked = {"from other texts": foreign(), "from its own sentences": queries(texts, QUERIES, seed=5)}
        for name, own in asked.items():
            (Path(folder) / f"{name}.json").write_text(json.dumps(own))
            runs = [{way: cold(way, folder, name) for way in WAYS} for _ in range(RUNS)]
            took = {way: np.min([run[way] for run in runs], axis=0).tolist() for way in WAYS}
            told = {way: summary(times, took[WAYS[-1]]) for way, times in took.items()}
            result[name] = {"queries": len(own)} | told
        result["found_of_a_full_scan"] = coarse_loss(folder, asked["from other texts"][:100])
        return result | {"one_text": add_and_search(folder)}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        ask = opened(*sys.argv[1:3])
        times = []
        for query in json.loads((Path(sys.argv[2]) / f"{sys.argv[3]}.json").read_text()):
            start = time.process_time()
            ask(query)
            times.append(time.process_time() - start)
        print(json.dumps(times))
    else:
        found = run()
        for name, value in found.items():
            print(f"{name:24} {value}")
        record.write("held_out", found)
