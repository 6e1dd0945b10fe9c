"""Typing errors: a word of a query that no text has, one edit away from a word that some text has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.search.arrays import derived
from lexicloud.store.bundle import PackedStrings
from lexicloud.text.stems import terms_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database

    Keys = NDArray[np.uint64]

_SHORTEST: Final = 5  # letters of a word that may be a slip: shorter ones have too many neighbours
# Words among so many commonest are no slips: horse is no slip of house. In GloVe's table *occured* is the 37,759th.
USUAL: Final = 30_000
_KEY: Final = 8  # bytes at the beginning or the end of a word by which it is found


def corrected(database: Database, unknown: Sequence[str]) -> dict[str, str]:
    """Return, for words that no text has in any form, the commonest word (or stem) that is one edit away."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    terms, found = terms_by(database.rules), dict[str, str]()
    for word in unknown:
        known = any(database.term_ids.get(name, -1) >= 0 for name in terms[word])
        if known or len(word) < _SHORTEST or not word.isalpha():
            continue
        words, stems = _spellings(database)
        likely = {*words.like(word), *filter(str.isalpha, stems.like(word))}
        near = process.extract(word, sorted(likely), scorer=OSA.distance, score_cutoff=1, limit=None)
        if near:
            found[word] = max(near, key=lambda hit: _frequency(database, hit[0]))[0]
    return found


def mended(text: str, slips: Mapping[str, str]) -> str:
    """Return a text with misspelt words, in any case, replaced by the right ones.

    >>> mended("Pinter jams", {"pinter": "printer"})
    'printer jams'
    """
    for slip, right in slips.items():
        text, found = re.subn(rf"(?<!\w){re.escape(slip)}(?!\w)", right, text, flags=re.IGNORECASE)
        text = text if found else f"{text} {right}"  # normalising the word had changed its letters
    return text


def _frequency(database: Database, word: str) -> int:
    """Return how many texts have a word, or any word of a stem."""
    number, term = database.ids.get(word, -1), database.term_ids.get(word, -1)
    of_term = int(database.term_starts[term + 1] - database.term_starts[term]) if term >= 0 else 0
    return max(int(database.df[number]) if number >= 0 else 0, of_term)


class _Spellings:
    """Strings in the order of their bytes, found by how they begin or end; `offered` says which count."""

    def __init__(self, strings: Sequence[str], offered: NDArray[np.bool_] | None, shortest: int) -> None:
        self.strings = PackedStrings.pack(strings)
        self.strings.check()
        blob, ends = np.asarray(self.strings.blob), np.asarray(self.strings.offsets).astype(np.int64)
        further = np.concatenate([[0], np.cumsum((blob & 0xC0) == 0x80)])  # bytes that begin no letter
        self.letters = np.diff(ends) - np.diff(further[ends])
        self.letters[self.letters < shortest] = 0  # shorter ones are never near
        if offered is not None:
            self.letters[~offered] = 0
        starts, stops = ends[:-1], ends[1:]
        bits = np.where(blob < 0x80, np.uint32(1) << (blob & 31).astype(np.uint32), np.uint32(0))
        self.letter_sets = (
            np.bitwise_or.reduceat(np.append(bits, np.uint32(0)), starts) if len(starts) else bits
        )
        self.begun = _keys(blob, [np.where(starts + i < stops, starts + i, -1) for i in range(_KEY)])
        keys = _keys(blob, [np.where(stops - i > starts, stops - 1 - i, -1) for i in range(_KEY)])
        self.order = np.argsort(keys, kind="stable")
        self.ended = keys[self.order]

    def like(self, word: str) -> list[str]:
        """Return the strings that share one half of their letters with a word and are about as long.

        One edit of n letters leaves the first or the last (n - 1) // 2 of them as they are.
        """
        half = (len(word) - 1) // 2
        start, end = word[:half].encode(), word[-half:].encode()[::-1]
        found = [np.arange(*_span(self.begun, start)), self.order[slice(*_span(self.ended, end))]]
        numbers = np.concatenate(found)
        numbers = numbers[np.abs(self.letters[numbers] - len(word)) <= 1]
        # One edit takes at most one letter away and adds at most one.
        own = np.bitwise_or.reduce(
            [np.uint32(1 << (ord(c) & 31)) for c in word if c.isascii()] or [np.uint32(0)]
        )
        near = numbers[np.bitwise_count(self.letter_sets[numbers] ^ own) <= 2]
        return [self.strings[number] for number in near.tolist()]


def _keys(blob: NDArray[np.uint8], places: Sequence[NDArray[np.int64]]) -> Keys:
    """Return the bytes at some places of each string as one number, the first the highest; no byte (-1) is 0."""
    keys = np.zeros(len(places[0]), np.uint64)
    padded = np.append(blob, np.uint8(0))
    for at in places:
        keys = keys << np.uint64(8) | padded[at]
    return keys


def _span(keys: Keys, wanted: bytes) -> tuple[int, int]:
    """Return where the keys that begin with some bytes stand among sorted ones."""
    low, high = (int.from_bytes(wanted[:_KEY].ljust(_KEY, fill)) for fill in (b"\x00", b"\xff"))
    first = int(np.searchsorted(keys, np.uint64(low)))
    return first, int(np.searchsorted(keys, np.uint64(high), side="right"))


@derived
def _spellings(database: Database) -> tuple[_Spellings, _Spellings]:
    """Return the words, and the stems of words, that slips are looked for among."""
    kept = (database.df > 0) & ~database.stopwords & ~database.punctuation
    words = _Spellings(database.words, kept, _SHORTEST - 1)
    return words, _Spellings(database.terms, None, _SHORTEST)
