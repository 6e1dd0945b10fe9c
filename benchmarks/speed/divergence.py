"""All pairs of books by k-NN divergence, against an index per book queried pair by pair.

    python -m benchmarks.speed.divergence            # prints a table and writes results/divergence.json

Books come from ../shared/data/books where that is present, else texts are drawn from the built-in vocabulary by
Zipf's law. The peers compute the same numbers (checked on every pair that is timed): `faiss` has one flat index per
book, built once, and each pair is one search for the 100 nearest words, which serves all six k; `sklearn` fits and
queries per pair. Peers are timed on a random subset of pairs, interleaved with our runs, and extrapolated to all
pairs; ours is timed whole, distances included, from the sampled corpus to six matrices.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.record import ROOT, SHARED, peak_mib, write

KS = (3, 5, 10, 25, 50, 100)
BOOKS = SHARED / "books"
SAMPLE = 10_000
CATALOGUE_300 = "glove-840b-300d-34k"


# ---- data


def zipf_texts(documents: int, tokens: int, seed: int = 0) -> dict[str, str]:
    """Texts whose words follow Zipf's law, each leaning to a part of the vocabulary of its own."""
    from lexicloud.vectors import load_vectors

    rng = np.random.default_rng(seed)
    words = np.array([w for w in load_vectors().words[150:60_000] if w.isalpha()])
    ranks = np.arange(1, 20_001)
    weights = 1 / ranks
    made = {}
    for i in range(documents):
        own = rng.permutation(len(words))[: len(ranks)]
        own[:2000] = np.arange(2000)
        made[f"text{i:04}"] = " ".join(words[own[rng.choice(len(ranks), tokens, p=weights / weights.sum())]])
    return made


def sampled_books() -> tuple[Any, str]:
    """The corpus that is measured, and where it comes from."""
    from lexicloud.corpus import Corpus

    if BOOKS.is_dir():
        texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(BOOKS.glob("*.txt"))}
        return Corpus.from_texts(texts).sample(SAMPLE), "Gutenberg books"
    return Corpus.from_texts(zipf_texts(70, 14_000)).sample(SAMPLE), "texts drawn by Zipf's law"


def with_random_300(corpus: Any) -> Any:
    """The same words with random 300-d vectors."""
    table = np.random.default_rng(0).normal(size=(len(corpus.vocabulary), 300)).astype(np.float32)
    return replace(corpus, lexicon=replace(corpus.lexicon, vectors=table, cache={}))


def with_glove_300(corpus: Any) -> Any | None:
    """The same words with GloVe 840B, where `lexicloud vectors get` has fetched it; it knows fewer words."""
    from lexicloud.vectors import load_vectors
    from lexicloud.vectors.catalogue import cached

    if cached(CATALOGUE_300) is None:
        return None
    found = load_vectors(CATALOGUE_300).lookup(list(corpus.vocabulary))
    lexicon = replace(corpus.lexicon, vectors=found.matrix, status=found.status, cache={})
    return replace(corpus, lexicon=lexicon)


# ---- peers


@dataclass(frozen=True)
class Book:
    """A book as the peers see it: points, counts, tokens."""

    points: np.ndarray
    ids: np.ndarray
    p: np.ndarray
    tokens: int


def as_books(corpus: Any) -> list[Book]:
    """What each book is to us is what the peers get: words that have one vector are one point.

    (Words that the vectors do not know borrow those of their stems. Left apart, such a pair is a neighbour at
    distance zero to the peers, which moves their divergences by up to 0.009.)
    """
    from lexicloud.neighbours.nearest import distinct

    first, number = distinct(corpus.vectors)
    made = []
    for i in range(len(corpus)):
        tokens = corpus.tokens(i)
        ids, counts = np.unique(number[tokens[corpus.content[tokens]]], return_counts=True)
        points = np.ascontiguousarray(corpus.vectors[first[ids]])
        made.append(Book(points, ids, counts / counts.sum(), int(counts.sum())))
    return made


