"""An index larger than memory: what a build and a query take as texts grow tenfold, and the exponents of growth.

Texts are synthetic: words of the built-in vectors, drawn by Zipf's law (1 / (rank + 2.7)), 5 to 30 to a text. Each size
is built by a process of its own within `--memory 2G` and searched by another, whose peak of resident memory includes
the pages of files that it has mapped. Queries are drawn from the same law, and are not among the texts.

    python -m benchmarks.speed.scale 100000 1000000
"""

from __future__ import annotations

import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import record

MEMORY = "2G"
SIZES = [100_000, 1_000_000]  # texts, unless others are named
QUERIES = 200
BLOCK = 10_000  # texts drawn together


def texts(count: int, seed: int = 0) -> Iterator[str]:
    """Yield texts, drawn by Zipf's law."""
    import lexicloud as lc

    words = np.array(
        [word for word in list(lc.load_vectors().words)[:300_000] if word.isalpha()], dtype=object
    )
    chances = np.cumsum(1 / (np.arange(len(words)) + 2.7))
    rng = np.random.default_rng(seed)
    for first in range(0, count, BLOCK):
        lengths = rng.integers(5, 31, min(BLOCK, count - first))
        drawn = words[np.searchsorted(chances, rng.random(int(lengths.sum())) * chances[-1])]
        ends = np.cumsum(lengths)
        for begin, end in zip(ends - lengths, ends, strict=True):
            yield " ".join(drawn[begin:end])


def peak() -> int:
    """Return the peak of resident memory in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def build(count: int, folder: str) -> dict[str, Any]:
    """Build an index on disk."""
    from lexicloud.search import SentenceIndex

    start, cpu = time.perf_counter(), time.process_time()
    SentenceIndex.build_on_disk(folder, texts(count), memory=MEMORY)
    took = time.perf_counter() - start
    size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {"seconds": took, "cpu": time.process_time() - cpu, "peak": peak(), "disk": size}


def search(count: int, folder: str) -> dict[str, Any]:
    """Ask queries of words alone, then of words and embeddings."""
    from lexicloud.search import SentenceIndex

    index = SentenceIndex.open(folder)
    queries = list(texts(QUERIES + 20, seed=count + 1))
    index.search(queries[0], dense=None, syntax=False)  # without compiled loops
    index.prepare()
    found: dict[str, Any] = {"texts": count}
    for name, dense in (("words", None), ("hybrid", "auto")):
        start = time.perf_counter()
        index.search(queries[0], dense=dense, syntax=False)
        found[f"{name}_first"] = time.perf_counter() - start
        for query in queries[:20]:
            index.search(query, dense=dense, syntax=False, top=10)
        times = [_timed(index, query, dense) for query in queries[20:]]
        again = [_timed(index, query, dense) for query in queries[20:]]
        found[name] = {
            "median": float(np.median(times)),
            "p99": float(np.quantile(times, 0.99)),
            "median again": float(np.median(again)),
            "p99 again": float(np.quantile(again, 0.99)),
            "peak": peak(),
        }
    return found


def _timed(index: Any, query: str, dense: Any) -> float:
    start = time.perf_counter()
    index.search(query, dense=dense, syntax=False, top=10)
    return time.perf_counter() - start


def exponent(a: float, b: float, factor: float) -> float:
    """Return e such that b / a = factor ** e."""
    return math.log(b / a) / math.log(factor)


def measure(sizes: list[int]) -> dict[str, Any]:
    """Build and search each size in processes of their own."""
    place = Path(tempfile.mkdtemp(prefix="lexicloud_scale_"))
    rows: dict[str, Any] = {}
    try:
        for size in sizes:
            folder = place / str(size)
            row = {step: _in_a_process(step, size, folder) for step in ("build", "search")}
            rows[str(size)] = row
            print(size, json.dumps(row), flush=True)
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return {"memory": MEMORY, "sizes": rows, "growth": _growth(rows)}


def _in_a_process(step: str, size: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.scale", step, str(size), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _growth(rows: dict[str, Any]) -> dict[str, Any]:
    sizes = sorted(map(int, rows))
    found = {}
    for small, large in pairwise(sizes):
        a, b, factor = rows[str(small)], rows[str(large)], large / small
        values = {
            **{name: (a["build"][name], b["build"][name]) for name in ("seconds", "cpu", "peak", "disk")},
            **{
                f"{n} query": (a["search"][n]["median again"], b["search"][n]["median again"])
                for n in ("words", "hybrid")
            },
        }
        found[f"{small} to {large}"] = {
            name: round(exponent(*pair, factor), 3) for name, pair in values.items()
        }
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in {"build", "search"}:
        step = {"build": build, "search": search}[sys.argv[1]]
        print(json.dumps(step(int(sys.argv[2]), sys.argv[3])))
    else:
        record.write("scale", measure([int(size) for size in sys.argv[1:]] or SIZES))
