"""A query as the database sees it: its words and terms by number, those that no text has, slips, and synonyms.

A slip is a word that no text has, one edit away from a word that some text has. A line of a file of synonyms holds
words with commas between them (`laptop, notebook`), each of which finds the others. With an arrow
(`OOM => out of memory`) what is before it finds what is behind it, and not the other way round.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from lexicloud.errors import InputError, OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Sentence, many, table
from lexicloud.search.arrays import derived, digest
from lexicloud.store.bundle import PackedStrings
from lexicloud.text import is_punctuation, stopwords, tokenize
from lexicloud.text.stems import terms_by

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Embed, Mask

    Keys = NDArray[np.uint64]
    from lexicloud.text import TokenRules

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


_SHORTEST: Final = 5  # letters of a word that may be a slip: shorter ones have too many neighbours
# Words among so many commonest are no slips: horse is no slip of house. In GloVe's table *occured* is the 37,759th.
USUAL: Final = 30_000
_KEY: Final = 8  # bytes at the beginning or the end of a word by which it is found


def corrected(database: Database, unknown: Sequence[str]) -> dict[str, str]:
    """Return, for words that no text has in any form, the commonest word (or stem) that is one edit away."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    terms, found = terms_by(database.rules), dict[str, str]()
    for word in unknown:
        known = any(database.term_ids.get(name, -1) >= 0 for name in terms[word])
        if known or len(word) < _SHORTEST or not word.isalpha():
            continue
        words, stems = _spellings(database)
        likely = {*words.like(word), *filter(str.isalpha, stems.like(word))}
        near = process.extract(word, sorted(likely), scorer=OSA.distance, score_cutoff=1, limit=None)
        if near:
            found[word] = max(near, key=lambda hit: _frequency(database, hit[0]))[0]
    return found


def mended(text: str, slips: Mapping[str, str]) -> str:
    """Return a text with misspelt words, in any case, replaced by the right ones.

    >>> mended("Pinter jams", {"pinter": "printer"})
    'printer jams'
    """
    for slip, right in slips.items():
        text, found = re.subn(rf"(?<!\w){re.escape(slip)}(?!\w)", right, text, flags=re.IGNORECASE)
        text = text if found else f"{text} {right}"  # normalising the word had changed its letters
    return text


def _frequency(database: Database, word: str) -> int:
    """Return how many texts have a word, or any word of a stem."""
    number, term = database.ids.get(word, -1), database.term_ids.get(word, -1)
    of_term = int(database.term_starts[term + 1] - database.term_starts[term]) if term >= 0 else 0
    return max(int(database.df[number]) if number >= 0 else 0, of_term)


class _Spellings:
    """Strings in the order of their bytes, found by how they begin or end; `offered` says which count."""

    def __init__(self, strings: Sequence[str], offered: NDArray[np.bool_] | None, shortest: int) -> None:
        self.strings = PackedStrings.pack(strings)
        self.strings.check()
        blob, ends = np.asarray(self.strings.blob), np.asarray(self.strings.offsets).astype(np.int64)
        further = np.concatenate([[0], np.cumsum((blob & 0xC0) == 0x80)])  # bytes that begin no letter
        self.letters = np.diff(ends) - np.diff(further[ends])
        self.letters[self.letters < shortest] = 0  # shorter ones are never near
        if offered is not None:
            self.letters[~offered] = 0
        starts, stops = ends[:-1], ends[1:]
        bits = np.where(blob < 0x80, np.uint32(1) << (blob & 31).astype(np.uint32), np.uint32(0))
        self.letter_sets = (
            np.bitwise_or.reduceat(np.append(bits, np.uint32(0)), starts) if len(starts) else bits
        )
        self.begun = _keys(blob, [np.where(starts + i < stops, starts + i, -1) for i in range(_KEY)])
        keys = _keys(blob, [np.where(stops - i > starts, stops - 1 - i, -1) for i in range(_KEY)])
        self.order = np.argsort(keys, kind="stable")
        self.ended = keys[self.order]

    def like(self, word: str) -> list[str]:
        """Return the strings that share one half of their letters with a word and are about as long.

        One edit of n letters leaves the first or the last (n - 1) // 2 of them as they are.
        """
        half = (len(word) - 1) // 2
        start, end = word[:half].encode(), word[-half:].encode()[::-1]
        found = [np.arange(*_span(self.begun, start)), self.order[slice(*_span(self.ended, end))]]
        numbers = np.concatenate(found)
        numbers = numbers[np.abs(self.letters[numbers] - len(word)) <= 1]
        # One edit takes at most one letter away and adds at most one.
        own = np.bitwise_or.reduce(
            [np.uint32(1 << (ord(c) & 31)) for c in word if c.isascii()] or [np.uint32(0)]
        )
        near = numbers[np.bitwise_count(self.letter_sets[numbers] ^ own) <= 2]
        return [self.strings[number] for number in near.tolist()]


def _keys(blob: NDArray[np.uint8], places: Sequence[NDArray[np.int64]]) -> Keys:
    """Return the bytes at some places of each string as one number, the first the highest; no byte (-1) is 0."""
    keys = np.zeros(len(places[0]), np.uint64)
    padded = np.append(blob, np.uint8(0))
    for at in places:
        keys = keys << np.uint64(8) | padded[at]
    return keys


