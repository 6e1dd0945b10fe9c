"""The kinds of words: content words, names, function words and punctuation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.text import tokenize
from lexicloud.text.language import read_language

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from numpy.typing import NDArray

    from lexicloud.words.counting import CountedTexts

KINDS: Final = ("content", "name", "function", "punctuation")
CONTENT, NAME, FUNCTION, PUNCTUATION = range(4)
# A word is a name if at least this share of its uses inside sentences have a capital.
CAPITAL: Final = 0.8
# Languages that write every noun with a capital.
CAPITALISING: Final = frozenset({"german"})
_ENDS: Final = frozenset(".!?:;\"'“”‘’«»…([-—–") | {"--", "..."}


def word_kinds(corpus: CountedTexts, rows: Sequence[int] | None = None) -> NDArray[np.int8]:
    """Return the kind of each word of the vocabulary, as a place in `KINDS`.

    Names are words that are written with a capital inside the sentences of the documents `rows` (by default all).
    A corpus without its texts, or one in German, has none.
    """
    kinds = np.full(len(corpus.vocabulary), CONTENT, dtype=np.int8)
    kinds[_names(corpus, range(len(corpus)) if rows is None else rows)] = NAME
    kinds[corpus.stopwords] = FUNCTION
    kinds[corpus.punctuation] = PUNCTUATION
    return kinds


def _names(corpus: CountedTexts, rows: Sequence[int]) -> NDArray[np.bool_]:
    size = len(corpus.vocabulary)
    inside, capital = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    if corpus.texts is None or corpus.rules.language in CAPITALISING:
        return np.zeros(size, dtype=bool)
    for row in rows:
        written, numbers = tokenize(corpus.texts[row], corpus.rules), corpus.tokens(row)
        if not written or len(written) != len(numbers):  # no words, or the corpus is a sample of the text
            continue
        first = _begins(written, read_language(corpus.rules.language).always_continued)
        distinct = set(written)
        shouted = _are(written, {token for token in distinct if len(token) > 1 and token.isupper()})
        large = _are(written, {token for token in distinct if token[:1].isupper()})
        counted = ~first & ~shouted
        inside += np.bincount(numbers[counted], minlength=size)
        capital += np.bincount(numbers[counted & large], minlength=size)
    return _with_possessives(corpus, (inside > 0) & (capital >= CAPITAL * inside))


def _with_possessives(corpus: CountedTexts, names: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Add the possessives of names: "Weston's" in "Mrs. Weston's" follows a full stop, as if it began a sentence."""
    ids, names = corpus.vocabulary.ids, names.copy()
    for number, word in enumerate(corpus.vocabulary):
        if word.endswith(("'s", "’s")) and names[ids.get(word[:-2], number)]:
            names[number] = True
    return names


def _begins(written: list[str], continued: frozenset[str]) -> NDArray[np.bool_]:
    """Return whether each token may begin a sentence; the full stop of *Mr.* ends none."""
    ends = _are(written, _ENDS)
    goes_on = _are(written, {token for token in set(written) if token.lower() in continued})
    ends[1:] &= ~(_are(written, {"."})[1:] & goes_on[:-1])
    return np.concatenate([[True], ends[:-1]])


def _are(written: list[str], some: Set[str]) -> NDArray[np.bool_]:
    return np.fromiter(map(some.__contains__, written), dtype=bool, count=len(written))
