"""Did one hand write these? Pairs of passages by one author (different books) and by two, at three lengths.

    python -m benchmarks.verification                # fit on one half of the authors, report on the other, and back
    python -m benchmarks.verification books spa --pairs 40

Prints the logistic curves that `verify` ships (fitted on both halves) and, held out: AUC × c@1, the log-likelihood-
ratio cost, and the share of pairs by two hands at or under the 5 % threshold of the p-value.
"""

from __future__ import annotations

import argparse
import bz2
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._authors import load, names, passage
from benchmarks.record import write
from lexicloud.divergences.attribution.features import Spelling, WordTable
from lexicloud.divergences.attribution.impostors import Population, bootstrap_score, imposters_score
from lexicloud.divergences.attribution.verify import CURVES, Problem

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

SIZES = (300, 1000, 3000)
IMPOSTORS = 40
FEATURES = {
    "two-sided": (0, 1),
    "imposters": (2,),
    "bootstrap": (3,),
    "characters, cosine": (4,),
    "compression": (5,),
}


def pairs(corpus: Corpus, size: int, number: int, rng: np.random.Generator) -> list[tuple[int, int, bool]]:
    """Return rows of two texts and whether one hand wrote both; half of the pairs each."""
    labels = [str(label) for label in corpus.labels or ()]
    long = [i for i, n in enumerate(corpus.lengths) if n >= size]
    several = sorted({labels[i] for i in long if sum(labels[j] == labels[i] for j in long) > 1})
    found = []
    for k in range(2 * number):
        author = several[int(rng.integers(len(several)))]
        own = [i for i in long if labels[i] == author]
        if k % 2:
            a, b = rng.choice(own, 2, replace=False)
        else:
            a, b = rng.choice(own), rng.choice([i for i in long if labels[i] != author])
        found.append((int(a), int(b), bool(k % 2)))
    return found


def measure(corpus: Corpus, name: str, size: int, number: int) -> tuple[Any, Any]:
    """Return the scores of every method for some pairs, and whether one hand wrote them."""
    rng = np.random.default_rng(zlib.crc32(f"{name} {size}".encode()))
    table, population = WordTable.of(corpus), Population.of_corpus(corpus)
    spelling, authors, labels = Spelling.of(table.words), np.array(population.authors), corpus.labels or ()
    rows, truth = [], []
    for a, b, same in pairs(corpus, size, number, rng):
        cut = [passage(corpus.tokens(i), size, rng) for i in (a, b)]
        sides = table.counting(cut)
        others = np.flatnonzero((authors != labels[a]) & (authors != labels[b]))
        chosen = rng.choice(others, min(IMPOSTORS, len(others)), replace=False)
        problem = Problem.between(sides.rows([0]), sides.rows([1]), population.rows(chosen), seed=len(rows))
        scores, _ = problem.two_sided()
        p = problem.p_value((0.0, *CURVES["two-sided"][size][1:]))
        votes = (imposters_score(problem), bootstrap_score(problem))
        rows.append((*scores.values(), *votes, _characters(spelling, sides), _compression(corpus, cut), p))
        truth.append(same)
    return np.array(rows), np.array(truth)


def _characters(spelling: Spelling, sides: WordTable) -> float:
    spelt = spelling.table(sides).counts.toarray()
    return float(spelt[0] @ spelt[1] / np.linalg.norm(spelt[0]) / np.linalg.norm(spelt[1]))


def _compression(corpus: Corpus, cut: list[Any]) -> float:
    """Return one minus the normalised compression distance."""
    a, b = (" ".join(corpus.vocabulary[int(t)] for t in tokens).encode() for tokens in cut)
    one, other, both = (len(bz2.compress(text)) for text in (a, b, a + b" " + b))
    return 1 - (both - min(one, other)) / max(one, other)


def curve(X: Any, y: Any) -> tuple[float, ...]:
    """Fit a logistic curve, hardly held back."""
    from sklearn.linear_model import LogisticRegression

    scale = X.std(axis=0)
    fitted = LogisticRegression(C=10.0).fit(X / scale, y)
    return (float(fitted.intercept_[0]), *(fitted.coef_[0] / scale).tolist())


def judged(p: Any, y: Any) -> dict[str, float]:
    """Return AUC × c@1, the log-likelihood-ratio cost, and the Brier score."""
    from sklearn.metrics import roc_auc_score

    undecided = np.abs(p - 0.5) < 0.1
    right = ((p > 0.5) == y)[~undecided].sum() / len(y)
    c_at_1 = right + undecided.mean() * right
    odds = np.log(np.clip(p, 1e-9, 1 - 1e-9) / (1 - np.clip(p, 1e-9, 1 - 1e-9)))
    cost = (np.log2(1 + np.exp(-odds[y])).mean() + np.log2(1 + np.exp(odds[~y])).mean()) / 2
    return {"AUC × c@1": roc_auc_score(y, p) * c_at_1, "Cllr": cost, "Brier": float(((p - y) ** 2).mean())}


def held_out(data: dict[Any, Any], method: str, size: int, collections: list[str]) -> dict[str, float]:
    """Fit on one half of the authors of all collections, judge on the other, both ways; the mean over collections."""
    columns, found = list(FEATURES[method]), []
    for half in (0, 1):
        X = np.concatenate([data[name, half, size][0][:, columns] for name in collections])
        y = np.concatenate([data[name, half, size][1] for name in collections])
        a, *b = curve(X, y)
        for name in collections:
            scores, truth = data[name, 1 - half, size]
            found.append(judged(1 / (1 + np.exp(-(a + scores[:, columns] @ np.array(b)))), truth))
    return {key: round(float(np.mean([row[key] for row in found])), 3) for key in found[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=names())
    parser.add_argument("--pairs", type=int, default=100, help="pairs of each kind in a cell")
    options = parser.parse_args()
    data = {}
    for name in options.collections:
        for half in (0, 1):
            corpus = load(name, half)
            for size in SIZES:
                data[name, half, size] = measure(corpus, name, size, options.pairs)
            print(name, half, flush=True)
    results: dict[str, Any] = {
        "pairs of each kind in a cell": options.pairs,
        "collections": options.collections,
    }
    for size in SIZES:
        cells = [data[name, half, size] for name in options.collections for half in (0, 1)]
        X, y = np.concatenate([c[0] for c in cells]), np.concatenate([c[1] for c in cells])
        results[f"{size:,} words"] = {
            **{m: held_out(data, m, size, options.collections) for m in FEATURES},
            "two hands at or under p = 0.05": round(float((X[~y, 6] <= 0.05).mean()), 3),
            "curves": {
                m: np.round(curve(X[:, list(f)], y), 3).tolist() for m, f in FEATURES.items() if m in CURVES
            },
        }
        print(size, results[f"{size:,} words"], flush=True)
    write("verification", results)


if __name__ == "__main__":
    main()
