"""How to search: every option of a search in one checked, frozen place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from math import ceil, isinf
from numbers import Integral, Real
from typing import Any, Final, Literal, get_args

from lexicloud.errors import OptionError
from lexicloud.search.candidates import COPY_SHARE, NEAR_COPY

Method = Literal["related", "setcover", "interleaved", "average", "wmd", "jaccard", "levenshtein", "bm25"]
Weighting = Literal["idf", "uniform"]
# The paper's value, and one between those that ranked best in trials (docs/search.md).
RHO: Final = {"uniform": 0.5, "idf": 0.2}
KEEP: Final = {"uniform": 0.0, "idf": 0.7}
_LEAST: Final = {"top": 1, "r": 0, "rho": 0, "keep": 0, "near_copy": 0, "min_tokens": 0, "max_tokens": 1}
METHODS: Final[tuple[str, ...]] = get_args(Method)
MODES: Final = {"related": "related", "varied": "setcover", "interleaved": "interleaved"}
_OF_SETCOVER: Final = frozenset({"r", "rho", "weighting", "keep"})


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
    min_tokens: int | None = None  # shorter sentences are passed over; None: 5 for set cover, 1 for its peers
    max_tokens: int | None = None
    # set cover skips sentences within fewer edits of the query, its peers the query itself; 0 skips nothing; None: 9,
    # but if idf no more than a tenth of the query's letters; `related` skips the text that is the query, if one only is
    near_copy: int | None = None

    def __post_init__(self) -> None:
        _one_of("method", self.method, METHODS)
        _one_of("weighting", self.weighting, get_args(Weighting))
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
        """How many edits away from the query a sentence has to be so that set cover does not take it for a copy."""
        if self.near_copy is not None:
            return self.near_copy
        return NEAR_COPY if self.weighting == "uniform" else min(NEAR_COPY, ceil(COPY_SHARE * len(query)))

    @property
    def own_edits(self) -> int:
        """The same for the other methods, which pass over the query itself alone."""
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
    """Refuse what is no finite number of at least `least`, or no whole one where things are counted."""
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
