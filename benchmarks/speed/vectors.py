"""Word vectors: reading text against gensim, the first lookup of a fresh process, opening a converted folder.

Run `python -m benchmarks.speed.vectors`; it makes its own files from the built-in vectors (about 250 MB, in a
temporary folder).
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.vectors import load_vectors, save_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST = "import lexicloud as lc; lc.load_vectors(%r)['whale']"


def run(repeats: int = 2) -> dict[str, Any]:
    """Measure everything; the two readers take turns."""
    with tempfile.TemporaryDirectory() as folder:
        text, converted = Path(folder) / "glove.txt", Path(folder) / "converted"
        write_glove(text)
        save_vectors(load_vectors(), converted)
        return {**reading(text, repeats), **first_lookup(str(converted)), **lookups(converted)}


def write_glove(path: Path) -> None:
    """Write the built-in vectors the way GloVe's own files are written."""
    vectors = load_vectors()
    rows = np.ascontiguousarray(vectors.matrix).astype(str)
    with path.open("w", encoding="utf-8") as out:
        out.writelines(f"{w} {' '.join(row)}\n" for w, row in zip(vectors.words, rows, strict=True))


def reading(path: Path, repeats: int) -> dict[str, Any]:
    from gensim.models import KeyedVectors

    ours, theirs = [], []
    for _ in range(repeats):
        seconds, mine = timed(lambda: load_vectors(path))
        ours.append(seconds)
        seconds, peer = timed(lambda: KeyedVectors.load_word2vec_format(str(path), no_header=True))
        theirs.append(seconds)
    assert np.array_equal(mine.matrix, peer.vectors), "the two readers disagree"
    assert list(mine.words) == peer.index_to_key, "the two readers disagree"
    return {
        "glove text 400,000 x 50, seconds": min(ours),
        "gensim load_word2vec_format, seconds": min(theirs),
        "times faster than gensim": min(theirs) / min(ours),
    }


def first_lookup(converted: str) -> dict[str, Any]:
    """Time whole processes: import, load, one lookup."""

    def fresh(code: str) -> float:
        return timed(lambda: subprocess.run([sys.executable, "-c", code], check=True))[0]

    cases = {"built in": FIRST % None, "converted folder": FIRST % converted, "python -c pass": "pass"}
    seconds: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(5):
        for name, code in cases.items():
            seconds[name].append(fresh(code))
    return {f"fresh process to first lookup, {name}, seconds": median(s) for name, s in seconds.items()}


def lookups(converted: Path) -> dict[str, Any]:
    words = load_vectors().words[:400_000:5]
    asked = [*words, *(w.capitalize() for w in words[::8])]
    opened, vectors = min(
        (timed(lambda: load_vectors(converted)) for _ in range(5)), key=lambda pair: pair[0]
    )
    many = min(timed(lambda: load_vectors(converted).lookup(asked))[0] for _ in range(3))
    one = min(timed(lambda: vectors["whale"])[0] for _ in range(5))
    return {
        "open a converted folder, milliseconds": opened * 1e3,
        "one word of a converted folder, milliseconds": one * 1e3,
        f"lookup of {len(asked):,} words, up to a ninth recovered, seconds": many,
    }


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


if __name__ == "__main__":
    from benchmarks.record import write

    results = run()
    for name, value in results.items():
        print(f"{name:<70} {value:10.3f}")
    print(write("vectors", results))
