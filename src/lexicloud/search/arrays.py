"""The arrays of an index: a `Segment` is what is stored, a `Database` is what search methods work on.

Both hold sentences as counts over one vocabulary, row by row and word by word.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from lexicloud.search.ids import WordIds
from lexicloud.store.bundle import PackedStrings, with_file_sizes
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.filters import Column
    from lexicloud.search.ids import Identifiers
    from lexicloud.vectors.word_vectors import Refinement

    Mask = NDArray[np.bool_]
    Identifier = int | str
    Embed = Callable[[Sequence[str]], tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]]


class _Arrays:
    """The arrays that a database looks up in its `whole`; the first look-up of one may join those of the segments."""

    words: Sequence[str]
    vectors: NDArray[np.float32]  # (V, d), zeros where there is none
    embedded: Mask
    stopwords: Mask
    punctuation: Mask
    # sentence i has the words indices[indptr[i]:indptr[i + 1]]; stop words and punctuation are left out of these lists
    indptr: NDArray[np.int64] | NDArray[np.uint32]
    indices: NDArray[np.int32]  # distinct, ascending within a sentence
    counts: NDArray[np.uint16] | NDArray[np.uint8]  # how often the sentence has each of them
    # word w is in the sentences postings[postings_ptr[w]:postings_ptr[w + 1]]
    postings_ptr: NDArray[np.int64]
    postings: NDArray[np.int32]  # ascending within a word; removed sentences are still listed
    terms: Sequence[str]  # stems, and compounds whole and in parts (see `lexicloud.text.stems`)
    term_starts: NDArray[np.int64]  # term t is in the sentences term_rows[term_starts[t]:term_starts[t + 1]]
    term_rows: NDArray[np.int32]
    term_tf: NDArray[np.uint8]
    term_lengths: NDArray[np.uint8]  # the class of each sentence's number of terms
    lengths: NDArray[np.int32]  # tokens of each sentence, stop words and punctuation included
    digests: NDArray[np.uint64]
    # an embedding of each sentence; no columns where none are kept
    dense: NDArray[np.float32] | NDArray[np.int8]
    texts: Sequence[str]
    identifiers: Sequence[Identifier]


@dataclass(frozen=True, eq=False)
class Database(_Arrays):
    """Sentences × vocabulary, twice: row by row and word by word. Arrays may be memory-mapped: never write to them.

    Words are numbered in the order of their UTF-8 bytes, rows in the order in which sentences were added, so
    that two databases with the same sentences number them alike, however they came about. A removed sentence
    keeps its row but is not `alive`; a word left without a sentence keeps its number but its `df` is 0, and
    no method may offer it. Segments stay apart: fast methods walk the `parts`; an array of the whole is joined when
    it is first asked for.
    """

    whole: Segment
    refinement: Refinement
    rules: TokenRules = DEFAULT_RULES
    chance: tuple[float, ...] | None = None  # what random queries reach (see `chance`); None: not known yet
    alive: Mask | None = None  # None: every row is
    allowed: Mask | None = None  # rows that a filter lets through; None: every row
    firsts: Mask | None = None  # rows that do not repeat the text of an earlier one; None: every row
    n_of_whole: int | None = None  # of one part of an index: the living sentences in all parts
    # The results of functions decorated with `derived`; the views that `filtered` returns share them.
    memory: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __getattr__(self, name: str) -> Any:
        """Return an array of the whole; see `_Arrays`."""
        if name not in _Arrays.__annotations__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.whole, name)

    def __len__(self) -> int:
        return len(self.whole)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Its segments, each with the place of its rows, words and terms in the whole."""
        return self.whole.parts

    @property
    def ids(self) -> Mapping[str, int]:
        """Word → number."""
        return self.whole.word_ids

    @property
    def term_ids(self) -> Mapping[str, int]:
        """Term → number."""
        return self.whole.term_ids

    @property
    def df_of_all(self) -> NDArray[np.int32]:
        """For each word, the number of sentences that have it, removed ones too."""
        return self.whole.df

    @property
    def dimension(self) -> int:
        """The number of coordinates of a vector."""
        return int(self.parts[0].segment.vectors.shape[1])

    @property
    def kept_embeddings(self) -> tuple[int, np.dtype[Any]]:
        """The number of coordinates of the kept sentence embeddings (0: none are kept), and their type."""
        dense = self.parts[0].segment.dense
        return int(dense.shape[1]), dense.dtype

    def digest_of(self, row: int) -> int:
        """Return the hash of a sentence's text."""
        part = self.part_of(row)
        return int(part.segment.digests[row - part.first])

    def may_hold(self, text: str) -> bool:
        """Tell whether a text with the same hash is there, in one look at all hashes."""
        wanted = np.uint64(int.from_bytes(digest(text.encode("utf-8", "surrogatepass")), "little"))
        return any(bool((part.segment.digests == wanted).any()) for part in self.parts)

    def vectors_of(self, words: NDArray[Any]) -> NDArray[np.float32]:
        """Return the vectors of some words."""
        if self.n_of_whole is not None:  # words that other parts of the index have, too
            return np.asarray(self.vectors[words])
        if self.parts[0].words is None:
            return np.asarray(self.parts[0].segment.vectors[words])
        out = np.zeros((len(words), self.dimension), np.float32)
        for part in self.parts:
            own = part.own_words(words)
            out[own >= 0] = part.segment.vectors[own[own >= 0]]
        return out

    @property
    def refined(self) -> NDArray[np.float32]:
        """The vectors refined and at unit length, zeros where there is none; computed when first asked for."""
        return _refined(self)

    @cached_property
    def n(self) -> int:
        """The number of sentences that are alive, in all parts of the index."""
        return self.living if self.n_of_whole is None else self.n_of_whole

    @property
    def living(self) -> int:
        """The number of sentences that are alive here."""
        return len(self) if self.alive is None else int(np.count_nonzero(self.alive))

    @cached_property
    def df(self) -> NDArray[np.int32]:
        """For each word, the number of living sentences that have it."""
        return _df(self)

    @property
    def term_df(self) -> NDArray[np.int64]:
        """For each term, the number of living sentences that have it."""
        return _term_df(self)

    @property
    def content(self) -> Mask:
        """Words that a ball may hold: in some living sentence, with a vector, neither stop words nor punctuation."""
        return _content(self)

    @property
    def eligible(self) -> Mask | None:
        """The rows that an answer may hold: alive, allowed by the filter, not a repetition. None: every row."""
        masks = [mask for mask in (self.alive, self.allowed, self.firsts) if mask is not None]
        return np.logical_and.reduce(masks) if masks else None

    def sentence(self, row: int) -> NDArray[np.int32]:
        """Return the distinct words of a sentence, ascending, without stop words and punctuation."""
        return self.counted(row)[0]

    def counted(self, row: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
        """Return the words of `sentence`, and how often the sentence has each."""
        part = self.part_of(row)
        segment, row = part.segment, row - part.first
        some = slice(segment.indptr[row], segment.indptr[row + 1])
        words = segment.indices[some]
        return words if part.words is None else part.words[words], segment.counts[some]

    def part_of(self, row: int) -> Part:
        """Return the part that a row is in."""
        return next(part for part in reversed(self.parts) if part.first <= row)

    def filtered(self, allowed: Mask | None, firsts: Mask | None) -> Database:
        """Return a view that answers with the allowed rows only; statistics stay those of all living sentences."""
        return replace(self, allowed=allowed, firsts=firsts)


NO_NUMBER: Final = (
    "the index is damaged, a vector of it holds no number: lexicloud index verify names the file; "
    "build it again"
)
T = TypeVar("T")


def derived(make: Callable[[Database], T]) -> Callable[[Database], T]:
    """Make a database remember the result of a function of it. Two threads may both compute it: they find the same."""

    @wraps(make)
    def get(database: Database) -> T:
        try:
            found: T = database.memory[get]
        except KeyError:
            found = database.memory[get] = make(database)
        return found

    return get


@derived
def _refined(database: Database) -> NDArray[np.float32]:
    first = database.parts[0]
    if database.n_of_whole is not None:
        return database.refinement.apply(database.vectors)
    if first.words is None:
        return refined_words(first.segment, database.refinement)
    out = np.zeros((len(database.words), database.dimension), np.float32)
    for part in database.parts:
        out[part.words] = refined_words(part.segment, database.refinement)
    return out


def refined_words(segment: Segment, refinement: Refinement) -> NDArray[np.float32]:
    """Return the refined vectors of a segment's words, which do not depend on other segments; worked out once."""
    known = segment.memory.get(refined_words)
    if known is None or known[0] is not refinement:
        known = segment.memory[refined_words] = refinement, refinement.apply(segment.vectors)
    return np.asarray(known[1])


@derived
def _df(database: Database) -> NDArray[np.int32]:
    return living_df(database.df_of_all, database.texts, database.ids, database.alive, database.rules)


@derived
def _term_df(database: Database) -> NDArray[np.int64]:
    if database.alive is None:
        return np.diff(database.term_starts)
    from lexicloud.search.checks import require_sound

    require_sound(database)
    df = np.zeros(len(database.terms), np.int64)
    for part in database.parts:
        segment, living = part.segment, part.of_rows(database.alive)
        of_part = np.concatenate([[0], np.cumsum(living[segment.term_rows], dtype=np.int64)])
        own = of_part[segment.term_starts[1:]] - of_part[segment.term_starts[:-1]]
        df[slice(None) if part.terms is None else part.terms] += own
    return df


@derived
def _content(database: Database) -> Mask:
    return database.embedded & ~database.stopwords & ~database.punctuation & (database.df > 0)


def living_df(
    df: NDArray[np.int32], texts: Sequence[str], ids: Mapping[str, int], alive: Mask | None, rules: TokenRules
) -> NDArray[np.int32]:
    """Return how many living sentences have each word: `df`, which counts all, less the removed ones, read again."""
    if alive is None:
        return np.asarray(df)
    numbers: dict[str, int] = {}  # token → the number of its word
    gone: list[int] = []
    for row in np.flatnonzero(~alive).tolist():
        tokens = tokenize(texts[row], rules)
        numbers.update(
            (token, ids.get(rules.normalise(token), -1)) for token in tokens if token not in numbers
        )
        gone += {numbers[token] for token in tokens}
    counted = np.bincount(np.array(gone, dtype=np.int64) + 1, minlength=len(df) + 1)[1:]
    return np.asarray(df - counted, dtype=np.int32)


def see_as_part(database: Database, df: NDArray[np.int32], term_df: NDArray[np.int64]) -> None:
    """Give a database the frequencies of the whole index that it is one part of."""
    database.memory[_df], database.memory[_term_df] = df, term_df


@derived
def idf(database: Database) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of every word, BM25's (Lucene's) inverse document frequency."""
    df = np.asarray(database.df, dtype=np.float64)
    return np.asarray(np.log1p((database.n - df + 0.5) / (df + 0.5)))


def digests_of(texts: PackedStrings) -> NDArray[np.uint64]:
    """Hash every text to 64 bits; the chance that any two of a million texts collide is 1 in 37 million."""
    data, ends = texts.blob.tobytes(), texts.offsets.tolist()
    hashed = [digest(data[a:b]) for a, b in pairwise(ends)]
    return np.frombuffer(b"".join(hashed), dtype="<u8").astype(np.uint64)


def digest(encoded: bytes) -> bytes:
    """Hash one text."""
    return blake2b(encoded, digest_size=8).digest()


# What a segment keeps in arrays: name → (type, number of dimensions).
OF_WORDS: Final = {
    "vectors": ("float32", 2),
    "embedded": ("bool", 1),
    "stopwords": ("bool", 1),
    "punctuation": ("bool", 1),
}
OF_SENTENCES: Final = {
    "lengths": ("int32", 1),
    "term_lengths": ("uint8", 1),
    "digests": ("uint64", 1),
    "dense": ("float32|int8", 2),
    "signs": ("uint64", 2),
}
ARRAYS: Final = {
    **OF_WORDS,
    **OF_SENTENCES,
    "df": ("int32", 1),
    "indptr": ("uint32|int64", 1),
    "indices": ("int32", 1),
    "counts": ("uint8|uint16", 1),
    "postings_ptr": ("int64", 1),
    "postings": ("int32", 1),
    "term_starts": ("int64", 1),
    "term_rows": ("int32", 1),
    "term_tf": ("uint8", 1),
}


@dataclass(frozen=True, eq=False)
class Segment:
    """Sentences and their vocabulary; see `Database` for what the arrays hold."""

    words: PackedStrings
    vectors: NDArray[np.float32]
    embedded: Mask
    stopwords: Mask
    punctuation: Mask
    df: NDArray[np.int32]
    indptr: NDArray[np.int64] | NDArray[np.uint32]
    indices: NDArray[np.int32]
    counts: NDArray[np.uint16] | NDArray[np.uint8]
    postings_ptr: NDArray[np.int64]
    postings: NDArray[np.int32]
    terms: PackedStrings
    term_starts: NDArray[np.int64]
    term_rows: NDArray[np.int32]
    term_tf: NDArray[np.uint8]
    term_lengths: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    digests: NDArray[np.uint64]  # a hash of each text, to find repeated sentences
    dense: NDArray[np.float32] | NDArray[np.int8]
    signs: NDArray[
        np.uint64
    ]  # the signs of the embeddings' coordinates, where the embeddings are kept as bytes
    texts: PackedStrings
    identifiers: Identifiers
    columns: Mapping[str, Column] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Itself, as the only part; a `Whole` of several segments has several."""
        return (Part(self, 0, None, None),)

    @cached_property
    def read_here_and_there(self) -> tuple[tuple[NDArray[Any], int], ...]:
        """What a query reads a little of, and grows with the texts, with the size of the file it is mapped from.

        Of what takes a dozen bytes a text, such as how often it has its words, all may stay in memory.
        """
        lists = self.postings, self.term_rows, self.term_tf
        return with_file_sizes([self.indices, self.dense, *lists, self.texts.blob])

    @cached_property
    def word_ids(self) -> Mapping[str, int]:
        """Word → number."""
        return WordIds(self.words)

    @cached_property
    def term_ids(self) -> Mapping[str, int]:
        """Term → number."""
        return WordIds(self.terms)

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """Results computed from this segment alone."""
        return {}

    @property
    def nbytes(self) -> int:
        """The size of all arrays together."""
        names = self.identifiers.packed
        packed = [self.words, self.terms, self.texts, *(column.values for column in self.columns.values())]
        plain: list[NDArray[Any]] = [getattr(self, name) for name in ARRAYS]
        plain += [column.codes for column in self.columns.values()]
        if isinstance(names, PackedStrings):
            packed.append(names)
        elif not isinstance(names, range):
            plain.append(names)
        return sum(p.blob.nbytes + p.offsets.nbytes for p in packed) + sum(a.nbytes for a in plain)


