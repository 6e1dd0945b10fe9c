"""An index larger than memory: what a build and a query take as texts grow tenfold, and the exponents of growth.

Texts are synthetic: words of the built-in vectors, drawn by Zipf's law (1 / (rank + 2.7)), 5 to 30 to a text. Each size
is built by a process of its own within `--memory 2G` and searched by another, whose peak of resident memory includes
the pages of files that it has mapped. Queries are drawn from the same law, and are not among the texts. Times are of
the processor, which other work on the machine changes little.

    python -m benchmarks.speed.scale 100000 1000000             # these, and others that were measured before stay
    python -m benchmarks.speed.scale 10000000                   # ten minutes of a core, 15 GB of disk
"""

from __future__ import annotations

import json
import math
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
QUERIES = 100
BLOCK = 10_000  # texts drawn together
POSTING = 5  # bytes: a row and how often the term is in it


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


def build(count: int, folder: str) -> dict[str, Any]:
    """Build an index on disk."""
    from lexicloud.search import SentenceIndex

    SentenceIndex.build_on_disk(folder, texts(count), memory=MEMORY)
    size = sum(file.stat().st_size for file in Path(folder).iterdir())
    return {
        "seconds": time.process_time(),
        "peak MiB": round(record.peak_mib()),
        "disk MB": round(size / 1e6),
    }


def search(count: int, folder: str) -> dict[str, Any]:
    """Ask queries of words alone, then of words and embeddings."""
    assert count
    from lexicloud.search import SentenceIndex

    index = SentenceIndex.open(folder)
    queries = list(texts(QUERIES + 20, seed=1))
    index.search(queries[0], dense=None, syntax=False)  # without compiled loops
    index.prepare()
    found: dict[str, Any] = {}
    for name, dense in (("words", None), ("words and embeddings", "auto")):
        for query in queries[:20]:
            index.search(query, dense=dense, syntax=False, top=10)
        times = [_timed(index, query, dense) for query in queries[20:]]
        found[name] = {
            "median ms": round(1e3 * float(np.median(times)), 3),
            "p90 ms": round(1e3 * float(np.quantile(times, 0.9)), 3),
        }
    read = sum(_postings(index, query) for query in queries[20:]) / QUERIES
    speed = read / (1e-3 * found["words"]["median ms"])
    return {
        **found,
        "peak MiB": round(record.peak_mib()),
        "postings a query": round(read),
        "postings a second": round(speed),
        "share of the bandwidth of memory": round(POSTING * speed / bandwidth(), 4),
    }


def _postings(index: Any, query: str) -> int:
    """Return how many postings the terms of a query have."""
    from lexicloud.text.stems import terms_by

    database = index.snapshot.database
    numbers = {database.term_ids.get(term, -1) for term in terms_by(database.rules).of(query)} - {-1}
    return int(database.term_df[sorted(numbers)].sum())


def bandwidth() -> float:
    """Return how many bytes a second one thread reads and writes, copying what no cache holds."""
    source = np.ones(2**25)
    target = np.empty_like(source)
    times = []
    for _ in range(4):
        start = time.thread_time()
        np.copyto(target, source)
        times.append(time.thread_time() - start)
    return 2 * source.nbytes / min(times)


def _timed(index: Any, query: str, dense: Any) -> float:
    start = time.thread_time()  # loops are compiled beside the first queries, and not to be counted
    index.search(query, dense=dense, syntax=False, top=10)
    return time.thread_time() - start


def exponent(a: float, b: float, factor: float) -> float:
    """Return e such that b / a = factor ** e."""
    return math.log(b / a) / math.log(factor)


def measure(sizes: list[int]) -> dict[str, Any]:
    """Build and search each size in processes of their own."""
    place = Path(tempfile.mkdtemp(prefix="lexicloud_scale_"))
    rows: dict[str, Any] = dict(record.earlier("scale").get("sizes", {}))
    try:
        for size in sizes:
            folder = place / str(size)
            row = {step: _in_a_process(step, size, folder) for step in ("build", "search")}
            rows[str(size)] = row
            print(size, json.dumps(row), flush=True)
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return told(rows)


def told(rows: dict[str, Any]) -> dict[str, Any]:
    """Return what was measured, and how it grows."""
    rows = {size: rows[size] for size in sorted(rows, key=int)}
    again = {"memory": MEMORY, "sizes": rows, "exponents of growth": _growth(rows)}
    return {**record.earlier("scale"), **again}


def _in_a_process(step: str, size: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.speed.scale", step, str(size), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _growth(rows: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for small, large in pairwise(sorted(map(int, rows))):
        a, b, factor = rows[str(small)], rows[str(large)], large / small
        values = {f"build, {name}": (a["build"][name], b["build"][name]) for name in a["build"]}
        for name in ("words", "words and embeddings"):
            values[f"query, {name}"] = (a["search"][name]["median ms"], b["search"][name]["median ms"])
        found[f"{small:,} to {large:,}"] = {
            name: round(exponent(*pair, factor), 2) for name, pair in values.items()
        }
    return found


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in {"build", "search"}:
        step = {"build": build, "search": search}[sys.argv[1]]
        print(json.dumps(step(int(sys.argv[2]), sys.argv[3])))
    else:
        record.write("scale", measure([int(size) for size in sys.argv[1:]] or SIZES))
