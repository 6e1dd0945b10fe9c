"""Sentences, clusters, purity and tags against the plain way of doing the same.

Run `python -m benchmarks.speed.zipf_latent`. The sentences are those of ../shared/data/books where it is there, else
300,000 made-up ones over the built-in vectors. Contenders take turns; the fastest of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks import record
from lexicloud.corpus import Corpus
from lexicloud.neighbours import Neighbours
from lexicloud.text import PARTS
from lexicloud.vectors import load_vectors
from lexicloud.zipf import part_of_speech_purity
from lexicloud.zipf.kmeans import ITERATIONS, k_means
from lexicloud.zipf.parts_of_speech import part_codes
from lexicloud.zipf.sentence_means import SentenceMeans, sentence_means

BOOKS = record.SHARED / "books"
SENTENCES, K, REPEATS = 300_000, 100, 2


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def book_sentences() -> Corpus:
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(BOOKS.glob("*.txt"))}
    return Corpus.from_texts(texts).sentences()


def made_up_sentences(seed: int = 0) -> Corpus:
    """Draw words by Zipf's law, and lengths as novels have them (mean 21, many short)."""
    rng = np.random.default_rng(seed)
    words = load_vectors().words[:30_000]
    corpus = Corpus.from_texts([" ".join(words)])
    lengths = rng.geometric(1 / 21, size=SENTENCES)
    ids = np.minimum(rng.zipf(1.3, size=lengths.sum()) - 1, len(corpus.vocabulary) - 1).astype(np.int32)
    return replace(
        corpus,
        names=tuple(map(str, range(SENTENCES))),
        stream=ids,
        bounds=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        texts=None,
        parents=np.zeros(SENTENCES, dtype=np.int32),
    )


def loop_of_means(sentences: Corpus, rows: np.ndarray) -> np.ndarray:
    """The plain way, in its fast form: one NumPy mean per sentence."""
    vectors, embedded = sentences.vectors, sentences.embedded
    means = []
    for row in rows:
        words = sentences.tokens(row)
        means.append(vectors[words[embedded[words]]].mean(axis=0))
    return np.array(means)


def bench_clusters(sentences: Corpus) -> dict[str, Any]:
    """Ratios of elapsed and of processor time; the latter is the same on busy cores."""
    from sklearn.cluster import KMeans

    found: SentenceMeans = sentence_means(sentences)
    k_means(found.means[:10_000], 10)  # compiles the kernels
    times: dict[str, list[tuple[float, float]]] = {}
    objectives: dict[str, list[float]] = {}
    for seed in range(REPEATS):
        found = clocked(times, "means", lambda: sentence_means(sentences))
        ours = clocked(times, "k_means", partial(k_means, found.means, K, seed=seed))
        means = clocked(times, "loop", partial(loop_of_means, sentences, found.rows))
        assert np.allclose(means, found.means, atol=1e-4)
        for name, init in (("sklearn_default", "k-means++"), ("sklearn_random_start", "random")):
            peer = KMeans(K, init=init, n_init=1, max_iter=ITERATIONS, tol=0, random_state=seed)
            clocked(times, name, partial(peer.fit, found.means))
            objectives.setdefault(name, []).append(ours.objective / peer.inertia_)
    results = {"sentences": len(found), "k": K, "iterations": ITERATIONS}
    for clock, kind in enumerate(("", "cpu_")):
        best = {name: min(pair[clock] for pair in pairs) for name, pairs in times.items()}
        results |= cluster_ratios(best, kind)
    results |= {f"objective_over_{name}": float(np.mean(ratios)) for name, ratios in objectives.items()}
    return results


def clocked(times: dict[str, list[tuple[float, float]]], name: str, work: Callable[[], Any]) -> Any:
    """Note elapsed and processor seconds under a name, and return the result."""
    elapsed, cpu = time.perf_counter(), time.process_time()
    result = work()
    times.setdefault(name, []).append((time.perf_counter() - elapsed, time.process_time() - cpu))
    return result


def cluster_ratios(best: dict[str, float], kind: str) -> dict[str, Any]:
    ours = best["means"] + best["k_means"]
    return {
        f"{kind}seconds": best,
        f"{kind}total_ratio_sklearn_default": (best["loop"] + best["sklearn_default"]) / ours,
        f"{kind}total_ratio_sklearn_random_start": (best["loop"] + best["sklearn_random_start"]) / ours,
        f"{kind}means_ratio": best["loop"] / best["means"],
        f"{kind}k_means_ratio_sklearn_default": best["sklearn_default"] / best["k_means"],
        f"{kind}k_means_ratio_sklearn_random_start": best["sklearn_random_start"] / best["k_means"],
    }


def plain_purity(corpus: Corpus, codes: np.ndarray, ks: tuple[int, ...]) -> list[float]:
    """The plain way: ask scikit-learn for the neighbours at each k, and count in a loop."""
    from sklearn.neighbors import NearestNeighbors

    percents = []
    for k in ks:
        found = (
            NearestNeighbors(n_neighbors=k, algorithm="brute")
            .fit(corpus.vectors)
            .kneighbors(return_distance=False)
        )
        percents.append(np.mean([np.mean(codes[row] == codes[i]) for i, row in enumerate(found)]) * 100)
    return percents


def bench_purity(words: int = 20_000) -> dict[str, Any]:
    plain = [word for word in load_vectors().words[: 3 * words] if word.isascii() and word.isalpha()]
    corpus = Corpus.from_texts([" ".join(plain[:words])])
    codes = part_codes(corpus)
    tags = [PARTS[code] for code in codes]
    # Both see the same words: those with a vector, which here are all.
    assert corpus.embedded.all()
    Neighbours.build(corpus.vectors[:100], 5)  # compiles the kernels
    ours, peer = [], []
    for _ in range(REPEATS):
        corpus.lexicon.cache.clear()
        seconds, purity = timed(lambda: part_of_speech_purity(corpus, tags=tags))
        ours.append(seconds)
        seconds, percents = timed(lambda purity=purity: plain_purity(corpus, codes, purity.k))
        peer.append(seconds)
        assert np.allclose(percents, purity.percent, atol=0.05)
    return {
        "words": len(corpus.vocabulary),
        "seconds": min(ours),
        "ratio_sklearn_per_k": min(peer) / min(ours),
    }


def bench_tagging(sentences: Corpus, tokens: int = 1_000_000) -> dict[str, Any]:
    stream = sentences.stream[:tokens]
    words = [sentences.vocabulary[i] for i in np.unique(stream)]
    from lexicloud.text import tag_words

    tag_words(["warm"])
    seconds, _ = timed(lambda: tag_words(words))
    few = [sentences.vocabulary[i] for i in stream[:20_000]]
    each, _ = timed(lambda: [tag_words([word]) for word in few])
    return {
        "tokens": len(stream),
        "distinct_words": len(words),
        "seconds": seconds,
        "ratio_token_by_token": each / len(few) * len(stream) / seconds,
    }


def run() -> dict[str, Any]:
    source = "books" if BOOKS.is_dir() else "made up"
    sentences = book_sentences() if BOOKS.is_dir() else made_up_sentences()
    return {
        "sentences_from": source,
        "clusters": bench_clusters(sentences),
        "purity": bench_purity(),
        "tagging": bench_tagging(sentences),
    }


def main() -> None:
    results = run()
    for topic, values in results.items():
        if isinstance(values, dict):
            print(topic)
            for name, value in values.items():
                print(f"  {name:38} {value if isinstance(value, (int, dict)) else round(value, 3)}")
    print(record.write("zipf_latent", results))


if __name__ == "__main__":
    main()