@dataclass(frozen=True, eq=False)
class Part:
    """A segment among others: where its rows begin, and the numbers of its words and terms in the whole, ascending."""

    segment: Segment
    first: int
    words: NDArray[np.int32] | None  # None: its words are those of the whole
    terms: NDArray[np.int32] | None

    def __len__(self) -> int:
        return len(self.segment)

    def of_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of its own rows, given one value for each row of the whole."""
        return values[self.first : self.first + len(self)]

    def own_words(self, words: NDArray[Any]) -> NDArray[Any]:
        """Translate word numbers of the whole into its own; -1 for words that it does not have."""
        return words if self.words is None else _own(self.words, words)

    def own_terms(self, terms: NDArray[Any]) -> NDArray[Any]:
        """Translate term numbers of the whole into its own; -1 for terms that it does not have."""
        return terms if self.terms is None else _own(self.terms, terms)


def _own(numbers: NDArray[np.int32], wanted: NDArray[Any]) -> NDArray[np.int32]:
    if not len(numbers):
        return np.full(len(wanted), -1, np.int32)
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[at] == wanted, at, -1).astype(np.int32)


def rows_by_part(parts: Sequence[Part], rows: NDArray[Any]) -> list[tuple[Part, NDArray[np.int64]]]:
    """Return the parts that hold some of `rows`, each with the positions of its rows in `rows`."""
    if len(parts) == 1:
        return [(parts[0], np.arange(len(rows)))]
    numbers = np.searchsorted([part.first for part in parts], rows, side="right") - 1
    return [(parts[i], np.flatnonzero(numbers == i)) for i in np.unique(numbers).tolist()]
