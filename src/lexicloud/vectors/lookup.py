"""Find the row of a word, by hashes or a dictionary; if it is missing, by other spellings of it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.errors import StorageError
from lexicloud.store.folder import PackedStrings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]


_BLOCK: Final = 1 << 16  # words that are hashed at once: a few megabytes of intermediate numbers
_FACTOR: Final = 0x9E3779B97F4A7C15  # 2⁶⁴ divided by the golden ratio: odd, and its bits are well spread
_MIX: Final = 0xD6E8FEB86659FD93
_PERIOD: Final = 256  # powers of the factor; bytes after the 256th begin again with the first power
_REMEMBERED: Final = 2**14  # words that were asked for, before they are forgotten
_FEW: Final = 16  # words; so few are found sooner one by one than by arrays
_ALL_BITS: Final = 2**64 - 1
_DAMAGED: Final = "the list of words is damaged, an entry points outside of it: convert or build it again"


def _powers() -> Hashes:
    return np.multiply.accumulate(np.full(_PERIOD, _FACTOR, np.uint64), dtype=np.uint64)


@cache
def _power_list() -> list[int]:
    return [int(power) for power in _powers()]


def _hash_word(encoded: bytes) -> int:
    """Return the hash of one word, as `hash_words` does for many."""
    powers = _power_list()
    total = sum([(byte + 1) * powers[i & (_PERIOD - 1)] for i, byte in enumerate(encoded)]) & _ALL_BITS
    total = ((total ^ total >> 32) * _MIX) & _ALL_BITS
    return total ^ total >> 32


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
        if len(wanted) <= _FEW:
            return np.array([self.find_one(word) for word in wanted], np.int64)
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

    def find_one(self, word: str) -> int:
        """Return the row of one word, −1 if there is none."""
        encoded = word.encode("utf-8", "surrogatepass")
        wanted = _hash_word(encoded)
        place = int(np.searchsorted(self.hashes, np.uint64(wanted)))
        while place < len(self.hashes) and int(self.hashes[place]) == wanted:
            row = int(self.rows[place])
            if row >= len(self.words):
                raise StorageError(_DAMAGED)
            start, end = self.words.offsets[row : row + 2].tolist()
            if end > len(self.words.blob):
                raise StorageError(_DAMAGED)
            if end - start == len(encoded) and self.words.blob[start:end].tobytes() == encoded:
                return row
            place += 1  # another word may have the same hash
        return -1

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


class WordIndex:
    """Finds the rows of words: by hashes (which may be on disk) for packed words, by a dictionary for a list.

    >>> index = WordIndex(["whale", "ship"])
    >>> index.find("ship"), index.find("sea"), index.find_many(["ship", "sea", "whale"]).tolist()
    (1, -1, [1, -1, 0])
    """

    def __init__(self, words: Sequence[str], hashed: HashedWords | None = None) -> None:
        self.words = words
        self._hashed = hashed
        self._lock = Lock()
        self._met: dict[str, int] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the lock, which cannot be copied."""
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    @cached_property
    def mapping(self) -> dict[str, int]:
        """Word → row as a dictionary, made on first use; a word that occurs twice has its first row."""
        words = self.words.to_list() if isinstance(self.words, PackedStrings) else self.words
        return dict(zip(reversed(words), range(len(words) - 1, -1, -1), strict=True))

    @property
    def hashed(self) -> HashedWords:
        """The words by their hashes, made on first use unless they come from disk."""
        with self._lock:
            if self._hashed is None:
                self._hashed = HashedWords.build(PackedStrings.pack(self.words))
            return self._hashed

    def find(self, word: str) -> int:
        """Return the row of a word, or −1."""
        if isinstance(self.words, PackedStrings):
            return self.hashed.find_one(word)
        return self.mapping.get(word, -1)

    def find_many(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each word, −1 where there is none."""
        if isinstance(self.words, PackedStrings):
            return self._some(words) if len(words) <= _FEW else self.hashed.find(words)
        get = self.mapping.get
        return np.fromiter((get(w, -1) for w in words), dtype=np.int64, count=len(words))

    def _some(self, words: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each of a few words; they are remembered, since a query asks for its words repeatedly."""
        met = self._met
        if len(met) > _REMEMBERED:
            met = self._met = {}
        found = [met.get(word) for word in words]
        for i, word in enumerate(words):
            if found[i] is None:
                found[i] = met[word] = self.hashed.find_one(word)
        return np.array(found, np.int64)


STRIPPED: Final = "_.'*"
SPLIT: Final = re.compile(r"[-_./:']+")
_STRAIGHT: Final = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "–": "-", "—": "-"}
)
# A clitic, and the word it stands for, in case the vectors lack the clitic.
CLITICS: Final = {"n't": "not", "'ll": "will", "'ve": "have", "'re": "are", "'m": "am", "'d": "would"}
# Stems that a contraction changes (can't → ca + n't); as a word of its own, "ca" would mean California.
STEMS: Final = {"ca": "can", "wo": "will", "sha": "shall"}
PARTIAL: Final = 0.5


