"""Exploring texts: key words, contexts, trends, Zipf's law, parts of speech, a map of words, groups of sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from pydantic import Field

from lexicloud.errors import UnknownDocument
from lexicloud.operations.asked import Name, Operation, Shelf, SourceId, Word
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many

if TYPE_CHECKING:
    from lexicloud.authorship import Contrast
    from lexicloud.corpus import Corpus
    from lexicloud.corpus.trends import Trends
    from lexicloud.maps import CorpusMap
    from lexicloud.words.contexts import Concordance
    from lexicloud.words.keyness import Keywords
    from lexicloud.zipf import ClusterSizes, PartOfSpeechTable, Projection, ZipfFit

_POINTS: Final = 200  # of a rank plot; more could not be seen apart on a screen


class Exploration(Operation):
    """The base of the operations that explore a source."""

    heading: ClassVar[str] = "explore"

    source: SourceId | None = None


class FindKeywords(Exploration):
    """Find the words that an author or a text uses more than the rest do, or than another group."""

    path: ClassVar[str] = "explore/keywords"
    doing: ClassVar[str] = "looking for keywords"

    group: Name = Field(description="An author, or the name of a text.")
    against: Name | None = Field(default=None, description="Another group; the rest by default.")
    top: int = Field(default=30, ge=1, le=200)

    def run(self, shelf: Shelf) -> Keywords:
        """Compare the words of both."""
        from lexicloud.words.keyness import keywords

        corpus = shelf.get(self.source).corpus
        outside = members(corpus, self.against) if self.against else None
        return keywords(corpus, members(corpus, self.group), outside, top=self.top)


class FindContrast(Exploration):
    """Find the key words of two or more groups, with intervals; with periods, the words that come or go."""

    path: ClassVar[str] = "explore/contrast"
    doing: ClassVar[str] = "contrasting the groups"

    groups: list[Name] = Field(min_length=2, max_length=12, description="Authors, or names of texts.")
    periods: bool = Field(default=False, description="The groups follow each other in time.")
    top: int = Field(default=60, ge=1, le=500, description="Key words of each group.")

    def run(self, shelf: Shelf) -> Contrast:
        """Compare the groups word by word."""
        from lexicloud.authorship import contrast

        corpus = shelf.get(self.source).corpus
        for group in self.groups:
            members(corpus, group)
        return contrast(corpus, *self.groups, top=self.top, periods=self.periods)


@dataclass(frozen=True)
class ReportPage(Result):
    """A report on texts, as one page that needs nothing else."""

    texts: int
    page: str

    def blocks(self) -> list[Block]:
        """Return how many texts it is about."""
        return [Sentence(f"A report on {many(self.texts, 'text')}.", "answer")]


class MakeReport(Exploration):
    """Make a report on the texts: a page with its own pictures, to be saved and passed on."""

    path: ClassVar[str] = "explore/report"
    doing: ClassVar[str] = "making the report"

    def run(self, shelf: Shelf) -> ReportPage:
        """Study the texts and put the page together."""
        from lexicloud.report import study

        source = shelf.get(self.source)
        corpus = source.corpus
        return ReportPage(len(corpus), study(corpus, title=source.title, kind="author").page().render())


class FindContexts(Exploration):
    """Show a word where it occurs, with what stands before and after it."""

    path: ClassVar[str] = "explore/contexts"
    doing: ClassVar[str] = "looking up"

    word: Word = Field(description="A word, or several; * stands for any letters, ? for one.")
    group: Name | None = None
    width: int = Field(default=60, ge=10, le=300, description="Characters on each side.")
    top: int = Field(default=50, ge=1, le=500)

    def run(self, shelf: Shelf) -> Concordance:
        """Look the word up."""
        from lexicloud.words.contexts import contexts

        corpus = shelf.get(self.source).corpus
        if self.group is not None:
            corpus = corpus.subset(members(corpus, self.group))
        return contexts(corpus, self.word, width=self.width, top=self.top)


class FindTrends(Exploration):
    """Count how often words are said, year by year or along one text."""

    path: ClassVar[str] = "explore/trends"
    doing: ClassVar[str] = "counting"

    words: list[Word] = Field(min_length=1, max_length=8)
    text: Name | None = Field(default=None, description="Go along this text instead of the years.")
    bins: int = Field(default=40, ge=2, le=200)

    def run(self, shelf: Shelf) -> Trends:
        """Count."""
        from lexicloud.corpus.trends import trends_along, trends_by_year

        source = shelf.get(self.source)
        if self.text is not None:
            return trends_along(source.corpus, self.text, self.words, self.bins)
        return trends_by_year(source.corpus, self.words, source.years)


@dataclass(frozen=True)
class RankPlot(Result):
    """Some ranks of a text with their counts and words, evenly spaced on a logarithmic scale, and the fitted law."""

    name: str
    tokens: int
    words: int
    ranks: tuple[int, ...]
    counts: tuple[int, ...]
    shown: tuple[str, ...]
    fit: ZipfFit
    predicted: tuple[float, ...]

    def blocks(self) -> list[Block]:
        """Return what the fit says."""
        return self.fit.blocks()


class FitRanks(Exploration):
    """Order the words of one text, or of all, by rank, and fit Zipf's law to them."""

    path: ClassVar[str] = "explore/zipf"
    doing: ClassVar[str] = "fitting the law"

    text: Name | None = None

    def run(self, shelf: Shelf) -> RankPlot:
        """Fit the law."""
        from lexicloud.zipf import rank_frequency

        ranks = rank_frequency(shelf.get(self.source).corpus, self.text)
        fit, chosen, words = ranks.fit(), _spaced(len(ranks)), ranks.words or ()
        return RankPlot(
            ranks.name,
            ranks.tokens,
            len(ranks),
            tuple(i + 1 for i in chosen),
            tuple(int(ranks.counts[i]) for i in chosen),
            tuple(words[i] if words else "" for i in chosen),
            fit,
            tuple(map(float, fit.predict([i + 1 for i in chosen]))),
        )


