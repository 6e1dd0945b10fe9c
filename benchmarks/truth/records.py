"""What weights of text fields are worth, and what `rerank` makes of another engine's best hits.

Fields: a function's name and summary must find the functions that its documentation points to; records have the fields
title (name and summary) and body (the rest), and the record that asks is left out of its own answer. Hits: the best
200 of bm25s with a stemmer, ranked again. nDCG of the first ten; `python -m benchmarks.truth.records`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from time import process_time
from typing import Any

import numpy as np

import lexicloud as lc
from benchmarks import record
from benchmarks.truth.relevance import SHARED, TOP, Task
from benchmarks.truth.relevance_ranking import (
    NUMPY,
    PANDAS,
    REUTERS,
    documentation,
    headlines,
    parts_of,
    passages,
    per_query,
    see_also,
    topics,
)

WEIGHTS = (1, 2, 3, 5, 8)
HITS = 200
ASKED = 40  # queries whose hits are ranked again


def field_tasks() -> Iterator[tuple[str, Task]]:
    """Yield tasks whose texts are a title, a summary and a body, a line break after each of the first two."""
    yield "looked at", see_also("scipy", parts_of("scipy"))
    yield "untouched", see_also("numpy", NUMPY)
    yield "untouched", see_also("pandas", PANDAS)
    yield "untouched", see_also("sklearn", parts_of("sklearn"))


def weighed(task: Task, text: Any) -> float:
    """Return the mean nDCG of records with some weights."""
    split = [text_of.split("\n", 2) for text_of in task.pool]
    records = [
        {"id": i, "title": f"{name} {summary}", "body": body} for i, (name, summary, body) in enumerate(split)
    ]
    own = {record["title"]: record["id"] for record in records}
    index = lc.SentenceIndex.build(records, text=text, meta=[])
    ranked = [
        [found.id for found in index.search(query, top=TOP + 1, syntax=False) if found.id != own.get(query)][
            :TOP
        ]
        for query in task.queries
    ]
    return float(per_query(ranked, task).mean())


def fields() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part, task in field_tasks():
        row: dict[str, Any] = {"part": part, "texts": len(task.pool), "queries": len(task.queries)}
        row |= {"title": weighed(task, "title"), "body": weighed(task, "body")}
        row |= {f"title^{w}": weighed(task, {"title": w, "body": 1}) for w in WEIGHTS}
        found[task.name] = row
        print(
            task.name, {key: round(v, 3) if isinstance(v, float) else v for key, v in row.items()}, flush=True
        )
    return found


# ---- another engine's hits


def hit_tasks() -> Iterator[Task]:
    yield documentation("numpy", NUMPY)
    yield documentation("pandas", PANDAS)
    yield see_also("sklearn", parts_of("sklearn"))
    if (SHARED / "RACE").is_dir():
        yield passages("dev")
    if REUTERS.is_dir():
        yield from (headlines(), topics())


def hits_of(task: Task) -> list[list[int]]:
    """Return the best hits of bm25s with a stemmer."""
    import bm25s
    import Stemmer

    how: dict[str, Any] = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False}
    engine = bm25s.BM25()
    engine.index(bm25s.tokenize(list(task.pool), **how), show_progress=False)
    asked = bm25s.tokenize(list(task.queries), **how, return_ids=False)
    scores = [engine.get_scores(query) if query else np.zeros(len(task.pool)) for query in asked]
    return [np.argsort(-own, kind="stable")[:HITS].tolist() for own in scores]


def ranked_again(task: Task, hits: Sequence[Sequence[int]]) -> list[list[int]]:
    pairs = zip(task.queries, hits, strict=True)
    return [
        [found.id for found in lc.rerank(query, [(i, task.pool[i]) for i in own], top=TOP, syntax=False)]
        for query, own in pairs
    ]


def hits() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for full in hit_tasks():
        task = Task(full.name, full.pool, full.queries[:ASKED], full.right[:ASKED])
        theirs, begun = hits_of(task), process_time()
        rankings = {"rerank": ranked_again(task, theirs), "bm25s, stemmed": [own[:TOP] for own in theirs]}
        row = {"processor seconds a query": (process_time() - begun) / len(task.queries)}
        row |= {name: float(per_query(ranking, task).mean()) for name, ranking in rankings.items()}
        found[task.name] = {"texts": len(task.pool), "queries": len(task.queries), **row}
        print(task.name, {key: round(value, 3) for key, value in row.items()}, flush=True)
    return found


def run() -> dict[str, Any]:
    """Measure both."""
    return {"fields": fields(), "hits": hits()}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(record.write("records", run()))
