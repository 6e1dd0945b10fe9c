"""What a cluster costs against one process: a job, a tile, one worker and two; and the unit costs of docs/scale.md.

    python -m benchmarks.speed.cluster

A scheduler and workers are processes of this machine. Everything is timed by the processors of the processes, so that
it means something on a busy machine too. A run takes as long as the client (with its scheduler) and the busiest worker
together, had each a core of its own: the gain of a second worker is the ratio of these.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.record import peak_mib, versions, write
from benchmarks.sentences import synthetic

DOCUMENTS = 3_000
ROWS = 100
JOBS = 100


def corpus(documents: int = DOCUMENTS) -> Any:
    from lexicloud import Corpus

    made = synthetic(12 * documents)
    return Corpus.from_texts([" ".join(made[i : i + 12]) for i in range(0, len(made), 12)])


def nothing(shared: Any, job: slice) -> int:  # noqa: ARG001
    return job.start


def worked(client: Any, texts: Any) -> dict[str, float]:
    """Return the processor time of the client and of each worker while they find the nearest documents."""
    from lexicloud import cluster

    before, start = client.run(time.process_time), time.process_time()
    cluster.nearest_documents(client, texts, n=50, rows=ROWS)
    own, after = time.process_time() - start, client.run(time.process_time)
    spent = [after[worker] - before[worker] for worker in after]
    return {
        "client and scheduler, s": round(own, 2),
        "busiest worker, s": round(max(spent), 2),
        "all, s": round(own + sum(spent), 2),
    }


def on_workers(texts: Any, workers: int) -> dict[str, float]:
    """Time empty jobs and real ones with so many workers, the second time, when all is loaded."""
    from distributed import Client, LocalCluster

    from lexicloud.cluster.workers import run_on

    place = LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1"
    )
    with place, Client(place) as client:
        client.wait_for_workers(workers)
        worked(client, texts)
        start = time.process_time()
        list(run_on(client)(nothing, None, [slice(i, i + 1) for i in range(JOBS)], "empty jobs"))
        empty = (time.process_time() - start) / JOBS
        return {"an empty job, ms of the client": round(1e3 * empty, 2), **worked(client, texts)}


def units(texts: Any) -> dict[str, float]:
    """What one process takes, by its processor's clock."""
    from lexicloud.divergences import nearest_documents
    from lexicloud.search import SentenceIndex

    nearest_documents(texts, n=50)
    start = time.process_time()
    nearest_documents(texts, n=50, rows=ROWS)
    took = time.process_time() - start
    sentences = synthetic(20_000)
    start = time.process_time()
    index = SentenceIndex.build(sentences, workers=1)
    built = time.process_time() - start
    return {
        "a pair of documents, µs of processor": round(1e6 * took / len(texts) ** 2, 2),
        "distinct words of a document": round(float(np.diff(texts.counts.indptr).mean())),
        "bytes of counts a document": round(8 * texts.counts.nnz / len(texts)),
        "a sentence built, µs of processor": round(1e6 * built / len(sentences)),
        "bytes a sentence, embeddings included": round(index.info.bytes_per_sentence),
        "nearest documents, s": round(took, 2),
    }


def _path(found: dict[str, float]) -> float:
    return found["client and scheduler, s"] + found["busiest worker, s"]


def main() -> None:
    texts = corpus()
    found: dict[str, Any] = {"documents": DOCUMENTS, "one process": units(texts)}
    for workers in (1, 2):
        found[f"{workers} worker{'s' if workers > 1 else ''}"] = on_workers(texts, workers)
    one, first, second = found["one process"], found["1 worker"], found["2 workers"]
    found["one worker, times one process"] = round(first["all, s"] / one["nearest documents, s"], 2)
    found["two workers, times faster than one"] = round(_path(first) / _path(second), 2)
    found["peak MiB of this process"] = round(peak_mib())
    print(found)
    print(write("cluster", {**found, "versions": versions()}))


if __name__ == "__main__":
    main()
