"""Word → row, without a dictionary of every word until one pays off.

Opening 400,000 words must cost nothing when a reader asks for one of them. Packed words are searched where they lie:
by bisection where a sorted order was stored with them, by a narrowing scan where none was, and many at once through
a hash table that Arrow builds in a few milliseconds. A dictionary is made when someone asks for it, or keeps asking.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.storage import PackedStrings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

# One scan of 400,000 packed words takes about 2 ms and the dictionary 500 ms: after 64 scans it starts to pay.
SCANS: Final = 64


class WordIndex:
    """Finds the rows of words; `order` lists the rows by their words in code-point order, if that is known.

    >>> index = WordIndex(["whale", "ship"])
    >>> index.find("ship"), index.find("sea"), index.find_many(["ship", "sea", "whale"]).tolist()
    (1, -1, [1, -1, 0])
    """

    def __init__(self, words: Sequence[str], order: NDArray[np.int64] | None = None) -> None:
        self.words = words
        self.order = order
        self._mapping: dict[str, int] | None = None
        self._scans = 0

    @property
    def mapping(self) -> dict[str, int]:
        """Word → row as a dictionary, made on first use; of words that occur twice the first row counts."""
        if self._mapping is None:
            words = self.words.to_list() if isinstance(self.words, PackedStrings) else self.words
            self._mapping = dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))
        return self._mapping

    def find(self, word: str) -> int:
        """Return the row of a word, or −1."""
        if self._mapping is None and isinstance(self.words, PackedStrings):
            if self.order is not None:
                return bisect(self.words, self.order, word)
            self._scans += 1
            if self._scans <= SCANS:
                return scan(self.words, word)
        return self.mapping.get(word, -1)

    def find_many(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each word, −1 where there is none."""
        if self._mapping is None and isinstance(self.words, PackedStrings):
            if self.order is not None and len(words) <= SCANS:
                return np.array([self.find(w) for w in words], dtype=np.int64)
            self._scans += 1
            if self._scans <= SCANS:
                return match(self.words, words)
        get = self.mapping.get
        return np.fromiter((get(w, -1) for w in words), dtype=np.int64, count=len(words))


def bisect(words: PackedStrings, order: NDArray[np.int64], word: str) -> int:
    """Find a word by bisection of the sorted order."""
    place = bisect_left(order, word, key=lambda row: words[int(row)])
    if place < len(order) and words[int(order[place])] == word:
        return int(order[place])
    return -1


def scan(words: PackedStrings, word: str) -> int:
    """Find a word among packed words: those of its length, then those that agree byte by byte."""
    wanted = word.encode("utf-8", "surrogatepass")
    starts = words.offsets[:-1]
    rows = np.flatnonzero(np.diff(words.offsets) == len(wanted))
    for i, byte in enumerate(wanted):
        rows = rows[words.blob[starts[rows] + i] == byte]
        if not rows.size:
            break
    return int(rows[0]) if rows.size else -1


def match(words: PackedStrings, wanted: Sequence[str]) -> NDArray[np.int64]:
    """Find many words at once through Arrow's hash table."""
    import pyarrow.compute as pc

    rows = pc.index_in(_arrow(PackedStrings.pack(wanted)), value_set=_arrow(words))
    return np.asarray(pc.fill_null(rows, -1).to_numpy(), dtype=np.int64)


def _arrow(words: PackedStrings) -> object:
    import pyarrow as pa

    offsets = np.ascontiguousarray(words.offsets, dtype=np.int64)
    blob = np.ascontiguousarray(words.blob)
    # Bytes, not text: a lone surrogate is not valid UTF-8, and a lookup must not fail on one.
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(words), [None, pa.py_buffer(offsets), pa.py_buffer(blob)]
    )


def sorted_order(words: Sequence[str]) -> NDArray[np.int64]:
    """Return the rows in the code-point order of their words."""
    words = words.to_list() if isinstance(words, PackedStrings) else words
    return np.array(sorted(range(len(words)), key=words.__getitem__), dtype=np.int64)
