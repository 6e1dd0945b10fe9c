"""Make the reference that a divergence is read against: `divergences/reference/pairs.json` and
`english_words.csv`.

    python -m benchmarks.reference_pairs [pairs]
 From the public-domain books of `../shared/data/books`: passages of 500 to 10,000 tokens of one book, of two
works by one author and of works by two authors. Every author comes as often as every other, so that no
prolific one is the yardstick. Only quantiles of the divergences are kept, and for Delta the mean and
deviation of the shares of the 1,000 most frequent words.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.calibration import books, by_author, pair, stretch
from lexicloud.corpus import Corpus
from lexicloud.divergences import make_method
from lexicloud.divergences.methods import METHODS
from lexicloud.divergences.uncertainty import Pair

HOME = Path(__file__).parents[1] / "src/lexicloud/divergences/reference"
LENGTHS = (500, 1000, 2000, 10_000)
LEVELS = (0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 1)
RELATIONS = ("one text", "one hand", "different hands")
WITH_VECTORS = ("smoothed", "knn")
MADE = (
    "Passages of 73 public-domain English books by 50 authors, drawn by benchmarks/reference_pairs.py: two of one "
    "book, two of two works by one author (each author as often), two of works by two authors."
)


def usual_words(corpus: Corpus, authors: list[str], size: int = 1000) -> str:
    """The most frequent words with mean and deviation of their share, per million; every author weighs the
    same.
    """
    shares = corpus.counts.toarray() / corpus.lengths[:, None]
    weights = np.array([1 / authors.count(author) for author in authors])
    weights /= weights.sum()
    mean = weights @ shares
    deviation = np.sqrt(weights @ (shares - mean) ** 2)
    top = np.argsort(-mean)[:size]
    lines = [f"{corpus.vocabulary[i]},{1e6 * mean[i]:.5g},{1e6 * deviation[i]:.5g}" for i in top]
    return "\n".join(["word,mean,deviation", *lines]) + "\n"


def drawn(corpus: Corpus, relation: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two passages of n tokens in a relation."""
    least = 2 * n if relation == "one text" else n
    long = {
        author: [corpus.position(s) for s in works if corpus.lengths[corpus.position(s)] >= least]
        for author, works in by_author().items()
    }
    needed = 2 if relation == "one hand" else 1
    authors = [author for author, works in long.items() if len(works) >= needed]
    if relation == "different hands":
        i, j = (long[authors[a]] for a in rng.choice(len(authors), 2, replace=False))
        return tuple(stretch(corpus.tokens(int(rng.choice(works))), n, rng) for works in (i, j))  # type: ignore[return-value]
    works = long[authors[rng.integers(len(authors))]]
    if relation == "one hand":
        i, j = rng.choice(works, 2, replace=False)
        return stretch(corpus.tokens(int(i)), n, rng), stretch(corpus.tokens(int(j)), n, rng)
    tokens = corpus.tokens(int(rng.choice(works)))
    gap = int(rng.integers(0, len(tokens) - 2 * n + 1))
    start = int(rng.integers(0, len(tokens) - 2 * n - gap + 1))
    parts = tokens[start : start + n], tokens[start + n + gap : start + 2 * n + gap]
    return parts if rng.random() < 0.5 else parts[::-1]


def measured(method: str, couple: Corpus) -> tuple[float, float]:
    """D(a‖b) and D(b‖a)."""
    made = Pair.of(couple, (0, 1), make_method(method).fit_pair(couple, (0, 1)))
    there = float(made.values([made.a], [made.b])[0])
    return there, there if METHODS[method].is_symmetric else float(made.values([made.b], [made.a])[0])


def table(values: dict[tuple[str, str, int], list[tuple[float, float]]], pairs: int) -> dict[str, Any]:
    """Quantiles by method, direction, relation and length."""
    methods: dict[str, Any] = {}
    for method in METHODS:
        options = {k: v for k, v in make_method(method).to_dict().items() if k != "method"}
        methods[method] = {"options": options, "vectors": "glove-6b-50d" if method in WITH_VECTORS else None}
        for direction in ("one",) if METHODS[method].is_symmetric else ("one", "both"):
            methods[method][direction] = {
                relation: [_quantiles(values[method, relation, n], direction) for n in LENGTHS]
                for relation in RELATIONS
            }
    return {
        "made": MADE,
        "language": "english",
        "pairs": pairs,
        "lengths": LENGTHS,
        "levels": LEVELS,
        "methods": methods,
    }


def _quantiles(found: list[tuple[float, float]], direction: str) -> list[float]:
    flat = [a + b for a, b in found] if direction == "both" else [v for both in found for v in both]
    return [float(f"{q:.4g}") for q in np.quantile(flat, LEVELS)]


def main(pairs: int) -> None:
    """Write both files."""
    warnings.simplefilter("ignore")
    corpus = books(tuple(s for works in by_author().values() for s in works))
    author = {s: a for a, works in by_author().items() for s in works}
    (HOME / "english_words.csv").write_text(
        usual_words(corpus, [author[s] for s in corpus.names]), encoding="utf-8"
    )
    values: dict[tuple[str, str, int], list[tuple[float, float]]] = {}
    for n in LENGTHS:
        for place, relation in enumerate(RELATIONS):
            rng = np.random.default_rng([n, place])
            couples = [pair(corpus, *drawn(corpus, relation, n, rng)) for _ in range(pairs)]
            for method in METHODS:
                values[method, relation, n] = [measured(method, couple) for couple in couples]
        print(n, flush=True)
    text = json.dumps(table(values, pairs), separators=(",", ":"))
    (HOME / "pairs.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 240)
