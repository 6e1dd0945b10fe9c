"""The life of an index on disk: opening, adding, removing, compacting and verifying about 240,000 sentences.

Opening is measured against `bm25s`, which maps its index too; adding a hundredth of the sentences against building all;
a search from the command line in processor time, among ten million sentences too (3 GB of a temporary folder). Run with
`python -m benchmarks.speed.index`.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

from benchmarks.sentences import sentences
from lexicloud.search import SentenceIndex, verify_index

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 5
MANY = 42  # × 240,000 are ten million


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


def growing(texts: list[str], folder: Path) -> dict[str, Any]:
    """Add a hundredth of the sentences to an index of all others; compacted, it must equal one built at once."""
    less = len(texts) - len(texts) // 100
    begun = process_time()
    SentenceIndex.build(texts, workers=1).save(folder / "fresh")
    built = process_time() - begun
    SentenceIndex.build(texts[:less], workers=1).save(folder / "grown")
    grown = SentenceIndex.open(folder / "grown")
    begun = process_time()
    grown.add(texts[less:], workers=1)
    added = process_time() - begun
    grown.compact()
    files = [
        {p.name.split(".")[0].split("_", 1)[1]: p.read_bytes() for p in (folder / name).glob("s*.npy")}
        for name in ("fresh", "grown")
    ]
    return {
        "build_and_save_s": built,
        "add_s": added,
        "times_cheaper": built / added,
        "same_files": files[0] == files[1],
    }


def cold_start(folder: Path) -> dict[str, float]:
    """Return the processor time of `lexicloud search` as a process of its own, the best of some."""
    took = []
    for _ in range(REPEATS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "lexicloud", "search", str(folder), "a stormy night at sea"]
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {"processor_s": min(took)}


def millions(folder: Path, target: Path, times: int = MANY) -> dict[str, float]:
    """Measure the same for an index over and over in one: many more texts and postings, but no more words."""
    from lexicloud.search import store
    from lexicloud.search.ids import Identifiers
    from lexicloud.search.merging import concat_segments
    from lexicloud.search.segments import Snapshot

    opened = store.open_snapshot(folder)
    (one,) = opened.segments.values()
    rows = len(one)
    copies = [replace(one, identifiers=Identifiers(range(i * rows, i * rows + rows))) for i in range(times)]
    whole = concat_segments(copies)
    large = Snapshot({"s": whole}, {}, opened.source, opened.settings, times * rows)
    store.save_snapshot(target, large)
    return {"sentences": times * rows, **cold_start(target)}


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
            "bytes_per_sentence": SentenceIndex.open(folder).info.bytes_per_sentence,
            "save_ms": saving,
            "open": opening(folder, peer),
            "search_from_the_command_line": cold_start(folder),
            "search_from_the_command_line_millions": millions(folder, Path(temporary) / "large"),
            "add_a_hundredth": growing(texts, Path(temporary)),
            "change": changing(folder),
        }


if __name__ == "__main__":
    from benchmarks.record import write

    results = run()
    for name, value in results.items():
        print(f"{name:<20} {value}")
    print(write("index", results))
