"""Many arrays in one file, so that one memory map serves all of them; a header says where each begins.

8 bytes  LEXIARR1
4 bytes  the length of the header, 4 bytes its CRC-32
header   JSON: name → [type, shape, first byte], counted from the end of the header's padding
arrays   each begins at a multiple of 64 bytes
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, overload

from lexicloud.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    ArrayType = tuple[str, int]


DAMAGED: Final = "a saved folder is damaged, its strings point outside of it or are no text: build it again"


class PackedStrings(Sequence[str]):
    """A sequence of strings in one block of UTF-8 bytes; each is decoded when it is needed."""

    __slots__ = ("_decoded", "blob", "offsets")

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64] | NDArray[np.uint32]) -> None:
        self.blob = blob
        self.offsets = offsets
        self._decoded: tuple[str, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a copy is made of: the bytes."""
        return type(self), (self.blob, self.offsets)

    def decode_all(self) -> tuple[str, ...]:
        """Decode all strings and keep them: single ones are then looked up thirty times as fast."""
        if self._decoded is None:
            self._decoded = tuple(self.to_list())  # no list: Python's garbage collector would walk through it
        return self._decoded

    @classmethod
    def pack(cls, strings: Sequence[str]) -> PackedStrings:
        """Encode a sequence of strings."""
        import numpy as np

        if isinstance(strings, cls):
            return strings
        encoded = [s.encode("utf-8", "surrogatepass") for s in strings]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(e) for e in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), narrow(offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if self._decoded is not None:
            return self._decoded[i]
        if i < 0:
            i += len(self)
        if not 0 <= i < len(self.offsets) - 1:
            raise IndexError(i)
        start, stop = self.offsets[i : i + 2].tolist()
        if not 0 <= start <= stop <= len(self.blob):
            raise StorageError(DAMAGED)
        return _decode(self.blob[start:stop].tobytes())

    def take(self, rows: Sequence[int] | NDArray[Any]) -> PackedStrings:
        """Return some of the strings, in the order given, without decoding them."""
        import numpy as np

        self.check()
        rows = np.asarray(rows, dtype=np.int64)
        # Runs of neighbouring strings are copied as one piece.
        cuts = np.flatnonzero(np.diff(rows) != 1) + 1
        firsts = rows[np.concatenate([[0], cuts])] if len(rows) else rows
        lasts = rows[np.concatenate([cuts - 1, [len(rows) - 1]])] if len(rows) else rows
        pieces = [
            self.blob[self.offsets[a] : self.offsets[b + 1]] for a, b in zip(firsts, lasts, strict=True)
        ]
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(self.offsets[rows + 1] - self.offsets[rows], out=offsets[1:])
        return PackedStrings(np.concatenate(pieces) if pieces else np.zeros(0, np.uint8), narrow(offsets))

    @classmethod
    def join(cls, parts: Sequence[PackedStrings]) -> PackedStrings:
        """Join several sequences without decoding them."""
        import numpy as np

        if len(parts) == 1:
            return parts[0]
        for part in parts:
            part.check()
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(np.concatenate([part.blob for part in parts]), narrow(offsets))

    def to_list(self) -> list[str]:
        """Decode all strings at once, much faster than one by one."""
        self.check()
        data, ends = self.blob.tobytes(), self.offsets.tolist()
        try:
            return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]
        except UnicodeDecodeError:
            raise StorageError(DAMAGED) from None

    def check(self) -> None:
        """Refuse offsets that fall or point outside: strings cut by them could exceed all memory."""
        if not self.is_sound:
            raise StorageError(DAMAGED)

    @property
    def is_sound(self) -> bool:
        """Whether the strings follow each other from the first byte to the last."""
        ends = self.offsets
        whole = len(ends) > 0 and ends[0] == 0 and ends[-1] == len(self.blob)
        return bool(whole) and bool((ends[1:] >= ends[:-1]).all())


def narrow(pointers: NDArray[np.int64]) -> NDArray[np.int64] | NDArray[np.uint32]:
    """Return rising offsets as 32-bit numbers if these are large enough."""
    import numpy as np

    return pointers.astype(np.uint32) if not len(pointers) or pointers[-1] < 2**32 else pointers


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise StorageError(DAMAGED) from None


_MAGIC: Final = b"LEXIARR1"
_PREFIX: Final = struct.Struct("<8sII")
_STEP: Final = 64  # bytes: a line of the processor's cache
HUGE: Final = 2**30  # bytes of a file that is not to become resident by and by
KEPT: Final = 2**27  # bytes of huge files that queries may leave behind in memory
_left: Final = [0]  # bytes of files that were resident after pages were last let go of
_LARGE: Final = 2**24  # bytes of an array that may stay in memory once it was looked through


