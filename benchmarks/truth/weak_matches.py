"""Is the weak-match line where it says? Weak called right, and right called weak, collection by collection.

Queries of one collection are asked of another, where nothing answers them: a find above the line there is *weak called
right*, and no more than one in twenty should be. Queries asked of their own collection, whose right answers are known,
show the price: a right first answer below the line is *right called weak*. The levels of the line were chosen on the
collections of the first group; those of the second were looked at afterwards. Pairs that share their topics are told
apart: there a find may be right. Collections are those of `relevance_ranking` that need no download, and requests of
`snips`; `python -m benchmarks.truth.weak_matches`.
"""

from __future__ import annotations

import csv
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks import record
from benchmarks.truth import relevance
from benchmarks.truth.relevance import Task
from benchmarks.truth.relevance_ranking import (
    NUMPY,
    PANDAS,
    documentation,
    drawn,
    headlines,
    parts_of,
    passages,
    topics,
)
from lexicloud.search import SentenceIndex

TEXTS = 5_000
QUERIES = 60
ALIKE: Final = ({"headlines", "Reuters"}, {"numpy", "pandas"}, {"scipy", "sklearn"})


def requests() -> Task:
    """A request must find one of the same intent."""
    with (record.SHARED / "intents" / "snips.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    random.Random(0).shuffle(rows)
    pool, asked = rows[:TEXTS], rows[TEXTS : TEXTS + 4 * QUERIES]
    right = [[i for i, own in enumerate(pool) if own["label"] == row["label"]] for row in asked]
    return drawn("requests", [row["text"] for row in pool], [row["text"] for row in asked], right)


def chosen_on() -> dict[str, Task]:
    """Return the collections that the levels were chosen on."""
    ours = {task.name: task for task in relevance.tasks(600)}
    return {
        "novels": ours["paragraph"],
        "headlines": ours["headline"],
        "requests": requests(),
        "RACE dev": passages("dev"),
        "Reuters": headlines(),
        "numpy": documentation("numpy", NUMPY),
        "pandas": documentation("pandas", PANDAS),
    }


def held_out() -> dict[str, Task]:
    """Return the collections that were looked at afterwards; novels and RACE both tell stories."""
    return {
        "scipy": documentation("scipy", parts_of("scipy")),
        "sklearn": documentation("sklearn", parts_of("sklearn")),
        "RACE train": passages("train"),
        "Reuters topics": topics(),
    }


def above(index: SentenceIndex, queries: list[str], **options: Any) -> float | None:
    """Return the share of queries with a line whose best find is above it."""
    found = [index.search(query, top=1, syntax=False, **options) for query in queries]
    said = [not best[0].weak for best in found if best and best[0].weak is not None]
    return float(np.mean(said)) if said else None


def right_called_weak(index: SentenceIndex, task: Task, **options: Any) -> float | None:
    """Return the share of right first answers that are said to be weak matches."""
    said = []
    for query, right in list(zip(task.queries, task.right, strict=True))[: 4 * QUERIES]:
        found = [s for s in index.search(query, top=2, syntax=False, **options) if not s.same][:1]
        if found and found[0].weak is not None and int(found[0].id) in right:
            said.append(bool(found[0].weak))
    return round(float(np.mean(said)), 3) if said else None


def measured(tasks: dict[str, Task], **options: Any) -> dict[str, Any]:
    """Measure both errors on a group of collections."""
    indexes = {name: SentenceIndex.build(list(task.pool)[:TEXTS]) for name, task in tasks.items()}
    weak = {name: right_called_weak(indexes[name], task, **options) for name, task in tasks.items()}
    shares: dict[str, dict[str, float]] = {name: {} for name in tasks}
    for asked, task in tasks.items():
        for name in set(tasks) - {asked}:
            share = above(indexes[name], task.queries[:QUERIES], **options)
            if share is not None:
                shares[asked][name] = round(share, 3)
    apart = [(s, {a, b} in ALIKE) for a, row in shares.items() for b, s in row.items()]
    foreign = [share for share, alike in apart if not alike]
    return {
        "right_called_weak": weak,
        "weak_called_right": round(float(np.mean(foreign)), 4),
        "highest_weak_called_right": max(foreign),
        "where_topics_are_shared": [share for share, alike in apart if alike],
        "above_the_line": shares,
    }


def run() -> dict[str, Any]:
    """Measure both groups, with embeddings and by words alone."""
    groups: dict[str, Callable[[], dict[str, Task]]] = {"chosen on": chosen_on, "held out": held_out}
    result: dict[str, Any] = {}
    for name, make in groups.items():
        tasks = make()
        result[name] = measured(tasks)
        result[f"{name}, words alone"] = measured(tasks, dense=None)
        print(name, result[name], file=sys.stderr, flush=True)
    return result


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    found = run()
    print(found)
    record.write("weak_matches", found)
