"""The words that distinguish a region from the rest of a map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from lexicloud.plane.naming import distinct_words
from lexicloud.words.keyness import log_odds
from lexicloud.words.kinds import CONTENT

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from lexicloud.corpus import Corpus

WORDS: Final = 3
_LONG: Final = 3  # letters; shorter words are mostly abbreviations and slips
_SPREAD: Final = 4  # a word must occur in so many of a region's points, or in half of a small region


class Telling:
    """Names groups of rows of a corpus by their key words, which are content words but not names.

    At least `share` of a group's rows must have the word. For sentences this is 0, because few share any word.
    """

    def __init__(
        self,
        corpus: Corpus,
        rows: sparse.csr_array,
        kinds: NDArray[np.int8] | None = None,
        share: float = 0.0,
    ) -> None:
        self.share = share
        self.words = corpus.vocabulary
        self.rows = rows.tocsr().copy()
        self.rows.sum_duplicates()  # a word that occurs twice in a row may be stored twice
        kinds = corpus.kinds if kinds is None else kinds
        long = np.array([len(word) >= _LONG and word.isalpha() for word in corpus.vocabulary])
        self.allowed = (kinds == CONTENT) & long
        self.totals = np.asarray(rows.sum(axis=0), dtype=np.float64).ravel()
        held = np.bincount(self.rows.indices, minlength=len(self.totals))
        # A word that most points have (upon, subject, per) says nothing about any of them, however frequent it is.
        self.rare = np.sqrt(np.log(max(2, rows.shape[0]) / np.clip(held, 1, rows.shape[0])))

    def __call__(self, chosen: NDArray[np.int64]) -> tuple[str, ...]:
        """Return the three most telling words of some rows."""
        part = self.rows[chosen]
        inside = np.asarray(part.sum(axis=0), dtype=np.float64).ravel()
        held = np.bincount(part.indices, minlength=len(inside))
        enough = held >= max(min(_SPREAD, max(1, len(chosen) // 2)), self.share * len(chosen))
        z = np.where(
            self.allowed & enough & (inside > 0), log_odds(inside, self.totals - inside) * self.rare, 0.0
        )
        order = [i for i in np.argsort(-z, kind="stable")[:40].tolist() if z[i] > 0]
        return distinct_words([self.words[i] for i in order], WORDS)
