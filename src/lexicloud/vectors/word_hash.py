"""Find the row of a word by sorted hashes: two arrays that open memory-mapped, so that no dictionary has to be built.

The hash of a word is a polynomial of its UTF-8 bytes, mixed. If hashes are equal, the bytes are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import StorageError
from lexicloud.store.folder import PackedStrings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

_BLOCK: Final = 1 << 16  # words that are hashed at once: a few megabytes of intermediate numbers
_FACTOR: Final = 0x9E3779B97F4A7C15  # 2⁶⁴ divided by the golden ratio: odd, and its bits are well spread
_MIX: Final = 0xD6E8FEB86659FD93
_PERIOD: Final = 256  # powers of the factor; bytes after the 256th begin again with the first power
_DAMAGED: Final = "the list of words is damaged, an entry points outside of it: convert or build it again"


def _powers() -> Hashes:
    return np.multiply.accumulate(np.full(_PERIOD, _FACTOR, np.uint64), dtype=np.uint64)


def hash_words(words: PackedStrings) -> Hashes:
    """Return the hash of each word."""
    out = np.empty(len(words), np.uint64)
    powers = _powers()
    for start in range(0, len(words), _BLOCK):
        ends = np.asarray(words.offsets[start : start + _BLOCK + 1]).astype(np.int64)
        out[start : start + _BLOCK] = _hash_block(words.blob[ends[0] : ends[-1]], ends - ends[0], powers)
    return out


def _hash_block(blob: NDArray[np.uint8], ends: NDArray[np.int64], powers: Hashes) -> Hashes:
    sizes = np.diff(ends)
    places = (np.arange(len(blob)) - np.repeat(ends[:-1], sizes)) & (_PERIOD - 1)
    sums = np.zeros(len(blob) + 1, np.uint64)
    # Plus one, so that byte 0 counts too. Sums and differences both wrap around at 2⁶⁴, so the result is exact.
    np.cumsum((blob.astype(np.uint64) + np.uint64(1)) * powers[places], out=sums[1:])
    hashes = sums[ends[1:]] - sums[ends[:-1]]
    hashes ^= hashes >> np.uint64(32)
    hashes *= np.uint64(_MIX)
    hashes ^= hashes >> np.uint64(32)
    return hashes


@dataclass(frozen=True, eq=False)
class HashedWords:
    """Words, their hashes in rising order, and the row of each; a word that occurs twice has its first row.

    >>> index = HashedWords.build(PackedStrings.pack(["whale", "ship"]))
    >>> index.find(["ship", "sea", "whale"]).tolist()
    [1, -1, 0]
    """

    words: PackedStrings
    hashes: Hashes
    rows: NDArray[np.uint32]

    @classmethod
    def build(cls, words: PackedStrings) -> HashedWords:
        """Hash all words and sort them."""
        words.check()
        hashes = hash_words(words)
        rows = np.argsort(hashes, kind="stable")
        return cls(words, hashes[rows], rows.astype(np.uint32))

    def find(self, wanted: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each word, −1 where there is none."""
        packed = PackedStrings.pack(wanted)
        hashes = hash_words(packed)
        found = np.full(len(packed), -1, np.int64)
        places = np.searchsorted(self.hashes, hashes)
        asked = np.arange(len(packed))
        while len(asked):
            asked = asked[places[asked] < len(self.hashes)]
            asked = asked[self.hashes[places[asked]] == hashes[asked]]
            rows = self.rows[places[asked]].astype(np.int64)
            same = self._same(rows, packed, asked)
            found[asked[same]] = rows[same]
            asked = asked[~same]
            places[asked] += 1  # another word may have the same hash
        return found

    def _same(
        self, rows: NDArray[np.int64], packed: PackedStrings, asked: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Return which words at `rows` are equal, byte by byte, to the words that are asked for."""
        if len(rows) and int(rows.max()) >= len(self.words):
            raise StorageError(_DAMAGED)
        starts, sizes = _spans(self.words, rows)
        others, wanted = _spans(packed, asked)
        same: NDArray[np.bool_] = sizes == wanted
        first, second, sizes = starts[same], others[same], sizes[same]
        if len(first) and int((first + sizes).max()) > len(self.words.blob):
            raise StorageError(_DAMAGED)
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        ours = self.words.blob[np.repeat(first, sizes) + within]
        differ = ours != packed.blob[np.repeat(second, sizes) + within]
        owners = np.repeat(np.flatnonzero(same), sizes)
        same[owners[differ]] = False
        return same


def _spans(words: PackedStrings, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts = words.offsets[rows].astype(np.int64)
    return starts, words.offsets[rows + 1].astype(np.int64) - starts