class Blocks:
    """An array that is made in blocks along its first dimension, each just before it is written."""

    def __init__(
        self, dtype: np.dtype[Any], shape: tuple[int, ...], make: Callable[[], Iterable[NDArray[Any]]]
    ) -> None:
        self.dtype, self.shape, self._make = dtype, shape, make
        self.nbytes = dtype.itemsize * math.prod(shape)

    @classmethod
    def of(cls, array: NDArray[Any]) -> Blocks:
        """Return an array as one block."""
        return cls(array.dtype, array.shape, lambda: [array])

    def __iter__(self) -> Iterator[NDArray[Any]]:
        import numpy as np

        return (np.ascontiguousarray(block, dtype=self.dtype) for block in self._make())

    def joined(self) -> NDArray[Any]:
        """Return the whole array."""
        import numpy as np

        blocks = list(self)
        return (
            blocks[0]
            if len(blocks) == 1
            else np.concatenate([np.empty((0, *self.shape[1:]), self.dtype), *blocks])
        )


def released(array: NDArray[Any], size: int | None) -> Iterator[NDArray[Any]]:
    """Yield copies of an array in blocks of `size` rows (None: all at once), and release the memory of its file.

    Otherwise the parts of a mapped file that were read stay in memory until it is short.
    """
    import numpy as np

    for start in range(0, len(array), size) if size else (0,):
        block = array[start : start + size] if size else array
        copy = np.array(block)
        _let_go(block)
        yield copy


