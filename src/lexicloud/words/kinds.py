"""The kinds of words: content words, names, function words and punctuation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.text.language import read_language
from lexicloud.words.counting import bounds_of, cut, number_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lexicloud.text import TokenRules
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
    texts = corpus.texts
    if texts is None or corpus.rules.language in CAPITALISING:
        return np.zeros(size, dtype=bool)
    for batch in cut([texts[row] for row in rows]):
        some = [rows[i] for i in batch]
        counted, large = _capitals(
            [texts[row] for row in some], [corpus.tokens(row) for row in some], corpus.rules
        )
        inside += np.bincount(counted, minlength=size)
        capital += np.bincount(large, minlength=size)
    return _with_possessives(corpus, (inside > 0) & (capital >= CAPITAL * inside))


def _capitals(
    texts: list[str], tokens: list[NDArray[np.int32]], rules: TokenRules
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the numbers of the words inside sentences, and of those among them that have a capital."""
    surfaces, stream, sizes = number_tokens(texts, rules)
    begins = _begins(surfaces, stream, sizes, read_language(rules.language).always_continued)
    shouted = _are(surfaces, lambda token: len(token) > 1 and token.isupper())
    large = _are(surfaces, lambda token: token[:1].isupper())
    # Where the numbers differ, the corpus is a sample of the text.
    whole = np.array([size == len(numbers) for size, numbers in zip(sizes, tokens, strict=True)])
    inside = (~begins & ~shouted[stream])[np.repeat(whole, sizes)]
    capital = large[stream][np.repeat(whole, sizes)]
    words = np.concatenate(
        [numbers for numbers, kept in zip(tokens, whole, strict=True) if kept] or [stream[:0]]
    )
    return words[inside], words[inside & capital]


def _with_possessives(corpus: CountedTexts, names: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Add the possessives of names: "Weston's" in "Mrs. Weston's" follows a full stop, as if it began a sentence."""
    ids, names = corpus.vocabulary.ids, names.copy()
    for number, word in enumerate(corpus.vocabulary):
        if word.endswith(("'s", "’s")) and names[ids.get(word[:-2], number)]:
            names[number] = True
    return names


def _begins(
    surfaces: list[str], stream: NDArray[np.int32], sizes: list[int], continued: frozenset[str]
) -> NDArray[np.bool_]:
    """Return whether each token may begin a sentence; the full stop of *Mr.* ends none."""
    ends = _are(surfaces, _ENDS.__contains__)[stream]
    goes_on = _are(surfaces, lambda token: token.lower() in continued)[stream]
    ends[1:] &= ~(_are(surfaces, ".".__eq__)[stream[1:]] & goes_on[:-1])
    begins = np.concatenate([[True], ends[:-1]])[: len(stream)]
    begins[bounds_of(sizes)[:-1][np.array(sizes) > 0]] = True
    return begins


def _are(surfaces: list[str], test: Callable[[str], bool]) -> NDArray[np.bool_]:
    return np.fromiter(map(test, surfaces), dtype=bool, count=len(surfaces))
