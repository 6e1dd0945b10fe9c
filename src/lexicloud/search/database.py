"""What every search method works on: sentences as counts over one vocabulary, and a query as they see it.

Also which rows a method may answer with, and how the best of them are picked from scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.text import DEFAULT_RULES, TokenRules, is_punctuation, stopwords, tokenize
from lexicloud.text.stems import terms_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.packed import PackedStrings
    from lexicloud.search.find import SearchOptions
    from lexicloud.search.items import Match
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
    df_of_all: NDArray[np.int32]  # for each word, the number of sentences that have it, removed ones too
    # sentence i has the words indices[indptr[i]:indptr[i + 1]]; no method looks at stop words and punctuation, and
    # they are in none of these lists
    indptr: NDArray[np.int64] | NDArray[np.uint32]
    indices: NDArray[np.int32]  # distinct, ascending within a sentence
    counts: NDArray[np.uint16] | NDArray[np.uint8]  # how often the sentence has each of them
    # word w is in the sentences postings[postings_ptr[w]:postings_ptr[w + 1]]
    postings_ptr: NDArray[np.int64]
    postings: NDArray[np.int32]  # ascending within a word; removed sentences are still listed
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
    def runs(self) -> _Runs:
        """What each run of characters holds of the database's words and terms, found once and remembered."""
        runs: _Runs | None = self.cache.get("runs")
        if runs is None:
            runs = self.cache["runs"] = _Runs(self)
        return runs

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
    def df(self) -> NDArray[np.int32]:
        """For each word, the number of living sentences that have it."""
        if "df" not in self.cache:
            self.cache["df"] = living_df(self.df_of_all, self.texts, self.ids, self.alive, self.rules)
        df: NDArray[np.int32] = self.cache["df"]
        return df

    @property
    def term_df(self) -> NDArray[np.int64]:
        """The same for each term."""
        if "term df" not in self.cache:
            self.cache["term df"] = _living_in(self.term_starts, self.term_rows, self.alive)
        df: NDArray[np.int64] = self.cache["term df"]
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
        """Return the distinct words of a sentence but stop words and punctuation, ascending."""
        return self.indices[self.indptr[row] : self.indptr[row + 1]]

    def filtered(self, allowed: Mask | None, firsts: Mask | None) -> Database:
        """Return a view that answers with the allowed rows only; statistics stay those of all living sentences."""
        return replace(self, allowed=allowed, firsts=firsts)


def living_df(
    df: NDArray[np.int32], texts: Sequence[str], ids: Mapping[str, int], alive: Mask | None, rules: TokenRules
) -> NDArray[np.int32]:
    """Return how many living sentences have each word: all that have it but the removed ones, which are read anew."""
    if alive is None:
        return np.asarray(df)
    left, normalise = np.array(df), rules.normalise
    for row in np.flatnonzero(~alive).tolist():
        for word in set(map(normalise, tokenize(texts[row], rules))):
            if (number := ids.get(word, -1)) >= 0:
                left[number] -= 1
    return left


def _living_in(starts: NDArray[np.int64], rows: NDArray[np.int32], alive: Mask | None) -> NDArray[np.int64]:
    """Return how many living sentences each list of rows holds."""
    if alive is None:
        return np.diff(starts)
    living = np.concatenate([[0], np.cumsum(alive[rows], dtype=np.int64)])
    return np.asarray(living[starts[1:]] - living[starts[:-1]])


