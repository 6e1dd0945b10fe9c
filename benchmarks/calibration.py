"""Do intervals, p-values, yardsticks and changes of hand mean what they say? Simulated and real text.

    python -m benchmarks.calibration intervals|p-values|points|zipf|changes [trials]
 Books come from `../shared/data/books`. Constants of the change points were tuned on the books of half of the
authors, and both halves are measured. Each part adds its numbers to `benchmarks/results/calibration.json`;
`docs/numbers.md` has the old figures beside them.
"""

from __future__ import annotations

import csv
import json
import sys
import time
import warnings
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks import record
from lexicloud.corpus import Corpus
from lexicloud.corpus.lexicon import Vocabulary
from lexicloud.divergences import divergence, knn_divergence
from lexicloud.divergences.drift import block_counts, scaled_blocks, segment
from lexicloud.zipf import fit_zipf

BOOKS = Path(__file__).parents[2] / "shared/data/books"
METHODS = ("smoothed", "categorical", "jensen-shannon", "delta", "knn")
LENGTHS = (500, 2000, 10_000)


@cache
def by_author() -> dict[str, list[str]]:
    with (BOOKS / "books.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["author"], []).append(row["slug"])
    return found


def halves() -> tuple[list[str], list[str]]:
    """Authors that constants were tuned on, and authors held out."""
    names = sorted(by_author())
    np.random.default_rng(0).shuffle(names)
    return names[::2], names[1::2]


@cache
def books(slugs: tuple[str, ...]) -> Corpus:
    return Corpus.from_texts(
        {s: (BOOKS / f"{s}.txt").read_text(encoding="utf-8", errors="replace") for s in slugs}
    )


def pair(corpus: Corpus, a: np.ndarray, b: np.ndarray) -> Corpus:
    """Two stretches of tokens as a corpus over their own words."""
    words, number = np.unique(np.concatenate([a, b]), return_inverse=True)
    lexicon = corpus.lexicon
    masks = {
        name: getattr(lexicon, name)[words] for name in ("vectors", "status", "stopwords", "punctuation")
    }
    own = replace(lexicon, vocabulary=Vocabulary([lexicon.vocabulary[i] for i in words]), cache={}, **masks)
    bounds = np.array([0, len(a), len(a) + len(b)])
    stream = number.ravel().astype(np.int32)
    return replace(
        corpus, names=("a", "b"), lexicon=own, stream=stream, bounds=bounds, labels=None, texts=None
    )


def stretch(tokens: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    start = rng.integers(0, len(tokens) - n + 1)
    return tokens[start : start + n]


def intervals(trials: int) -> dict[str, object]:
    """Share of 95 % intervals that hold the mean over repeated sampling, for words drawn at random and for
    passages.
    """
    names = ("emma", "jane_eyre", "the_jungle", "walden")
    corpus, found = books(names), {}
    for method in METHODS:
        for kind in ("independent", "passages"):
            for n in LENGTHS:
                held = [_coverage(corpus, names, method, kind, n, i, trials) for i in range(len(names))]
                found[f"{method}, {kind}, {n}"] = round(float(np.mean(held)), 3)
                print(method, kind, n, held, flush=True)
    return found


def _coverage(
    corpus: Corpus, names: tuple[str, ...], method: str, kind: str, n: int, i: int, trials: int
) -> float:
    """Passages of one book for even i, of two books for odd i."""
    rng = np.random.default_rng([n, i])
    a = corpus.tokens(corpus.position(names[i]))
    b = a if i % 2 == 0 else corpus.tokens(corpus.position(names[i - 1]))
    results = []
    for _ in range(trials):
        if kind == "independent":
            p, q = rng.choice(a, n), rng.choice(b, n)
        else:
            p, q = _disjoint(a, b, n, rng)
        results.append(divergence(pair(corpus, p, q), "a", "b", method, yardstick=False, top=0))
    mean = np.mean([r.value for r in results])
    return float(np.mean([r.interval[0] <= mean <= r.interval[1] for r in results if r.interval]))


def _disjoint(
    a: np.ndarray, b: np.ndarray, n: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Two passages; of one book, two that share no token."""
    while True:
        i, j = (int(rng.integers(0, len(tokens) - n + 1)) for tokens in (a, b))
        if a is not b or abs(i - j) >= n:
            return a[i : i + n], b[j : j + n]


def p_values(trials: int) -> dict[str, object]:
    """Rejections at 5 % of "same text" where sentences of one stretch are dealt at random, and of adjacent
    passages.
    """
    corpus, found, rng = books(("emma", "jane_eyre", "the_jungle", "walden")), {}, np.random.default_rng(0)
    ends = np.isin(np.arange(len(corpus.vocabulary)), [corpus.vocabulary.ids[m] for m in ".!?"])
    for method in ("jensen-shannon", "categorical"):
        for null in ("sentences dealt", "adjacent passages"):
            rejected = 0
            for _ in range(trials):
                tokens = stretch(corpus.tokens(int(rng.integers(len(corpus)))), 4000, rng)
                a, b = (
                    _dealt(tokens, ends, rng) if null == "sentences dealt" else (tokens[:2000], tokens[2000:])
                )
                asked = divergence(
                    pair(corpus, a, b), "a", "b", method, interval=False, permutations=99,
                    yardstick=False, top=0, seed=int(rng.integers(1 << 30)),
                )  # fmt: skip
                rejected += asked.p_value <= 0.05
            found[f"{method}, {null}"] = {"trials": trials, "rejected": round(rejected / trials, 3)}
            print(method, null, rejected, "of", trials, flush=True)
    return found


def _dealt(tokens: np.ndarray, ends: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    sentences = np.split(tokens, np.flatnonzero(ends[tokens]) + 1)
    mixed = [sentences[i] for i in rng.permutation(len(sentences)) if len(sentences[i])]
    half = len(mixed) // 2
    return np.concatenate(mixed[:half]), np.concatenate(mixed[half:])


def points(trials: int) -> dict[str, object]:
    """The k-NN estimator on Gaussians a shift or a scale apart, plain and extrapolated, N = M = 1,000."""
    found = {}
    for d in (1, 2, 5, 10, 50):
        for family in ("shift", "scale"):
            rng, scale = (
                np.random.default_rng(d),
                1.0 if family == "shift" else float(np.exp(0.4 / np.sqrt(d))),
            )
            shift = np.sqrt(2 * 0.64) if family == "shift" else 0.0
            true = 0.64 if family == "shift" else d / 2 * (scale**-2 - 1 + 2 * np.log(scale))
            values = []
            for _ in range(trials):
                X, Y = rng.normal(size=(1000, d)), scale * rng.normal(size=(1000, d))
                Y[:, 0] += shift
                values.append([knn_divergence(X, Y, correction=c) for c in (None, "extrapolate")])
            mean, deviation = np.mean(values, axis=0), np.std(values, axis=0, ddof=1)
            found[f"{family}, d = {d}"] = {
                "true": round(true, 3), "plain": round(mean[0], 3), "extrapolated": round(mean[1], 3),
                "deviations": np.round(deviation, 3).tolist(), "trials": trials,
            }  # fmt: skip
            print(d, family, found[f"{family}, d = {d}"], flush=True)
    return found


def zipf(trials: int) -> dict[str, object]:
    """Rejections of the true plain law at 5 %: the corrected test, and the gain in likelihood that was used
    before.
    """
    found = {}
    for alpha, ranks, tokens in (
        (1.0, 20_000, 50_000),
        (1.0, 20_000, 5000),
        (0.9, 5000, 50_000),
        (1.1, 20_000, 300_000),
    ):
        rng, law = np.random.default_rng(0), np.arange(1.0, ranks + 1) ** -alpha
        fits = [fit_zipf(rng.multinomial(tokens, law / law.sum())) for _ in range(trials)]
        new, old = (np.mean([test(f) for f in fits]) for test in (_rejects, _rejected_before))
        found[f"α = {alpha}, R = {ranks}, N = {tokens}"] = {
            "trials": trials,
            "new": round(new, 3),
            "old": round(old, 3),
        }
        print(alpha, ranks, tokens, new, old, flush=True)
    return found


def _rejects(fit: object) -> bool:
    return fit.p_value <= 0.05  # type: ignore[attr-defined]


def _rejected_before(fit: object) -> bool:
    return fit.likelihood_ratio > 3.84  # type: ignore[attr-defined]


def changes(trials: int) -> dict[str, object]:
    """Joins of two authors found within 1,000 tokens, and one-author texts with a change, for both halves of
    authors.
    """
    found = {}
    for half, authors in zip(("tuned on", "held out"), halves(), strict=True):
        corpus = books(tuple(s for a in authors for s in by_author()[a]))
        long = [i for i in range(len(corpus)) if corpus.lengths[i] >= 14_000]
        author = {s: a for a in authors for s in by_author()[a]}
        rng, hits, false = np.random.default_rng(7), 0, 0
        for _ in range(trials):
            i, j = rng.choice(long, 2, replace=False)
            while author[corpus.names[i]] == author[corpus.names[j]]:
                i, j = rng.choice(long, 2, replace=False)
            parts = [stretch(corpus.tokens(k), int(rng.integers(6000, 14_000)), rng) for k in (i, j)]
            places = [
                row * 250 for row, _ in segment(scaled_blocks(block_counts(np.concatenate(parts), 250)))
            ]
            hits += any(abs(place - len(parts[0])) <= 1000 for place in places)
            tokens = corpus.tokens(int(rng.choice(long)))
            one = stretch(tokens, min(len(tokens), int(rng.integers(12_000, 50_000))), rng)
            false += bool(segment(scaled_blocks(block_counts(one, 250))))
        found[half] = {"joins": trials, "found": hits, "one-author texts": trials, "false": false}
        print(half, found[half], flush=True)
    return found


PARTS = {"intervals": intervals, "p-values": p_values, "points": points, "zipf": zipf, "changes": changes}


def main() -> None:
    """Run one part, or all of them with few trials."""
    warnings.simplefilter("ignore")
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    path = record.RESULTS / "calibration.json"
    results = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else {}
    for part in sys.argv[1:2] or PARTS:
        start = time.perf_counter()
        results[part] = {"trials": trials, **PARTS[part](trials)}
        print(f"{part}: {time.perf_counter() - start:.0f} s, {record.write('calibration', results)}")


if __name__ == "__main__":
    main()
