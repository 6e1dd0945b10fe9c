"""From sentences to a segment: count once, sort by rows, turn by columns."""

from __future__ import annotations

from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from lexicloud.corpus.count import count_tokens
from lexicloud.progress import stage
from lexicloud.search.identifiers import Identifiers
from lexicloud.search.metadata import columns_of
from lexicloud.search.segments import Segment
from lexicloud.storage import PackedStrings
from lexicloud.text import TokenRules, is_punctuation, stopwords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.search.items import Items
    from lexicloud.search.source import Looker
    from lexicloud.vectors.refine import Refinement


def build_segment(
    items: Items, vectors: Looker, refinement: Refinement, rules: TokenRules, workers: int | None = None
) -> Segment:
    """Count the words of sentences and look their vectors up."""
    words, stream, bounds = _counted(items.texts, rules, workers)
    # Before SciPy, which sums duplicates in place, changes the bounds.
    lengths = np.diff(bounds).astype(np.int32)
    with stage("indexing", None):
        rows = sparse.csr_array(
            (np.ones(len(stream), np.int32), stream, bounds), shape=(len(items), len(words))
        )
        rows.sum_duplicates()
        columns = rows.tocsc()
        found = vectors.lookup(words)
        stop = stopwords(rules.language)
        texts = PackedStrings.pack(items.texts)
        return Segment(
            PackedStrings.pack(words),
            found.matrix,
            refinement.apply(found.matrix),
            found.status > 0,
            np.fromiter((w in stop for w in words), dtype=bool, count=len(words)),
            np.fromiter((is_punctuation(w) for w in words), dtype=bool, count=len(words)),
            rows.indptr.astype(np.int64),
            rows.indices.astype(np.int32),
            rows.data,
            columns.indptr.astype(np.int64),
            columns.indices.astype(np.int32),
            columns.data,
            lengths,
            _digests(texts),
            texts,
            Identifiers.pack(items.identifiers),
            columns_of(items.metadata),
        )


def _counted(
    texts: Sequence[str], rules: TokenRules, workers: int | None
) -> tuple[list[str], NDArray[np.int32], NDArray[np.int64]]:
    """Count words and number them in the order of their UTF-8 bytes, which is the order of their code points."""
    if not texts:
        return [], np.zeros(0, np.int32), np.zeros(1, np.int64)
    words, stream, bounds = count_tokens(texts, rules, workers)
    order = sorted(range(len(words)), key=words.__getitem__)
    renumber = np.empty(len(words), dtype=np.int32)
    renumber[order] = np.arange(len(words), dtype=np.int32)
    return [words[i] for i in order], renumber[stream] if len(stream) else stream, bounds


def _digests(texts: PackedStrings) -> NDArray[np.uint64]:
    """Hash every text to 64 bits: among a million sentences, two differ and share one once in 37 million times."""
    data, ends = texts.blob.tobytes(), texts.offsets.tolist()
    hashed = [blake2b(data[a:b], digest_size=8).digest() for a, b in pairwise(ends)]
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)
