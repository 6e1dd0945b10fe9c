"""Is the weak-match line where it says? Weak called right, and right called weak, collection by collection.

Queries of one collection are asked of another, where nothing answers them: a find above the line there is *weak called
right*, and one in twenty should be. Queries asked of their own collection, whose right answers are known, show the
price: a right first answer below the line is *right called weak*. Collections are those of `relevance_ranking`;
`python -m benchmarks.truth.weak_matches`.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import record
from benchmarks.truth.relevance import Task
from benchmarks.truth.relevance_ranking import all_tasks
from lexicloud.search import SentenceIndex

COLLECTIONS = (
    "paragraph",  # sentences of novels
    "headline",
    "STS train",
    "verses KJV → BBE",
    "derived definitions",
    "programming questions",
    "CWE: name → weakness",
    "CVE → CVEs of its weakness",
    "scipy: summary → documentation",
    "RACE train: question → passage",
)
TEXTS = 5_000
QUERIES = 60


def above(index: SentenceIndex, queries: list[str]) -> list[bool]:
    """Tell for each query whose best find has a line whether it is above it."""
    found = [index.search(query, top=1, syntax=False) for query in queries]
    return [not best[0].weak for best in found if best and best[0].weak is not None]


def right_called_weak(index: SentenceIndex, task: Task) -> float | None:
    """Return the share of right first answers that are said to be weak matches."""
    said = []
    for query, right in list(zip(task.queries, task.right, strict=True))[: 4 * QUERIES]:
        found = [s for s in index.search(query, top=2, syntax=False) if not s.same][:1]
        if found and found[0].weak is not None and int(found[0].id) in right:
            said.append(bool(found[0].weak))
    return round(float(np.mean(said)), 3) if said else None


def run(folder: Path) -> dict[str, Any]:
    """Measure the share of finds above the line for every pair of collections."""
    tasks: dict[str, Task] = {}
    for *_, task in all_tasks(folder):
        if task.name in COLLECTIONS:
            tasks.setdefault(task.name, task)
    indexes = {name: SentenceIndex.build(list(task.pool)[:TEXTS]) for name, task in tasks.items()}
    weak = {name: right_called_weak(indexes[name], task) for name, task in tasks.items()}
    shares: dict[str, dict[str, float]] = {}
    for asked, task in tasks.items():
        each = {name: above(index, task.queries[:QUERIES]) for name, index in indexes.items()}
        shares[asked] = {name: round(float(np.mean(values)), 3) for name, values in each.items() if values}
        print(asked, shares[asked], file=sys.stderr, flush=True)
    foreign = [share for a, row in shares.items() for b, share in row.items() if a != b]
    own = [row[name] for name, row in shares.items() if name in row]
    return {
        "weak_called_right": round(float(np.mean(foreign)), 4),
        "highest_weak_called_right": max(foreign),
        "right_called_weak": weak,
        "own": round(float(np.mean(own)), 4),
        "above_the_line": shares,
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if where := os.environ.get("LEXICLOUD_FOREIGN"):
        result = run(Path(where))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            result = run(Path(temporary))
    print(result)
    record.write("weak_matches", result)
