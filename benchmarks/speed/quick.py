"""A few ratios in about a minute, which CI compares with the committed ones: a two-fold loss fails.

    python -m benchmarks.speed.quick            # measures, and writes results/quick.json
    python -m benchmarks.speed.quick search     # some of them; the others stay as they are
    python -m benchmarks.speed.quick --check    # measures, and compares with results/quick.json; exit 1 on a loss

Everything is made up from the built-in vectors, so that anyone can rerun it. Times are of the processor, in one thread,
contenders taking turns; the ratio is peer / ours, its median over rounds, with the lowest and the highest.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.record import earlier, peak_mib, versions, write
from benchmarks.sentences import queries, synthetic

ROUNDS = 3
LOSS = 2.0
SENTENCES = 10_000
GROWTH = (4_000, 16_000, 64_000)
Contenders = tuple[Callable[[], Any], Callable[[], Any]]


def worked(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def neighbours() -> Contenders:
    """The table of nearest words, and faiss's flat index."""
    import faiss

    from lexicloud import load_vectors
    from lexicloud.neighbours import Neighbours

    points = np.ascontiguousarray(load_vectors().matrix[:8_000])
    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    return lambda: Neighbours.build(points, 256), lambda: index.search(points, 257)


def bare_product() -> Contenders:
    """The same table, and the bare matrix product below which it cannot be."""
    from lexicloud import load_vectors
    from lexicloud.neighbours import Neighbours

    points = np.ascontiguousarray(load_vectors().matrix[:8_000])
    columns, out = np.ascontiguousarray(points.T), np.empty((256, len(points)), np.float32)

    def product() -> None:
        for start in range(0, len(points), 256):
            block = points[start : start + 256]
            np.matmul(block, columns, out=out[: len(block)])

    return lambda: Neighbours.build(points, 256), product


def tokens() -> Contenders:
    """Tokens, and NLTK's."""
    from nltk.tokenize import NLTKWordTokenizer

    from lexicloud.text import tokenize

    text, other = " ".join(synthetic(4_000)), NLTKWordTokenizer()
    return lambda: tokenize(text), lambda: other.tokenize(text)


def clusters() -> Contenders:
    """k-means, and scikit-learn's from a random start with as many steps."""
    from sklearn.cluster import KMeans

    from lexicloud import load_vectors
    from lexicloud.zipf.kmeans import k_means

    points = np.ascontiguousarray(load_vectors().matrix[:40_000])
    theirs = KMeans(40, init="random", n_init=1, max_iter=25, tol=0, random_state=0)
    return lambda: k_means(points, 40), lambda: theirs.fit(points)


def indexes(n: int) -> tuple[Any, Any, list[str]]:
    import bm25s

    from lexicloud.search import SentenceIndex

    texts = synthetic(n)
    index, other = SentenceIndex.build(texts, dense=None, workers=1), bm25s.BM25(backend="numba")
    index.prepare()
    other.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    return index, other, queries(texts, 60)


def search() -> Contenders:
    """Sixty ranked searches, and bm25s's by its Numba backend."""
    import bm25s

    index, other, asked = indexes(SENTENCES)

    def theirs() -> None:
        for query in asked:
            other.retrieve(bm25s.tokenize(query, show_progress=False), k=5, show_progress=False)

    return partial(_ask, index, asked), theirs


def building() -> Contenders:
    """Building an index, and bm25s's."""
    import bm25s

    from lexicloud.search import SentenceIndex

    texts = synthetic(SENTENCES)

    def theirs() -> None:
        bm25s.BM25().index(bm25s.tokenize(texts, show_progress=False), show_progress=False)

    return lambda: SentenceIndex.build(texts, dense=None, workers=1), theirs


