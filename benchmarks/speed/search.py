"""Search against its peers on about 240,000 sentences: set cover, exact WMD, Levenshtein, building, memory,
and growth.

Sentences come from ../shared/data/books where that folder exists; otherwise they are made of the built-in
vectors' words, drawn by Zipf's law. Ratios are peer time / our time in the same run, contenders taking
turns; above 1 we are faster. Fresh queries and building are timed by the processor's clock, which other work on the
machine disturbs least.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks import record
from benchmarks.sentences import BOOKS, queries, sentences
from lexicloud.search import SentenceIndex
from lexicloud.search.arrays import Database
from lexicloud.search.find import SearchOptions, find
from lexicloud.search.methods import wmd
from lexicloud.search.methods.ball import ball
from lexicloud.text import tokenize
from lexicloud.vectors import load_vectors

FRESH = 220  # queries never asked before
WARM = 20  # of them, asked before the clock starts
BUILDS = 3  # in turns; the least of each counts
GROWTH = (1, 3, 10)  # × SENTENCES


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def worked(call: Callable[[], Any]) -> float:
    """Return the seconds of processor time that a call takes."""
    start = time.process_time()
    call()
    return time.process_time() - start


def in_turns(
    ours: Callable[[str], Any], theirs: Callable[[str], Any], asked: list[str], repeats: int = 3
) -> dict[str, float]:
    """Time both on every query, taking turns; the least of the repeats counts."""
    pairs = []
    for query in asked:
        both = [(timed(lambda: ours(query)), timed(lambda: theirs(query))) for _ in range(repeats)]  # noqa: B023
        pairs.append((min(a for a, _ in both), min(b for _, b in both)))
    mine, other = zip(*pairs, strict=True)
    return {
        "ours_ms": 1e3 * median(mine),
        "peer_ms": 1e3 * median(other),
        "ratio_of_medians": median(other) / median(mine),
        "ratio_of_totals": sum(other) / sum(mine),
    }


def build(texts: list[str]) -> tuple[SentenceIndex, Any, dict[str, Any]]:
    """Build our index and bm25s's from the same strings: by the processor's clock in one process, by the wall's on all
    cores.
    """
    import bm25s

    load_vectors().lookup(["warm"])
    made: dict[str, Any] = {}

    def ours() -> None:
        made["ours"] = SentenceIndex.build(texts, workers=1)
        made["ours"].database  # noqa: B018  (the database is made on first use)

    def theirs() -> None:
        made["bm25s"] = bm25s.BM25(backend="numba")
        tokens = bm25s.tokenize(texts, stopwords="en", show_progress=False)
        made["bm25s"].index(tokens, show_progress=False)

    times = [(worked(ours), worked(theirs)) for _ in range(BUILDS)]
    mine, other = map(min, zip(*times, strict=True))
    walls = [(timed(lambda: SentenceIndex.build(texts)), timed(theirs)) for _ in range(BUILDS)]
    wall, peer = map(min, zip(*walls, strict=True))
    return (
        made["ours"],
        made["bm25s"],
        {
            "one_process": {"ours_s": mine, "bm25s_s": other, "ratio": other / mine},
            "all_cores_wall": {"ours_s": wall, "bm25s_s": peer, "ratio": peer / wall},
        },
    )


def fresh_queries_against_bm25s(index: SentenceIndex, retriever: Any, asked: list[str]) -> dict[str, Any]:
    """Compare on queries never asked before, the peer's fastest backend, one thread each.

    They are drawn from the index's own sentences; `held_out` asks what other texts ask.
    """
    import bm25s

    def theirs(query: str) -> None:
        tokens = bm25s.tokenize(query, stopwords="en", show_progress=False, return_ids=False)
        retriever.retrieve(tokens, k=5, show_progress=False, n_threads=0, backend_selection="numba")

    index.prepare()
    warm, fresh = asked[:WARM], asked[WARM:]
    ways: dict[str, Callable[[str], Any]] = {
        "related": lambda q: index.search(q, dense=None),
        "related, with embeddings": index.search,
        "varied": lambda q: index.search(q, mode="varied"),
        "varied, uniform": lambda q: index.search(q, weighting="uniform"),
        "bm25s (Numba)": theirs,
    }
    for way in ways.values():
        for query in warm:
            way(query)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for query in fresh:
        for name, way in ways.items():
            times[name].append(worked(lambda: way(query)))  # noqa: B023
    peer = times["bm25s (Numba)"]
    return {
        name: {
            "median_ms": 1e3 * median(took),
            "mean_ms": 1e3 * sum(took) / len(took),
            "times_bm25s_median": median(took) / median(peer),
            "times_bm25s_total": sum(took) / sum(peer),
        }
        for name, took in times.items()
    }


def average_against_the_product(index: SentenceIndex, asked: list[str]) -> dict[str, float]:
    """Compare with the bare product of all means and one vector, which any search by averages needs."""
    from lexicloud.search.methods.wmd import centroids

    index.search(asked[0], "average")
    means = np.nan_to_num(centroids(index.database))
    vector = np.ones(means.shape[1], np.float32)
    return in_turns(lambda q: index.search(q, "average"), lambda _: means @ vector, asked[:12])


def batch(index: SentenceIndex, asked: list[str]) -> dict[str, float]:
    """Queries a second, many at a time on all cores."""
    index.search_many(asked[:WARM])
    start = time.process_time()
    took = timed(lambda: index.search_many(asked[WARM:]))
    queries = len(asked) - WARM
    used = time.process_time() - start
    return {
        "queries": queries,
        "queries_per_second": queries / took,
        "processor_ms_per_query": 1e3 * used / queries,
    }


def setcover_against_the_loop(
    index: SentenceIndex, asked: list[str], sample: int = 20_000
) -> dict[str, dict[str, float]]:
    """Compare with the authors' way, a Python loop over all sentences per round, extrapolated from a sample.

    "tokens" is what they do: sentences within 8 edits of the query are dropped, then every round counts how
    many tokens of each sentence are in U, repeats and all. "sets" spares the loop both: no sentence is
    compared with the query, and the distinct words are intersected. The words of U are given to both.
    """
    some = min(sample, len(index.database))
    ways = {"tokens": loop_over_tokens(index, some), "sets": loop_over_sets(index, some)}
    scale = len(index.database) / some
    out = {}
    for name, loop in ways.items():
        result = in_turns(lambda q: index.search(q, weighting="uniform"), loop, asked[:8], repeats=2)
        out[name] = {
            "ours_ms": result["ours_ms"],
            "loop_ms_extrapolated": result["peer_ms"] * scale,
            "ratio": result["ratio_of_medians"] * scale,
            "ratio_of_totals": result["ratio_of_totals"] * scale,
            "sample": some,
        }
    return out


def loop_over_tokens(index: SentenceIndex, some: int) -> Callable[[str], list[int]]:
    from rapidfuzz.distance import Levenshtein

    database = index.database
    texts = [database.texts[i] for i in range(some)]
    normalise, rules = database.rules.normalise, database.rules
    tokens = [list(map(normalise, tokenize(text, rules))) for text in texts]

    def loop(query: str) -> list[int]:
        u = ball_words(index, query)
        left = [i for i in range(some) if len(tokens[i]) >= 5 and Levenshtein.distance(texts[i], query) > 8]
        chosen: list[int] = []
        for _ in range(5):
            scores = [sum(token in u for token in tokens[i]) / len(tokens[i]) ** 0.5 for i in left]
            best = left.pop(scores.index(max(scores)))
            u -= set(tokens[best])
            chosen.append(best)
        return chosen

    return loop


def loop_over_sets(index: SentenceIndex, some: int) -> Callable[[str], list[int]]:
    database = index.database
    sets = [frozenset(database.words[w] for w in database.sentence(i)) for i in range(some)]
    lengths = database.lengths[:some].tolist()

    def loop(query: str) -> list[int]:
        u = ball_words(index, query)
        chosen: list[int] = []
        for _ in range(5):
            best, top = -1, 0.0
            for i, words in enumerate(sets):
                score = len(u & words) / lengths[i] ** 0.5 if lengths[i] >= 5 else 0.0
                if score > top:
                    best, top = i, score
            if best >= 0:
                u -= sets[best]
                chosen.append(best)
        return chosen

    return loop


def ball_words(index: SentenceIndex, query: str) -> set[str]:
    """U as the paper has it; the balls are remembered, so that this takes the loop no time to speak of."""
    found = ball(index.database, index.query(query), 10, refined=False)
    return {index.database.words[w] for w in found.words}


def wmd_against_gensim(index: SentenceIndex, asked: list[str], sample: int = 150) -> dict[str, float]:
    """Compare with gensim's wmdistance to every sentence, extrapolated from a sample of them."""
    from gensim.models import KeyedVectors

    database = index.database
    kept = np.flatnonzero(database.embedded & ~database.stopwords & ~database.punctuation)
    model = KeyedVectors(database.dimension)
    model.add_vectors([database.words[w] for w in kept], database.vectors[kept])
    rng = np.random.default_rng(2)
    rows = rng.choice(len(database), size=sample)
    words = [[database.words[w] for w in database.sentence(int(i))] for i in rows]

    def theirs(query: str) -> None:
        tokens = list(index.query(query).tokens)
        for sentence in words:
            model.wmdistance(tokens, sentence, norm=False)

    index.search(asked[0], "wmd")
    result = in_turns(lambda q: index.search(q, "wmd"), theirs, asked[:12], repeats=2)
    scale = len(database) / sample
    return {
        "ours_ms": result["ours_ms"],
        "gensim_ms_extrapolated": result["peer_ms"] * scale,
        "ratio_of_medians": result["ratio_of_medians"] * scale,
        "ratio_of_totals": result["ratio_of_totals"] * scale,
        "sample": sample,
    }


