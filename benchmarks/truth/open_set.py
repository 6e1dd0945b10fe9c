"""Who wrote it, or none of these: passages by candidates and by strangers, asked of trained models.

    python -m benchmarks.truth.open_set             # all collections that are here
    python -m benchmarks.truth.open_set books deu   # some of them
    python -m benchmarks.truth.open_set --small 16  # small libraries: four candidates of two texts each

The curve to which a library's own is held is, for each collection, the one fitted on the other four (`OTHERS`). Half of
the authors, drawn at random, are candidates, one text of each left out of training and asked about; the others are
strangers. "kept": of the passages whose first candidate is right, the share that is not called "none of these".
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.authors import load_all, names, over_texts, passage
from benchmarks.record import earlier, write
from lexicloud.authorship import open_set, train
from lexicloud.authorship.features import WordTable

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus

SIZES = (1000, 3000, 10_000)
WHOLE = 0  # stands for whole texts, which are asked about as a user does
PASSAGES = 2
MOST = 40  # texts by strangers in a split
# Intercept, weight of the lead and weight of the cosine, fitted on the splits 0 to 3 of the other four collections.
OTHERS = {
    "books": (-1.09, 0.51, 0.84),
    "deu": (-0.90, 0.43, 0.81),
    "fra": (-1.16, 0.57, 0.79),
    "spa": (-1.01, 0.46, 0.75),
    "sotu": (-1.16, 0.29, 0.90),
}
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)


def split(corpus: Corpus, seed: int) -> tuple[list[int], list[int], list[int]]:
    """Return known texts, left-out texts of the same authors, and texts by strangers."""
    labels, rng = [str(label) for label in corpus.labels or ()], np.random.default_rng(seed)
    members = {a: [i for i, label in enumerate(labels) if label == a] for a in sorted(set(labels))}
    known, asked = [], []
    several = [a for a, rows in members.items() if len(rows) > 1]
    single = [a for a in members if a not in set(several)]
    chosen = {
        *rng.permutation(several)[: (len(several) + 1) // 2],
        *rng.permutation(single)[: len(single) // 2],
    }
    for author in sorted(chosen):
        rows = list(rng.permutation(members[author]))
        asked += rows[:1] if len(rows) > 1 else []
        known += rows[1:] if len(rows) > 1 else rows
    strangers = rng.permutation([i for i, label in enumerate(labels) if label not in chosen])[:MOST]
    return sorted(map(int, known)), sorted(map(int, asked)), sorted(map(int, strangers))


def small_split(corpus: Corpus, seed: int) -> tuple[list[int], list[int], list[int]]:
    """Return two known texts of each of four authors, a third of each to ask about, and eight texts by strangers."""
    labels, rng = [str(label) for label in corpus.labels or ()], np.random.default_rng(seed)
    members = {a: [i for i, label in enumerate(labels) if label == a] for a in sorted(set(labels))}
    chosen = rng.permutation([a for a, rows in members.items() if len(rows) > 2])[:4].tolist()
    known, asked = [], []
    for author in chosen:
        rows = rng.permutation(members[author]).tolist()
        known += rows[:2]
        asked += rows[2:3]
    strangers = rng.permutation([i for i, label in enumerate(labels) if label not in chosen])[:8].tolist()
    return sorted(known), sorted(asked), sorted(strangers)


def answers(
    corpus: Corpus, seed: int, cut: Any = None
) -> dict[int, list[tuple[int, bool, bool, float, float]]]:
    """Return for each length: the text, whether its author is a candidate, whether the first is right, its
    probability, and that of none.
    """
    known, asked, strangers = (cut or split)(corpus, seed)
    model, table = train(corpus.subset([corpus.names[i] for i in known])), WordTable.of(corpus)
    labels, rng = [str(label) for label in corpus.labels or ()], np.random.default_rng(seed)
    found = {}
    for size in SIZES:
        rows = [i for i in [*asked, *strangers] for _ in range(PASSAGES) if corpus.lengths[i] >= size]
        if not rows:
            continue
        chances = model.probabilities(table.counting([passage(corpus.tokens(i), size, rng) for i in rows]))
        best = chances[:, :-1].argmax(axis=1)
        found[size] = [
            (i, i in set(asked), model.classes[b] == labels[i], float(p[b]), float(p[-1]))
            for i, b, p in zip(rows, best, chances, strict=True)
        ]
    texts = [*asked, *strangers]
    whole = model.attribute_tokens(corpus.subset([corpus.names[i] for i in texts]), evidence=0)
    by_name = {answer.name: answer for answer in whole}
    found[WHOLE] = []
    for i in texts:
        first, sure = next(iter(by_name[corpus.names[i]].probabilities.items()))
        found[WHOLE].append((i, i in set(asked), first == labels[i], sure, by_name[corpus.names[i]].none))
    return found


def summary(rows: list[tuple[int, bool, bool, float, float]]) -> dict[str, Any]:
    """Return the shares of strangers told, of right answers kept, and how far probabilities can be believed."""
    text, there, right, sure, none = (np.array(column) for column in zip(*rows, strict=True))
    held = none > 0.5
    shares = {
        "strangers told": over_texts(held[~there], text[~there]),
        "kept": over_texts(~held[there & right], text[there & right]),
        "right, author there": over_texts((right & ~held)[there], text[there]),
        "first candidate right": over_texts(right[there], text[there]),
    }
    reliability: dict[str, list[float]] = {}
    # As many strangers as the probabilities take for granted.
    balance = np.where(there, open_set.KNOWN / there.sum(), (1 - open_set.KNOWN) / (~there).sum())
    for low, high in pairwise(BINS):
        inside = (sure >= low) & (sure < high if high < 1 else sure <= 1)
        if inside.any():
            weight = balance[inside] / balance[inside].sum()
            stated, true = (round(float(weight @ x[inside]), 2) for x in (sure, right))
            reliability[f"{low}–{high}"] = [stated, true, int(inside.sum())]
    return {"passages": [int(there.sum()), int((~there).sum())], **shares, "reliability": reliability}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=names())
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--small", type=int, help="so many small libraries of each collection instead")
    options = parser.parse_args()
    if options.small:
        results = earlier("open_set")
        for name in options.collections:
            corpus = load_all(name)
            parts = [answers(corpus, seed, small_split) for seed in range(options.small)]
            results[f"{name}, small, 1,000 words"] = summary([row for part in parts for row in part[1000]])
            print(name, results[f"{name}, small, 1,000 words"], flush=True)
        write("open_set", results)
        return
    for name in options.collections:
        corpus = load_all(name)
        open_set.BEFORE = replace(open_set.BEFORE, weights=OTHERS[name])  # type: ignore[misc]
        parts, results = [answers(corpus, seed) for seed in range(options.splits)], earlier("open_set")
        for size in (*SIZES, WHOLE):
            rows = [row for part in parts for row in part.get(size, [])]
            if rows:
                key = f"{name}, {size:,} words" if size else f"{name}, whole"
                results[key] = summary(rows)
                print(key, results[key], flush=True)
        write("open_set", results)


if __name__ == "__main__":
    main()
