"""Word → row: by bisection, scan or dictionary, and under other spellings where the word itself is missing."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from lexicloud.storage import PackedStrings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

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


STRIPPED: Final = "_.'*"
SPLIT: Final = re.compile(r"[-_./:']+")
_STRAIGHT: Final = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "–": "-", "—": "-"}
)
# A clitic, and what it stands for where a model does not know the clitic itself.
CLITICS: Final = {"n't": "not", "'ll": "will", "'ve": "have", "'re": "are", "'m": "am", "'d": "would"}
# The stems that a contraction changes; the treebank's "ca" and "wo" would be California and a typing error.
STEMS: Final = {"ca": "can", "wo": "will", "sha": "shall"}
PARTIAL: Final = 0.5


class Rung(NamedTuple):
    """One attempt: what was done, and the words whose vectors would be averaged."""

    via: str
    words: tuple[str, ...]


def rungs(word: str) -> Iterator[Rung]:
    """Yield the attempts for a word, most faithful first; the word itself is not among them.

    >>> [" + ".join(rung.words) for rung in rungs("Whale's")]
    ['Whale', 'Whale + s', "whale's", 'whale', 'whale + s']
    """
    if word.isalpha() and word.isascii():
        # Most words: nothing to strip, split or fold, so that lower case is all there is to try.
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
    """Tell whether a word has nothing to strip, fold or lower, and no clitic: it can be split at most."""
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
    """Name a rung by what it did; that the ends were stripped first goes without saying."""
    return ", ".join(s for s in steps if s != "strip")


def fold(word: str) -> str:
    """Take the accents off: *café* → *cafe*."""
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
    """Return the words and every spelling the ladder may ask for: give it to `only=` to lose nothing recoverable.

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
    """Climb for many words with a single search of all the spellings they may need."""
    ladders = {word: list(rungs(word)) for word in words}
    rows = find(list({w for ladder in ladders.values() for rung in ladder for w in rung.words}))
    climbed = ((word, _climb(ladder, rows.__contains__)) for word, ladder in ladders.items() if ladder)
    return {word: Recovery(rung.via, tuple(rows[w] for w in rung.words)) for word, rung in climbed if rung}