def levenshtein_against_rapidfuzz(
    index: SentenceIndex, texts: list[str], asked: list[str]
) -> dict[str, float]:
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import extract

    index.search(asked[0], "levenshtein")
    return in_turns(
        lambda q: index.search(q, "levenshtein"),
        lambda q: extract(q, texts, scorer=Levenshtein.distance, limit=5),
        asked[:8],
        repeats=1,
    )


def repeated(database: Database, times: int, seed: int = 3) -> Database:
    """Return the database repeated with one word in ten exchanged for another at random."""
    rng = np.random.default_rng(seed)
    indices = np.tile(database.indices, times)
    changed = rng.random(len(indices)) < 0.1
    changed[: len(database.indices)] = False
    indices[changed] = rng.choice(database.indices, size=int(changed.sum()))
    own = database.indptr.astype(np.int64)
    ends = [own[1:] + i * own[-1] for i in range(times)]
    rows = sparse.csr_array(
        (np.ones(len(indices), np.int32), indices, np.concatenate([[0], *ends])),
        shape=(times * len(database), len(database.words)),
    )
    rows.sum_duplicates()
    columns = rows.tocsc()
    return replace(
        database,
        indptr=rows.indptr.astype(np.int64),
        indices=rows.indices.astype(np.int32),
        counts=rows.data,
        df_of_all=np.diff(columns.indptr).astype(np.int32),
        postings_ptr=columns.indptr.astype(np.int64),
        postings=columns.indices.astype(np.int32),
        lengths=np.tile(database.lengths, times),
        texts=_Repeated(database.texts, times),
        identifiers=range(times * len(database)),
        firsts=None,
        cache={"sound": True},  # its texts are no list of an index that could be checked
    )


