"""Looking into a corpus: a word's contexts, keywords of a group, trends along years or a text, moods."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import CorpusError, OptionError
from lexicloud.plotting import CATEGORICAL, named_bars, new_axes
from lexicloud.result import Result, TabularResult
from lexicloud.text import is_punctuation, stopwords, tokenize
from lexicloud.vectors import load_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from lexicloud.corpus.corpus import Corpus
    from lexicloud.vectors import WordVectors

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Context(Result):
    """One place: the text's name, the character where the word begins, and what stands around it."""

    name: str
    start: int
    before: str
    word: str
    after: str


@dataclass(frozen=True)
class Concordance(TabularResult):
    """The places of a word; `total` counts all of them, `lines` are spread evenly over the texts."""

    _table = "lines"

    word: str
    total: int
    texts: int
    lines: tuple[Context, ...]


def contexts(corpus: Corpus, word: str, *, width: int = 60, top: int = 50) -> Concordance:
    """Return where a word occurs, `width` characters on each side, in the texts' own letters.

    Of more than `top` places every n-th is shown, so that they come from all texts.

    >>> from lexicloud.corpus import Corpus
    >>> found = contexts(Corpus.from_texts({"a": "The sea rose. Sea birds cried."}), "sea", width=9)
    >>> [(line.before, line.word, line.after) for line in found.lines]
    [('The', 'sea', 'rose.'), ('rose.', 'Sea', 'birds')]
    """
    if corpus.texts is None:
        raise CorpusError(
            "this corpus holds a sample, whose words have lost their order: look before sampling"
        )
    if not word.strip():
        raise OptionError("the word is empty: give a word to look for")
    pattern = re.compile(rf"(?<!\w){re.escape(word.strip())}(?!\w)", re.IGNORECASE)
    places = [
        (i, found.start(), found.end())
        for i, text in enumerate(corpus.texts)
        for found in pattern.finditer(text)
    ]
    chosen = (
        np.unique(np.linspace(0, len(places) - 1, min(top, len(places))).round().astype(int))
        if places
        else ()
    )
    lines = tuple(_context(corpus, places[i], width) for i in chosen)
    return Concordance(word.strip(), len(places), len({i for i, _, _ in places}), lines)


def _context(corpus: Corpus, place: tuple[int, int, int], width: int) -> Context:
    row, start, end = place
    assert corpus.texts is not None
    text = corpus.texts[row]
    before = text[max(0, start - width - 1) : start]
    after = text[end : end + width + 1]
    if start > width + 1:  # begin and end with a whole word
        before = before.partition(" ")[2]
    if end + width + 1 < len(text):
        after = after.rpartition(" ")[0]
    return Context(
        corpus.names[row], start, " ".join(before.split()), text[start:end], " ".join(after.split())
    )


# The prior weighs as much as this many tokens, so that a word met once or twice proves nothing; in a small
# corpus, no more than a tenth of it.
_PRIOR_TOKENS: Final = 500.0


@dataclass(frozen=True)
class Keyword(Result):
    """A word, how often it occurs inside and outside, and by how many standard errors it is commoner inside."""

    word: str
    inside: int
    outside: int
    z: float


@dataclass(frozen=True)
class Keywords(TabularResult):
    """The words that texts use more than others, most telling first, and those that they avoid."""

    _table = "over"

    over: tuple[Keyword, ...]
    under: tuple[Keyword, ...]
    tokens_inside: int
    tokens_outside: int

    def plot(self, ax: Axes | None = None, top: int = 15) -> Axes:
        """Draw the `top` words of both kinds as bars of standard errors."""
        words = (*self.over[:top], *reversed(self.under[:top]))
        names, values = [w.word for w in words], [w.z for w in words]
        return named_bars(ax, names, values, "standard errors (right: commoner inside)")


def keywords(
    corpus: Corpus, inside: Sequence[str], outside: Sequence[str] | None = None, *, top: int = 30
) -> Keywords:
    """Compare the words of some texts with those of others, or of all the rest.

    z is the log-odds of a word inside against outside, with both together as prior, divided by its standard
    error (Monroe, Colaresi and Quinn, 2008). It ranks words; it is no test, because words come in bursts.

    >>> from lexicloud.corpus import Corpus
    >>> corpus = Corpus.from_texts({"a": "sea sea sea ship land", "b": "land land land cart sea"})
    >>> keywords(corpus, ["a"], top=1).over[0].word
    'sea'
    """
    rest = outside if outside is not None else [name for name in corpus.names if name not in set(inside)]
    if not inside or not rest:
        raise OptionError(f"{len(inside)} texts inside and {len(rest)} outside: at least one each is needed")
    here, there = (_totals(corpus, names) for names in (inside, rest))
    z = _log_odds(here, there)
    order = np.argsort(-z, kind="stable")
    words = corpus.vocabulary

    def listed(rows: NDArray[np.int64]) -> tuple[Keyword, ...]:
        return tuple(Keyword(words[i], int(here[i]), int(there[i]), float(z[i])) for i in rows)

    over, under = (listed(rows[:top]) for rows in (order, order[::-1]))
    return Keywords(
        tuple(k for k in over if k.z > 0),
        tuple(k for k in under if k.z < 0),
        int(here.sum()),
        int(there.sum()),
    )


