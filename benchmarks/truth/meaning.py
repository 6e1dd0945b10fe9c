"""What word vectors add where texts are short and examples few, against the number of words.

Each cell is a collection, a number of examples a label, and a length. All contenders see the same draws.
`python -m benchmarks.truth.meaning` measures the collections that we looked at on the way (results/meaning.json);
`python -m benchmarks.truth.meaning unseen` those kept for the end (results/meaning_unseen.json); `python -m
benchmarks.make.meaning_page` makes docs/meaning-measured.md of both. LEXICLOUD_POTION names a model2vec folder to be
among the peers. "All rows seen" is the labeller that learns from the unlabelled texts of the table, too: those to be
labelled and up to 1,000 more; nobody else sees these.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import Draw, Source, collections, draw, unseen_collections, usable
from lexicloud.labelling import Labeller
from lexicloud.labelling.evidence import KINDS
from lexicloud.text import stopwords, tokenize
from lexicloud.vectors import WordVectors, load_vectors

LENGTHS = {"meaning": (25, 50, 100, 300), "meaning_unseen": (10, 25, 50, 100, 300)}
DRAWS = 6
TESTS = 12
ROWS = 1000
SEEN = "lexicloud, all rows seen"

Predict = Callable[[Draw], Any]


@cache
def vectors(name: str) -> WordVectors:
    return load_vectors(None if name == "glove-6b-50d" else name)


@cache
def no_vectors() -> WordVectors:
    """A table without any word: the same labeller with its vectors off."""
    return WordVectors.from_dict({"\N{ZERO WIDTH SPACE}": [1.0]}, "none")


def tfidf(given: Draw) -> tuple[Any, Any]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = TfidfVectorizer(sublinear_tf=True)
    return table.fit_transform(given.texts), table.transform(given.new)


def tfidf_logistic(given: Draw) -> Any:
    from sklearn.linear_model import LogisticRegression

    known, new = tfidf(given)
    return LogisticRegression(C=10.0, max_iter=500).fit(known, given.labels).predict(new)


def tfidf_svm(given: Draw) -> Any:
    from sklearn.svm import LinearSVC

    known, new = tfidf(given)
    return LinearSVC().fit(known, given.labels).predict(new)


def complement_bayes(given: Draw) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import ComplementNB

    table = CountVectorizer()
    known = table.fit_transform(given.texts)
    return ComplementNB().fit(known, given.labels).predict(table.transform(given.new))


def mean_logistic(given: Draw) -> Any:
    """Logistic regression on the mean of the same vectors, stop words left out, as people do it."""
    return _logistic(_means(given.texts), given.labels, _means(given.new))


def _means(texts: Sequence[str]) -> Any:
    table, stop, out = vectors("glove-6b-50d"), stopwords(), []
    for text in texts:
        words = [token.lower() for token in tokenize(text) if token.lower() not in stop]
        found = table.lookup(words or ["the"])
        out.append(
            found.matrix[found.status > 0].mean(axis=0) if found.status.any() else np.zeros(table.dimension)
        )
    return np.array(out)


def _logistic(known: Any, labels: Sequence[str], new: Any) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler, normalize

    scale = StandardScaler().fit(normalize(known))
    known, new = scale.transform(normalize(known)), scale.transform(normalize(new))
    return LogisticRegression(C=0.1, max_iter=500).fit(known, labels).predict(new)


@cache
def potion() -> Any:
    from model2vec import StaticModel

    return StaticModel.from_pretrained(os.environ["LEXICLOUD_POTION"])


def potion_logistic(given: Draw) -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import normalize

    known, new = (normalize(potion().encode(texts)) for texts in (given.texts, given.new))
    return LogisticRegression(C=10.0, max_iter=500).fit(known, given.labels).predict(new)


PEERS: dict[str, Predict] = {
    "tf-idf + logistic": tfidf_logistic,
    "tf-idf + SVM": tfidf_svm,
    "complement naive Bayes": complement_bayes,
    "mean vectors + logistic": mean_logistic,
}


def peers() -> dict[str, Predict]:
    return PEERS | ({"potion + logistic": potion_logistic} if os.environ.get("LEXICLOUD_POTION") else {})


def cell(sources: Sequence[Source], n: int, words: int) -> dict[str, Any] | None:
    """Measure all contenders in one cell, draw by draw."""
    labels = usable(sources, n, words)
    if len(labels) < 3:
        return None
    right: dict[str, list[float]] = {}
    sure: dict[str, list[Any]] = {"": [], "files told": [], "rows": []}
    seconds = longer = 0.0
    for seed in range(DRAWS):
        given = draw(sources, labels, n, words, TESTS, seed, ROWS)
        truth = np.array(given.truth)
        start = time.process_time()
        labeller = Labeller(vectors("glove-6b-50d")).fit(given.texts, given.labels)
        seconds += time.process_time() - start
        told = labeller
        if len(set(given.files)) < len(given.files):
            told = Labeller(vectors("glove-6b-50d")).fit(given.texts, given.labels, given.files)
        start = time.process_time()
        seen = Labeller(vectors("glove-6b-50d")).fit(given.texts, given.labels, unlabelled=given.unlabelled)
        longer += time.process_time() - start
        for name, one in (("", labeller), ("files told", told), ("rows", seen)):
            P = one.predict_proba(given.new)
            sure[name].append((P.max(axis=1), one.classes_[P.argmax(axis=1)] == truth))
        guesses = {"lexicloud": labeller.predict(given.new), **parts(labeller, given.new)}
        guesses[SEEN] = seen.predict(given.new)
        guesses["without vectors"] = Labeller(no_vectors()).fit(given.texts, given.labels).predict(given.new)
        guesses |= {name: predict(given) for name, predict in peers().items()}
        for name, guess in guesses.items():
            right.setdefault(name, []).append(round(100 * float(np.mean(guess == truth)), 2))
    return {
        "labels": len(labels),
        "right": {name: values for name, values in right.items() if name not in KINDS},
        "parts": {name: right[name] for name in KINDS},
        "calibration": calibration(*np.concatenate(sure[""], axis=1)),
        "calibration, files told": calibration(*np.concatenate(sure["files told"], axis=1)),
        "calibration, all rows seen": calibration(*np.concatenate(sure["rows"], axis=1)),
        "seconds to fit": round(seconds / DRAWS, 3),
        "seconds to fit, all rows seen": round(longer / DRAWS, 3),
    }


def parts(labeller: Labeller, texts: Sequence[str]) -> dict[str, Any]:
    """Return what each kind of evidence would say alone."""
    kinds = labeller.kind_scores(texts)
    return {name: labeller.classes_[scores.argmax(axis=1)] for name, scores in kinds.items()}


def calibration(sure: Any, hits: Any) -> list[dict[str, float]]:
    """Return how often answers of each probability are right, in five bins."""
    out = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (sure >= low) & ((sure < low + 0.2) | (low == 0.8))
        if inside.any():
            mean, right = float(sure[inside].mean()), float(hits[inside].mean())
            out.append({"said": round(mean, 3), "right": round(right, 3), "texts": int(inside.sum())})
    return out


def main(topic: str) -> None:
    """Measure every cell that is not in the results yet; delete the results to begin anew."""
    results: dict[str, Any] = {"draws": DRAWS, "tests a label": TESTS, "cells": []}
    if (record.RESULTS / f"{topic}.json").is_file():
        results = json.loads((record.RESULTS / f"{topic}.json").read_text(encoding="utf-8"))["results"]
    done = {(c["collection"], c["examples"], c["words"]) for c in results["cells"]}
    found_here = collections() if topic == "meaning" else unseen_collections()
    for words in LENGTHS[topic]:
        for n in (3, 8, 30):
            for name, sources in found_here.items():
                found = None if (name, n, words) in done else cell(sources, n, words)
                if found is not None:
                    results["cells"].append({"collection": name, "examples": n, "words": words, **found})
                    means = {k: round(float(np.mean(v)), 1) for k, v in found["right"].items()}
                    print(name, n, words, means, flush=True)
                    record.write(topic, results)


if __name__ == "__main__":
    main("meaning_unseen" if "unseen" in sys.argv[1:] else "meaning")
