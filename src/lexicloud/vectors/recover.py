"""The recovery ladder: other spellings under which a word without a vector may be found.

A rung is a spelling, or several words whose vectors are averaged. Rungs are tried from the most to the least
faithful, and the first that has vectors for all its words wins:

1. straight quotes and hyphens for typographic ones; then `_ . ' *` stripped from both ends;
2. English contractions as GloVe's tokenizer cuts them, *don't* → *do* + *n't*, and possessives, *whale's* → *whale*;
3. split on `- _ . / : '`, the average of the pieces;
4. the same in lower case; then with `1` read as `l` (a common scanning error), unless the word has no letter;
   then with accents taken off (*café* → *cafe*);
5. at last the average of those pieces that have a vector, if they hold at least half of the word's letters and digits.

Stripping, splitting, lower case and `1`, in this order, are the ladder of the paper's authors; the rest is ours. A
split counts only when all pieces have a vector, because *Mother-in-law* would otherwise become *in* + *law* before
lower case is tried.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

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


def recover(word: str, known: Callable[[str], bool]) -> Rung | None:
    """Climb the ladder: the first rung of which every word is `known`, at last the partial one, or None.

    >>> recover("_Whale_", {"whale"}.__contains__)
    Rung(via='lower case', words=('whale',))
    >>> recover("don't", {"do", "not"}.__contains__).words
    ('do', 'not')
    """
    return _climb(rungs(word), known)


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
