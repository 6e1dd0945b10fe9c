"""What every search method works on: sentences as counts over one vocabulary, and a query as they see it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.text import DEFAULT_RULES, TokenRules, is_punctuation, stopwords, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.vectors.refine import Refinement

    Mask = NDArray[np.bool_]
    Identifier = int | str
    Embed = Callable[[Sequence[str]], tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]]


@dataclass(frozen=True, eq=False)
class Database:
    """Sentences × vocabulary, twice: row by row and word by word. Arrays may be memory-mapped: never write to them.

    Words are numbered in the order of their UTF-8 bytes, rows in the order in which sentences were added, so
    that two databases with the same sentences number them alike, however they came about. A removed sentence
    keeps its row but is not `alive`; a word left without a sentence keeps its number but its `df` is 0, and
    no method may offer it.
    """

    words: Sequence[str]
    ids: Mapping[str, int]
    vectors: NDArray[np.float32]  # (V, d), zeros where there is none
    embedded: Mask
    stopwords: Mask
    punctuation: Mask
    indptr: NDArray[np.int64]  # sentence i has the words indices[indptr[i]:indptr[i + 1]]
    indices: NDArray[np.int32]  # distinct, ascending within a sentence
    counts: NDArray[np.uint16]  # how often the sentence has each of them
    # word w is in the sentences postings[postings_ptr[w]:postings_ptr[w + 1]]
    postings_ptr: NDArray[np.int64]
    postings: NDArray[np.int32]  # ascending within a word; removed sentences are still listed
    postings_tf: NDArray[np.uint16]
    terms: Sequence[str]  # stems, and compounds whole and in parts (see `lexicloud.text.stems`)
    term_ids: Mapping[str, int]
    term_starts: NDArray[np.int64]  # term t is in the sentences term_rows[term_starts[t]:term_starts[t + 1]]
    term_rows: NDArray[np.int32]
    term_tf: NDArray[np.uint8]
    term_lengths: NDArray[np.uint8]  # the class of each sentence's number of terms
    lengths: NDArray[np.int32]  # tokens of each sentence, all of them counted
    digests: NDArray[np.uint64]
    refinement: Refinement
    dense: NDArray[np.float32]  # an embedding of unit length for each sentence, or no columns at all
    texts: Sequence[str]
    identifiers: Sequence[Identifier]
    rules: TokenRules = DEFAULT_RULES
    chance: tuple[float, ...] | None = None  # what random queries reach (see `chance`); None: not known yet
    nearest: Mapping[str, NDArray[Any]] = field(
        default_factory=dict
    )  # the nearest words, if the index keeps them
    alive: Mask | None = None  # None: every row is
    allowed: Mask | None = None  # rows that a filter lets through; None: every row
    firsts: Mask | None = None  # rows that do not repeat the text of an earlier one; None: every row
    cache: dict[Any, Any] = field(
        default_factory=dict, repr=False
    )  # shared by views that differ in `allowed` alone

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def dimension(self) -> int:
        """The number of coordinates of a vector."""
        return int(self.vectors.shape[1])

    @property
    def refined(self) -> NDArray[np.float32]:
        """The vectors refined and at unit length, zeros where there is none; computed when first asked for."""
        if "refined" not in self.cache:
            self.cache["refined"] = self.refinement.apply(np.asarray(self.vectors))
        refined: NDArray[np.float32] = self.cache["refined"]
        return refined

    @cached_property
    def n(self) -> int:
        """The number of sentences that are alive."""
        return len(self) if self.alive is None else int(np.count_nonzero(self.alive))

    @cached_property
    def df(self) -> NDArray[np.int64]:
        """For each word, the number of living sentences that have it."""
        if self.alive is None:
            return np.diff(self.postings_ptr)
        if "df" not in self.cache:
            living = np.concatenate([[0], np.cumsum(self.alive[self.postings], dtype=np.int64)])
            self.cache["df"] = living[self.postings_ptr[1:]] - living[self.postings_ptr[:-1]]
        df: NDArray[np.int64] = self.cache["df"]
        return df

    @property
    def content(self) -> Mask:
        """Words that a ball may hold: in some living sentence, with a vector, neither stop words nor punctuation."""
        if "content" not in self.cache:
            self.cache["content"] = self.embedded & ~self.stopwords & ~self.punctuation & (self.df > 0)
        content: Mask = self.cache["content"]
        return content

    @property
    def eligible(self) -> Mask | None:
        """Rows that may be answered with: alive, let through by the filter, no repetition. None: every row."""
        masks = [mask for mask in (self.alive, self.allowed, self.firsts) if mask is not None]
        return np.logical_and.reduce(masks) if masks else None

    def sentence(self, row: int) -> NDArray[np.int32]:
        """Return the distinct words of a sentence, ascending."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]

    def filtered(self, allowed: Mask | None, firsts: Mask | None) -> Database:
        """Return a view that answers with the allowed rows only; statistics stay those of all living sentences."""
        return replace(self, allowed=allowed, firsts=firsts)


@dataclass(frozen=True, eq=False)
class Query:
    """A query as the database sees it; words that no living sentence has are `unknown`, with or without a vector."""

    text: str
    tokens: tuple[str, ...]  # normalised, in their order, repeats and all
    ids: NDArray[np.int32]  # distinct words that the database has, ascending
    counts: NDArray[np.int32]  # how often the query has each of them
    unknown: tuple[str, ...] = ()  # distinct words that it has not, in the order of their appearance
    unknown_counts: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    unknown_vectors: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    unknown_refined: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 0), np.float32))
    unknown_embedded: Mask = field(default_factory=lambda: np.zeros(0, bool))  # which of them have a vector
    unknown_content: Mask = field(
        default_factory=lambda: np.zeros(0, bool)
    )  # neither stop words nor punctuation

    def __len__(self) -> int:
        return len(self.tokens)


def read_query(text: str, database: Database, embed: Embed) -> Query:
    """Tokenise a query by the database's own rules and look its words up."""
    if not isinstance(text, str):
        raise OptionError(f"a query is a string, not a {type(text).__name__}")
    rules = database.rules
    tokens = tuple(map(rules.normalise, tokenize(text, rules)))
    counts = Counter(tokens)
    numbers = {word: number for word in counts if (number := database.ids.get(word, -1)) >= 0}
    living = database.df[np.fromiter(numbers.values(), np.int64, len(numbers))].tolist()
    numbers = {word: i for (word, i), df in zip(numbers.items(), living, strict=True) if df}
    ids, times = (
        np.array(sorted((i, counts[word]) for word, i in numbers.items()), np.int32).reshape(-1, 2).T.copy()
    )
    unknown = [word for word in counts if word not in numbers]
    return Query(text, tokens, ids, times, **_foreign(unknown, counts, database, embed))


def _foreign(words: list[str], counts: Mapping[str, int], database: Database, embed: Embed) -> dict[str, Any]:
    """Return what a query says of its unknown words."""
    if not words:
        none = np.zeros((0, database.dimension), dtype=np.float32)
        return {"unknown_vectors": none, "unknown_refined": none}
    vectors, refined, embedded = embed(words)
    stop = stopwords(database.rules.language)
    return {
        "unknown": tuple(words),
        "unknown_counts": np.array([counts[w] for w in words], dtype=np.int32),
        "unknown_vectors": vectors,
        "unknown_refined": refined,
        "unknown_embedded": embedded,
        "unknown_content": np.array([w not in stop and not is_punctuation(w) for w in words], dtype=bool),
    }
