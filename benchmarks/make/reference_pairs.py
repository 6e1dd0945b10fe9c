"""Make the reference that a divergence is read against: `divergences/reference/pairs.json` and
`english_words.csv`.

    python -m benchmarks.make.reference_pairs [PAIRS [LENGTH]]

From the public-domain books of `../shared/data/books`: passages of 500 to 40,000 tokens of one book, of two
works by one author and of works by two authors. Every author comes as often as every other, so that no
prolific one is the yardstick. Only quantiles of the divergences are kept, and for Delta the mean and
deviation of the shares of the 1,000 most frequent words. PAIRS of one book and by one hand are drawn up to 2,000
tokens, and fewer of longer texts, which take longer and of which there are fewer. With LENGTH only that row is
made anew.

How often the p-values "same book" and "same hand" reject a true null is measured with the same pairs, each author left
out of the reference in turn, and added to `benchmarks/results/calibration.json`.
"""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.truth.calibration import add, books, by_author, pair, stretch
from lexicloud.corpus import Corpus
from lexicloud.divergences import make_method
from lexicloud.divergences.methods import METHODS
from lexicloud.divergences.uncertainty import RELATIONS, Pair

HOME = record.ROOT / "src/lexicloud/divergences/reference"
SHARE_OF_PAIRS = {500: 1.0, 1000: 1.0, 2000: 1.0, 10_000: 0.3, 40_000: 0.15}
LEVELS = (0, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.975, 0.99, 1)
WITH_VECTORS = ("smoothed", "knn")
LONGEST_KNN = 10_000  # each pair takes seconds beyond
MADE = (
    "Passages of 73 public-domain English books by 50 authors, drawn by benchmarks/make/reference_pairs.py: two of one "
    "book, two of two works by one author (each author as often), two of works by two authors."
)
HYPOTHESES = {"same book": "one text", "same hand": "one hand"}


@dataclass(frozen=True)
class Drawn:
    """A pair of passages measured: D(a‖b) and D(b‖a) by each method, and whose they are."""

    authors: tuple[str, str]
    values: dict[str, tuple[float, float]]


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


def draw(
    corpus: Corpus, relation: str, n: int, rng: np.random.Generator
) -> tuple[tuple[str, str], list[np.ndarray]]:
    """Two passages of n tokens in a relation, and their authors."""
    least = 2 * n if relation == "one text" else n
    long = {
        author: [corpus.position(s) for s in works if corpus.lengths[corpus.position(s)] >= least]
        for author, works in by_author().items()
    }
    needed = 2 if relation == "one hand" else 1
    authors = [author for author, works in long.items() if len(works) >= needed]
    if relation == "different hands":
        two = [authors[i] for i in rng.choice(len(authors), 2, replace=False)]
        parts = [stretch(corpus.tokens(int(rng.choice(long[author]))), n, rng) for author in two]
        return (two[0], two[1]), parts
    author = authors[rng.integers(len(authors))]
    if relation == "one hand":
        works = rng.choice(long[author], 2, replace=False)
        return (author, author), [stretch(corpus.tokens(int(work)), n, rng) for work in works]
    tokens = corpus.tokens(int(rng.choice(long[author])))
    gap = int(rng.integers(0, len(tokens) - 2 * n + 1))
    start = int(rng.integers(0, len(tokens) - 2 * n - gap + 1))
    parts = [tokens[start : start + n], tokens[start + n + gap : start + 2 * n + gap]]
    return (author, author), parts if rng.random() < 0.5 else parts[::-1]


def both_directions(method: str, couple: Corpus) -> tuple[float, float]:
    """D(a‖b) and D(b‖a)."""
    made = Pair.of(couple, (0, 1), make_method(method).fit_pair(couple, (0, 1)))
    there = float(made.values([made.a], [made.b])[0])
    return there, there if METHODS[method].is_symmetric else float(made.values([made.b], [made.a])[0])


def measure(corpus: Corpus, n: int, pairs: int) -> dict[str, list[Drawn]]:
    """Draw and measure the pairs of one length."""
    found: dict[str, list[Drawn]] = {}
    methods = [m for m in METHODS if m != "knn" or n <= LONGEST_KNN]
    for place, relation in enumerate(RELATIONS):
        rng = np.random.default_rng([n, place])
        times = round(pairs * SHARE_OF_PAIRS[n] * (0.6 if relation == "different hands" else 1))
        for _ in range(times):
            authors, parts = draw(corpus, relation, n, rng)
            couple = pair(corpus, *parts)
            values = {method: both_directions(method, couple) for method in methods}
            found.setdefault(relation, []).append(Drawn(authors, values))
        print(n, relation, times, flush=True)
    return found


