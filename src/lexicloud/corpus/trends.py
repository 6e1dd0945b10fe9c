"""Trends: how often words are said, year by year or along one text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import CorpusError, OptionError
from lexicloud.result import TabularResult, data_frame
from lexicloud.say.blocks import Block, Sentence, listed, table
from lexicloud.say.figures import CATEGORICAL, new_axes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus


@dataclass(frozen=True)
class Trends(TabularResult):
    """How often words occur at each of some `places` (years, or positions in tokens); `tokens` counts all words there.

    `rates` are per 10,000 tokens, punctuation not counted.
    """

    _derived = ("rates", "smoothed")

    places: tuple[float, ...]
    tokens: tuple[int, ...]
    counts: dict[str, tuple[int, ...]]
    along: str

    @property
    def rates(self) -> dict[str, tuple[float, ...]]:
        """Occurrences per 10,000 tokens."""
        return {
            word: tuple(1e4 * c / n if n else 0.0 for c, n in zip(counts, self.tokens, strict=True))
            for word, counts in self.counts.items()
        }

    @property
    def smoothed(self) -> dict[str, tuple[float, ...]]:
        """The rates smoothed: along years the mean of five in a row (fewer at the ends), else as they are."""
        half = 2 if self.along == "year" else 0
        return {
            word: tuple(float(np.mean(rates[max(0, i - half) : i + half + 1])) for i in range(len(rates)))
            for word, rates in self.rates.items()
        }

    def blocks(self) -> list[Block]:
        """Return where each word is said most."""
        rows = [self._row(word, rates) for word, rates in self.smoothed.items()]
        found: list[Block] = []
        said = "; ".join(f"{word} is said most {place}" for word, total, place, _ in rows if total)
        if said:
            found.append(Sentence(f"{said[0].upper()}{said[1:]}.", "answer"))
        absent = [word for word, total, _, _ in rows if not total]
        if absent:
            where = "these texts" if self.along == "year" else "this text"
            found.append(Sentence(f"Not in {where}: {listed(absent)}.", "note"))
        how = "Means of five years in a row." if self.along == "year" else "Stretches of equal length."
        columns = ("word", "times", "most", "in 10,000 words there")
        return [*found, Sentence(how, "sure"), table(columns, rows)]

    def _row(self, word: str, rates: tuple[float, ...]) -> tuple[str, int, str, str]:
        total = sum(self.counts[word])
        if not total:
            return word, 0, "never", "–"
        place = self.places[int(np.argmax(rates))]
        where = f"about {place:.0f}" if self.along == "year" else f"near word {place:,.0f}"
        return word, total, where, f"{max(rates):.1f}"

    def to_columns(self) -> dict[str, Any]:
        """Return the places, and each word's occurrences per 10,000 tokens."""
        return {self.along: self.places, **self.rates}

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each place, one column for each word."""
        return data_frame(self.to_columns(), self.along)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw a line for each word: how often it is said in 10,000 tokens, along the places."""
        ax = new_axes(ax)
        for n, (word, rates) in enumerate(self.rates.items()):
            colour = CATEGORICAL[n % len(CATEGORICAL)]
            ax.plot(self.places, rates, color=colour, marker=".", label=word.replace("$", r"\$"))
        ax.set_xlabel(self.along)
        ax.set_ylabel("times in 10,000 tokens")
        if self.rates:
            ax.legend(frameon=False)
        return ax


def trends_by_year(corpus: Corpus, words: Sequence[str], years: Mapping[str, int]) -> Trends:
    """Count words in the texts of each year.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts({"a": "war and peace", "b": "war war", "c": "peace"})
    >>> trends_by_year(corpus, ["war"], {"a": 1900, "b": 1900, "c": 1910}).counts
    {'war': (3, 0)}
    """
    dated = [(years[name], row) for row, name in enumerate(corpus.names) if name in years]
    if not dated:
        raise CorpusError("none of the texts has a year: name them like '1863 Lincoln', or give dates")
    places = sorted({year for year, _ in dated})
    bins = np.array([places.index(year) for year, _ in dated])
    rows = corpus.counts[[row for _, row in dated]]
    ids = _ids(corpus, words)
    tokens = np.bincount(bins, np.asarray(rows @ (~corpus.punctuation).astype(np.int64)), len(places))
    counts = {
        word: _binned(
            rows[:, [number]].toarray().ravel() if number >= 0 else np.zeros(len(bins)), bins, len(places)
        )
        for word, number in ids.items()
    }
    return Trends(tuple(map(float, places)), tuple(map(int, tokens)), counts, "year")


def trends_along(corpus: Corpus, name: str, words: Sequence[str], bins: int = 40) -> Trends:
    """Count words in stretches of one text, all of about the same length.

    >>> from lexicloud.corpus import Corpus
    >>> trends_along(Corpus.from_texts({"a": "sea sea land land"}), "a", ["sea"], bins=2).counts
    {'sea': (2, 0)}
    """
    stream = corpus.tokens(corpus.position(name))
    bins = max(1, min(bins, len(stream)))
    where = np.arange(len(stream)) * bins // len(stream)
    tokens = np.bincount(where, ~corpus.punctuation[stream], bins)
    counts = {
        word: _binned((stream == number) if number >= 0 else np.zeros(len(stream)), where, bins)
        for word, number in _ids(corpus, words).items()
    }
    middles = (np.arange(bins) + 0.5) * len(stream) / bins
    return Trends(tuple(middles.tolist()), tuple(map(int, tokens)), counts, "token")


def _ids(corpus: Corpus, words: Sequence[str]) -> dict[str, int]:
    asked = [word.strip() for word in words if word.strip()]
    if not asked:
        raise OptionError("no word is given: give at least one to look for")
    return {word: corpus.vocabulary.ids.get(corpus.rules.normalise(word), -1) for word in asked}


def _binned(values: NDArray[Any], bins: NDArray[np.int64], n: int) -> tuple[int, ...]:
    return tuple(int(v) for v in np.bincount(bins, values, n))