class Rung(NamedTuple):
    """One attempt to find a missing word: what was done to it, and the words whose vectors are averaged."""

    via: str
    words: tuple[str, ...]


def rungs(word: str) -> Iterator[Rung]:
    """Yield other spellings of a missing word to try in turn, the most faithful first.

    >>> [" + ".join(rung.words) for rung in rungs("Whale's")]
    ['Whale', 'Whale + s', "whale's", 'whale', 'whale + s']
    """
    if word.isalpha() and word.isascii():
        # Most words have nothing to strip, split or fold: only lower case is left to try.
        if word != word.lower():
            yield Rung("lower case", (word.lower(),))
        return
    if _is_bare(word):
        yield from _split("strip", word)
        return
    straight = word.translate(_STRAIGHT)
    seen: set[tuple[str, ...]] = {(word,)}
    if straight != word:
        seen.add((straight,))
        yield Rung("quotes", (straight,))
    for via, spelling in _spellings(straight.strip(STRIPPED)):
        for rung in (Rung(via, (spelling,)), *_clitics(via, spelling), *_split(via, spelling)):
            if rung.words not in seen and all(rung.words):
                seen.add(rung.words)
                yield rung


def _is_bare(word: str) -> bool:
    """Return whether a word has nothing to strip, fold or lower, and no clitic, so that it can only be split."""
    if not word.isascii() or "'" in word or word != word.lower() or word != word.strip(STRIPPED):
        return False
    return "1" not in word or not any(map(str.isalpha, word))


def _spellings(stripped: str) -> Iterator[tuple[str, str]]:
    lower = stripped.lower()
    ones = lower.replace("1", "l") if any(map(str.isalpha, lower)) else lower
    yield "strip", stripped
    yield "lower case", lower
    yield "1 as l", ones
    yield "accents", fold(ones)


def _clitics(via: str, spelling: str) -> Iterator[Rung]:
    lowered = spelling.lower()
    if lowered.endswith(("'s", "s'")):
        yield Rung(_chain(via, "possessive"), (spelling[:-2] if lowered.endswith("'s") else spelling[:-1],))
    for clitic, meaning in CLITICS.items():
        if lowered.endswith(clitic) and len(spelling) > len(clitic):
            stem = spelling[: -len(clitic)]
            stem = STEMS.get(stem.lower(), stem) if clitic == "n't" else stem
            yield Rung(_chain(via, "contraction"), (stem, clitic))
            yield Rung(_chain(via, "contraction"), (stem, meaning))


def _split(via: str, spelling: str) -> Iterator[Rung]:
    pieces = tuple(p for p in SPLIT.split(spelling) if p)
    if len(pieces) > 1:
        yield Rung(_chain(via, "split"), pieces)


def _chain(*steps: str) -> str:
    """Join the names of the steps; stripping the ends is always done and not named."""
    return ", ".join(s for s in steps if s != "strip")


def fold(word: str) -> str:
    """Remove the accents: *café* → *cafe*."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def _climb(ladder: Iterable[Rung], known: Callable[[str], bool]) -> Rung | None:
    last: tuple[str, ...] = ()
    for rung in ladder:
        if all(map(known, rung.words)):
            return rung
        if rung.via.endswith("split"):
            last = rung.words
    found = tuple(filter(known, last))
    if found and sum(map(len, found)) >= PARTIAL * sum(map(len, last)):
        return Rung("some pieces", found)
    return None


def forms(words: Iterable[str]) -> set[str]:
    """Return the words and every other spelling that a lookup may try, for `load_vectors(only=…)`.

    >>> sorted(forms(["Sea-dog"]))
    ['Sea', 'Sea-dog', 'dog', 'sea', 'sea-dog']
    """
    every: set[str] = set()
    for word in words:
        every.add(word)
        for rung in rungs(word):
            every.update(rung.words)
    return every


class Recovery(NamedTuple):
    """How a word was recovered, and the rows to average."""

    via: str
    rows: tuple[int, ...]


def recover_all(words: Collection[str], find: Callable[[list[str]], dict[str, int]]) -> dict[str, Recovery]:
    """Find other spellings of many missing words, with a single search for all the spellings to try."""
    ladders = {word: list(rungs(word)) for word in words}
    rows = find(list({w for ladder in ladders.values() for rung in ladder for w in rung.words}))
    climbed = ((word, _climb(ladder, rows.__contains__)) for word, ladder in ladders.items() if ladder)
    return {word: Recovery(rung.via, tuple(rows[w] for w in rung.words)) for word, rung in climbed if rung}