def pairs() -> Contenders:
    """All pairs of 30 texts by k-NN divergence, and one faiss index a text asked pair by pair."""
    import faiss

    from lexicloud import Corpus, divergence_matrix

    made = synthetic(6_000)
    corpus = Corpus.from_texts([" ".join(made[i : i + 200]) for i in range(0, 6_000, 200)])
    words = [np.flatnonzero(corpus.counts[[i]].toarray()[0] * corpus.content) for i in range(len(corpus))]
    points = [np.ascontiguousarray(corpus.vectors[own]) for own in words]

    def theirs() -> None:
        for own in points:
            index = faiss.IndexFlatL2(own.shape[1])
            index.add(own)
            for other in points:
                index.search(other, 4)

    def ours() -> None:
        corpus.lexicon.cache.clear()  # the table is part of the work
        divergence_matrix(corpus, "knn", k=3, sample=400)

    return ours, theirs


CASES: dict[str, Callable[[], Contenders]] = {
    "nearest words / faiss": neighbours,
    "nearest words / bare product": bare_product,
    "tokens / NLTK": tokens,
    "k-means / scikit-learn": clusters,
    "search / bm25s": search,
    "building an index / bm25s": building,
    "all pairs by k-NN / faiss": pairs,
}


def ratio(make: Callable[[], Contenders], rounds: int) -> dict[str, float]:
    """Let both take turns, after one round that compiles and warms."""
    ours, theirs = make()
    ours()
    theirs()
    times = [(worked(ours), worked(theirs)) for _ in range(rounds)]
    found = [b / max(a, 1e-9) for a, b in times]
    return {
        "ratio": round(median(found), 3),
        "lowest": round(min(found), 3),
        "highest": round(max(found), 3),
        "ours_s": round(median(a for a, _ in times), 4),
        "peer_s": round(median(b for _, b in times), 4),
    }


def _ask(index: Any, asked: list[str]) -> None:
    for query in asked:
        index.search(query, dense=None, syntax=False)


def growth(sizes: tuple[int, ...] = GROWTH) -> dict[str, Any]:
    """How a ranked search and building grow with the sentences: milliseconds, and the exponent of a power law."""
    from lexicloud.search import SentenceIndex

    asking, making = [], []
    for n in sizes:
        texts = synthetic(n)
        asked = queries(texts, 60)
        start = time.process_time()
        index = SentenceIndex.build(texts, dense=None, workers=1)
        making.append(time.process_time() - start)
        index.prepare()
        asking.append(min(worked(partial(_ask, index, asked)) for _ in range(3)))
    slope = [float(np.polyfit(np.log(sizes), np.log(times), 1)[0]) for times in (asking, making)]
    return {
        "sentences": list(sizes),
        "search_ms": [round(1e3 * t / 60, 3) for t in asking],
        "build_s": [round(t, 3) for t in making],
        "search_exponent": round(slope[0], 2),
        "build_exponent": round(slope[1], 2),
        "peak_mib": round(peak_mib()),
    }


def losses(found: dict[str, Any], committed: dict[str, Any]) -> list[str]:
    """Say which ratios have fallen to less than half of the committed ones."""
    return [
        f"{name}: {found[name]['ratio']} where {kept['ratio']} is committed"
        for name, kept in committed.items()
        if name in found and found[name]["highest"] * LOSS < kept["ratio"]
    ]


def main(arguments: list[str]) -> int:
    """Measure the cases whose names hold one of the arguments, or all; what is not measured again is kept."""
    from threadpoolctl import threadpool_limits

    check, wanted = "--check" in arguments, [word for word in arguments if not word.startswith("-")]
    found: dict[str, Any] = {}
    with threadpool_limits(1):
        for name, make in CASES.items():
            if wanted and not any(word in name for word in wanted):
                continue
            found[name] = ratio(make, ROUNDS)
            print(
                f"{name}: {found[name]['ratio']} ({found[name]['lowest']} to {found[name]['highest']})",
                flush=True,
            )
            if not check:
                there = earlier("quick")
                ratios = {**there.get("ratios", {}), **found}
                write("quick", {**there, "ratios": ratios, "versions": versions()})
        if check:
            lost = losses(found, earlier("quick").get("ratios", {}))
            print("\n".join(lost) or "no ratio has halved")
            return bool(lost)
        if not wanted or "growth" in wanted:
            write("quick", {**earlier("quick"), "growth": growth()})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
