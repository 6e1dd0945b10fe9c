"""How far texts lie outside what a reference's own texts look like.

Two chats are alike beside novels, and so are two addresses beside stories, whoever wrote them: a reference of another
kind or time says "same hand" of everybody. Three things tell such texts: how surprising their words are to the
reference, how many of their words it does not list, and how few of its frequent pairs of words they have. Each is
compared with the same of the reference's passages that are most like the text, since novels and essays within one
reference differ, too. The reference's own passages are measured by other authors than theirs, in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from scipy import sparse

from lexicloud.authorship.combined import RARE, z_scores
from lexicloud.authorship.impostors import PAIRS, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.authorship.impostors import Chunked, Population

    Floats = NDArray[np.float64]

# Chunks of 100 words of a passage at most: from 2,000 words on other kinds are told about as well.
LONGEST: Final = 20
# Passages of a text, and of all texts; and of a side in question.
PASSAGES: Final = (2, 8)
MOST: Final = 300
ASKED: Final = 8
# Groups of authors; each is measured by the others.
FOLDS: Final = 5
# The passages of the reference that a text is compared with.
NEAREST: Final = 30
# The most frequent words, by which the nearest are found.
FREQUENT: Final = 500
# The count of a word that the measuring texts lack, and the distinct words that are not listed at all.
UNSEEN: Final = 0.2
UNLISTED: Final = 50_000


@dataclass(frozen=True, eq=False)
class _Passages:
    """Passages as counts, their lengths, and the text of each."""

    counts: sparse.csr_array
    lengths: Floats
    texts: NDArray[np.int64]

    @classmethod
    def of(cls, chunked: Chunked, spans: Sequence[tuple[int, int]], size: int, number: int) -> _Passages:
        """Take passages, evenly spread, of each stretch of chunks that is as long as one."""
        starts = [
            (text, start)
            for text, (a, b) in enumerate(spans)
            if b - a >= size
            for start in np.unique(np.linspace(a, b - size, number).astype(int)).tolist()
        ]
        rows = np.repeat(np.arange(len(starts)), size)
        columns = np.concatenate([np.arange(start, start + size) for _, start in starts])
        shape = (len(starts), len(chunked.owners))
        joined = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        counts = sparse.csr_array(joined @ chunked.table.counts)
        return cls(counts, np.asarray(joined @ chunked.table.lengths), np.array([text for text, _ in starts]))

    def rows(self, chosen: NDArray[Any]) -> _Passages:
        """Return some of the passages."""
        return _Passages(self.counts[chosen], self.lengths[chosen], self.texts[chosen])


@dataclass(frozen=True, eq=False)
class _Measure:
    """What passages measure others by: the surprise of each word and pair, and mean and deviation of frequent words."""

    surprise: Floats
    listed: Floats  # 1 for a word that would be listed without any text that is measured
    unlisted: float
    pairs: Floats
    mean: Floats
    deviation: Floats

    @classmethod
    def by(cls, passages: _Passages, words: int, listed: NDArray[np.bool_]) -> _Measure:
        """Learn from passages; the first `words` columns are words, the others pairs."""
        shares = sparse.csr_array(sparse.diags_array(1 / np.maximum(passages.lengths, 1.0)) @ passages.counts)
        mean, floor = (
            np.asarray(shares.mean(axis=0)).ravel(),
            UNSEEN / max(float(passages.lengths.sum()), 1.0),
        )
        mean, frequent = np.where(listed, mean, 0.0), shares[:, : min(words, FREQUENT)].toarray()
        rest = -float(np.log(max(1 - float(mean[:words].sum()), 0.005) / UNLISTED))
        return cls(
            np.where(listed[:words], -np.log(mean[:words] + floor), 0.0),
            listed[:words].astype(np.float64),
            rest,
            np.where(listed[words:], -np.log((mean[words:] + floor) / floor), 0.0),
            frequent.mean(axis=0),
            frequent.std(axis=0),
        )

    def raw(self, passages: _Passages) -> Floats:
        """Return passages × 3: surprise per word, the share of words not listed, and how few of the pairs there are."""
        words, lengths = len(self.surprise), np.maximum(passages.lengths, 1.0)
        counts, pairs = passages.counts[:, :words], passages.counts[:, words:]
        rest = np.maximum(lengths - np.asarray(counts @ self.listed), 0.0)
        surprise = np.asarray(counts @ self.surprise) + rest * self.unlisted
        return np.stack([surprise, rest, np.asarray(pairs @ self.pairs)], axis=1) / lengths[:, None]

    def z(self, passages: _Passages) -> Floats:
        """Return the z-scores of the frequent words."""
        lengths = np.maximum(passages.lengths, 1.0)
        shares = passages.counts[:, : len(self.mean)].toarray() / lengths[:, None]
        return z_scores(shares, lengths, self.mean, np.maximum(self.deviation, 1e-12), RARE)

    def apart(self, passages: _Passages, others: _Passages, theirs: Floats) -> Floats:
        """Return what `raw` says beyond what it says of the nearest of some other passages."""
        close = self.z(passages) @ self.z(others).T
        nearest = np.argsort(-close, axis=1, kind="stable")[:, :NEAREST]
        return np.asarray(self.raw(passages) - theirs[nearest].mean(axis=1))


def _folds(population: Population) -> NDArray[np.int64]:
    """Return the group of each text; all texts of an author are in one."""
    _, authors = np.unique(population.authors, return_inverse=True)
    return np.asarray(authors % FOLDS, dtype=np.int64)


def _listed_without(population: Population) -> list[NDArray[np.bool_]]:
    """Return for each group of authors which words and pairs are frequent enough to be listed without their texts.

    Otherwise texts of the reference would have more listed words than a new one has, namely their own.
    """
    whole, fold, words = population.chunked.whole, _folds(population), len(population.words)
    totals = np.stack([np.asarray(whole.counts[fold == f].sum(axis=0)).ravel() for f in range(FOLDS)])
    least = np.ones(totals.shape[1])
    for part, most in ((slice(0, words), WORDS), (slice(words, None), PAIRS)):
        if (columns := totals[:, part].sum(axis=0)).size >= most:
            least[part] = columns.min()
    return [totals.sum(axis=0) - own >= np.maximum(least, 1) for own in totals]


def share_as_far(sides: Sequence[Chunked], population: Population) -> float:
    """Return the share of pairs of the reference's own passages that lie as far outside it as the two sides do.

    Few of the reference's own pairs do so by chance; nearly all pairs of another kind do.
    """
    chunks = [b - a for a, b in population.chunked.spans]
    size = max(1, min(LONGEST, int(np.median(chunks)), *(len(side.owners) for side in sides)))
    number = int(np.clip(MOST // len(chunks), *PASSAGES))
    own = _Passages.of(population.chunked, population.chunked.spans, size, number)
    asked = [_Passages.of(side, [(0, len(side.owners))], size, ASKED) for side in sides]
    fold = _folds(population)[own.texts]
    listed = _listed_without(population)
    measures = [_Measure.by(own.rows(fold != f), len(population.words), listed[f]) for f in range(FOLDS)]
    raw = np.zeros((len(fold), 3))
    for f, measure in enumerate(measures):
        raw[fold == f] = measure.raw(own.rows(fold == f))
    local, found = np.zeros_like(raw), np.zeros((len(sides), 3))
    for f, measure in enumerate(measures):
        others = own.rows(fold != f)
        local[fold == f] = measure.apart(own.rows(fold == f), others, raw[fold != f])
        for i, side in enumerate(asked):
            found[i] += measure.apart(side, others, raw[fold != f]).mean(axis=0) / FOLDS
    deviation = np.maximum(local.std(axis=0), 1e-12)
    usual = ((local - local.mean(axis=0)) / deviation).sum(axis=1)
    # The deviation is itself uncertain by 1 / √(2 n) of it, and n authors may happen to be alike.
    far = ((found - local.mean(axis=0)) / deviation).sum() / (1 + 1 / np.sqrt(2 * len(population.members)))
    pairs = (usual[:, None] + usual)[own.texts[:, None] != own.texts]
    return float((pairs >= far).mean())
