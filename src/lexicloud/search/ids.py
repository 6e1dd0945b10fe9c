"""Words and names by number: word → number over sorted strings, and the ids of sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final, overload

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.filters import read_json
from lexicloud.store.bundle import PackedStrings
from lexicloud.vectors.lookup import HashedWords

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Identifier

# Look-ups before a dict is made. A binary search costs some 10 µs, a dict of 60,000 words some 15 ms, and after so many
# look-ups more will follow.
_WARM: Final = 300


class WordIds(Mapping[str, int]):
    """Word → number over packed strings that are in the order of their UTF-8 bytes.

    The first look-ups are binary searches in the bytes, so that opening costs nothing; after many a dict is made.
    """

    def __init__(self, words: PackedStrings) -> None:
        self._words = words
        self._asked = 0
        self._ids: dict[str, int] | None = None

    def __getitem__(self, word: str) -> int:
        if self._ids is None:
            self._asked += 1
            if self._asked <= _WARM:
                return self._halve(word)
            self.read_all()
        return self._ids[word]  # type: ignore[index]

    def read_all(self) -> None:
        """Make the dict now: many look-ups are to come."""
        if self._ids is None:
            self._ids = {w: i for i, w in enumerate(self._words.decode_all())}

    def get(self, word: str, default: Any = None) -> Any:
        """Return a word's number, or the default; asks the dict directly once there is one."""
        return super().get(word, default) if self._ids is None else self._ids.get(word, default)

    def place(self, word: str) -> int:
        """Return the number of the first word that does not come before this one."""
        wanted = word.encode("utf-8", "surrogatepass")
        blob, offsets = self._words.blob, self._words.offsets
        low, high = 0, len(self._words)
        while low < high:
            middle = (low + high) // 2
            if blob[offsets[middle] : offsets[middle + 1]].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def find(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of some words, -1 for those that are not there, by binary search."""
        places = [(word, self.place(word)) for word in words]
        last = len(self)
        found = [at if at < last and self._words[at] == word else -1 for word, at in places]
        return np.array(found, np.int64)

    def _halve(self, word: str) -> int:
        place = self.place(word)
        if place == len(self._words) or self._words[place] != word:
            raise KeyError(word)
        return place

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


class Identifiers(Sequence["Identifier"]):
    """Numbers that follow each other, numbers in an array, or a mix of numbers and strings as packed JSON."""

    __slots__ = ("_hashed", "packed")

    def __init__(self, packed: range | NDArray[np.int64] | PackedStrings) -> None:
        self.packed = packed
        self._hashed: HashedWords | None = None

    @classmethod
    def pack(cls, identifiers: Sequence[Identifier]) -> Identifiers:
        """Store ids in the smallest form that can hold them."""
        kinds = set(map(type, identifiers))
        wrong = kinds - {int, str}
        if wrong:
            raise OptionError(f"an id is a string or a whole number, not a {next(iter(wrong)).__name__}")
        if kinds <= {int}:
            try:
                return cls(_in_a_row(np.array(identifiers, dtype=np.int64)))
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
            name: Identifier = read_json(self.packed[i])
            return name
        return int(self.packed[i])

    def to_list(self) -> list[Identifier]:
        """Decode everything at once."""
        if isinstance(self.packed, PackedStrings):
            # One call for all is ten times faster than one for each.
            names: list[Identifier] = read_json(f"[{','.join(self.packed.to_list())}]")
            return names
        return list(self.packed) if isinstance(self.packed, range) else self.packed.tolist()

    def take(self, rows: NDArray[np.int64]) -> Identifiers:
        """Return some of them."""
        if isinstance(self.packed, PackedStrings):
            return Identifiers(self.packed.take(rows))
        return Identifiers(_in_a_row(self._numbers().take(rows)))

    def _numbers(self) -> NDArray[np.int64]:
        assert not isinstance(self.packed, PackedStrings)
        return np.asarray(self.packed, dtype=np.int64)

    def rows_of(self, names: Collection[Identifier]) -> NDArray[np.int64]:
        """Return the rows whose id is among `names`, ascending."""
        if isinstance(self.packed, PackedStrings):
            if self._hashed is None:
                self._hashed = HashedWords.build(self.packed)
            found = self._hashed.find(list(map(as_json, names)))
            return np.unique(found[found >= 0])
        numbers = [name for name in names if isinstance(name, int) and abs(name) < 2**63]
        if isinstance(self.packed, range):
            return np.array(sorted({n - self.packed.start for n in numbers if n in self.packed}), np.int64)
        return np.flatnonzero(np.isin(self.packed, np.array(numbers, dtype=np.int64)))

    @classmethod
    def join(cls, parts: Sequence[Identifiers]) -> Identifiers:
        """Put several one below the other."""
        if len(parts) == 1:
            return parts[0]
        if not any(isinstance(part.packed, PackedStrings) for part in parts):
            return cls(_in_a_row(np.concatenate([part._numbers() for part in parts])))  # noqa: SLF001
        return cls(PackedStrings.join([part.as_strings() for part in parts]))

    def as_strings(self) -> PackedStrings:
        """Return all of them as packed JSON."""
        if isinstance(self.packed, PackedStrings):
            return self.packed
        return PackedStrings.pack(list(map(str, self.packed)))


def _in_a_row(numbers: NDArray[np.int64]) -> range | NDArray[np.int64]:
    """Return numbers as a range where each is one more than the one before."""
    if len(numbers) and bool((np.diff(numbers) == 1).all()):
        return range(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers


def as_json(name: Identifier) -> str:
    """Write a name as JSON."""
    return encode_basestring(name) if isinstance(name, str) else str(name)
