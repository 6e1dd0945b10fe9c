"""Did one hand write these? Pairs of passages by one author (different books) and by two, at three lengths.

    python -m benchmarks.verification                # all collections that are here
    python -m benchmarks.verification books --scores kept/   # one of them, to be put together by a later run
    python -m benchmarks.verification --conditions   # other lengths, known texts, references

Curves are fitted on one half of the authors; on the other: AUC × c@1, the log-likelihood-ratio cost, reliability, and
the share of pairs by two hands at or under the 5 % threshold of the p-value. "two-sided" and "imposters" answer with
the curves that `verify` ships, which were fitted on the first half; the others are fitted on it here.
"""

from __future__ import annotations

import argparse
import bz2
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks._authors import load, names, over_texts, passage
from benchmarks.record import write
from lexicloud.divergences.attribution.features import Spelling, WordTable
from lexicloud.divergences.attribution.impostors import Population, bootstrap_score, english, imposters_score
from lexicloud.divergences.attribution.verify import CURVES, Problem, curve_at

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

SIZES = (300, 1000, 3000)
IMPOSTORS = 40
FEATURES = {
    "two-sided": (0, 1),
    "imposters": (2,),
    "bootstrap": (3,),
    "imposters, plain Delta of 300 words": (4,),
    "characters, cosine": (5,),
    "compression": (6,),
}


SHIPPED = ("two-sided", "imposters")


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
        votes = (imposters_score(problem), bootstrap_score(problem), imposters_score(plain(problem)))
        rows.append((*scores.values(), *votes, _characters(spelling, sides), _compression(corpus, cut), p))
        truth.append(same)
    return np.array(rows), np.array(truth)


@dataclass(frozen=True, eq=False)
class Plain(Problem):
    """A problem seen by Cosine Delta as it is known: no allowance for short texts, no clipping."""

    def z(self, texts: WordTable) -> Any:
        """Return z-scores, at unit length."""
        z = (texts.shares(self.words).toarray() - self.mean) / self.deviation
        return z / np.maximum(np.linalg.norm(z, axis=1, keepdims=True), 1e-12)


def plain(problem: Problem, n: int = 300) -> Plain:
    """Return the problem over the most frequent words."""
    about = {field.name: getattr(problem, field.name) for field in fields(problem)}
    first = {"words": problem.words[:n], "mean": problem.mean[:n], "deviation": problem.deviation[:n]}
    return Plain(**(about | first))


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


def chances(data: dict[Any, Any], method: str, size: int, names: list[str], on: str) -> Any:
    """Return the probabilities of one collection's held-out half: the curve is fitted on the other half of all.

    "two-sided" and "imposters" take the curves that `verify` ships.
    """
    columns, (scores, _) = list(FEATURES[method]), data[on, 1, size]
    if method in SHIPPED:
        a, *b = CURVES[method][size]
    else:
        X, y = (np.concatenate([data[name, 0, size][i] for name in names]) for i in (0, 1))
        a, *b = curve(X[:, columns], y)
    return 1 / (1 + np.exp(-(a + scores[:, columns] @ np.array(b))))


def reliability(p: Any, y: Any) -> list[list[float]]:
    """Return in fifths of the probability: the mean stated, the share by one hand, and how many."""
    place = np.minimum((p * 5).astype(int), 4)
    rows = [(p[place == k], y[place == k]) for k in range(5) if (place == k).any()]
    return [[round(float(a.mean()), 2), round(float(b.mean()), 2), len(a)] for a, b in rows]


def report(data: dict[Any, Any], size: int, names: list[str]) -> dict[str, Any]:
    """Judge every method on the held-out half: the mean over collections, with the interval of drawn pairs."""
    found: dict[str, Any] = {}
    for method in FEATURES:
        p = {name: chances(data, method, size, names, name) for name in names}
        each = {name: judged(p[name], data[name, 1, size][1]) for name in names}
        found[method] = {
            **{
                k: round(float(np.mean([row[k] for row in each.values()])), 3)
                for k in next(iter(each.values()))
            },
            "Cllr by collection": {name: round(row["Cllr"], 3) for name, row in each.items()},
        }
        if method == "two-sided":
            truth = np.concatenate([data[name, 1, size][1] for name in names])
            found[method]["reliability"] = reliability(np.concatenate(list(p.values())), truth)
    X, y = (np.concatenate([data[name, 1, size][i] for name in names]) for i in (0, 1))
    found["two hands at or under p = 0.05, %"] = over_texts(
        (X[~y, -1] <= 0.05).astype(float), np.arange((~y).sum())
    )
    X, y = (np.concatenate([data[name, 0, size][i] for name in names]) for i in (0, 1))
    found["curves of the first half"] = {
        m: np.round(curve(X[:, list(f)], y), 3).tolist() for m, f in FEATURES.items() if m in SHIPPED
    }
    return found