def _totals(corpus: Corpus, names: Sequence[str]) -> NDArray[np.int64]:
    rows = [corpus.position(name) for name in names]
    totals = np.asarray(corpus.counts[rows].sum(axis=0)).ravel()
    return np.where(corpus.punctuation, 0, totals)


def _log_odds(here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.float64]:
    both = (here + there).astype(np.float64)
    mass = min(_PRIOR_TOKENS, both.sum() / 10)
    prior = mass * both / max(both.sum(), 1.0)
    seen = both > 0
    z = np.zeros(len(both))
    a, b, p = here[seen], there[seen], prior[seen]
    odds = [np.log((n + p) / (total + mass - n - p)) for n, total in ((a, here.sum()), (b, there.sum()))]
    z[seen] = (odds[0] - odds[1]) / np.sqrt(1 / (a + p) + 1 / (b + p))
    return z


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


# Opposites of one kind, so that their differences share a direction and little else. On 5,422 other words of the
# VADER lexicon the direction tells good from bad with an AUC of .83 (.92 for the 1,639 strong ones), GloVe 6B 50-d.
_PAIRS: Final = (
    ("happy", "sad"),
    ("joy", "grief"),
    ("delight", "misery"),
    ("hope", "despair"),
    ("love", "hatred"),
    ("peaceful", "violent"),
    ("beautiful", "ugly"),
    ("pleasant", "painful"),
    ("triumph", "disaster"),
    ("gentle", "cruel"),
    ("bright", "gloomy"),
    ("celebrate", "mourn"),
    ("wonderful", "terrible"),
    ("friend", "enemy"),
    ("bless", "curse"),
    ("healthy", "sick"),
)
_USUAL: Final = (
    5_000  # the first words of the vectors, most frequent first: their mean and spread are what is usual
)


def moods(texts: Sequence[str], vectors: WordVectors | None = None) -> list[float]:
    """Return each text's mood: above 0 bright, below 0 dark, 0 for one without a content word that has a vector.

    It is the mean of a text's distinct content words along the direction from dark to bright, in standard errors
    from a draw of usual English words: beyond ±1 a reader would notice. It knows words, not negations or irony.

    >>> bright, dark = moods(["What a lovely, happy morning!", "They died of hunger and disease."])
    >>> bright > 1, dark < -1
    (True, True)
    """
    table = load_vectors() if vectors is None else vectors
    axis = _axis(table)
    usual = _heights([str(word) for word in table.words[:_USUAL]], axis, table)
    middle, spread = float(np.nanmean(usual)), float(np.nanstd(usual)) or 1.0
    words = [sorted(_content(text)) for text in texts]
    known = sorted({word for some in words for word in some})
    standing = dict(zip(known, (_heights(known, axis, table) - middle) / spread, strict=True))
    return [_in_errors(np.array([standing[word] for word in some])) for some in words]


def _content(text: str) -> set[str]:
    words = {word for word in map(str.lower, tokenize(text)) if not is_punctuation(word)}
    return words - stopwords("english")


def _axis(table: WordVectors) -> Floats:
    """Return the direction from dark to bright: the mean difference of opposites that are both known."""
    bright, dark = (_refined([pair[side] for pair in _PAIRS], table) for side in (0, 1))
    difference = (bright[0] - dark[0])[bright[1] & dark[1]].sum(axis=0)
    return np.asarray(difference / (np.linalg.norm(difference) or 1.0))


def _heights(words: Sequence[str], axis: Floats, table: WordVectors) -> Floats:
    """Return where words stand along the direction; nan without a vector."""
    points, known = _refined(words, table)
    return np.where(known, points @ axis, np.nan)


def _refined(words: Sequence[str], table: WordVectors) -> tuple[Floats, Any]:
    # By the dictionary: looking a few words up in packed ones takes longer than all the rest here.
    rows = np.array([table.index.get(word, -1) for word in words], dtype=np.int64)
    return table.refinement.apply(table.matrix[rows]).astype(np.float64), rows >= 0


def _in_errors(heights: Floats) -> float:
    there = heights[~np.isnan(heights)]
    return float(there.sum() / np.sqrt(len(there))) if len(there) else 0.0