def kth(distances: np.ndarray, shared: np.ndarray) -> np.ndarray:
    """Distances to the k-th nearest other word, from distances that hold the word itself first where it is shared."""
    columns = np.array(KS)[None, :] - 1 + shared[:, None]
    return np.take_along_axis(distances, columns, axis=1)


def value(P: Book, Q: Book, rho: np.ndarray, upsilon: np.ndarray) -> np.ndarray:
    return P.p @ (np.log(upsilon) - np.log(rho)) + np.log(Q.tokens / (P.tokens - 1))


def by_faiss(P: Book, index: Any, Q: Book, rho: np.ndarray) -> np.ndarray:
    squared, _ = index.search(P.points, max(KS) + 1)
    return value(P, Q, rho, kth(np.sqrt(np.maximum(squared, 0)), np.isin(P.ids, Q.ids)))


def by_sklearn(P: Book, Q: Book) -> np.ndarray:
    from sklearn.neighbors import NearestNeighbors

    most = max(KS) + 1
    own = NearestNeighbors(n_neighbors=most).fit(P.points).kneighbors(P.points)[0]
    theirs = NearestNeighbors(n_neighbors=most).fit(Q.points).kneighbors(P.points)[0]
    everyone = np.ones(len(P.ids), dtype=bool)
    return value(P, Q, kth(own, everyone), kth(theirs, np.isin(P.ids, Q.ids)))


def build_index(book: Book) -> tuple[Any, np.ndarray]:
    """A flat index of one book, and ρ for its words."""
    import faiss

    index = faiss.IndexFlatL2(book.points.shape[1])
    index.add(book.points)
    squared, _ = index.search(book.points, max(KS) + 1)
    return index, kth(np.sqrt(np.maximum(squared, 0)), np.ones(len(book.ids), dtype=bool))


# ---- timing


