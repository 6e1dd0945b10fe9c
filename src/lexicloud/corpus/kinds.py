"""What kind of word each word is: content, function word, punctuation, or a name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.text import tokenize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus

KINDS: Final = ("content", "name", "function", "punctuation")
CONTENT, NAME, FUNCTION, PUNCTUATION = range(4)
# A word is a name if at least this share of its uses inside sentences have a capital.
CAPITAL: Final = 0.8
# Every noun has a capital there.
CAPITALISING: Final = frozenset({"german"})
_ENDS: Final = frozenset(".!?:;\"'“”‘’«»…([-—–") | {"--", "..."}


def word_kinds(corpus: Corpus, rows: Sequence[int] | None = None) -> NDArray[np.int8]:
    """Return the kind of each word of the vocabulary, as a place in `KINDS`, judged by the documents `rows`
    (or by all).

    Names are words that are written with a capital inside sentences; a corpus that was saved without its
    texts, or one in German, has none.
    """
    kinds = np.full(len(corpus.vocabulary), CONTENT, dtype=np.int8)
    kinds[_names(corpus, range(len(corpus)) if rows is None else rows)] = NAME
    kinds[corpus.stopwords] = FUNCTION
    kinds[corpus.punctuation] = PUNCTUATION
    return kinds


def _names(corpus: Corpus, rows: Sequence[int]) -> NDArray[np.bool_]:
    size = len(corpus.vocabulary)
    inside, capital = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    if corpus.texts is None or corpus.rules.language in CAPITALISING:
        return np.zeros(size, dtype=bool)
    for row in rows:
        written, numbers = tokenize(corpus.texts[row], corpus.rules), corpus.tokens(row)
        if len(written) != len(numbers):  # the corpus is a sample of the text
            continue
        first = np.array([True, *(token in _ENDS for token in written[:-1])])
        shouted = np.array([len(token) > 1 and token.isupper() for token in written])
        large = np.array([token[:1].isupper() for token in written])
        counted = ~first & ~shouted
        inside += np.bincount(numbers[counted], minlength=size)
        capital += np.bincount(numbers[counted & large], minlength=size)
    return np.asarray((inside > 0) & (capital >= CAPITAL * inside))


def without_kinds(corpus: Corpus, kinds: Sequence[str], rows: Sequence[int] | None = None) -> Corpus:
    """Return the corpus without the words of some kinds, such as ("punctuation", "name")."""
    wrong = [kind for kind in kinds if kind not in KINDS]
    if wrong:
        raise OptionError(f"no kind of words {wrong[0]!r}: choose from {', '.join(KINDS)}")
    if not kinds:
        return corpus
    dropped = np.isin(word_kinds(corpus, rows), [KINDS.index(kind) for kind in kinds])
    kept = ~dropped[corpus.stream]
    bounds = np.concatenate([[0], np.cumsum(kept)])[corpus.bounds]
    return replace(corpus, stream=corpus.stream[kept], bounds=bounds.astype(np.int64))
