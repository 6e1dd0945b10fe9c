"""The neighbour table against faiss's flat index and the bare matrix product, 50 and 300 dimensions.

    python -m benchmarks.speed.neighbours

The same exact answer is asked of both: the 256 nearest other words of every word. The vocabulary is that of the
books in ../shared/data/books where they are here, else the 50,000 most frequent words of the built-in vectors.
The 300-d vectors are six rotated copies of the 50-d ones, since the time does not depend on what numbers mean.
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median
from typing import Any

import numpy as np

from benchmarks.record import SHARED, write

BOOKS = SHARED / "books"
K = 256


def vocabulary_vectors() -> np.ndarray:
    from lexicloud import Corpus, load_vectors
    from lexicloud.vectors.word_vectors import EXACT

    if not BOOKS.is_dir():
        return np.ascontiguousarray(load_vectors().matrix[:50_000])
    corpus = Corpus.from_folder(BOOKS)
    exact = corpus.lexicon.status == EXACT  # recovered words repeat the vectors of others
    return np.ascontiguousarray(corpus.vectors[exact])


def widened(points: np.ndarray, dimension: int) -> np.ndarray:
    """Return points of a higher dimension with the same kind of spread."""
    if points.shape[1] == dimension:
        return points
    rng = np.random.default_rng(0)
    turns = [np.linalg.qr(rng.normal(size=(50, 50)))[0] for _ in range(dimension // 50)]
    return np.ascontiguousarray(np.hstack([points @ turn for turn in turns]), dtype=np.float32)


def ours(points: np.ndarray) -> np.ndarray:
    from lexicloud.neighbours import Neighbours

    return Neighbours.build(points, K).distances


def faiss_flat(points: np.ndarray) -> np.ndarray:
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    return index.search(points, K + 1)[0][:, 1:]


def product(points: np.ndarray) -> None:
    out = np.empty((256, len(points)), dtype=np.float32)
    columns = np.ascontiguousarray(points.T)
    for start in range(0, len(points), 256):
        block = points[start : start + 256]
        np.matmul(block, columns, out=out[: len(block)])


def timed(function: Any, points: np.ndarray) -> float:
    start = time.perf_counter()
    function(points)
    return time.perf_counter() - start


def peak_extra_mib(dimension: int) -> float:
    """Measure, in a process of its own, how much memory building adds to what the vectors and the table take."""
    code = (
        "import numpy as np\n"
        "from benchmarks.record import peak_mib\n"
        "from lexicloud.neighbours import Neighbours\n"
        f"points = np.random.default_rng(0).standard_normal((50_000, {dimension}), dtype=np.float32)\n"
        f"Neighbours.build(points[:600], {K})\n"
        "before = peak_mib()\n"
        f"table = Neighbours.build(points, {K})\n"
        "print(peak_mib() - before)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return float(done.stdout)


def run(repeats: int = 1) -> dict[str, Any]:
    base = vocabulary_vectors()
    results: dict[str, Any] = {"words": len(base), "neighbours": K}
    for dimension in (50, 300):
        points = widened(base, dimension)
        np.testing.assert_allclose(
            ours(points[:3000]) ** 2, faiss_flat(points[:3000]), rtol=1e-3, atol=1e-3
        )  # the same answer, and everything compiled
        times: dict[str, list[float]] = {"ours": [], "faiss": [], "product": []}
        for _ in range(repeats):
            for name, function in (("ours", ours), ("faiss", faiss_flat), ("product", product)):
                times[name].append(timed(function, points))
        middle = {name: median(values) for name, values in times.items()}
        results[f"{dimension}d"] = {
            "seconds": {name: round(value, 2) for name, value in middle.items()},
            "times faster than faiss.IndexFlatL2.search": round(middle["faiss"] / middle["ours"], 2),
            "the bare matrix product, GFLOP/s": round(2e-9 * dimension * len(base) ** 2 / middle["product"]),
            "share of it that the table reaches": round(middle["product"] / middle["ours"], 2),
            "times the bare matrix product": round(middle["ours"] / middle["product"], 2),
            "faiss, times the bare matrix product": round(middle["faiss"] / middle["product"], 2),
            "peak extra MiB, the table included": round(peak_extra_mib(dimension)),
        }
    return results


if __name__ == "__main__":
    found = run()
    print(found)
    print(write("neighbours", found))