class _Repeated:
    """A list of texts, over and over, without the memory."""

    def __init__(self, texts: Any, times: int) -> None:
        self.texts, self.times = texts, times

    def __len__(self) -> int:
        return len(self.texts) * self.times

    def __getitem__(self, i: int) -> str:
        return str(self.texts[i % len(self.texts)])


def growth(index: SentenceIndex, asked: list[str]) -> list[dict[str, float]]:
    """Set cover's latency as the database grows."""
    curve = []
    for times in GROWTH:
        database = repeated(index.database, times)
        options = SearchOptions(near_copy=0)
        for query in asked:
            find(database, index.query(query), options)
        took = [min(timed(lambda: find(database, index.query(q), options)) for _ in range(3)) for q in asked]  # noqa: B023
        curve.append({"sentences": len(database), "median_ms": 1e3 * median(took)})
    return curve


def memory(index: SentenceIndex) -> dict[str, float]:
    """Bytes per sentence: what the index maps, what set cover adds, and what each peer keeps once it was used."""
    database = index.database
    arrays = (
        database.indptr,
        database.indices,
        database.counts,
        database.postings_ptr,
        database.postings,
        database.lengths,
    )
    per = {
        "rows and postings": sum(a.nbytes for a in arrays),
        "texts": sum(len(database.texts[i]) for i in range(len(database))),
    }
    per["set cover, once used"] = 3 * len(database)  # length classes, and one thread's bounds
    for made in (wmd.centroids, wmd.clouds):
        if made in database.memory:
            kept = made(database)
            size = sum(a.nbytes for a in kept) if isinstance(kept, tuple) else kept.nbytes
            per[f"{made.__name__}, once used"] = size
    return {name: size / len(database) for name, size in per.items()}


def run() -> dict[str, Any]:
    """Measure everything; about three minutes on two quiet cores."""
    texts = sentences()
    asked = queries(texts)
    index, retriever, building = build(texts)
    folder = Path(tempfile.mkdtemp()) / "index"
    building["save_s"] = worked(lambda: index.save(folder))
    building["save_wall_s"] = timed(lambda: index.save(folder))
    results: dict[str, Any] = {
        "sentences": len(texts),
        "source": "books" if BOOKS.is_dir() else "synthetic",
        "build": building,
    }
    steps: dict[str, Callable[[], Any]] = {
        "fresh_queries_vs_bm25s": lambda: fresh_queries_against_bm25s(
            index, retriever, queries(texts, FRESH, seed=5)
        ),
        "average_vs_product": lambda: average_against_the_product(index, asked),
        "search_many": lambda: batch(index, queries(texts, 10 * FRESH, seed=6)),
        "setcover_vs_python_loop": lambda: setcover_against_the_loop(index, asked),
        "wmd_vs_gensim": lambda: wmd_against_gensim(index, asked),
        "levenshtein_vs_rapidfuzz": lambda: levenshtein_against_rapidfuzz(index, texts, asked),
        "growth": lambda: growth(index, asked[:20]),
        "bytes_per_sentence": lambda: memory(index),
    }
    for name, step in steps.items():
        results[name] = step()
        print(f"{name}: {results[name]}", file=sys.stderr, flush=True)
    return results


if __name__ == "__main__":
    found = run()
    for topic, values in found.items():
        print(f"{topic:28} {values}")
    record.write("search", found)