def idf(database: Database) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of every word, BM25's (Lucene's) inverse document frequency."""
    if "idf" not in database.cache:
        df = np.asarray(database.df, dtype=np.float64)
        database.cache["idf"] = np.log1p((database.n - df + 0.5) / (df + 0.5))
    values: NDArray[np.float64] = database.cache["idf"]
    return values


_NO_COUNTS: Final = np.zeros(0, np.int32)
_NO_VECTORS: Final = np.zeros((0, 0), np.float32)
_NONE: Final = np.zeros(0, bool)


@dataclass(frozen=True, eq=False)
class Query:
    """A query as the database sees it; words that no living sentence has are `unknown`, with or without a vector."""

    text: str
    tokens: tuple[str, ...]  # normalised, in their order, repeats and all
    ids: NDArray[np.int32]  # distinct words that the database has, ascending
    counts: NDArray[np.int32]  # how often the query has each of them
    unknown: tuple[str, ...] = ()  # distinct words that it has not, in the order of their appearance
    unknown_counts: NDArray[np.int32] = field(default_factory=lambda: _NO_COUNTS)
    unknown_vectors: NDArray[np.float32] = field(default_factory=lambda: _NO_VECTORS)
    unknown_refined: NDArray[np.float32] = field(default_factory=lambda: _NO_VECTORS)
    unknown_embedded: Mask = field(default_factory=lambda: _NONE)  # which of them have a vector
    unknown_content: Mask = field(default_factory=lambda: _NONE)  # neither stop words nor punctuation

    def __len__(self) -> int:
        return len(self.tokens)


class Run(NamedTuple):
    """A run of non-space characters as a database sees it."""

    words: tuple[str, ...]  # normalised
    numbers: tuple[int, ...]  # of the words; -1 for one that no living sentence has
    terms: tuple[int, ...]  # numbers of the terms that a living sentence has


class _Runs(dict[str, Run]):
    """The runs met so far: most of a new query's have been met before."""

    def __init__(self, database: Database) -> None:
        super().__init__({"": Run((), (), ())})
        # Not the database itself, in whose cache this is kept: a circle would outlive it.
        self.rules, self.ids, self.term_ids = database.rules, database.ids, database.term_ids
        self.terms = terms_by(database.rules)
        self.df, self.df_of_terms = database.df, database.term_df

    def __missing__(self, run: str) -> Run:
        plain = self.terms.around(run)
        if plain is None or len(plain[1]) == len(run):
            words, names = self.terms.words_and_terms(run)
            found = [self.term_ids.get(name, -1) for name in names]
            made = self.of_words(
                words, tuple([term for term in found if term >= 0 and self.df_of_terms[term]])
            )
        else:  # most words have been met without these marks, and the marks around others
            made = Run(*(sum(parts, ()) for parts in zip(*[self[part] for part in plain], strict=True)))
        if len(self) >= _REMEMBERED:
            self.clear()
        self[run] = made
        return made

    def of_words(self, words: tuple[str, ...], terms: tuple[int, ...] = ()) -> Run:
        """Number words as the database does."""
        numbers = [self.ids.get(word, -1) for word in words]
        return Run(words, tuple([i if i >= 0 and self.df[i] else -1 for i in numbers]), terms)


def read_query(text: str, database: Database, embed: Embed) -> Query:
    """Tokenise a query by the database's own rules and look its words up."""
    if not isinstance(text, str):
        raise OptionError(f"a query is a string, not a {type(text).__name__}")
    runs = database.runs
    if database.rules.tokenizer == "rules":  # whose tokens never span white space
        found = [runs[run] for run in text.split()]
    else:
        found = [
            runs.of_words((database.rules.normalise(token),)) for token in tokenize(text, database.rules)
        ]
    tokens = tuple(chain.from_iterable([run.words for run in found]))
    numbers = list(chain.from_iterable([run.numbers for run in found]))
    counts = Counter(numbers)
    lost = counts.pop(-1, 0)
    ids = sorted(counts)
    own = np.array(ids, np.int32), np.array([counts[i] for i in ids], np.int32)
    if not lost:
        return Query(text, tokens, *own)
    unknown = Counter(word for word, number in zip(tokens, numbers, strict=True) if number < 0)
    return Query(text, tokens, *own, **_foreign(list(unknown), unknown, database, embed))


def _foreign(words: list[str], counts: Mapping[str, int], database: Database, embed: Embed) -> dict[str, Any]:
    """Return what a query says of its unknown words."""
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


# The authors drop sentences within 8 edits of the query.
NEAR_COPY: Final = 9
# Of a short query 8 edits are a third: another sentence. With a tenth nearly all that the limit cost on paraphrases is
# back (docs/search-measured.md), and for queries of 90 letters and more nothing changes.
COPY_SHARE: Final = 0.1
_REMEMBERED: Final = 2**16  # runs, before memory is given up and begun anew


def is_copy(text: str, query: str, edits: int = NEAR_COPY) -> bool:
    """Tell whether a sentence is fewer than `edits` edits away from the query; 0 lets even the query itself
    through.

    >>> is_copy("Call me Ishmael!", "Call me Ishmael."), is_copy("Call me a cab.", "Call me Ishmael.", edits=1)
    (True, False)
    """
    if edits <= 0:
        return False
    if edits == 1 or abs(len(text) - len(query)) >= edits:
        return text == query
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(text, query, score_cutoff=edits - 1) < edits


