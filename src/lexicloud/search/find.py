"""How to search, and the one call behind every search.

Options are checked once and frozen; `find` picks the method, runs it, and turns its rows into suggestions. An answer
may begin at a later page, and be sorted by a column in place of the score.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from itertools import zip_longest
from math import ceil, isinf
from numbers import Integral, Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from lexicloud.compiled import is_kept
from lexicloud.errors import OptionError
from lexicloud.progress import stage
from lexicloud.say.blocks import many
from lexicloud.search.candidates import COPY_SHARE, NEAR_COPY
from lexicloud.search.checks import require_sound
from lexicloud.search.filters import find_column
from lexicloud.search.items import Suggestions, suggested
from lexicloud.search.query import known_by_form
from lexicloud.store.bundle import let_go_of_huge

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database
    from lexicloud.search.candidates import ScoredRow
    from lexicloud.search.items import Suggestion
    from lexicloud.search.query import Query
    from lexicloud.vectors.static_embeddings import StaticEmbeddings

    Searcher = Callable[[Database, Query, "SearchOptions"], list[ScoredRow]]
    from lexicloud.search.filters import Column

Method = Literal["related", "setcover", "interleaved", "average", "wmd", "jaccard", "levenshtein", "bm25"]
Weighting = Literal["idf", "uniform"]
# The paper's value, and one between those that ranked best in trials (docs/search-measured.md).
RHO: Final = {"uniform": 0.5, "idf": 0.2}
KEEP: Final = {"uniform": 0.0, "idf": 0.7}
_LEAST: Final = {"top": 1, "r": 0, "rho": 0, "keep": 0, "near_copy": 0, "min_tokens": 0, "max_tokens": 1}
METHODS: Final[tuple[str, ...]] = get_args(Method)
MODES: Final = {"related": "related", "varied": "setcover", "interleaved": "interleaved"}
_OF_SETCOVER: Final = frozenset({"r", "rho", "weighting", "keep", "own_words"})


@dataclass(frozen=True)
class SearchOptions:
    """What to look for and how; the defaults are explained in the guide to searching.

    >>> SearchOptions(method="related", top=3).shortest, SearchOptions().shortest
    (1, 5)
    """

    method: str = "setcover"
    top: int = 5
    r: int = 10  # neighbours of each query word (set cover)
    # how much long sentences are marked down (set cover); None: 0.5 if uniform, 0.2 if idf
    rho: float | None = None
    weighting: str = "idf"  # what a covered word is worth (set cover); "uniform" is the paper's
    # the share of its weight that a word keeps each time it is covered (set cover); 0 gives the most varied answers,
    # 1 ranks by relevance alone; None: 0 if uniform, 0.7 if idf
    keep: float | None = None
    # whether a query word counts itself, or only its neighbours do (set cover); the paper's text says no, its code yes
    own_words: bool = True
    min_tokens: int | None = None  # shorter sentences are passed over; None: 5 for set cover, 1 for its peers
    max_tokens: int | None = None
    # set cover skips sentences that are fewer edits than this away from the query; its peers skip the query itself,
    # `related` nothing unless this is set. 0 skips nothing. None: 9; if idf, at most a tenth of the query's letters
    near_copy: int | None = None

    def __post_init__(self) -> None:
        _one_of("method", self.method, METHODS)
        _one_of("weighting", self.weighting, get_args(Weighting))
        if not isinstance(self.own_words, bool):
            raise OptionError(f"own_words is True or False, not {self.own_words!r}")
        for name, least in _LEAST.items():
            _number(name, getattr(self, name), least)
        if self.keep is not None and self.keep > 1:
            raise OptionError(f"keep = {self.keep}, but a word cannot keep more than all (1) of its weight")
        if self.max_tokens is not None and self.max_tokens < self.shortest:
            raise OptionError(
                f"max_tokens = {self.max_tokens} is below min_tokens = {self.shortest}: no sentence can be found"
            )

    @property
    def shortest(self) -> int:
        """The least number of tokens of a sentence that may be found."""
        if self.min_tokens is not None:
            return self.min_tokens
        return 5 if self.method in {"setcover", "interleaved"} else 1

    @property
    def penalty(self) -> float:
        """The exponent ρ of a sentence's length by which set cover divides."""
        return RHO[self.weighting] if self.rho is None else self.rho

    @property
    def kept(self) -> float:
        """The share of its weight that a word keeps each time it is covered."""
        return KEEP[self.weighting] if self.keep is None else self.keep

    def copy_edits(self, query: str) -> int:
        """Return how many edits away from the query a sentence must be for set cover not to take it for a copy."""
        if self.near_copy is not None:
            return self.near_copy
        return NEAR_COPY if self.weighting == "uniform" else min(NEAR_COPY, ceil(COPY_SHARE * len(query)))

    @property
    def own_edits(self) -> int:
        """The number of edits of `copy_edits` for the other methods, which skip only the query itself."""
        return 0 if self.near_copy == 0 else 1


