"""What labelling twenty more texts brings: those that `next` names, any, or the most uncertain; and what was promised.

Each draw starts from three examples a label and a pool in which some labels are common and others rare, as in life.
Right answers are counted on texts of other files. What `next` promises, wrong guesses among the texts it names, is held
against how many there were; beside it, how many more of the pool's other texts were right afterwards.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import Source, draw, unseen_collections, usable
from benchmarks.truth.meaning import vectors
from lexicloud.labelling import Labeller

EXAMPLES = 3
POOL = 27  # of the most frequent label
RARER = 0.85  # each label's share of the one before
MORE = 20
WORDS = 25
TESTS = 12
DRAWS = 4


def choose(labeller: Labeller, texts: list[str], way: str, seed: int) -> list[int]:
    """Return the places of the texts to label."""
    if way == "chosen":
        return [row.index for row in labeller.next(texts, MORE)]
    if way == "random":
        return random.Random(seed).sample(range(len(texts)), MORE)
    return np.argsort(labeller.predict_proba(texts).max(axis=1), kind="stable")[:MORE].tolist()


def split(labels: Sequence[str], seed: int) -> tuple[list[int], list[int]]:
    """Return the texts to begin with, and the pool."""
    order = random.Random(seed).sample(sorted(set(labels)), len(set(labels)))
    start, pool = [], []
    for rank, label in enumerate(order):
        rows = [i for i, one in enumerate(labels) if one == label]
        start += rows[:EXAMPLES]
        pool += rows[EXAMPLES : EXAMPLES + max(3, round(POOL * RARER**rank))]
    return sorted(start), sorted(pool)


def measure(sources: Sequence[Source]) -> dict[str, Any]:
    """Return the share of right answers before and after, by how the texts were chosen, and the promise."""
    names = usable(sources, EXAMPLES + POOL, WORDS)
    out: dict[str, Any] = {"before": [], "right": {}, "promised": [], "found": [], "others": []}
    for seed in range(DRAWS):
        given = draw(sources, names, EXAMPLES + POOL, WORDS, TESTS, seed)
        start, pool = split(given.labels, seed)
        texts, truth = [given.texts[i] for i in pool], np.array([given.labels[i] for i in pool])
        begun = fit(given.texts, given.labels, start)
        out["before"].append(share(begun, given.new, given.truth))
        for way in ("chosen", "random", "most uncertain"):
            more = choose(begun, texts, way, seed)
            after = fit(given.texts, given.labels, [*start, *(pool[i] for i in more)])
            out["right"].setdefault(way, []).append(share(after, given.new, given.truth))
            if way == "chosen":
                before, now = (one.predict(texts) == truth for one in (begun, after))
                out["promised"].append(round(sum(row.gain for row in begun.next(texts, MORE)), 1))
                out["found"].append(int((~before[more]).sum()))
                out["others"].append(int(np.delete(now, more).sum()) - int(np.delete(before, more).sum()))
    return {"labels": len(names), **out}


def fit(texts: Sequence[str], labels: Sequence[str], rows: Sequence[int]) -> Labeller:
    return Labeller(vectors("glove-6b-50d")).fit([texts[i] for i in rows], [labels[i] for i in rows])


def share(labeller: Labeller, texts: Sequence[str], truth: Sequence[str]) -> float:
    return round(100 * float(np.mean(labeller.predict(texts) == np.array(truth))), 2)


def main() -> None:
    results = {}
    for name, sources in unseen_collections().items():
        results[name] = measure(sources)
        print(name, {k: np.mean(v) for k, v in results[name]["right"].items()}, flush=True)
        print(np.mean(results[name]["promised"]), np.mean(results[name]["found"]), flush=True)
        record.write("meaning_next", results)


if __name__ == "__main__":
    main()
