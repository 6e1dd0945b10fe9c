"""Purity: the share of a word's nearest words with its part of speech, and the share by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from lexicloud.corpus import require_corpus, require_vectors
from lexicloud.errors import EstimateError, OptionError
from lexicloud.neighbours import Neighbours
from lexicloud.result import TabularResult, plain
from lexicloud.say.blocks import Block, Figure, Sentence, Table, percent, table
from lexicloud.text.tags import PARTS, Tagger
from lexicloud.zipf.parts_of_speech import Tags, part_codes, tagged_words, tagging

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus import Corpus

PAPER_K: Final = (3, 5, 10, 20, 50)


@dataclass(frozen=True, eq=False)
class Purity(TabularResult):
    """The mean share, in percent, of a word's k nearest words that have its part of speech.

    `chance` is the exact mean over all shufflings of the tags; `shuffled` is the result of one. `per_category` has a
    row for each of `parts` and a column for each of `k`, `category_chance` an entry for each of `parts`; both are nan
    for parts without a word.
    """

    _index = "k"

    _left_out = ("parts", "n_per_category", "per_category", "category_chance")
    _derived = ("above_chance", "balanced")
    _renamed: ClassVar = {"source": "vectors"}

    k: tuple[int, ...]
    percent: NDArray[np.float64]
    chance: float
    shuffled: NDArray[np.float64]
    parts: tuple[str, ...]
    n_per_category: NDArray[np.int64]
    per_category: NDArray[np.float64]
    category_chance: NDArray[np.float64]
    n_words: int
    n_without_vector: int
    tagger: str
    source: str
    seed: int

    @property
    def above_chance(self) -> NDArray[np.float64]:
        """Purity on a scale from 0 (chance) to 100 (all neighbours share the part of speech)."""
        return (
            100 * (self.percent - self.chance) / (100 - self.chance)
            if self.chance < 100
            else 0 * self.percent
        )

    @property
    def balanced(self) -> NDArray[np.float64]:
        """The mean over parts instead of words, so that nouns, most of any vocabulary, do not dominate."""
        return np.asarray(np.nanmean(self.per_category, axis=0))

    def to_columns(self) -> dict[str, Any]:
        """Return for each k the purity of all words, by chance, and of each part, in percent."""
        chance = np.full(len(self.k), self.chance)
        by_part = dict(zip(self.parts, self.per_category, strict=True))
        return {"k": self.k, "percent": self.percent, "chance": chance, "shuffled": self.shuffled, **by_part}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers, ready for JSON."""
        columns = zip(self.parts, self.n_per_category, self.per_category, self.category_chance, strict=True)
        present = {
            part: plain({"words": words, "percent": percent, "chance": chance})
            for part, words, percent, chance in columns
            if words
        }
        return {**super().to_dict(), "per_category": present}

    def __str__(self) -> str:
        shares = ", ".join(f"{p:.1f} % (k = {k})" for k, p in zip(self.k, self.percent, strict=True))
        return f"neighbours with the same part of speech: {shares}; {self.chance:.1f} % by chance"

    def blocks(self) -> list[Block]:
        """Return how often neighbours share a part of speech, how often by chance, and the table."""
        k, share, luck = self.k[0], self.percent[0] / 100, percent(self.chance / 100)
        said = (
            f"Of a word’s {k} nearest words {percent(share)} share its part of speech; with tags dealt out at random "
            f"{luck} would."
        )
        alt = (
            f"Lines that fall slowly as k grows from {k} to {self.k[-1]}, all words at {percent(share)} for the "
            f"smallest k, above the chance line at {luck}."
        )
        return [
            Sentence(said, "answer"),
            Figure("purity", alt, self.plot, "Nearest words with the same part of speech"),
            self._table_of_shares(),
        ]

    def _table_of_shares(self) -> Table:
        there = [i for i in range(len(self.parts)) if self.n_per_category[i]]
        columns = ["nearest words k", "all words", "chance", *(self.parts[i] for i in there)]
        rows = [
            (k, *(percent(v / 100, 1) for v in (self.percent[j], self.chance, *self.per_category[there, j])))
            for j, k in enumerate(self.k)
        ]
        title = f"Share of the k nearest words with the same part of speech, {self.n_words:,} words"
        return table(columns, rows, title=title)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw purity against k for all words and each part, with the chance level."""
        from lexicloud.zipf.zipf_plots import plot_purity

        return plot_purity(self, ax)


def part_of_speech_purity(
    corpus: Corpus,
    k: Sequence[int] = PAPER_K,
    *,
    tagger: Tagger = "textblob",
    tags: Tags | None = None,
    mask: NDArray[np.bool_] | None = None,
    refined: bool = False,
    seed: int = 0,
    preset: str | None = None,
) -> Purity:
    """Measure how often a word's k nearest words share its part of speech, for all k in one pass.

    Words are the corpus's distinct words with a vector, with stop words and punctuation (or those of `mask`); every
    word counts once, whatever its frequency. Distances are Euclidean. `preset="paper"` takes the paper's tagger and
    grouping of tags.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts(["monday tuesday friday ran walked jumped"])
    >>> days = dict.fromkeys(["monday", "tuesday", "friday"], "noun")
    >>> moves = dict.fromkeys(["ran", "walked", "jumped"], "verb")
    >>> purity = part_of_speech_purity(corpus, k=(1, 2), tags=days | moves)
    >>> purity.percent.tolist(), purity.chance
    ([100.0, 91.66...], 40.0)
    """
    require_corpus(corpus)
    ks = _valid_k(k)
    tagger, grouping = tagging(tagger, preset)
    codes = part_codes(corpus, tagger, tags, grouping)
    require_vectors(corpus, "the purity of neighbours")
    tagged = tagged_words(corpus, codes)
    eligible = tagged & corpus.embedded & (True if mask is None else mask)
    _require(eligible, tagged, ks)
    table = Neighbours.of(corpus, k=max(ks), mask=eligible, refined=refined)
    words = np.flatnonzero(eligible)
    neighbours, own = table.ids[words, : max(ks)], codes[words]
    shares = _shares(own, codes[neighbours], ks)
    shuffled = codes.copy()
    shuffled[words] = np.random.default_rng(seed).permutation(own)
    sizes = np.bincount(own, minlength=len(PARTS))
    return Purity(
        k=ks,
        percent=shares.mean(axis=0),
        chance=float((sizes * (sizes - 1)).sum() / (len(words) * (len(words) - 1)) * 100),
        shuffled=_shares(shuffled[words], shuffled[neighbours], ks).mean(axis=0),
        parts=PARTS,
        n_per_category=sizes,
        per_category=np.array([_mean_of(shares[own == part]) for part in range(len(PARTS))]),
        category_chance=np.where(sizes > 0, 100 * (sizes - 1) / (len(words) - 1), np.nan),
        n_words=len(words),
        n_without_vector=int((tagged & ~corpus.embedded).sum()),
        tagger="given tags" if tags is not None else tagger,
        source=corpus.lexicon.source,
        seed=seed,
    )


def _valid_k(k: Sequence[int]) -> tuple[int, ...]:
    ks = tuple(int(value) for value in np.atleast_1d(np.asarray(k)))
    if not ks or min(ks) < 1:
        raise OptionError(f"k must be one or more whole numbers of at least 1, not {k!r}")
    return ks


def _require(eligible: NDArray[np.bool_], tagged: NDArray[np.bool_], ks: tuple[int, ...]) -> None:
    n = int(eligible.sum())
    if n == 0:
        raise EstimateError(f"none of the {int(tagged.sum()):,} tagged words has a vector: try other vectors")
    if max(ks) > n - 1:
        raise EstimateError(
            f"k = {max(ks)} but only {n:,} words have a vector and a tag: choose k ≤ {n - 1:,}"
        )


def _shares(own: NDArray[np.int8], others: NDArray[np.int8], ks: tuple[int, ...]) -> NDArray[np.float64]:
    """Return for each word and k the percentage of its first k neighbours that have its part of speech."""
    met = np.cumsum(others == own[:, None], axis=1, dtype=np.int32)
    columns = np.array(ks)
    return np.asarray(100.0 * met[:, columns - 1] / columns)


def _mean_of(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(shares.mean(axis=0)) if len(shares) else np.full(shares.shape[1], np.nan)
