"""Excerpts of texts: words in a row, as a reader would be given them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from lexicloud.errors import CorpusError, OptionError

if TYPE_CHECKING:
    from lexicloud.corpus import Corpus


def excerpts(corpus: Corpus, words: int, seed: int = 0) -> Corpus:
    """Cut a passage of so many tokens in a row from each text; shorter texts are left out, and named in `dropped`.

    Words drawn from anywhere in a text (`corpus.sample`) represent it better than a passage does, and make methods
    look better than they are.

    >>> from lexicloud.corpus import Corpus
    >>> texts = Corpus.from_texts({"a": "one two three four five six", "b": "one"}, vectors="none")
    >>> cut = excerpts(texts, 3)
    >>> cut.names, len(cut.tokens(0)), cut.dropped
    (('a',), 3, ('b',))
    """
    if words < 1:
        raise OptionError(f"an excerpt has at least one word, not {words}")
    kept = [i for i, length in enumerate(corpus.lengths) if length >= words]
    if not kept:
        raise CorpusError(f"no text has {words:,} words (the longest has {max(corpus.lengths):,}): cut fewer")
    pieces = []
    for i in kept:
        tokens = corpus.tokens(i)
        # Seeded by the name too, so that other texts do not change the passage.
        rng = np.random.default_rng([seed, crc32(corpus.names[i].encode())])
        start = int(rng.integers(len(tokens) - words + 1))
        pieces.append(tokens[start : start + words])
    return replace(
        corpus,
        names=tuple(corpus.names[i] for i in kept),
        stream=np.concatenate(pieces),
        bounds=np.arange(len(kept) + 1, dtype=np.int64) * words,
        labels=None if corpus.labels is None else tuple(corpus.labels[i] for i in kept),
        texts=None,
        parents=None if corpus.parents is None else corpus.parents[kept],
        dropped=tuple(name for i, name in enumerate(corpus.names) if i not in set(kept)),
    )
