"""From texts to one stream of word numbers: the only loop over tokens, parallel over documents."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.progress import stage
from lexicloud.text import TokenRules, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Below this much text, starting worker processes costs more than they save (about one second of counting).
PARALLEL_FROM: Final = 12_000_000
_BATCH: Final = 2_000_000


def count_tokens(
    texts: Sequence[str], rules: TokenRules, workers: int | None = None
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Return the vocabulary (most frequent first, then by spelling), every token's number, and where documents begin.

    Text i is `stream[bounds[i]:bounds[i + 1]]`.
    """
    batches = _batches(texts)
    workers = (os.cpu_count() or 1) if workers is None else workers
    parallel = workers > 1 and len(batches) > 1 and sum(map(len, texts)) >= PARALLEL_FROM
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    streams: list[NDArray[np.int32]] = []
    lengths: list[int] = []
    with stage("counting words", len(texts)) as advance:
        jobs = ([texts[i] for i in batch] for batch in batches)
        for batch, (surfaces, stream, sizes) in zip(
            batches, _run(jobs, rules, workers if parallel else 1), strict=True
        ):
            # Normalisation happens once per distinct form, not once per token.
            numbers = np.array([ids[rules.normalise(s)] for s in surfaces], dtype=np.int32)
            streams.append(numbers[stream] if len(numbers) else stream)
            lengths.extend(sizes)
            advance(len(batch))
    stream = np.concatenate(streams) if streams else np.zeros(0, np.int32)
    bounds = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum(lengths, out=bounds[1:])
    words, stream = _by_frequency(list(ids), stream)
    return words, stream, bounds


def _batches(texts: Sequence[str]) -> list[range]:
    """Cut the texts into runs of about `_BATCH` characters."""
    batches, start, size = [], 0, 0
    for i, text in enumerate(texts):
        size += len(text)
        if size >= _BATCH:
            batches.append(range(start, i + 1))
            start, size = i + 1, 0
    if start < len(texts):
        batches.append(range(start, len(texts)))
    return batches


def _run(jobs, rules, workers):  # type: ignore[no-untyped-def]
    if workers == 1:
        return (count_batch(texts, rules) for texts in jobs)
    from joblib import Parallel, delayed

    return Parallel(n_jobs=workers, return_as="generator")(delayed(count_batch)(t, rules) for t in jobs)


def count_batch(texts: list[str], rules: TokenRules) -> tuple[list[str], NDArray[np.int32], list[int]]:
    """Number the tokens of some texts by their own small vocabulary of surface forms."""
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    parts = []
    for text in texts:
        tokens = tokenize(text, rules)
        parts.append(np.fromiter(map(ids.__getitem__, tokens), dtype=np.int32, count=len(tokens)))
    stream = np.concatenate(parts) if parts else np.zeros(0, np.int32)
    return list(ids), stream, [len(p) for p in parts]


def _by_frequency(words: list[str], stream: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int32]]:
    """Renumber so that frequent words come first and equals stand in alphabetical order."""
    totals = np.bincount(stream, minlength=len(words))
    order = sorted(range(len(words)), key=lambda i: (-totals[i], words[i]))
    renumber = np.empty(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(words), dtype=np.int32)
    return [words[i] for i in order], renumber[stream] if len(stream) else stream
