"""Texts in batches, worked on by all cores when there is enough to do."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

# Below this many characters, starting worker processes costs more than they save (about one second of work).
PARALLEL_FROM: Final = 12_000_000
BATCH: Final = 2_000_000


def in_batches(
    work: Callable[[list[str]], T], texts: Sequence[str], workers: int | None = None
) -> Iterator[tuple[range, T]]:
    """Yield for each run of texts its positions and what `work` made of them, in order."""
    batches = cut(texts)
    workers = (os.cpu_count() or 1) if workers is None else workers
    jobs = ([texts[i] for i in batch] for batch in batches)
    if workers > 1 and len(batches) > 1 and sum(map(len, texts)) >= PARALLEL_FROM:
        from joblib import Parallel, delayed

        # joblib's processes need no `if __name__ == "__main__"` in the user's script.
        results = Parallel(n_jobs=workers, return_as="generator")(delayed(work)(job) for job in jobs)
    else:
        results = map(work, jobs)
    yield from zip(batches, results, strict=True)


def cut(texts: Sequence[str]) -> list[range]:
    """Cut the positions of texts into runs of about `BATCH` characters."""
    batches, start, size = [], 0, 0
    for i, text in enumerate(texts):
        size += len(text)
        if size >= BATCH:
            batches.append(range(start, i + 1))
            start, size = i + 1, 0
    if start < len(texts):
        batches.append(range(start, len(texts)))
    return batches