def row(found: dict[str, list[Drawn]], method: str, direction: str) -> dict[str, list[float]]:
    """Quantiles of one length, method and direction, by relation."""
    return {
        relation: [float(f"{q:.4g}") for q in np.quantile(_flat(drawn, method, direction), LEVELS)]
        for relation, drawn in found.items()
    }


def _flat(drawn: list[Drawn], method: str, direction: str) -> list[float]:
    couples = [d.values[method] for d in drawn]
    return [a + b for a, b in couples] if direction == "both" else [v for both in couples for v in both]


def rejected(found: dict[str, list[Drawn]], method: str, relation: str) -> dict[str, Any]:
    """Rejections at 5 % of true nulls, each author left out of the reference in turn, and of pairs by different
    hands.
    """
    drawn = found[relation]
    true = [
        _share(d.values[method][0], [o for o in drawn if o.authors != d.authors], method) <= 0.05
        for d in drawn
    ]
    other = [_share(d.values[method][0], drawn, method) <= 0.05 for d in found["different hands"]]
    return {
        "pairs": len(true),
        "rejected": round(float(np.mean(true)), 3),
        "different hands rejected": round(float(np.mean(other)), 3),
    }


def _share(value: float, drawn: list[Drawn], method: str) -> float:
    """The p-value of `divergences/uncertainty.py`, from these pairs."""
    quantiles = np.quantile(_flat(drawn, method, "one"), LEVELS)
    return float(max(1 - np.interp(value, quantiles, LEVELS), 1 / (len(drawn) + 1)))


def table(rows: dict[int, dict[str, Any]], pairs: dict[int, int]) -> dict[str, Any]:
    """Quantiles by method, direction, relation and length, the shortest first."""
    methods: dict[str, Any] = {}
    for method in METHODS:
        options = {k: v for k, v in make_method(method).to_dict().items() if k != "method"}
        methods[method] = {"options": options, "vectors": "glove-6b-50d" if method in WITH_VECTORS else None}
        lengths = [n for n in sorted(rows) if method in rows[n]]
        for direction in ("one",) if METHODS[method].is_symmetric else ("one", "both"):
            methods[method][direction] = {
                relation: [rows[n][method][direction][relation] for n in lengths] for relation in RELATIONS
            }
    return {
        "made": MADE,
        "language": "english",
        "pairs": [pairs[n] for n in sorted(rows)],
        "lengths": sorted(rows),
        "levels": LEVELS,
        "methods": methods,
    }


def known_rows() -> tuple[dict[int, dict[str, Any]], dict[int, int]]:
    """What the table holds already, by length."""
    path = HOME / "pairs.json"
    if not path.exists():
        return {}, {}
    old = json.loads(path.read_text(encoding="utf-8"))
    rows: dict[int, dict[str, Any]] = {n: {} for n in old["lengths"]}
    for method, made in old["methods"].items():
        for direction in ("one", "both"):
            for relation, lists in made.get(direction, {}).items():
                for n, quantiles in zip(old["lengths"], lists, strict=False):
                    rows[n].setdefault(method, {}).setdefault(direction, {})[relation] = quantiles
    return rows, dict(zip(old["lengths"], old["pairs"], strict=True))


def main(pairs: int, only: int | None) -> None:
    """Write both files, and the calibration of the two hypotheses."""
    warnings.simplefilter("ignore")
    corpus = books(tuple(s for works in by_author().values() for s in works))
    author = {s: a for a, works in by_author().items() for s in works}
    words = usual_words(corpus, [author[s] for s in corpus.names])
    (HOME / "english_words.csv").write_text(words, encoding="utf-8")
    rows, counts = known_rows()
    for n in [only] if only else SHARE_OF_PAIRS:
        found = measure(corpus, n, pairs)
        methods = found["one hand"][0].values
        rows[n] = {m: {d: row(found, m, d) for d in ("one", "both")} for m in methods}
        counts[n] = len(found["one hand"])
        (HOME / "pairs.json").write_text(
            json.dumps(table(rows, counts), separators=(",", ":")), encoding="utf-8"
        )
        for name, relation in HYPOTHESES.items():
            known = _measured_before(name)
            known |= {f"{m}, {n}": rejected(found, m, relation) for m in methods}
            add(name, known)


def _measured_before(part: str) -> dict[str, object]:
    path = record.RESULTS / "calibration.json"
    results = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else {}
    return {k: v for k, v in results.get(part, {}).items() if isinstance(v, dict) and "rejected" in v}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400, int(sys.argv[2]) if len(sys.argv) > 2 else None)
