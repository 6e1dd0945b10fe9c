"""The names of sentences: numbers or strings, packed."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, overload

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.storage import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.database import Identifier


class Identifiers(Sequence["Identifier"]):
    """Numbers in an array, or a mix of numbers and strings as packed JSON."""

    __slots__ = ("packed",)

    def __init__(self, packed: NDArray[np.int64] | PackedStrings) -> None:
        self.packed = packed

    @classmethod
    def pack(cls, identifiers: Sequence[Identifier]) -> Identifiers:
        """Choose the smaller way to keep these."""
        kinds = set(map(type, identifiers))
        wrong = kinds - {int, str}
        if wrong:
            raise OptionError(f"an id is a string or a whole number, not a {next(iter(wrong)).__name__}")
        if kinds <= {int}:
            try:
                return cls(np.array(identifiers, dtype=np.int64))
            except OverflowError:
                pass  # longer than 64 bits: kept as text
        return cls(PackedStrings.pack(list(map(as_json, identifiers))))

    def __len__(self) -> int:
        return len(self.packed)

    @overload
    def __getitem__(self, i: int) -> Identifier: ...
    @overload
    def __getitem__(self, i: slice) -> list[Identifier]: ...
    def __getitem__(self, i: int | slice) -> Identifier | list[Identifier]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if isinstance(self.packed, PackedStrings):
            name: Identifier = json.loads(self.packed[i])
            return name
        return int(self.packed[i])

    def to_list(self) -> list[Identifier]:
        """Decode everything at once."""
        if isinstance(self.packed, PackedStrings):
            # One call for all is ten times faster than one for each.
            names: list[Identifier] = json.loads(f"[{','.join(self.packed.to_list())}]")
            return names
        numbers: list[Identifier] = self.packed.tolist()
        return numbers

    def take(self, rows: NDArray[np.int64]) -> Identifiers:
        """Return some of them."""
        return Identifiers(self.packed.take(rows))

    def rows_of(self, names: Collection[Identifier]) -> NDArray[np.int64]:
        """Return the rows that have one of some names, ascending."""
        if isinstance(self.packed, PackedStrings):
            wanted = set(map(as_json, names))
            return np.array(
                [i for i, text in enumerate(self.packed.to_list()) if text in wanted], dtype=np.int64
            )
        numbers = [name for name in names if isinstance(name, int) and abs(name) < 2**63]
        return np.flatnonzero(np.isin(self.packed, np.array(numbers, dtype=np.int64)))

    @classmethod
    def join(cls, parts: Sequence[Identifiers]) -> Identifiers:
        """Put several one below the other."""
        if len(parts) == 1:
            return parts[0]
        if all(isinstance(part.packed, np.ndarray) for part in parts):
            return cls(np.concatenate([part.packed for part in parts]))
        return cls(PackedStrings.join([part.as_strings() for part in parts]))

    def as_strings(self) -> PackedStrings:
        """Return all of them as packed JSON."""
        if isinstance(self.packed, PackedStrings):
            return self.packed
        return PackedStrings.pack(list(map(str, self.packed.tolist())))


def as_json(name: Identifier) -> str:
    """Write a name as JSON."""
    return encode_basestring(name) if isinstance(name, str) else str(name)
