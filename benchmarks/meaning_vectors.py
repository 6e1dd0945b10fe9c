"""The labeller with other vectors: built in (50-d), GloVe 100-d and 300-d where they were fetched; none at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.meaning import DRAWS, TESTS, no_vectors, vectors
from benchmarks.short_texts import collections, draw, usable
from lexicloud.errors import VectorsError
from lexicloud.labelling import Labeller
from lexicloud.vectors import WordVectors

CELLS = [(3, 25), (8, 50), (8, 100)]
NAMES = ["glove-6b-50d", "glove-100d", "glove-840b-300d-34k"]


def tables() -> dict[str, WordVectors]:
    found = {"none": no_vectors()}
    for name in NAMES:
        try:
            found[name] = vectors(name)
        except VectorsError as error:
            print(error)
    return found


def main() -> None:
    results: list[dict[str, Any]] = []
    for collection, sources in collections().items():
        for n, words in CELLS:
            right: dict[str, list[float]] = {}
            for seed in range(DRAWS):
                given = draw(sources, usable(sources, n, words), n, words, TESTS, seed)
                for name, table in tables().items():
                    guess = Labeller(table).fit(given.texts, given.labels).predict(given.new)
                    right.setdefault(name, []).append(100 * float(np.mean(guess == np.array(given.truth))))
            means = {name: round(float(np.mean(v)), 1) for name, v in right.items()}
            print(collection, n, words, means, flush=True)
            results.append({"collection": collection, "examples": n, "words": words, "right": right})
            record.write("meaning_vectors", {"cells": results})


if __name__ == "__main__":
    main()
