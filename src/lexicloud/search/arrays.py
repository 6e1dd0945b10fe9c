"""What an index holds in arrays: a segment, which is kept, and the database, which search methods work on.

Sentences are counts over one vocabulary, by rows and by words.
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
from lexicloud.store.strings import PackedStrings
from lexicloud.text import DEFAULT_RULES, TokenRules, tokenize

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.filters import Column
    from lexicloud.search.ids import Identifiers
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
    dense: NDArray[np.float32] | NDArray[np.int8]  # an embedding of each sentence, or no columns at all
    texts: Sequence[str]
    identifiers: Sequence[Identifier]
    rules: TokenRules = DEFAULT_RULES
    chance: tuple[float, ...] | None = None  # what random queries reach (see `chance`); None: not known yet
    alive: Mask | None = None  # None: every row is
    allowed: Mask | None = None  # rows that a filter lets through; None: every row
    firsts: Mask | None = None  # rows that do not repeat the text of an earlier one; None: every row
    n_of_whole: int | None = None  # the living sentences of the index that this is one part of; see `parts`
    # What functions that are `derived` have worked out of it; shared by views that differ in `allowed` alone.
    memory: dict[Any, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def dimension(self) -> int:
        """The number of coordinates of a vector."""
        return int(self.vectors.shape[1])

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
        """The same for each term."""
        return _term_df(self)

    @property
    def content(self) -> Mask:
        """Words that a ball may hold: in some living sentence, with a vector, neither stop words nor punctuation."""
        return _content(self)

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


T = TypeVar("T")


def derived(make: Callable[[Database], T]) -> Callable[[Database], T]:
    """Let a database remember what a function works out of it. Two threads may both do it: they find the same."""

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
    return database.refinement.apply(np.asarray(database.vectors))


@derived
def _df(database: Database) -> NDArray[np.int32]:
    return living_df(database.df_of_all, database.texts, database.ids, database.alive, database.rules)


@derived
def _term_df(database: Database) -> NDArray[np.int64]:
    return _living_in(database.term_starts, database.term_rows, database.alive)


@derived
def _content(database: Database) -> Mask:
    return database.embedded & ~database.stopwords & ~database.punctuation & (database.df > 0)


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


def see_as_part(database: Database, df: NDArray[np.int32], term_df: NDArray[np.int64]) -> None:
    """Let a database take the frequencies of the whole that it is a part of for its own."""
    database.memory[_df], database.memory[_term_df] = df, term_df


@derived
def idf(database: Database) -> NDArray[np.float64]:
    """Return log(1 + (n − df + ½) / (df + ½)) of every word, BM25's (Lucene's) inverse document frequency."""
    df = np.asarray(database.df, dtype=np.float64)
    return np.asarray(np.log1p((database.n - df + 0.5) / (df + 0.5)))


def digests_of(texts: PackedStrings) -> NDArray[np.uint64]:
    """Hash every text to 64 bits: among a million sentences, two differ and share one once in 37 million times."""
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
    digests: NDArray[np.uint64]  # a hash of each text, by which repeated sentences are told
    dense: NDArray[np.float32] | NDArray[np.int8]
    texts: PackedStrings
    identifiers: Identifiers
    columns: Mapping[str, Column] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lengths)

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


def as_database(
    segment: Segment,
    alive: Mask | None,
    rules: TokenRules,
    refinement: Refinement,
    chance: tuple[float, ...] | None = None,
) -> Database:
    """Return the view that search methods work on; nothing is copied, and nothing is read."""
    shared: dict[str, Any] = {name: getattr(segment, name) for name in ARRAYS if name != "df"}
    return Database(
        words=segment.words,
        ids=WordIds(segment.words),
        terms=segment.terms,
        term_ids=WordIds(segment.terms),
        df_of_all=segment.df,
        refinement=refinement,
        chance=chance,
        texts=segment.texts,
        identifiers=segment.identifiers,
        rules=rules,
        alive=alive,
        **shared,
    )