def _spaced(n: int) -> list[int]:
    """Return positions that are evenly spaced on a logarithmic scale.

    >>> _spaced(3), len(_spaced(50_000)) <= _POINTS
    ([0, 1, 2], True)
    """
    steps = (round(n ** (i / (_POINTS - 1))) for i in range(_POINTS))
    return sorted({min(n, step) - 1 for step in steps})


class CountParts(Exploration):
    """Count how many tokens and words each part of speech has."""

    path: ClassVar[str] = "explore/parts"
    doing: ClassVar[str] = "tagging words"

    def run(self, shelf: Shelf) -> PartOfSpeechTable:
        """Tag and count."""
        from lexicloud.zipf import part_of_speech_table

        return part_of_speech_table(shelf.get(self.source).corpus)


class DrawMap(Exploration):
    """Draw a map on which words, sentences or texts that are alike stand together, its regions named by their words."""

    path: ClassVar[str] = "explore/map"
    doing: ClassVar[str] = "drawing the map"

    of: Literal["words", "sentences", "texts"] = "words"
    n: int = Field(
        default=2000, ge=20, le=50_000, description="How many words or sentences; texts are all drawn."
    )

    def run(self, shelf: Shelf) -> Projection | CorpusMap:
        """Lay out the words, sentences or texts."""
        from lexicloud.maps import map_sentences, map_texts, map_words

        corpus = shelf.get(self.source).corpus
        if self.of == "texts":
            return map_texts(corpus)
        return map_words(corpus, self.n) if self.of == "words" else map_sentences(corpus, self.n)


class GroupSentences(Exploration):
    """Group sentences by what they are about, each group named by its own words."""

    path: ClassVar[str] = "explore/clusters"
    doing: ClassVar[str] = "grouping sentences"

    k: int = Field(default=12, ge=2, le=60)

    def run(self, shelf: Shelf) -> ClusterSizes:
        """Cluster the sentences."""
        from lexicloud.zipf import cluster_sizes

        corpus = shelf.get(self.source).corpus
        return cluster_sizes(corpus, self.k, resamples=0, null=(), mask=corpus.content, refined=True)


def members(corpus: Corpus, group: str) -> list[str]:
    """Return the texts of an author, or the one text of that name."""
    labels = corpus.labels or (None,) * len(corpus)
    found = [name for name, label in zip(corpus.names, labels, strict=True) if label == group]
    if found:
        return found
    if group in corpus:
        return [group]
    raise UnknownDocument(f"no author and no text is called {group[:80]!r}: choose one that is listed")
