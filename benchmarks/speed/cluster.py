"""What a cluster costs against one process: a job, a tile, one worker and two; and the unit costs of docs/scale.md.

    python -m benchmarks.speed.cluster

A scheduler and workers are processes of this machine. Work is timed by the processor of one process, the cluster by the
clock: with as many workers as free cores the gain is what two workers save, on a busy machine it is less.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.record import peak_mib, versions, write
from benchmarks.sentences import synthetic

DOCUMENTS = 1_500
ROWS = 100
JOBS = 100


def corpus(documents: int = DOCUMENTS) -> Any:
    from lexicloud import Corpus

    made = synthetic(12 * documents)
    return Corpus.from_texts([" ".join(made[i : i + 12]) for i in range(0, len(made), 12)])


def nothing(shared: Any, job: slice) -> int:  # noqa: ARG001
    return job.start


def by_clock(client: Any, texts: Any) -> float:
    from lexicloud import cluster

    start = time.perf_counter()
    cluster.nearest_documents(client, texts, n=50, rows=ROWS)
    return time.perf_counter() - start


def on_workers(texts: Any, workers: int) -> dict[str, float]:
    """Time empty jobs and real ones with so many workers, the second time, when all is loaded."""
    from distributed import Client, LocalCluster

    from lexicloud.cluster.workers import run_on

    place = LocalCluster(workers, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    with place, Client(place) as client:
        client.wait_for_workers(workers)
        by_clock(client, texts)
        start = time.perf_counter()
        list(run_on(client)(nothing, None, [slice(i, i + 1) for i in range(JOBS)], "empty jobs"))
        empty = (time.perf_counter() - start) / JOBS
        return {
            "an empty job, ms": round(1e3 * empty, 2),
            "nearest documents, s": round(by_clock(client, texts), 2),
        }


def units(texts: Any) -> dict[str, float]:
    """What one process takes, by its processor's clock."""
    from lexicloud.divergences import nearest_documents
    from lexicloud.search import SentenceIndex

    nearest_documents(texts, n=50)
    start, wall = time.process_time(), time.perf_counter()
    nearest_documents(texts, n=50)
    worked, wall = time.process_time() - start, time.perf_counter() - wall
    sentences = synthetic(20_000)
    start = time.process_time()
    index = SentenceIndex.build(sentences, workers=1)
    built = time.process_time() - start
    return {
        "a pair of documents, µs of processor": round(1e6 * worked / len(texts) ** 2, 2),
        "distinct words of a document": round(float(np.diff(texts.counts.indptr).mean())),
        "bytes of counts a document": round(8 * texts.counts.nnz / len(texts)),
        "a sentence built, µs of processor": round(1e6 * built / len(sentences)),
        "bytes a sentence, embeddings included": round(index.info.bytes_per_sentence),
        "nearest documents in one process, s by the clock": round(wall, 2),
        "nearest documents in one process, s of processor": round(worked, 2),
    }


def main() -> None:
    texts = corpus()
    found: dict[str, Any] = {"documents": DOCUMENTS, "one process": units(texts)}
    for workers in (1, 2):
        found[f"{workers} worker{'s' if workers > 1 else ''}"] = on_workers(texts, workers)
    one = found["one process"]["nearest documents in one process, s by the clock"]
    first, second = (found[name]["nearest documents, s"] for name in ("1 worker", "2 workers"))
    found["one worker, times one process"] = round(first / one, 2)
    found["two workers, times faster than one"] = round(first / second, 2)
    found["peak MiB of this process"] = round(peak_mib())
    print(found)
    print(write("cluster", {**found, "versions": versions()}))


if __name__ == "__main__":
    main()