def measured(name: str, number: int, kept: Path | None) -> dict[Any, Any]:
    """Measure a collection, or take the scores that were kept."""
    file = None if kept is None else kept / f"{name} {number}.npz"
    if file is not None and file.exists():
        with np.load(file) as found:
            cells = {tuple(map(int, key.split())): found[key] for key in found.files}
    else:
        cells = {}
        for half in (0, 1):
            corpus = load(name, half)
            for size in SIZES:
                rows, truth = measure(corpus, name, size, number)
                cells[half, size] = np.column_stack([rows, truth])
            print(name, half, flush=True)
        if file is not None:
            np.savez(file, **{f"{half} {size}": cell for (half, size), cell in cells.items()})
    return {(name, *key): (cell[:, :-1], cell[:, -1].astype(bool)) for key, cell in cells.items()}


# condition → words of each known text, how many known texts, words of the unknown one
CONDITIONS = {
    "1,000 and 1,000 words": (1000, 1, 1000),
    "10,000 and 1,000 words": (10_000, 1, 1000),
    "three known texts of 1,000 words": (1000, 3, 1000),
}


def under(corpus: Corpus, condition: tuple[int, int, int], population: Population, number: int) -> Any:
    """Return for pairs the probability and the p-value as shipped, and whether one hand wrote both sides."""
    (size, texts, unknown), rows = condition, []
    rng, table = np.random.default_rng(zlib.crc32(str(condition).encode())), WordTable.of(corpus)
    labels, authors = [str(label) for label in corpus.labels or ()], np.array(population.authors)
    long = [i for i, n in enumerate(corpus.lengths) if n >= max(size, unknown)]
    own = {a: [i for i in long if labels[i] == a] for a in sorted(set(labels))}
    fit = [a for a, theirs in own.items() if len(theirs) > texts]
    for k in range(2 * number if fit else 0):
        author = fit[int(rng.integers(len(fit)))]
        *known, asked = (int(i) for i in rng.choice(own[author], texts + 1, replace=False))
        if k % 2 == 0:
            asked = int(rng.choice([i for i in long if labels[i] != author]))
        drawn = np.concatenate([passage(corpus.tokens(i), size, rng) for i in known])
        sides = table.counting([drawn, passage(corpus.tokens(asked), unknown, rng)])
        others = np.flatnonzero((authors != author) & (authors != labels[asked]))
        chosen = rng.choice(others, min(IMPOSTORS, len(others)), replace=False)
        problem = Problem.between(sides.rows([0]), sides.rows([1]), population.rows(chosen), seed=k)
        a, *b = curve_at("two-sided", problem.shorter)
        log_ratio = a + float(np.dot(b, list(problem.two_sided()[0].values())))
        rows.append((1 / (1 + np.exp(-log_ratio)), problem.p_value((a, *b)), k % 2))
    return np.array(rows).reshape(-1, 3)


def conditions(number: int) -> dict[str, Any]:
    """Judge what is shipped under other conditions, on the half that nothing was fitted on."""
    corpora = {name: load(name, 1) for name in names()}
    own = {name: Population.of_corpus(corpus) for name, corpus in corpora.items()}
    cells = {
        what: [under(corpora[name], each, own[name], number) for name in corpora]
        for what, each in CONDITIONS.items()
    }
    for size in (1000, 3000):
        cells[f"addresses of {size:,} words, built-in reference"] = [
            under(corpora["sotu"], (size, 1, size), english(), 3 * number)
        ]
    found = {}
    for what, parts in cells.items():
        p, p_value, same = np.concatenate(parts).T
        y = same.astype(bool)
        found[what] = {
            **{key: round(float(value), 3) for key, value in judged(p, y).items()},
            "reliability": reliability(p, y),
            "two hands at or under p = 0.05, %": over_texts(
                (p_value[~y] <= 0.05) * 1.0, np.arange((~y).sum())
            ),
        }
        print(what, found[what], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=names())
    parser.add_argument("--pairs", type=int, default=25, help="pairs of each kind in a cell")
    parser.add_argument("--scores", type=Path, help="a folder that keeps the scores of each collection")
    parser.add_argument("--conditions", action="store_true", help="other lengths, known texts and references")
    options = parser.parse_args()
    if options.conditions:
        write("verification_conditions", conditions(options.pairs))
        return
    data: dict[Any, Any] = {}
    for name in options.collections:
        data |= measured(name, options.pairs, options.scores)
    if len(options.collections) == 1:
        return
    results: dict[str, Any] = {
        "pairs of each kind in a cell": options.pairs,
        "collections": options.collections,
    }
    for size in SIZES:
        results[f"{size:,} words"] = report(data, size, options.collections)
        print(size, results[f"{size:,} words"], flush=True)
    write("verification", results)


if __name__ == "__main__":
    main()
