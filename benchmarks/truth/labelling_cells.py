"""The labeller beside what people use, 3, 8 and 20 examples a label: accuracy, calibration, what it promised.

    python -m benchmarks.truth.labelling_cells          # writes results/labelling_cells.json; some minutes

No choice was made on these collections: requests (snips), quips, glosses, docstrings, every other newsgroup and topic
of Reuters, genres of Brown. Requests are whole; the others are cut to 25 words (glosses and quips to 10). All
contenders see the same draws. The data are named as in `short_texts`.
"""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import Draw, Source, brown, draw, newsgroups, reuters, unseen_collections, usable
from benchmarks.truth.meaning import vectors
from lexicloud.labelling import Labeller
from lexicloud.vectors.static_embeddings import load_static_embeddings

SNIPS = record.SHARED / "intents" / "snips.csv"
EXAMPLES = (3, 8, 20)
DRAWS = 3
TESTS = 150  # texts to label in a draw
OURS = "lexicloud"


def requests(n: int, seed: int) -> Draw:
    """Requests to an assistant by intent, whole as people wrote them."""
    with SNIPS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    text, label = (next(c for c in rows[0] if c.lower() in names) for names in (TEXT, LABEL))
    rng = np.random.default_rng([seed, n])
    learn, new = [], []
    for name in sorted({row[label] for row in rows}):
        own = [row[text] for row in rows if row[label] == name]
        chosen = rng.permutation(len(own))[: n + TESTS // 7]
        learn += [(own[i], name) for i in chosen[:n]]
        new += [(own[i], name) for i in chosen[n:]]
    return Draw(
        [t for t, _ in learn], [c for _, c in learn], [t for t, _ in new], [c for _, c in new], [], []
    )


TEXT, LABEL = {"text", "utterance", "request", "sentence"}, {"label", "intent"}


def cuts(sources: Sequence[Source], words: int) -> Callable[[int, int], Draw]:
    """Return what draws texts of some words."""

    def drawn(n: int, seed: int) -> Draw:
        labels = usable(sources, n, words)
        return draw(sources, labels, n, words, max(4, TESTS // len(labels)), seed)

    return drawn


@cache
def collections() -> dict[str, Callable[[int, int], Draw]]:
    """Return what draws each collection."""
    topics = reuters()
    other = set(sorted({source.label for source in topics})[1::2])
    found: dict[str, Callable[[int, int], Draw]] = {"requests (snips)": requests}
    for name, sources in unseen_collections().items():
        found[name] = cuts(sources, 25 if "SciPy" in name else 10)
    found["newsgroups"] = cuts(newsgroups(), 25)
    found["topics (Reuters)"] = cuts([source for source in topics if source.label in other], 25)
    found["genres (Brown)"] = cuts(brown(), 25)
    return found


# ---- the contenders


def logistic(known: Any, labels: Sequence[str], new: Any) -> tuple[Any, Any]:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=10.0, max_iter=500).fit(known, labels)
    P = model.predict_proba(new)
    return model.classes_[P.argmax(axis=1)], P.max(axis=1)


def contenders(given: Draw) -> dict[str, tuple[Any, Any]]:
    """Return the guesses of each, and how sure it is of them."""
    from scipy import sparse
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.svm import LinearSVC

    table = TfidfVectorizer(sublinear_tf=True)
    known, new = table.fit_transform(given.texts), table.transform(given.new)
    model = load_static_embeddings()
    a, b = model.encode(given.texts), model.encode(given.new)
    names = np.unique(given.labels)
    centres = np.array([a[np.array(given.labels) == name].mean(axis=0) for name in names])
    cosines = b @ (centres / np.linalg.norm(centres, axis=1, keepdims=True)).T
    both = [sparse.hstack([words, meant]).tocsr() for words, meant in ((known, a), (new, b))]
    return {
        "tf-idf + embeddings, logistic": logistic(both[0], given.labels, both[1]),
        "embeddings, logistic": logistic(a, given.labels, b),
        "nearest centroid": (names[cosines.argmax(axis=1)], None),
        "tf-idf, logistic": logistic(known, given.labels, new),
        "tf-idf, SVM": (LinearSVC().fit(known, given.labels).predict(new), None),
    }


def error_of_calibration(sure: Any, right: Any, bins: int = 10) -> float:
    """Return the mean distance of what was said from what was right, over bins of what was said."""
    places = np.minimum((sure * bins).astype(int), bins - 1)
    some = [places == k for k in range(bins) if (places == k).any()]
    return float(sum(abs(sure[s].mean() - right[s].mean()) * s.mean() for s in some))


def cell(make: Callable[[int, int], Draw], n: int) -> dict[str, Any]:
    """Measure all contenders on the same draws."""
    right: dict[str, list[Any]] = {}
    sure: dict[str, list[Any]] = {}
    promised, labels = [], 0
    for seed in range(DRAWS):
        given = make(n, seed)
        truth, labels = np.array(given.truth), len(set(given.labels))
        ours = Labeller(vectors("glove-6b-50d")).fit(given.texts, given.labels)
        P = ours.predict_proba(given.new)
        found = {OURS: (ours.classes_[P.argmax(axis=1)], P.max(axis=1)), **contenders(given)}
        for name, (guess, certain) in found.items():
            right.setdefault(name, []).append(guess == truth)
            if certain is not None:
                sure.setdefault(name, []).append(certain)
        low, high = ours.accuracy_interval_
        promised.append([round(x, 3) for x in (ours.accuracy_, low, high, float(right[OURS][-1].mean()))])
    return {
        "labels": labels,
        "right": {k: [round(100 * float(v.mean()), 2) for v in values] for k, values in right.items()},
        "calibration error": {
            k: round(error_of_calibration(np.concatenate(v), np.concatenate(right[k])), 4)
            for k, v in sure.items()
        },
        "promised, low, high, true": promised,
    }


def main() -> None:
    warnings.simplefilter("ignore")
    results: dict[str, Any] = {"draws": DRAWS, "cells": []}
    for name, make in collections().items():
        for n in EXAMPLES:
            found = cell(make, n)
            results["cells"].append({"collection": name, "examples": n, **found})
            print(name, n, {k: round(float(np.mean(v)), 1) for k, v in found["right"].items()}, flush=True)
            print("  ", found["calibration error"], found["promised, low, high, true"], flush=True)
            record.write("labelling_cells", results)


if __name__ == "__main__":
    main()
