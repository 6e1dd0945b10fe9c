"""Vectors trained on one's own texts: quality on held-out text and time beside gensim's fastText; where new words land.

Texts are those of Brown. Quality is what `train_vectors` reports: how often two neighbouring words of held-out text are
nearer than a pair drawn at random. With `start`, known words are hidden and placed by their contexts; then the rank of
the true vector's word among the 50,000 most frequent ones is taken. The argument `fasttext` takes
a minute more, for gensim's.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.short_texts import brown
from lexicloud.vectors import WordVectors, load_vectors
from lexicloud.vectors.cooccurrence import (
    TrainOptions,
    WordStream,
    learn,
    neighbour_score,
    pairs,
    place,
    ppmi,
    train,
)

HIDDEN = 0.15
RANKED = 50_000
NEAREST = 100
OFTEN = 20  # occurrences


def texts() -> tuple[list[list[str]], list[list[str]]]:
    """Return the texts to learn from, and every tenth file."""
    files = [[token.lower() for token in source.tokens] for source in brown()]
    return [f for i, f in enumerate(files) if i % 10], files[::10]


def fasttext(known: list[list[str]], options: TrainOptions) -> WordVectors:
    from gensim.models import FastText

    model = FastText(
        known,
        vector_size=options.dimension,
        window=options.window,
        min_count=options.least_count,
        epochs=5,
        workers=1,
        seed=0,
        sg=1,
        bucket=100_000,
        min_n=3,
        max_n=5,
    )
    return WordVectors(list(model.wv.index_to_key), model.wv.vectors, "fastText")


def quality() -> dict[str, Any]:
    """Return the held-out score and the seconds of each way to train, and the score of the built-in vectors."""
    options = TrainOptions()
    known, held = texts()
    stream = WordStream.of(held, TrainOptions(least_count=1))
    out: dict[str, Any] = {}
    ways = {"PPMI and SVD": train} | ({"fastText (gensim)": fasttext} if "fasttext" in sys.argv[1:] else {})
    for name, way in ways.items():
        start = time.process_time()
        vectors = way(known, options)
        seconds = time.process_time() - start
        found = neighbour_score(vectors, stream, options.window, 0)
        out[name] = {"score": found.value, "interval": found.interval, "seconds": round(seconds, 1)}
    found = neighbour_score(load_vectors(), stream, options.window, 0)
    out["built in"] = {"score": found.value, "interval": found.interval}
    return out


def hidden_words() -> dict[str, Any]:
    """Return the share of hidden words that land among the nearest to their place, by how often they occur."""
    known, held = texts()
    base = load_vectors()
    stream = WordStream.of([*known, *held], TrainOptions(dimension=base.dimension))
    matrix = ppmi(pairs(stream, 5))
    found = base.lookup(stream.words)
    rows = base.rows.find_many(stream.words)
    there = found.status == 1
    hidden = there & (np.random.default_rng(0).random(len(there)) < HIDDEN) & (rows < RANKED)
    ways = {
        "contexts by PPMI, mapped": place(matrix, stream.counts, found.matrix, there & ~hidden),
        "trained, then rotated": rotated(
            learn(matrix, base.dimension, 0), found.matrix, np.flatnonzero(there & ~hidden)
        ),
    }
    top = unit(np.asarray(base.matrix[:RANKED], dtype=np.float32))
    out: dict[str, Any] = {}
    for name, placed in ways.items():
        for often in (False, True):
            some = np.flatnonzero(hidden & ((stream.counts >= OFTEN) == often))
            cosines = unit(placed[some]) @ top.T
            rank = (cosines > cosines[np.arange(len(some)), rows[some]][:, None]).sum(axis=1)
            share = round(100 * float((rank < NEAREST).mean()), 1)
            out.setdefault(name, {})["often" if often else "rare"] = {"share": share, "words": len(some)}
    return out


def rotated(vectors: Any, true: Any, known: Any) -> Any:
    """Turn trained vectors onto the old ones (Procrustes)."""
    from scipy.linalg import orthogonal_procrustes

    turn, _ = orthogonal_procrustes(unit(vectors)[known], unit(true)[known])
    return unit(vectors) @ turn


def unit(vectors: Any) -> Any:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def main() -> None:
    results = {"quality": quality(), "hidden words": hidden_words()}
    print(results)
    record.write("meaning_training", results)


if __name__ == "__main__":
    main()
