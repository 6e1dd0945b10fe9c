"""Strings in one block of bytes, which can be memory-mapped; each string is decoded when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, overload

from lexicloud.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


DAMAGED: Final = "a saved folder is damaged, its strings point outside of it or are no text: build it again"


class PackedStrings(Sequence[str]):
    """A sequence of strings in one block of UTF-8 bytes; each is decoded when it is needed."""

    __slots__ = ("blob", "offsets")

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64] | NDArray[np.uint32]) -> None:
        self.blob = blob
        self.offsets = offsets

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
