"""What is learnt from the rows of a table without labels: how rare words are, and which occur together.

Vectors trained on six billion words know English; vectors learnt from a few thousand rows know the subject of these
rows. Both together are better than either. Labellers that see only the labelled rows lack these, and the rarity of
words in the table.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.errors import VectorsError
from lexicloud.text import TokenRules, tokenize
from lexicloud.vectors.cooccurrence import TrainOptions, train

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lexicloud.vectors import WordVectors

# With fewer texts it does not pay: see docs/labelling-measured.md.
LEAST_TEXTS: Final = 300
_CHARACTERS: Final = 6_000_000  # about a million words are read; more take long and add little
_OPTIONS: Final = TrainOptions(dimension=50, window=10, least_count=3, most_words=20_000)


@dataclass(frozen=True, eq=False)
class UnlabelledTexts:
    """The words of all rows, how often they occur, how many rows have them, and vectors learnt from the rows."""

    words: list[str]
    totals: NDArray[np.float64]
    having: NDArray[np.int64]
    texts: int
    vectors: NDArray[np.float32]  # of the most frequent words; zeros for the others

    @classmethod
    def learn(cls, texts: Sequence[str], rules: TokenRules, beside: WordVectors) -> UnlabelledTexts | None:
        """Learn from rows, labelled or not; return None if there are too few rows or words."""
        if len(texts) < LEAST_TEXTS:
            return None
        step = max(1, round(sum(map(len, texts)) / _CHARACTERS))
        rows = [[rules.normalise(token) for token in tokenize(text, rules)] for text in texts[::step]]
        try:
            found = train(rows, _OPTIONS)
        except VectorsError:
            return None
        ids: dict[str, int] = {word: i for i, word in enumerate(found.words)}
        columns = [ids.setdefault(word, len(ids)) for row in rows for word in row]
        once = [ids[word] for row in rows for word in set(row)]
        vectors = np.zeros((len(ids), found.dimension), dtype=np.float32)
        vectors[: len(found)] = found.matrix * _scale(found, beside)
        return cls(
            list(ids),
            np.bincount(columns, minlength=len(ids)).astype(np.float64),
            np.bincount(once, minlength=len(ids)),
            len(rows),
            vectors,
        )

    @cached_property
    def places(self) -> dict[str, int]:
        """Word → its place in `words`."""
        return {word: i for i, word in enumerate(self.words)}

    def vectors_of(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of some words, or zeros."""
        places = np.array([self.places.get(word, -1) for word in words], dtype=np.int64)
        return np.where(places[:, None] >= 0, self.vectors[places], np.float32(0))


def _scale(found: WordVectors, beside: WordVectors) -> np.float32:
    """Return the factor that makes learnt vectors on average as long as the others."""
    theirs = beside.lookup(list(found.words))
    lengths = np.linalg.norm(theirs.matrix[theirs.status > 0], axis=1)
    own = np.linalg.norm(found.matrix, axis=1).mean()
    return np.float32(lengths.mean() / own) if len(lengths) and own > 0 else np.float32(1)