def _span(keys: Keys, wanted: bytes) -> tuple[int, int]:
    """Return where the keys that begin with some bytes stand among sorted ones."""
    low, high = (int.from_bytes(wanted[:_KEY].ljust(_KEY, fill)) for fill in (b"\x00", b"\xff"))
    first = int(np.searchsorted(keys, np.uint64(low)))
    return first, int(np.searchsorted(keys, np.uint64(high), side="right"))


@derived
def _spellings(database: Database) -> tuple[_Spellings, _Spellings]:
    """Return the words, and the stems of words, that slips are looked for among."""
    kept = (database.df > 0) & ~database.stopwords & ~database.punctuation
    words = _Spellings(database.words, kept, _SHORTEST - 1)
    return words, _Spellings(database.terms, None, _SHORTEST)


MOST: Final = 10_000  # words and phrases that have synonyms
LONGEST: Final = 100  # characters of a word or a phrase
EACH: Final = 20  # synonyms of one word
# The distance of a synonym from its word: almost 0, since 0 means the word itself.
NEXT: Final = 1e-6

Synonyms = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class SynonymList(Result):
    """The synonyms of an index."""

    synonyms: dict[str, list[str]]

    def blocks(self) -> list[Block]:
        """Return each word with what it also stands for."""
        said = f"{many(len(self.synonyms), 'word')} with synonyms."
        rows = [(word, ", ".join(others)) for word, others in self.synonyms.items()]
        return [Sentence(said, "answer"), *([table(["word", "also finds"], rows)] if rows else [])]


def read_synonyms(given: Any) -> dict[str, list[str]]:
    """Return word → synonyms from a file, a mapping, or lists of words that stand for each other.

    >>> read_synonyms([["laptop", "notebook"]])
    {'laptop': ['notebook'], 'notebook': ['laptop']}
    >>> read_synonyms({"OOM": ["out of memory"]})
    {'oom': ['out of memory']}
    """
    if isinstance(given, str | Path):
        return _checked(_from_file(Path(given)))
    if isinstance(given, Mapping):
        pairs = [
            ([word], [others] if isinstance(others, str) else list(others)) for word, others in given.items()
        ]
        return _checked(pairs)
    groups = list(given) if isinstance(given, Iterable) else None
    if groups is not None and not any(isinstance(group, str) for group in groups):
        return _checked([(list(group), list(group)) for group in groups])
    raise OptionError(
        f"synonyms are a {type(given).__name__}: give a file, a dict, or a list of lists of words"
    )


def _from_file(path: Path) -> list[tuple[list[str], list[str]]]:
    from lexicloud.text.document import decode

    try:
        text, _ = decode(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        said = line.partition("#")[0].strip()
        if not said:
            continue
        left, arrow, right = said.partition("=>")
        words = [part.strip() for part in left.split(",") if part.strip()]
        others = [part.strip() for part in right.split(",") if part.strip()] if arrow else words
        if not words or not others or (not arrow and len(words) < 2):
            raise InputError(
                f"line {number:,} of {path} has no synonyms: write words with commas between them, or a => b"
            )
        found.append((words, others))
    return found


def _checked(pairs: Iterable[tuple[list[Any], list[Any]]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for words, others in pairs:
        for word in (*words, *others):
            if not isinstance(word, str) or not word.strip() or len(word) > LONGEST:
                raise OptionError(
                    f"{str(word)[:50]!r} can be no synonym: give words of up to {LONGEST} letters"
                )
        for word in words:
            own = found.setdefault(_plain(word), [])
            more = dict.fromkeys(map(_plain, others))
            own += [other for other in more if other not in {*own, _plain(word)}]
            if len(own) > EACH:
                raise OptionError(f"{word!r} has {len(own)} synonyms, more than {EACH}: leave some out")
    if len(found) > MOST:
        raise OptionError(f"there are synonyms of {len(found):,} words, more than {MOST:,}: leave some out")
    return found


def _plain(word: str) -> str:
    return " ".join(word.lower().split())


def meant_by(text: str, synonyms: Synonyms, rules: TokenRules) -> dict[str, list[str]]:
    """Return the words and phrases of a query that have synonyms, each with its synonyms; any form of a word counts."""
    if not synonyms:
        return {}
    terms = terms_by(rules)
    own = terms.of(text)
    found = {}
    for word, others in synonyms.items():
        wanted = terms.of(word)
        if wanted and any(own[i : i + len(wanted)] == wanted for i in range(len(own))):
            found[word] = list(others)
    return found


def synonym_terms(
    database: Database, meant: Mapping[str, Sequence[str]], there: Mapping[int, int], rarity: Any
) -> dict[int, tuple[float, str, float]]:
    """Return the terms of synonyms that are not in the query: term → (weight, word of the query, distance).

    A synonym of several words weighs as much as one word: its terms share the weight.
    """
    terms, found = terms_by(database.rules), dict[int, tuple[float, str, float]]()
    for word, others in meant.items():
        for other in others:
            names = terms.of(other)
            numbers = [n for name in names if (n := database.term_ids.get(name, -1)) >= 0 and n not in there]
            for number in numbers:
                worth = float(rarity(database, number)) / len(names)
                if worth > found.get(number, (0.0,))[0]:
                    found[number] = (worth, word, NEXT)
    return found