def looked_through(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield views of an array, block by block, and let go of the pages of a large one's file behind them."""
    step = max(1, _LARGE // max(1, array.nbytes // max(1, len(array))))
    for start in range(0, len(array), step):
        block = array[start : start + step]
        yield block
        if array.nbytes > _LARGE:
            _let_go(block)


class HugeFile(mmap.mmap):
    """A map of a huge file of which a few bytes here and there are read, not mapped.

    The system maps 140 kB around each byte that is looked at: two thousand rows would make 270 MB resident, and take
    four times as long.
    """

    handle: int

    @classmethod
    def of(cls, descriptor: int, **options: Any) -> HugeFile:
        """Map a file, given a descriptor of it that may be closed afterwards."""
        mapped = cls(descriptor, 0, access=mmap.ACCESS_READ, **options)
        mapped.handle = os.dup(descriptor)
        return mapped

    def __del__(self) -> None:
        """Close the file."""
        if hasattr(self, "handle"):
            os.close(self.handle)

    def pieces(self, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> bytearray:
        """Return some pieces of the file, one after the other."""
        found = bytearray().join(
            [
                os.pread(self.handle, size, at)
                for at, size in zip(starts.tolist(), sizes.tolist(), strict=True)
            ]
        )
        if len(found) != int(sizes.sum()):
            raise StorageError("a file of a saved folder was cut short while it was read: build it again")
        return found


def in_huge_file(array: NDArray[Any]) -> bool:
    """Tell whether an array lies in a huge file, of which single rows are better read than mapped."""
    return isinstance(_mapped(array), HugeFile)


def rows_of(array: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Return some rows of an array; of a huge file without mapping them."""
    import numpy as np

    rows = np.asarray(rows, np.int64)
    return runs_of(array, rows, rows + 1) if in_huge_file(array) else np.asarray(array[rows])


def runs_of(array: NDArray[Any], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[Any]:
    """Return runs of rows of an array in a huge file, one after the other."""
    import numpy as np

    mapped, width = _mapped(array), array.nbytes // max(len(array), 1)
    assert isinstance(mapped, HugeFile)
    begin = array.__array_interface__["data"][0] - _address(mapped)
    found = mapped.pieces(begin + width * starts, width * (ends - starts))
    return np.frombuffer(found, array.dtype).reshape(-1, *array.shape[1:])


def with_file_sizes(arrays: Iterable[NDArray[Any]]) -> tuple[tuple[NDArray[Any], int], ...]:
    """Return the arrays that are mapped from files, with the sizes of these."""
    found = [(array, _mapped(array)) for array in arrays]
    return tuple((array, len(mapped)) for array, mapped in found if mapped is not None)


def let_go_of_huge(arrays: Iterable[tuple[NDArray[Any], int]]) -> None:
    """Let go of the pages of arrays whose file is huge, once they may have become KEPT bytes since the last time.

    Each time takes milliseconds, and what is let go of has to be mapped again.
    """
    huge = [array for array, size in arrays if size >= HUGE]
    now = _resident() if huge else 0
    if huge and (not now or now - _left[0] >= KEPT):
        for array in huge:
            _let_go(array)
        _left[0] = _resident()


def _resident() -> int:
    """Return how many bytes of files are mapped and resident; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as source:  # noqa: PTH123 (a query may ask: half the time)
            return int(source.read().split()[2]) * mmap.PAGESIZE
    except OSError:
        return 0


def let_go_of_file(array: NDArray[Any]) -> None:
    """Let go of all pages of the file that an array is mapped from."""
    mapped = _mapped(array)
    if mapped is not None:
        mapped.madvise(mmap.MADV_DONTNEED)


def _let_go(block: NDArray[Any]) -> None:
    """Tell the system that the pages of a mapped array are not needed any more, where it can be told."""
    mapped = _mapped(block)
    if mapped is None or not block.nbytes:
        return
    begin = block.__array_interface__["data"][0] - _address(mapped)
    first = -(-begin // mmap.PAGESIZE) * mmap.PAGESIZE
    length = (begin + block.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE - first
    if length > 0:
        mapped.madvise(mmap.MADV_DONTNEED, first, length)


def _mapped(array: NDArray[Any]) -> mmap.mmap | None:
    """Return the map of the file that an array is a view of; None where there is none or it cannot be advised."""
    base: Any = array
    while base is not None and not isinstance(base, mmap.mmap):
        base = getattr(base, "base", None) if not isinstance(base, memoryview) else base.obj
    return base if hasattr(mmap, "MADV_DONTNEED") else None


def _address(mapped: mmap.mmap) -> int:
    import numpy as np

    return int(np.frombuffer(mapped, np.uint8, 1).__array_interface__["data"][0])


class Bundle:
    """Arrays to be written into one file, one after the other, without copying all of them first."""

    def __init__(self, arrays: Mapping[str, NDArray[Any] | Blocks]) -> None:
        import numpy as np

        self.arrays = {
            name: array if isinstance(array, Blocks) else Blocks.of(np.ascontiguousarray(array))
            for name, array in arrays.items()
        }
        entries, at = {}, 0
        for name, array in self.arrays.items():
            entries[name] = [array.dtype.str, list(array.shape), at]
            at += _padded(array.nbytes)
        text = json.dumps(entries).encode()
        head = _PREFIX.pack(_MAGIC, len(text), zlib.crc32(text)) + text
        self._head = head + bytes(_padded(len(head)) - len(head))
        self.nbytes = len(self._head) + at

    def parts(self) -> Iterator[Any]:
        """Yield the bytes to write, piece by piece."""
        import numpy as np

        yield self._head
        for array in self.arrays.values():
            for block in array:
                yield block.reshape(-1).view(np.uint8).data
            yield bytes(_padded(array.nbytes) - array.nbytes)


def _padded(size: int) -> int:
    return -(-size // _STEP) * _STEP


def read_bundle(data: NDArray[np.uint8], types: Callable[[str], ArrayType | None]) -> dict[str, NDArray[Any]]:
    """Return the arrays of a bundle as views of its bytes.

    `types` returns the types and the number of dimensions that are allowed for a name, or None for an unknown name. The
    header alone is never trusted.
    """
    entries, begin = _header(data)
    try:
        return {name: _array(data, name, entry, begin, types(name)) for name, entry in entries.items()}
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"the header of a file is damaged ({error}): build the folder again") from error


def _header(data: NDArray[np.uint8]) -> tuple[dict[str, Any], int]:
    size = _PREFIX.size
    if len(data) >= size:
        magic, length, check = _PREFIX.unpack(data[:size].tobytes())
        text = data[size : size + length].tobytes()
        if magic == _MAGIC and zlib.crc32(text) == check:
            entries = json.loads(text)
            if isinstance(entries, dict):
                return entries, _padded(size + length)
    raise StorageError("the header of a file is damaged: build the folder again")


def _array(
    data: NDArray[np.uint8], name: str, entry: list[Any], begin: int, due: ArrayType | None
) -> NDArray[Any]:
    import numpy as np

    kind, shape, at = entry
    if due is None:
        raise ValueError(f"no array {name!r} is known")
    if not all(isinstance(n, int) and n >= 0 for n in (*shape, at)):
        raise ValueError(f"{name} has the shape {shape} at {at}")
    dtype = np.dtype(str(kind))
    if dtype not in [np.dtype(one) for one in due[0].split("|")] or len(shape) != due[1]:
        raise StorageError(
            f"{name} holds {dtype} in {len(shape)} dimensions, expected {due[0]} in {due[1]}: build it again"
        )
    first, size = begin + at, dtype.itemsize * math.prod(shape)
    if at % _STEP or first + size > len(data):
        raise ValueError(f"{name} lies outside of its file")
    return data[first : first + size].view(dtype).reshape(shape)
