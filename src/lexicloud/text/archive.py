"""A limit on what may be unpacked from one file, and zip archives that are unpacked within it."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING, Final

from lexicloud.errors import InputError
from lexicloud.store.files import too_large, unpack_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK: Final = 1 << 16
# The methods that office programs and archivers use. With others, unpacking cannot stop at the limit.
_METHODS: Final = frozenset((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
_ENCRYPTED: Final = 0x1
# Entries of an archive: each takes half a kilobyte of memory before anything is unpacked.
MOST_ENTRIES: Final = 100_000


class Budget:
    """A limit on one file: it counts the bytes that are unpacked and the characters of text.

    The limit is the largest of the file's own size, 16 MB, and a hundred times its size (at most 256 MB);
    LEXICLOUD_UNPACK_MB sets another.
    """

    def __init__(self, packed: int, source: str) -> None:
        self.packed, self.source = packed, source
        self.limit = max(packed, unpack_limit(packed))
        self.spent = 0

    def spend(self, amount: int) -> None:
        """Count bytes or characters; raise an error when they exceed the limit."""
        self.spent += amount
        if self.spent > self.limit:
            raise too_large(self.source, self.packed, self.limit)


class Archive:
    """The parts of a zip file, in the order of the file, each unpacked piece by piece."""

    def __init__(self, data: bytes, budget: Budget) -> None:
        if data.count(b"PK\x01\x02") > MOST_ENTRIES:
            raise InputError(
                f"{budget.source} has more than {MOST_ENTRIES:,} entries: unpack it and give the folder"
            )
        self._zip = zipfile.ZipFile(BytesIO(data))
        self._entries = {entry.filename: entry for entry in self._zip.infolist() if not entry.is_dir()}
        self._budget = budget

    @property
    def names(self) -> list[str]:
        """The names of all parts that are files."""
        return list(self._entries)

    def pieces(self, name: str) -> Iterator[bytes]:
        """Unpack one part in pieces of 64 kB, and stop with an error at the limit."""
        if name not in self._entries:
            raise ValueError(f"there is no part {name}")
        entry = self._entries[name]
        if entry.flag_bits & _ENCRYPTED:
            raise ValueError(f"{name} is locked with a password")
        if entry.compress_type not in _METHODS:
            raise ValueError(f"{name} is packed in an unusual way: pack it again as an ordinary .zip")
        self._budget.spend(0 if entry.file_size <= self._budget.limit else entry.file_size)
        with self._zip.open(entry) as packed:
            while piece := packed.read(_CHUNK):
                self._budget.spend(len(piece))
                yield piece

    def read(self, name: str) -> bytes:
        """Unpack a whole part."""
        return b"".join(self.pieces(name))
