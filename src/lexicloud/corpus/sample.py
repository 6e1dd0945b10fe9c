"""The paper's sampling: the same number of tokens from each document."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from lexicloud.errors import CorpusError, OptionError

if TYPE_CHECKING:
    from lexicloud.corpus.corpus import Corpus


def sample_corpus(corpus: Corpus, n: int, seed: int, *, running: bool) -> Corpus:
    """Draw `n` tokens of each document without replacement; see `Corpus.sample`."""
    if not isinstance(n, Integral) or n < 1:
        raise OptionError(f"a sample needs a whole number of tokens, at least one, not {n!r}")
    if not isinstance(seed, Integral) or seed < 0:
        raise OptionError(f"seed must be a whole number of at least 0, not {seed!r}")
    allowed = np.ones(len(corpus.vocabulary), dtype=bool) if running else corpus.content
    kept, pieces, dropped, longest = [], [], [], 0
    for i, name in enumerate(corpus.names):
        tokens = corpus.tokens(i)
        eligible = tokens[allowed[tokens]]
        longest = max(longest, len(eligible))
        if len(eligible) < n:
            dropped.append(name)
            continue
        # Seeded by the name too, so that adding or removing a document leaves the others' samples alone.
        rng = np.random.default_rng([seed, crc32(name.encode())])
        chosen = np.sort(rng.choice(len(eligible), n, replace=False))
        kept.append(i)
        pieces.append(eligible[chosen])
    if not kept:
        kind = "tokens" if running else "embedded content words"
        raise CorpusError(f"no document has {n:,} {kind} (the longest has {longest:,}): sample fewer")
    return replace(
        corpus,
        names=tuple(corpus.names[i] for i in kept),
        stream=np.concatenate(pieces),
        bounds=np.arange(len(kept) + 1, dtype=np.int64) * n,
        labels=None if corpus.labels is None else tuple(corpus.labels[i] for i in kept),
        texts=None,
        parents=None if corpus.parents is None else corpus.parents[kept],
        dropped=tuple(dropped),
    )
