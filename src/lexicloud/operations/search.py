"""Searching: one query, many, why, suggestions for writers, and the nearest words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from lexicloud.errors import UnknownDocument
from lexicloud.operations.asked import (
    QUERIES,
    QUERY,
    TOP,
    Identifier,
    Name,
    Operation,
    QueryText,
    Shelf,
    SourceId,
    Word,
)
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, table
from lexicloud.words.readability import reading_level

if TYPE_CHECKING:
    from lexicloud.search import SentenceIndex, Suggestion
    from lexicloud.search.items import Suggestions
    from lexicloud.vectors import WordVectors

SearchMethod = Literal[
    "related", "setcover", "interleaved", "average", "wmd", "jaccard", "levenshtein", "bm25"
]
# Methods whose time grows with the query, or with the square of its words → the most characters of a query.
LONG_METHODS: Final = {"wmd": 1_000, "levenshtein": 2_000}
EXPLAINED: Final = 1000  # a sentence is looked for among so many of the best
NOTICED: Final = 1.0  # a mood must be so many standard errors from that of usual words
_MORE: Final = 8  # with a wish for mood or level, so many times as many sentences are searched for


@dataclass(frozen=True)
class FoundSentences(Result):
    """The sentences that answer a query, each with the places of its matched words, its author and its context."""

    _left_out = ("answer",)

    answer: Suggestions
    query: str
    method: str
    source: str
    suggestions: tuple[dict[str, Any], ...]
    notes: tuple[str, ...]
    unknown: tuple[str, ...]
    milliseconds: float

    def blocks(self) -> list[Block]:
        """Return the sentences and the reasons for each."""
        return self.answer.blocks()


@dataclass(frozen=True)
class ManyFound(Result):
    """The answers to many queries, in their order."""

    answers: tuple[FoundSentences, ...]

    def blocks(self) -> list[Block]:
        """Return each answer below its query."""
        found: list[Block] = []
        for answer in self.answers:
            found += [Sentence(answer.query, "title"), *answer.blocks()]
        return found


class SearchFields(Operation):
    """The options of a search; those left out have the library's defaults."""

    heading: ClassVar[str] = "search"
    quick: ClassVar[bool] = True

    source: SourceId | None = Field(
        default=None, description="An id of /api/v1/sources; the first by default."
    )
    top: int = Field(default=5, ge=1, le=TOP, description="How many sentences.")
    mode: Literal["related", "varied", "interleaved"] | None = Field(
        default=None, description="related ranks (the default); varied is set cover; interleaved takes turns."
    )
    method: SearchMethod | None = Field(
        default=None, description="Any method by its name, instead of a mode."
    )
    r: int | None = Field(
        default=None, ge=0, le=100, description="Set cover: nearest words of each query word."
    )
    rho: float | None = Field(
        default=None, ge=0, le=2, description="Set cover: how long sentences are marked down."
    )
    keep: float | None = Field(
        default=None, ge=0, le=1, description="Set cover: 0 is most varied, 1 most alike."
    )
    weighting: Literal["idf", "uniform"] | None = None
    own_words: bool | None = Field(
        default=None, description="Set cover: whether a query word counts itself, or only its neighbours."
    )
    min_tokens: int | None = Field(default=None, ge=0, le=1000)
    max_tokens: int | None = Field(default=None, ge=1, le=10_000)
    near_copy: int | None = Field(default=None, ge=0, le=1000)
    where: dict[str, Any] | None = Field(default=None, description='A filter, such as {"year": {"<": 1900}}.')
    context: int = Field(
        default=0, ge=0, le=5, description="Sentences before and after each, from the same text."
    )

    @property
    def is_quick(self) -> bool:
        """False for slow methods, which are jobs."""
        return self.quick and self.method not in LONG_METHODS

    def chosen(self) -> dict[str, Any]:
        """Return the options of `SentenceIndex.search` that were given."""
        given = {name: getattr(self, name) for name in _OPTIONS}
        return {name: value for name, value in given.items() if value is not None}


_OPTIONS: Final = (
    "top",
    "mode",
    "method",
    "r",
    "rho",
    "keep",
    "weighting",
    "own_words",
    "min_tokens",
    "max_tokens",
    "near_copy",
    "where",
)


def within_method(method: str | None, query: str) -> None:
    """Refuse a query that is too long for its method."""
    most = LONG_METHODS.get(method or "")
    if most is not None and len(query) > most:
        raise ValueError(
            f"{method} takes queries of at most {most:,} characters, and this one has {len(query):,}: "
            "ask with less of it, or by another method"
        )