def chosen_method(method: str | None, mode: str | None, options: Mapping[str, Any]) -> str:
    """Return the method that a caller asks for by `method`, by `mode`, or by options that only set cover has.

    >>> chosen_method(None, None, {}), chosen_method(None, "varied", {}), chosen_method(None, None, {"keep": 0.5})
    ('related', 'setcover', 'setcover')
    """
    if mode is not None:
        _one_of("mode", mode, tuple(MODES))
    if method is None:
        return MODES[mode or ("varied" if _OF_SETCOVER & options.keys() else "related")]
    if mode is not None and MODES[mode] != method:
        raise OptionError(f"mode {mode!r} is method {MODES[mode]!r}, not {method!r}: give one of the two")
    return method


def _number(name: str, value: Any, least: int) -> None:
    """Refuse a value that is not a finite number of at least `least`, or not a whole one where it counts things."""
    if value is None and name not in {"top", "r"}:
        return
    share = name in {"rho", "keep"}
    if not _is_number(value, Real if share else Integral):
        raise OptionError(f"{name} must be a {'' if share else 'whole '}number, not {value!r}")
    if not value >= least:
        raise OptionError(f"{name} = {value}, but it must be at least {least}")
    if isinf(value):
        raise OptionError(f"{name} = {value}, but it must be finite")


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        close = get_close_matches(str(value), allowed, n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise OptionError(f"no {name} {value!r}: choose one of {', '.join(allowed)}{hint}")


# Methods for which a word that no sentence has still counts, if it has a vector.
LATENT: Final = frozenset({"related", "setcover", "average", "wmd"})


def find(
    database: Database,
    query: Query,
    options: SearchOptions,
    embeddings: tuple[NDArray[np.float32], NDArray[np.float32]] | StaticEmbeddings | None = None,
) -> Suggestions:
    """Return the suggestions of one method; when there are none, the notes say why."""
    _require_words(query)
    if options.method != "related":  # `related` checks before its compiled loops
        require_sound(database)
    if embeddings is None:
        with _told_of_compiling(options.method):
            rows = _searchers()[options.method](database, query, options)
    elif isinstance(embeddings, tuple):
        from lexicloud.search.methods import dense

        rows = dense.search(database, query, options, *embeddings)
    else:
        from lexicloud.search.methods import hybrid

        rows = hybrid.search(database, query, options, embeddings)
    found = suggestions(database, query, options, rows)
    let_go_of_huge([pair for part in database.parts for pair in part.segment.read_here_and_there])
    return found


# Methods whose loops are compiled when they are first asked for, and the module of these.
_COMPILED: Final = frozenset({"interleaved", "average", "wmd", "jaccard", "bm25"})
_LOOPS: Final = "lexicloud.search.methods.baselines_numba"


def _told_of_compiling(method: str) -> AbstractContextManager[Any]:
    """Say while a method runs that its loops are compiled, if they never were on this machine: it takes seconds."""
    if method not in _COMPILED or _LOOPS in sys.modules or is_kept(_LOOPS):
        return nullcontext()
    return stage("compiling loops, on this machine only once")


def prepare(database: Database) -> None:
    """Load or compile the fast loops of `related` and set cover now, instead of beside the first queries."""
    from lexicloud.search.methods.bm25_scores import scorers_of
    from lexicloud.search.methods.setcover import kernels_of

    scorers_of(database).beside.wait()
    kernels_of(database).beside.wait()


def find_many(database: Database, queries: Sequence[Query], options: SearchOptions) -> list[Suggestions]:
    """Return the suggestions of `related` for many queries, in less time than one after the other."""
    from lexicloud.search.methods import related

    for query in queries:
        _require_words(query)
    found = related.search_many(database, queries, options)
    return [suggestions(database, query, options, rows) for query, rows in zip(queries, found, strict=True)]


def _require_words(query: Query) -> None:
    if not query.tokens:
        raise OptionError("the query has no words in it: give at least one word to search for")


def suggestions(
    database: Database, query: Query, options: SearchOptions, rows: list[ScoredRow]
) -> Suggestions:
    """Turn the rows that a method found into suggestions, with the notes that go with them."""
    found = [suggested(database, row, options.method) for row in rows]
    lost = _lost(database, query, options) if query.unknown else ()
    notes = _notes(database, query, options, [row.weak is True for row in rows], lost)
    return Suggestions(found, query=query.text, method=options.method, notes=notes, unknown=lost)


def _lost(database: Database, query: Query, options: SearchOptions) -> tuple[str, ...]:
    """Return the words that could not take part; of `related` a text may have another form of a word."""
    content = query.unknown_content
    if options.method == "related":
        content = content & ~known_by_form(database, query)
    known = zip(query.unknown, query.unknown_embedded, content, strict=True)
    return tuple(word for word, embedded, own in known if own and not (embedded and options.method in LATENT))


@cache
def _searchers() -> dict[str, Searcher]:
    """Return the methods by name; imported with the first search, since compiled loops take a moment to load."""
    from lexicloud.search.methods import baselines, related, setcover, wmd

    return {
        "related": related.search,
        "setcover": setcover.search,
        "interleaved": _interleaved,
        "average": baselines.average,
        "wmd": wmd.search,
        "jaccard": baselines.jaccard,
        "levenshtein": baselines.levenshtein,
        "bm25": baselines.bm25,
    }


def _interleaved(database: Database, query: Query, options: SearchOptions) -> list[ScoredRow]:
    """Take turns between set cover and average, each in its own order, and every sentence once."""
    both = [
        _searchers()[name](database, query, replace(options, method=name)) for name in ("setcover", "average")
    ]
    turns = [found for pair in zip_longest(*both) for found in pair if found is not None]
    return list({found.row: found for found in reversed(turns)}.values())[::-1][: options.top]


def _notes(
    database: Database, query: Query, options: SearchOptions, weak: list[bool], lost: tuple[str, ...]
) -> list[str]:
    """Say what a reader of the answer should know: words that could not take part, and why it is short."""
    notes = []
    if lost:
        shown = ", ".join(lost[:10]) + (", …" if len(lost) > 10 else "")
        notes.append(f"{NOWHERE}{_and_no_vector(options)}: {shown}")
    if not weak:
        notes.append(_why_empty(database, query, options, lost))
    elif options.method == "related" and not query.synonyms and _is_foreign(database, query):
        notes.append("no text has a word of the query: these are the nearest in meaning")
    return [*notes, *said_of_finds(weak, options.top)]


def _is_foreign(database: Database, query: Query) -> bool:
    """Tell whether no text has any content word of a query, in any form."""
    if not bool(query.unknown_content.any()):
        return False
    ignored = database.stopwords | database.punctuation
    return bool(ignored[query.ids].all()) and not bool(
        (query.unknown_content & known_by_form(database, query)).any()
    )


def said_of_finds(weak: Sequence[bool], top: int) -> list[str]:
    """Say that all finds are weak, or that there are fewer than were asked for."""
    notes = []
    if weak and all(weak):
        notes.append("all of these are weak matches: a random query finds as much")
    if 0 < len(weak) < top:
        notes.append(f"{len(weak)} of the {top} texts asked for could be found")
    return notes


def retold(answer: Suggestions, items: Sequence[Suggestion], top: int) -> list[str]:
    """Return the notes of an answer that has other finds now."""
    before = said_of_finds([one.weak is True for one in answer], top)
    kept = [note for note in answer.notes if note not in before]
    # The last note of an empty answer says why it is empty.
    return [*(kept if answer else kept[:-1]), *said_of_finds([one.weak is True for one in items], top)]


NOWHERE: Final = "in none of the texts"  # how the note on words that could not take part begins


def _and_no_vector(options: SearchOptions) -> str:
    return " and without a vector" if options.method in LATENT else ""


def _why_empty(database: Database, query: Query, options: SearchOptions, lost: tuple[str, ...]) -> str:
    if not database.n:
        return "the index holds no texts"
    if database.allowed is not None and not database.eligible.any():  # type: ignore[union-attr]
        return "no text meets the filter, or all that the query demands"
    ignored = database.stopwords | database.punctuation
    if options.method != "levenshtein" and ignored[query.ids].all() and not query.unknown_content.any():
        return "the query has only stop words and punctuation, which this method leaves out: levenshtein takes them"
    if lost and len(lost) == int(query.unknown_content.sum()) and ignored[query.ids].all():
        return "none of the query's words could be looked for"
    limited = options.shortest > 1 or options.max_tokens is not None
    return f"no text{' of the lengths asked for' if limited else ''} shares a word with the query"


# How many of the best finds are sorted: of thousands, the newest would hardly have to do with the query.
POOL: Final = 100


@dataclass(frozen=True)
class PageOfFinds:
    """A page of an answer: `top` finds after the first `offset`, by score or by a column (`-column`: highest first)."""

    top: int
    offset: int = 0
    sort: str | None = None

    def __post_init__(self) -> None:
        whole = isinstance(self.offset, Integral) and not isinstance(self.offset, bool)
        if not whole or self.offset < 0:
            raise OptionError(f"offset = {self.offset!r}, but it must be a whole number of at least 0")
        if self.sort is not None and (not isinstance(self.sort, str) or not self.sort.lstrip("-")):
            raise OptionError(
                f"sort = {self.sort!r}: give a column, as in created, or -created for the last first"
            )

    @property
    def asked(self) -> int:
        """The number of finds to search for."""
        last = self.top + self.offset
        return last if self.sort is None else max(POOL, last)

    def of(self, found: Suggestions, columns: Mapping[str, Column]) -> Suggestions:
        """Cut the page out of an answer that has `asked` finds."""
        if self.sort is None and not self.offset:
            return found
        if self.sort is None:
            in_all = f"{many(len(found), 'find')} in all"
            told = [in_all if "asked for" in note else note for note in found.notes]
            return found.with_items(found[self.offset :], notes=told)
        sure = [one for one in found if not one.weak] or list(found)
        places = in_order(columns, self.sort, [one.row for one in sure])
        told = [note for note in found.notes if "asked for" not in note]
        told.append(f"the {len(sure):,} best finds, {said(self.sort)}")
        page = places[self.offset : self.offset + self.top]
        return found.with_items([sure[i] for i in page], notes=told, ranked=False)


def said(sort: str) -> str:
    """Return in words how finds are sorted."""
    return f"sorted by {sort.lstrip('-')}, the {'highest' if sort.startswith('-') else 'lowest'} first"


def in_order(columns: Mapping[str, Column], sort: str, rows: Sequence[int]) -> list[int]:
    """Return the places of rows in the order of a column; rows without a value come last, equals in their order."""
    column, path = find_column(columns, sort.lstrip("-"))
    typed = column.typed(path)
    if typed.kind.lists or typed.kind.name == "mixed":
        raise OptionError(
            f"{sort.lstrip('-')} holds {typed.kind}, which have no order: sort by another column"
        )
    filled, codes = column.filled(path)[list(rows)].tolist(), column.codes[list(rows)].tolist()
    known = [(_key(typed.read[codes[i]]), i) for i, there in enumerate(filled) if there]
    known.sort(key=itemgetter(0), reverse=sort.startswith("-"))
    return [*(i for _, i in known), *(i for i, there in enumerate(filled) if not there)]


def _key(value: Any) -> Any:
    return value.casefold() if isinstance(value, str) else value