class ScoredRow(NamedTuple):
    """A row of the database, its score, and the reasons for it, or what works them out when they are looked at."""

    row: int
    score: float
    matches: tuple[Match, ...] | Callable[[], tuple[Match, ...]]
    weak: bool | None = None  # True where random queries reach as much; None where nobody knows


def digests_of(texts: PackedStrings) -> NDArray[np.uint64]:
    """Hash every text to 64 bits: among a million sentences, two differ and share one once in 37 million times."""
    data, ends = texts.blob.tobytes(), texts.offsets.tolist()
    hashed = [digest(data[a:b]) for a, b in pairwise(ends)]
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)


def digest(encoded: bytes) -> bytes:
    """Hash one text."""
    return blake2b(encoded, digest_size=8).digest()


def plain(array: NDArray[Any], dtype: type | str) -> NDArray[Any]:
    """Return a read-only ndarray of the given type: one compiled kernel then serves arrays in memory and on disk."""
    view = np.ascontiguousarray(np.asarray(array), dtype=dtype).view()
    view.flags.writeable = False
    return view


def posting_lists(database: Database) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return where each word's sentences begin, and the sentences, as the kernels take them."""
    if "posting lists" not in database.cache:
        database.cache["posting lists"] = (
            plain(database.postings_ptr, np.int64),
            plain(database.postings, np.int32),
        )
    lists: tuple[NDArray[np.int64], NDArray[np.int32]] = database.cache["posting lists"]
    return lists


def candidates(database: Database, options: SearchOptions) -> NDArray[np.bool_]:
    """Return which rows may be answered with: alive, let through by the filter, and of the lengths asked for."""
    key = ("candidates", options.shortest, options.max_tokens, database.firsts is None)
    if database.allowed is None and key in database.cache:
        cached: NDArray[np.bool_] = database.cache[key]
        return cached
    rows = database.lengths >= options.shortest
    if options.max_tokens is not None:
        rows &= database.lengths <= options.max_tokens
    if database.eligible is not None:
        rows &= database.eligible
    if database.allowed is None:
        database.cache[key] = rows
    return rows


def ignored_words(database: Database) -> NDArray[np.bool_]:
    """Return which words no method but `levenshtein` looks at: stop words and punctuation."""
    if "ignored" not in database.cache:
        database.cache["ignored"] = database.stopwords | database.punctuation
    ignored: NDArray[np.bool_] = database.cache["ignored"]
    return ignored


def content_words(database: Database) -> NDArray[np.bool_]:
    """Return which words lexical methods look at: all but stop words and punctuation, with a vector or not."""
    if "content words" not in database.cache:
        database.cache["content words"] = ~ignored_words(database)
    words: NDArray[np.bool_] = database.cache["content words"]
    return words


def best_rows(
    database: Database, query: Query, options: SearchOptions, scores: NDArray[np.float64]
) -> list[int]:
    """Return the `top` rows with the highest positive scores, passing over the query itself."""
    rows = np.flatnonzero((scores > 0) & candidates(database, options))
    return list(skip_query(database, query, options, in_order(-scores[rows], rows, options.top + 4)))


def in_order(costs: NDArray[Any], rows: NDArray[np.integer], first: int) -> Iterator[int]:
    """Yield `rows` by ascending cost, the lower row first among equals, sorting only as many as are asked for."""
    done = 0
    while done < len(rows):
        reach = min(len(rows), max(first, 4 * done))
        limit = np.partition(costs, reach - 1)[reach - 1]
        near = np.flatnonzero(costs <= limit)
        order = near[np.lexsort((rows[near], costs[near]))]
        yield from (int(rows[i]) for i in order[done:])
        done = len(order)


def skip_query(
    database: Database, query: Query, options: SearchOptions, rows: Iterator[int]
) -> Iterator[int]:
    """Yield up to `top` rows, passing over the query itself."""
    left = options.top
    for row in rows:
        if left <= 0:
            return
        if not is_copy(database.texts[row], query.text, options.own_edits):
            left -= 1
            yield row
