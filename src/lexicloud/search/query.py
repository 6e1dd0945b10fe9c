"""A query as the database sees it: its words and terms by number, and those that no sentence has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.search.arrays import derived, digest
from lexicloud.text import is_punctuation, stopwords, tokenize
from lexicloud.text.stems import terms_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Embed, Mask

_REMEMBERED: Final = 2**16  # runs, before memory is given up and begun anew
_MET: Final = 2**13  # foreign words, each with two vectors
_NO_COUNTS: Final = np.zeros(0, np.int32)
_NO_VECTORS: Final = np.zeros((0, 0), np.float32)
_NONE: Final = np.zeros(0, bool)


@dataclass(frozen=True, eq=False)
class Query:
    """A query as the database sees it; words that no living sentence has are `unknown`, with or without a vector."""

    text: str
    tokens: tuple[str, ...]  # normalised, in their order, with repetitions
    ids: NDArray[np.int32]  # distinct words that the database has, ascending
    counts: NDArray[np.int32]  # how often the query has each of them
    unknown: tuple[
        str, ...
    ] = ()  # distinct words that the database does not have, in the order of their appearance
    unknown_counts: NDArray[np.int32] = field(default_factory=lambda: _NO_COUNTS)
    unknown_vectors: NDArray[np.float32] = field(default_factory=lambda: _NO_VECTORS)
    unknown_refined: NDArray[np.float32] = field(default_factory=lambda: _NO_VECTORS)
    unknown_embedded: Mask = field(default_factory=lambda: _NONE)  # which of them have a vector
    unknown_content: Mask = field(default_factory=lambda: _NONE)  # neither stop words nor punctuation
    # the user's own, of words that the query has
    synonyms: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def digest(self) -> int:
        """The hash of its text, made as the hashes in the database."""
        return int.from_bytes(digest(self.text.encode("utf-8", "surrogatepass")), "little")


class Run(NamedTuple):
    """A run of non-space characters as a database sees it."""

    words: tuple[str, ...]  # normalised
    numbers: tuple[int, ...]  # of the words; -1 for one that no living sentence has
    terms: tuple[int, ...]  # numbers of the terms that a living sentence has


class _Runs(dict[str, Run]):
    """Run of characters → `Run`, remembered: most runs of a new query were met before."""

    def __init__(self, database: Database) -> None:
        super().__init__({"": Run((), (), ())})
        # Not the database itself, which keeps this in its memory: a cycle of references would outlive it.
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
        else:  # the word without its punctuation, and the punctuation, were probably met before
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
    runs = runs_of(database)
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
    vectors, refined, embedded = _embedded(words, foreign_words(database), embed)
    stop = stopwords(database.rules.language)
    return {
        "unknown": tuple(words),
        "unknown_counts": np.array([counts[w] for w in words], dtype=np.int32),
        "unknown_vectors": vectors,
        "unknown_refined": refined,
        "unknown_embedded": embedded,
        "unknown_content": np.array([w not in stop and not is_punctuation(w) for w in words], dtype=bool),
    }


Foreign = tuple["NDArray[np.float32]", "NDArray[np.float32]", bool]  # vector, refined, whether it has one


def _embedded(words: list[str], met: dict[str, Foreign], embed: Embed) -> tuple[Any, Any, Mask]:
    """Look up the words that were not met before; from a source that is gone nothing is remembered."""
    known = {word: kept for word in words if (kept := met.get(word)) is not None}
    new = [word for word in words if word not in known]
    if new:
        found = embed(new)
        looked_up: dict[str, Foreign] = dict(zip(new, zip(*found, strict=True), strict=True))
        known |= looked_up
        if len(met) > _MET:
            met.clear()
        met.update(looked_up if found[2].any() else {})
    vectors, refined, embedded = zip(*[known[word] for word in words], strict=True)
    return np.stack(vectors), np.stack(refined), np.array(embedded, bool)


def known_by_form(database: Database, query: Query) -> Mask:
    """Return which unknown words of a query some text has in another form: *crashed* where it says *crashes*."""
    terms, ids = terms_by(database.rules), database.term_ids
    names = [terms[word] for word in query.unknown]
    known = [bool(own) and all(ids.get(name, -1) >= 0 for name in own) for own in names]
    return np.array(known, dtype=bool)


@derived
def foreign_words(database: Database) -> dict[str, Foreign]:  # noqa: ARG001 — which it is kept with
    """Return what was found of words that the database lacks: in queries from elsewhere they come back, too."""
    return {}


@derived
def runs_of(database: Database) -> _Runs:
    """Return the memory of which words and terms of the database each run of characters holds."""
    return _Runs(database)
