"""The hashes of a word's character n-grams, for many words at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from lexicloud.compiled import njit


@njit(cache=True)
def ngram_rows(blob: Any, offsets: Any, minn: int, maxn: int, bucket: int, out: Any) -> Any:
    """Write the bucket of every n-gram of every word to `out` and return where those of each word begin.

    `blob` holds the words in UTF-8 between < and >. With an empty `out` the function only counts.
    """
    starts = np.zeros(len(offsets), dtype=np.int64)
    count = 0
    for w in range(len(offsets) - 1):
        first, end = offsets[w], offsets[w + 1]
        for i in range(first, end):
            if blob[i] & 0xC0 == 0x80:
                continue  # inside a character
            h = np.uint32(2166136261)
            j, n = i, 1
            while j < end and n <= maxn:
                h = _step(h, blob[j])
                j += 1
                while j < end and blob[j] & 0xC0 == 0x80:
                    h = _step(h, blob[j])
                    j += 1
                if n >= minn and not (n == 1 and (i == first or j == end)):
                    if len(out):
                        out[count] = h % np.uint32(bucket)
                    count += 1
                n += 1
        starts[w + 1] = count
    return starts


@njit(cache=True)
def _step(h: Any, byte: Any) -> Any:
    # fastText hashes signed chars: bytes from 128 on fill the upper bits with ones.
    wide = np.uint32(byte) | (np.uint32(0xFFFFFF00) if byte >= 128 else np.uint32(0))
    return np.uint32((h ^ wide) * np.uint32(16777619))