class Search(SearchFields):
    """Find sentences that resemble a query (mode: related, varied or interleaved), with the reasons for each."""

    path: ClassVar[str] = "search"
    doing: ClassVar[str] = "searching"

    offset: int = Field(
        default=0, ge=0, le=10_000, description="Leave out so many of the best: the next page."
    )
    sort: Name | None = Field(
        default=None,
        description="A column to order the best 100 by: created, or -created for the last first.",
    )
    syntax: bool = Field(default=True, description="Whether signs in the query are read; false: words alone.")
    query: Annotated[str, StringConstraints(max_length=QUERY)] = Field(
        description='What to look for: a sentence, a whole text, or words with signs: "a phrase", +must, -not, '
        "column:value, field:word, prefix*. May be empty where `where` or `sort` says what to list."
    )

    @field_validator("query")
    @classmethod
    def _check_words(cls, query: str, info: ValidationInfo) -> str:
        if not query.strip() and info.data.get("where") is None and info.data.get("sort") is None:
            raise ValueError("give words to look for, or where or sort to list by")
        return query

    @model_validator(mode="after")
    def _check_length(self) -> Self:
        within_method(self.method, self.query)
        return self

    def run(self, shelf: Shelf) -> FoundSentences:
        """Search."""
        source, start = shelf.get(self.source), time.perf_counter()
        found = source.index.search(
            self.query, offset=self.offset, sort=self.sort, syntax=self.syntax, **self.chosen()
        )
        return _found(source.id, source.index, found, self.context, start)


class SearchMany(SearchFields):
    """Answer many queries with the same options, in their order."""

    path: ClassVar[str] = "search_many"
    doing: ClassVar[str] = "searching"
    quick: ClassVar[bool] = False

    queries: list[QueryText] = Field(min_length=1, max_length=QUERIES)

    @model_validator(mode="after")
    def _check_lengths(self) -> Self:
        for query in self.queries:
            within_method(self.method, query)
        return self

    def run(self, shelf: Shelf) -> ManyFound:
        """Search for each."""
        source, start = shelf.get(self.source), time.perf_counter()
        answers = source.index.search_many(self.queries, **self.chosen())
        return ManyFound(tuple(_found(source.id, source.index, one, self.context, start) for one in answers))


def _found(
    source: str, index: SentenceIndex, found: Suggestions, context: int, start: float
) -> FoundSentences:
    return FoundSentences(
        found,
        found.query,
        found.method,
        source,
        tuple(shown(index, found, context)),
        tuple(found.notes),
        tuple(found.unknown),
        1e3 * (time.perf_counter() - start),
    )


@dataclass(frozen=True)
class Explanation(Result):
    """One sentence that answers a query: its place in the list, and the words that led to it."""

    query: str
    rank: int
    suggestion: dict[str, Any]


class Explain(Operation):
    """Tell which words of a query lead to one sentence; what they add makes up its score."""

    path: ClassVar[str] = "explain"
    heading: ClassVar[str] = "search"
    quick: ClassVar[bool] = True

    query: QueryText
    id: Identifier = Field(description="The id of a sentence, as a search gives it.")
    source: SourceId | None = None
    method: SearchMethod = "related"

    @property
    def is_quick(self) -> bool:
        """False for slow methods, which are jobs."""
        return self.method not in LONG_METHODS

    @model_validator(mode="after")
    def _check_length(self) -> Self:
        within_method(self.method, self.query)
        return self

    def run(self, shelf: Shelf) -> Explanation:
        """Look for the sentence among the answers."""
        index = shelf.get(self.source).index
        # With keep=1 a sentence does not depend on those before it, and neither do its reasons.
        options: dict[str, Any] = {"keep": 1.0} if self.method == "setcover" else {}
        found = index.search(self.query, method=self.method, top=EXPLAINED, near_copy=0, **options)
        for rank, suggestion in enumerate(found, 1):
            if str(suggestion.id) == str(self.id):
                return Explanation(self.query, rank, shown(index, [suggestion], 1)[0])
        raise UnknownDocument(
            f"{self.id!r} is not among the first {EXPLAINED:,} sentences for this query: "
            "check the id, or ask with words that the sentence has"
        )


def shown(index: SentenceIndex, found: Sequence[Suggestion], context: int) -> list[dict[str, Any]]:
    """Return suggestions with the places of their matched words, their title, author and context."""
    return [
        {
            **suggestion.to_dict(),
            "highlights": suggestion.highlights,
            "because": suggestion.because,
            "snippet": dict(zip(("text", "marks"), suggestion.snippet, strict=True)),
            "title": _first({**suggestion.metadata, **suggestion.fields}, "title", "document")
            or suggestion.title
            or None,
            "author": _first(suggestion.metadata, "author", "label"),
            **(around(index, suggestion, context) if context else {}),
        }
        for suggestion in found
    ]


def _first(metadata: dict[str, Any], *keys: str) -> Any:
    return next((metadata[key] for key in keys if metadata.get(key)), None)


