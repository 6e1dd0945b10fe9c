"""The two Murmur hashes that spaCy's vector tables use, computed for many strings at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lexicloud.store.strings import PackedStrings

    Hashes = NDArray[np.uint64]

_M: Final = np.uint64(0xC6A4A7935BD1E995)
_R: Final = np.uint64(47)
_C1: Final = np.uint64(0x87C37B91114253D5)
_C2: Final = np.uint64(0x4CF5AD432745937F)


def hash64a(words: PackedStrings, seed: int = 1) -> Hashes:
    """Return the MurmurHash64A of each string, which spaCy uses as its key."""
    out = np.zeros(len(words), np.uint64)
    for rows, sizes, blocks in _blocks(words, 8):
        h = np.uint64(seed) ^ (sizes * _M)
        for k in range(blocks.shape[1]):
            whole = sizes >= np.uint64(8 * (k + 1))
            mixed = blocks[:, k] * _M
            mixed = (mixed ^ (mixed >> _R)) * _M
            started = ~whole & (sizes > np.uint64(8 * k))
            h = np.where(whole, (h ^ mixed) * _M, np.where(started, (h ^ blocks[:, k]) * _M, h))
        h = (h ^ (h >> _R)) * _M
        out[rows] = h ^ (h >> _R)
    return out


def hash128(words: PackedStrings, seed: int) -> Hashes:
    """Return the first 64 of the 128 bits of MurmurHash3 (x64) of each string, as floret hashes n-grams."""
    out = np.zeros(len(words), np.uint64)
    for rows, sizes, blocks in _blocks(words, 16):
        h1 = np.full(len(rows), seed, np.uint64)
        h2 = h1.copy()
        for k in range(0, blocks.shape[1], 2):
            whole = sizes >= np.uint64(8 * (k + 2))
            # After the end of a string there are zeros; mixed they are zero again, and change nothing.
            k1 = _turned(blocks[:, k] * _C1, 31) * _C2
            k2 = _turned(blocks[:, k + 1] * _C2, 33) * _C1
            a = (_turned(h1 ^ k1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
            b = (_turned(h2 ^ k2, 31) + a) * np.uint64(5) + np.uint64(0x38495AB5)
            h1, h2 = np.where(whole, a, h1 ^ k1), np.where(whole, b, h2 ^ k2)
        h1, h2 = h1 ^ sizes, h2 ^ sizes
        h1 = h1 + h2
        out[rows] = _finished(h1) + _finished(h2 + h1)
    return out


def _turned(x: Hashes, by: int) -> Hashes:
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


def _finished(h: Hashes) -> Hashes:
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


def _blocks(words: PackedStrings, step: int) -> Iterator[tuple[NDArray[np.int64], Hashes, Hashes]]:
    """Yield strings of the same number of steps together: rows, lengths, and the bytes as numbers, zero-padded."""
    starts = words.offsets[:-1].astype(np.int64)
    sizes = np.diff(words.offsets.astype(np.int64))
    steps = np.maximum(1, -(-sizes // step))
    padded = np.concatenate([np.asarray(words.blob), np.zeros(step * int(steps.max(initial=1)), np.uint8)])
    for many in np.unique(steps).tolist():
        rows = np.flatnonzero(steps == many)
        places = np.arange(many * step)
        letters = padded[starts[rows, None] + places]
        letters[places >= sizes[rows, None]] = 0
        yield rows, sizes[rows].astype(np.uint64), letters.view("<u8").astype(np.uint64)
