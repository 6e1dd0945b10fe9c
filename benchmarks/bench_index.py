"""The life of an index on disk: opening, adding, removing, compacting and verifying about 240,000 sentences.

Opening is measured against `bm25s`, which maps its index too. Run with `python -m benchmarks.bench_index`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from benchmarks.bench_search import sentences
from lexicloud.search import SentenceIndex, verify_index

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 5


def milliseconds(call: Callable[[], Any]) -> float:
    start = perf_counter()
    call()
    return 1_000 * (perf_counter() - start)


def opening(index: Path, peer: Path) -> dict[str, float]:
    """Open both in turns and keep the best of each."""
    import bm25s

    ours, theirs = [], []
    for _ in range(REPEATS):
        ours.append(milliseconds(lambda: SentenceIndex.open(index)))
        theirs.append(milliseconds(lambda: bm25s.BM25.load(peer, mmap=True)))
    return {"ours_ms": min(ours), "bm25s_ms": min(theirs), "times_faster": min(theirs) / min(ours)}


def changing(folder: Path) -> dict[str, float]:
    """Change an index of one segment; what the first search after an addition pays is the joining of segments."""
    index = SentenceIndex.open(folder)
    index.search("a stormy night at sea")
    times = {
        "add_one_ms": milliseconds(
            lambda: index.add([("one", "A lighthouse keeper watched the storm all night.")])
        )
    }
    times["join_ms"] = milliseconds(lambda: index.database)
    times["remove_ms"] = milliseconds(lambda: index.remove("one"))
    times["compact_ms"] = milliseconds(index.compact)
    times["verify_ms"] = milliseconds(lambda: verify_index(folder))
    return times


def run() -> dict[str, Any]:
    """Measure everything once."""
    import bm25s

    texts = sentences()
    with tempfile.TemporaryDirectory() as temporary:
        folder, peer = Path(temporary) / "ours", Path(temporary) / "bm25s"
        index = SentenceIndex.build(texts)
        saving = milliseconds(lambda: index.save(folder))
        retriever = bm25s.BM25()
        retriever.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
        retriever.save(peer)
        return {
            "sentences": len(texts),
            "bytes_per_sentence": index.info.bytes_per_sentence,
            "save_ms": saving,
            "open": opening(folder, peer),
            "change": changing(folder),
        }


if __name__ == "__main__":
    from benchmarks.record import write

    results = run()
    for name, value in results.items():
        print(f"{name:<20} {value}")
    print(write("index", results))
