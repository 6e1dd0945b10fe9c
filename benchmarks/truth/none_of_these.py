"""How many texts "none of these" holds back: of known labels, of labels left out, and of another collection."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import Source, draw, unseen_collections, usable
from lexicloud.labelling import Labeller
from lexicloud.vectors import load_vectors

CELLS = [(3, 25), (8, 50)]
DRAWS = 3
TESTS = 12
SHARES = (0.05, 0.1)


def held_back(sources: list[Source], strangers: list[Source], n: int, words: int) -> dict[str, Any]:
    """Return the share of texts that fit no better than each share of the examples, by where the texts come from."""
    labels = usable(sources, n, words)
    known, siblings = labels[0::2], labels[1::2]
    found: dict[str, list[float]] = {"known": [], "siblings": [], "strangers": []}
    for seed in range(DRAWS):
        given = draw(sources, known, n, words, TESTS, seed)
        labeller = Labeller(load_vectors()).fit(given.texts, given.labels)
        others = draw(sources, siblings, n, words, TESTS, seed).new
        foreign = draw(strangers, usable(strangers, n, words), n, words, TESTS, seed).new
        for kind, texts in (("known", given.new), ("siblings", others), ("strangers", foreign)):
            found[kind] += [answer.fit for answer in labeller.label(texts)]
    return {
        kind: {str(share): round(100 * float(np.mean(np.array(fits) <= share)), 1) for share in SHARES}
        | {"texts": len(fits)}
        for kind, fits in found.items()
    }


def main() -> None:
    here = unseen_collections()
    results = {}
    for name, other in (("quips (fortune)", "docstrings (SciPy)"), ("docstrings (SciPy)", "quips (fortune)")):
        if name in here and other in here:
            for n, words in CELLS:
                results[f"{name}, {n} examples, {words} words"] = held_back(here[name], here[other], n, words)
                print(name, n, words, results[f"{name}, {n} examples, {words} words"], flush=True)
    record.write("none_of_these", results)


if __name__ == "__main__":
    main()