def seconds(work: Any, *arguments: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = work(*arguments)
    return time.perf_counter() - start, answer


def ours(corpus: Any) -> Any:
    from lexicloud.divergences import divergence_matrices

    return divergence_matrices(corpus, KS)


def tell(stage: str) -> None:
    print(f"… {stage}", file=sys.stderr, flush=True)


def clocked(work: Any, *arguments: Any) -> tuple[np.ndarray, Any]:
    """Time on the wall and of all processors; the second hardly depends on what else the machine does."""
    used = time.process_time()
    spent, answer = seconds(work, *arguments)
    return np.array([spent, time.process_time() - used]), answer


def race(corpus: Any, repeats: int, faiss_pairs: int, sklearn_pairs: int) -> dict[str, Any]:
    """Time all pairs by us and a subset of pairs by the peers, taking turns."""
    tell(f"{len(corpus)} documents in {corpus.vectors.shape[1]} dimensions")
    books, rng = as_books(corpus), np.random.default_rng(0)
    n = len(books)
    times: dict[str, list[np.ndarray]] = {"ours": [], "build": [], "faiss": [], "sklearn": []}
    worst = 0.0
    rhos: dict[int, np.ndarray] = {}  # the peer computes ρ once per book, outside the timed search
    ours(corpus.subset(corpus.names[:3]))  # compiles the kernels
    for _ in range(repeats):
        spent, matrices = clocked(ours, corpus)
        times["ours"].append(spent)
        for i in rng.choice(n, min(n, max(2, faiss_pairs // 4)), replace=False):
            spent, (index, _) = clocked(build_index, books[i])
            times["build"].append(spent)
            for j in rng.choice([x for x in range(n) if x != i], 4, replace=False):
                if j not in rhos:
                    rhos[j] = build_index(books[j])[1]
                spent, found = clocked(by_faiss, books[j], index, books[i], rhos[j])
                times["faiss"].append(spent)
                expected = np.array([matrices[k].values[j, i] for k in KS])
                worst = max(worst, float(np.abs(found - expected).max()))
        for _ in range(sklearn_pairs):
            i, j = rng.choice(n, 2, replace=False)
            times["sklearn"].append(clocked(by_sklearn, books[i], books[j])[0])
    typical = {name: np.median(spent, axis=0) for name, spent in times.items() if spent}
    mine, faiss = typical["ours"], n * typical["build"] + n * (n - 1) * typical["faiss"]
    sklearn = n * (n - 1) * typical["sklearn"][0] if sklearn_pairs else None
    return {
        "documents": n,
        "dimensions": int(corpus.vectors.shape[1]),
        "distinct points": len(np.unique(np.concatenate([b.ids for b in books]))),
        "ours, all pairs, six k (s)": float(mine[0]),
        "faiss, index per book, pair by pair (s, extrapolated)": float(faiss[0]),
        "sklearn, per pair (s, extrapolated)": sklearn,
        "times faster than faiss": float(faiss[0] / mine[0]),
        "times less processor time than faiss": float(faiss[1] / mine[1]),
        "times faster than sklearn": sklearn / mine[0] if sklearn else None,
        "pairs timed": {"faiss": len(times["faiss"]), "sklearn": len(times["sklearn"])},
        "largest difference from faiss": worst,
    }


def memory(documents: int = 1000, tokens: int = 2000) -> dict[str, Any]:
    """Peak memory of a process of its own that measures many short documents."""
    tell(f"memory for {documents} documents")
    command = [sys.executable, "-m", "benchmarks.speed.divergence", "--memory", str(documents), str(tokens)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def measure_memory(documents: int, tokens: int) -> dict[str, Any]:
    from lexicloud.corpus import Corpus
    from lexicloud.divergences import divergence_matrix

    corpus = Corpus.from_texts(zipf_texts(documents, tokens))
    before = peak_mib()
    spent, _ = seconds(lambda: divergence_matrix(corpus, method="knn", k=3))
    after = peak_mib()
    return {
        "documents": documents,
        "tokens each": tokens,
        "distinct words": len(corpus.vocabulary),
        "seconds": spent,
        "peak MiB": after,
        "peak MiB before measuring (vectors, corpus)": before,
    }


def run() -> dict[str, Any]:
    """Return every measurement."""
    corpus, source = sampled_books()
    n = len(corpus)
    # Random order, so that smaller sets are not the alphabet's first.
    names = [corpus.names[i] for i in np.random.default_rng(1).permutation(n)]
    corpus = corpus.subset(names)
    growth = [race(corpus.subset(names[:size]), 1, 12, 0) for size in (n // 4, n // 2)]
    full = race(corpus, 2, 20, 2)
    ratios = [*growth, full]
    glove = with_glove_300(corpus)
    return {
        "texts": source,
        "tokens sampled of each": SAMPLE,
        "50-d": full,
        # Random vectors need nothing fetched; real ones, of uneven density, make us look at more neighbours.
        "300-d": {"vectors": "random", **race(with_random_300(corpus), 2, 12, 2)},
        "300-d, real": {"vectors": CATALOGUE_300, **race(glove, 2, 12, 2)} if glove else None,
        "ratio to faiss by number of documents": {
            str(r["documents"]): r["times faster than faiss"] for r in ratios
        },
        "memory": memory(),
    }


def show(results: dict[str, Any], indent: int = 0) -> None:
    for name, value_ in results.items():
        if isinstance(value_, dict):
            print(" " * indent + name)
            show(value_, indent + 2)
        else:
            text = f"{value_:,.3g}" if isinstance(value_, float) else value_
            print(f"{' ' * indent}{name:<{64 - indent}} {text}")


if __name__ == "__main__":
    if "--memory" in sys.argv:
        at = sys.argv.index("--memory")
        print(json.dumps(measure_memory(int(sys.argv[at + 1]), int(sys.argv[at + 2]))))
    else:
        found_ = run()
        show(found_)
        print(write("divergence", found_))
