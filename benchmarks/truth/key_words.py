"""Whether the intervals of `contrast` hold on real texts: one hand on both sides, so that the true ratio is one.

    python -m benchmarks.truth.key_words

Segments of 2,000 words of one author are dealt out at random to two groups; and, against the claim, two texts of one
author are compared, whose themes differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.authors import load_all, names
from benchmarks.record import write
from lexicloud.authorship.contrast import LEAST, SEGMENT, count_segments, effect_sizes

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

ROUNDS = 20
LONG = 20_000


def covered(first: Any, second: Any, frequent: int = 0) -> tuple[int, int]:
    """Return how many intervals hold zero, of how many words."""
    found = effect_sizes(first, second)
    counts = np.asarray(first.sum(axis=0) + second.sum(axis=0)).ravel()
    enough = counts >= max(LEAST, frequent)
    return int((np.abs(found["ratio"]) <= found["half"])[enough].sum()), int(enough.sum())


def measure(corpus: Corpus) -> dict[str, Any]:
    """Return the share of intervals that hold the truth."""
    labels, rng = [str(label) for label in corpus.labels or ()], np.random.default_rng(0)
    long = [i for i, n in enumerate(corpus.lengths) if n >= LONG]
    several = [a for a in sorted(set(labels)) if sum(labels[i] == a for i in long) > 1]
    shares: dict[str, list[float]] = {"dealt out": [], "dealt out, 100 times and more": [], "two texts": []}
    for round_ in range(ROUNDS):
        author = several[round_ % len(several)]
        rows = [i for i in long if labels[i] == author]
        pieces = count_segments(corpus, rows, SEGMENT)
        side = rng.permutation(pieces.shape[0]) < pieces.shape[0] // 2
        for name, least in (("dealt out", 0), ("dealt out, 100 times and more", 100)):
            right, number = covered(pieces[side], pieces[~side], least)
            shares[name].append(right / max(1, number))
        a, b = rng.choice(rows, 2, replace=False)
        right, number = covered(count_segments(corpus, [a], SEGMENT), count_segments(corpus, [b], SEGMENT))
        shares["two texts"].append(right / max(1, number))
    return {
        kind: [round(100 * float(v), 1) for v in (np.mean(x), np.min(x), np.max(x))]
        for kind, x in shares.items()
    }


def main() -> None:
    results: dict[str, Any] = {
        "what": "intervals that hold zero, per cent: mean, least, most over 20 comparisons"
    }
    for name in [n for n in names() if n not in {"sotu", "deu"}]:
        results[name] = measure(load_all(name))
        print(name, results[name], flush=True)
    write("key_words", results)


if __name__ == "__main__":
    main()
