"""Labels in other languages than English: with the English vectors and embeddings, and without them.

    python -m benchmarks.truth.labelling_languages     # writes results/labelling_languages.json; some minutes

Passages of 40 words of eight novels by as many authors; the label is the author. Examples are from the first half
of a novel, the texts to label from its second half.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.authors import LANGUAGES, novels
from lexicloud.labelling import Labeller
from lexicloud.text import TokenRules

COLLECTIONS = ("deu", "fra", "cze", "ukr")
EXAMPLES = (3, 8, 20)
DRAWS = 2
WORDS, TESTS, AUTHORS = 40, 20, 8
# What the labeller is given; "own" is what it takes by itself.
GIVEN: dict[str, dict[str, Any]] = {
    "English vectors and embeddings": {"vectors": "glove-6b-50d", "embeddings": "wordllama"},
    "own": {},
}


def draw(books: dict[str, list[str]], n: int, seed: int) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return examples, their labels, new texts and theirs."""
    rng = np.random.default_rng([seed, n])
    examples, labels, new, truth = [], [], [], []
    for author, words in books.items():
        half = len(words) // 2
        for i in rng.integers(0, half - WORDS, size=n):
            examples.append(" ".join(words[i : i + WORDS]))
            labels.append(author)
        for i in rng.integers(half, len(words) - WORDS, size=TESTS):
            new.append(" ".join(words[i : i + WORDS]))
            truth.append(author)
    return examples, labels, new, truth


def main() -> None:
    warnings.simplefilter("ignore")
    results: dict[str, Any] = {}
    for name in COLLECTIONS:
        books: dict[str, list[str]] = {}
        for _, author, text in novels(name):
            books.setdefault(author, text.split())
        books = dict(sorted(books.items())[:AUTHORS])
        for n in EXAMPLES:
            right = defaultdict(list)
            for seed in range(DRAWS):
                examples, labels, new, truth = draw(books, n, seed)
                for kind, given in GIVEN.items():
                    labeller = Labeller(rules=TokenRules(language=LANGUAGES[name]), **given)
                    found = labeller.fit(examples, labels).predict(new)
                    right[kind].append(round(100 * float(np.mean(found == np.array(truth))), 1))
            results[f"{LANGUAGES[name]}, {n}"] = dict(right)
            print(name, n, dict(right), flush=True)
            record.write("labelling_languages", results)


if __name__ == "__main__":
    main()
