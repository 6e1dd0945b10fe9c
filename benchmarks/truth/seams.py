"""Seams: texts of 20,000 words spliced from two authors, and as many by one, with known hands and without.

    python -m benchmarks.truth.seams                # half of the authors that nothing was chosen on
    python -m benchmarks.truth.seams books --texts 20

`rolling` is given a model of all authors of the half, trained without the spliced texts; `drift` is given nothing.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.authors import REPORTED_ON, folds, load, names, passage
from benchmarks.record import earlier, write
from lexicloud.authorship import drift, rolling, train
from lexicloud.corpus import Corpus
from lexicloud.text import tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORDS = 20_000
NEAR = 500


def joins(
    corpus: Corpus, tested: NDArray[Any], number: int, rng: np.random.Generator
) -> list[tuple[str, int | None, tuple[str, ...]]]:
    """Return texts, after how many tokens they are joined (None for one hand), and their hands in order."""
    labels = [str(label) for label in corpus.labels or ()]
    long = [int(i) for i in tested if corpus.lengths[i] >= WORDS]
    found: list[tuple[str, int | None, tuple[str, ...]]] = []

    def text(row: int, words: int) -> str:
        return " ".join(corpus.vocabulary[int(t)] for t in passage(corpus.tokens(row), words, rng))

    while len(found) < 2 * number:
        a, b = (int(i) for i in rng.choice(long, 2, replace=False))
        at = int(rng.integers(WORDS // 4, 3 * WORDS // 4))
        first, second = text(a, at), text(b, WORDS - at)
        # Spaces between all words make a few more tokens of them.
        found.append((f"{first} {second}", len(tokenize(first, corpus.rules)), (labels[a], labels[b])))
        found.append((text(a, WORDS), None, (labels[a],)))
    return found


def nearest(places: list[int], at: int) -> float:
    """Return how far the nearest place is; infinity where there is none."""
    return float(min((abs(place - at) for place in places), default=np.inf))


def summary(rows: list[tuple[list[int], int | None]]) -> dict[str, Any]:
    """Return how near the seams are that were found, and how many texts by one hand have one."""
    spliced = np.array([nearest(places, at) for places, at in rows if at is not None])
    whole = [len(places) for places, at in rows if at is None]
    return {
        "spliced": len(spliced),
        "median error, words": round(float(np.median(spliced)), 0)
        if np.isfinite(np.median(spliced))
        else None,
        f"within {NEAR} words, %": round(100 * float((spliced <= NEAR).mean()), 1),
        "none found, %": round(100 * float(np.isinf(spliced).mean()), 1),
        "by one hand": len(whole),
        "with a false seam, %": round(100 * float(np.mean([n > 0 for n in whole])), 1),
    }


def measure(name: str, number: int) -> dict[str, Any]:
    """Look for the seams of one collection."""
    corpus, rng = load(name, REPORTED_ON), np.random.default_rng(0)
    known, tested = next(iter(folds([str(label) for label in corpus.labels or ()])))
    model = train(corpus.subset([corpus.names[i] for i in known]))
    found: dict[str, list[Any]] = {"rolling": [], "drift": []}
    named = []
    for text, at, hands in joins(corpus, tested, number, rng):
        rolled = rolling(text, model)
        found["rolling"].append(([seam.position for seam in rolled.seams], at))
        named.append(rolled.hands == hands)
        one = Corpus.from_texts({"text": text}, vectors="none", rules=corpus.rules)
        changes = drift(one, "text", method="jensen-shannon").seams
        found["drift"].append(([seam.position for seam in changes], at))
    return {
        "candidates": len(model.classes),
        **{method: summary(rows) for method, rows in found.items()},
        "rolling names all hands right, %": round(100 * float(np.mean(named)), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collections", nargs="*", default=[n for n in names() if n != "sotu"])
    parser.add_argument(
        "--texts", type=int, default=15, help="spliced texts of each collection, and as many whole"
    )
    options = parser.parse_args()
    for name in options.collections:
        found = measure(name, options.texts)
        print(name, found, flush=True)
        write("seams", earlier("seams") | {name: found})


if __name__ == "__main__":
    main()