def around(index: SentenceIndex, suggestion: Suggestion, n: int) -> dict[str, list[str]]:
    """Return the sentences before and after one, as far as they come from the same text."""
    database, row = index.database, suggestion.row
    own = suggestion.metadata.get("document")
    if own is None or row < 0:
        return {"before": [], "after": []}

    def same(other: int) -> bool:
        return 0 <= other < len(database) and str(database.identifiers[other]).rpartition("#")[0] == str(own)

    before = [other for other in range(row - n, row) if same(other)]
    after = [other for other in range(row + 1, row + n + 1) if same(other)]
    return {"before": [database.texts[i] for i in before], "after": [database.texts[i] for i in after]}


# Each look → the options of its search.
LOOKS: Final[dict[str, dict[str, Any]]] = {
    # Set cover and averages in turns were preferred in a trial over 20 sentences.
    "mixed": {"mode": "interleaved"},
    "close": {"mode": "related"},
    # A covered word keeps no weight, and more of its neighbours count.
    "surprising": {"mode": "varied", "keep": 0.0, "r": 25, "weighting": "uniform"},
}
LENGTHS: Final[dict[str, dict[str, Any]]] = {  # in tokens
    "any": {"min_tokens": 5},
    "short": {"min_tokens": 5, "max_tokens": 12},
    "medium": {"min_tokens": 13, "max_tokens": 25},
    "long": {"min_tokens": 26},
}


class Suggest(Operation):
    """Suggest sentences to a writer: close or surprising, bright or dark, short or long."""

    path: ClassVar[str] = "suggest"
    heading: ClassVar[str] = "search"
    quick: ClassVar[bool] = True

    sentence: QueryText
    source: SourceId | None = None
    look: Literal["mixed", "close", "surprising"] = "mixed"
    mood: Literal["any", "bright", "dark"] = "any"
    length: Literal["any", "short", "medium", "long"] = "any"
    level: Literal["any", "pre-high school", "high school", "college"] = Field(
        default="any", description="The reading level of English sentences, by their words and syllables."
    )
    top: int = Field(default=6, ge=1, le=24)
    context: int = Field(default=2, ge=0, le=5)

    def run(self, shelf: Shelf) -> FoundSentences:
        """Search as the writer wishes."""
        source, start = shelf.get(self.source), time.perf_counter()
        wishes = [wish for wish in (self.mood, self.level) if wish != "any"]
        top = self.top * (_MORE if wishes else 1)
        asked = {**LOOKS[self.look], **LENGTHS[self.length]}
        # A writer's quotation marks and dashes are prose, not signs of a query.
        answer = source.index.search(self.sentence, top=top, distinct=True, syntax=False, **asked)
        found, notes = list(answer), [note for note in answer.notes if "asked for" not in note]
        if self.mood != "any":
            found = _in_mood(found, self.mood, shelf.vectors)
        if self.level != "any":
            found = [one for one in found if reading_level(one.text) == self.level]
        if wishes and not found:
            notes.append(f"no {' '.join(wishes)} sentence among the {top} nearest: try another wish")
        kept = type(answer)(
            found[: self.top], query=answer.query, method=answer.method, notes=notes, unknown=answer.unknown
        )
        return _found(source.id, source.index, kept, self.context, start)


def _in_mood(found: Sequence[Suggestion], mood: str, vectors: WordVectors) -> list[Suggestion]:
    """Return the suggestions of one mood, in their order."""
    from lexicloud.words.readability import moods

    sign = 1 if mood == "bright" else -1
    values = moods([s.text for s in found], vectors)
    return [s for s, value in zip(found, values, strict=True) if sign * value > NOTICED]


@dataclass(frozen=True)
class WordNeighbours(Result):
    """The words nearest to a word, with their distances."""

    word: str
    neighbours: tuple[dict[str, Any], ...]

    def blocks(self) -> list[Block]:
        """Return the words, nearest first."""
        rows = [(one["word"], f"{one['distance']:.3f}") for one in self.neighbours]
        said = (
            f"The words nearest to {self.word} are {', '.join(one['word'] for one in self.neighbours[:3])}."
        )
        return [Sentence(said, "answer"), table(["word", "distance"], rows)]


class FindNeighbours(Operation):
    """Return the words nearest in meaning to a word."""

    path: ClassVar[str] = "neighbours"
    heading: ClassVar[str] = "search"
    quick: ClassVar[bool] = True
    verb: ClassVar[Literal["GET", "POST"]] = "GET"

    word: Word
    k: int = Field(default=10, ge=1, le=100)

    def run(self, shelf: Shelf) -> WordNeighbours:
        """Look the nearest words up."""
        found = shelf.refined.nearest(self.word, self.k, "euclidean")
        return WordNeighbours(self.word, tuple({"word": other, "distance": far} for other, far in found))
