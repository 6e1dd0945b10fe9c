"""How often words are said, along the years or along a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import CorpusError, OptionError
from lexicloud.result import TabularResult

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus


@dataclass(frozen=True)
class Trends(TabularResult):
    """Occurrences of words at each of some `places` (years, or positions in tokens), and the words said there.

    `rates` are per 10,000 tokens, punctuation not counted.
    """

    _derived = ("rates",)

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

    def to_pandas(self) -> pd.DataFrame:
        """Return one row for each place, one column for each word: times in 10,000 tokens."""
        import pandas as pd

        return pd.DataFrame(self.rates, index=pd.Index(self.places, name=self.along))


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
