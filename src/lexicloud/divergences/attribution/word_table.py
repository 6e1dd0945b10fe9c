"""Texts as word counts over one list of words: what attribution knows of a text, and all that a model keeps of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WordTable:
    """Counts of texts over `words`; `lengths` count all tokens of a text, listed or not.

    >>> table = WordTable.of_tokens([["a", "b", "a"], ["c"]], names=["x", "y"])
    >>> table.words, table.counts.toarray().tolist()
    (('a', 'b', 'c'), [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """

    words: tuple[str, ...]
    counts: sparse.csr_array
    lengths: Floats
    names: tuple[str, ...]

    @classmethod
    def of(cls, corpus: Corpus) -> WordTable:
        """Return the counts of a corpus."""
        counts = sparse.csr_array(corpus.counts).astype(np.float64)
        return cls(tuple(corpus.vocabulary), counts, corpus.lengths.astype(np.float64), corpus.names)

    @classmethod
    def of_tokens(cls, texts: Sequence[Sequence[str]], names: Sequence[str] | None = None) -> WordTable:
        """Count the tokens of texts."""
        ids: dict[str, int] = {}
        rows = [{ids.setdefault(w, len(ids)): n for w, n in Counter(tokens).items()} for tokens in texts]
        indices = np.array([i for row in rows for i in row], dtype=np.int64)
        data = np.array([n for row in rows for n in row.values()], dtype=np.float64)
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        counts = sparse.csr_array((data, indices, indptr), shape=(len(rows), len(ids)))
        lengths = np.array([len(tokens) for tokens in texts], dtype=np.float64)
        return cls(tuple(ids), counts, lengths, tuple(names or map(str, range(len(rows)))))

    def counting(self, passages: Sequence[NDArray[Any]]) -> WordTable:
        """Return the counts of passages, given as numbers of these words."""
        ends = np.cumsum([len(passage) for passage in passages])
        ids = np.concatenate(passages) if passages else np.zeros(0, dtype=np.int64)
        indptr = np.concatenate([[0], ends]).astype(np.int64)
        shape = (len(passages), len(self.words))
        counts = sparse.csr_array((np.ones(len(ids)), ids.astype(np.int64), indptr), shape=shape)
        counts.sum_duplicates()
        lengths = np.diff(indptr).astype(np.float64)
        return WordTable(self.words, counts, lengths, tuple(map(str, range(len(passages)))))

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def totals(self) -> Floats:
        """How often each word occurs in all texts together."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64).ravel()

    def over(self, words: tuple[str, ...]) -> sparse.csr_array:
        """Return the counts over another list of words."""
        if words is self.words:
            return self.counts
        ids = {word: i for i, word in enumerate(words)}
        place = np.array([ids.get(word, -1) for word in self.words], dtype=np.int64)
        kept = np.flatnonzero(place >= 0)
        chosen = self.counts[:, kept].tocoo()
        rows, columns = chosen.coords
        return sparse.csr_array((chosen.data, (rows, place[kept][columns])), shape=(len(self), len(words)))

    def shares(self, words: tuple[str, ...] | None = None) -> sparse.csr_array:
        """Return each word's share of the tokens of each text."""
        counts = self.counts if words is None else self.over(words)
        each = np.repeat(np.maximum(self.lengths, 1.0), np.diff(counts.indptr))
        return sparse.csr_array((counts.data / each, counts.indices, counts.indptr), shape=counts.shape)

    def with_data(self, data: Any) -> sparse.csr_array:
        """Return other values in the places of the counts."""
        counts = self.counts
        return sparse.csr_array((data, counts.indices, counts.indptr), shape=counts.shape)

    def rows(self, chosen: Sequence[int] | NDArray[Any]) -> WordTable:
        """Return some of the texts, over the same words."""
        chosen = np.asarray(chosen, dtype=np.int64)
        names = tuple(self.names[i] for i in chosen)
        return replace(self, counts=self.counts[chosen], lengths=self.lengths[chosen], names=names)
