"""The state of an index at one moment: its segments, what was removed from them, and the database they make."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.search.filters import Column
from lexicloud.search.items import DOCUMENT
from lexicloud.search.query import Database
from lexicloud.search.segment import Segment, as_database, joined, kept
from lexicloud.text import DEFAULT_RULES, TokenRules
from lexicloud.text.clean import Boilerplate
from lexicloud.vectors.load import VectorSource

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.query import Identifier, Mask


@dataclass(frozen=True)
class Settings:
    """How an index turns what it is given into sentences; additions are treated as the first sentences were."""

    rules: TokenRules = DEFAULT_RULES
    split: bool = False
    max_tokens: int | None = None  # longer sentences are left out
    boilerplate: Boilerplate | None = None
    dense: str | None = None  # the model of the embeddings that are kept; empty: one without a name
    schema: Mapping[str, Any] = field(default_factory=dict)  # which columns of tables hold what


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Segments by name, each with the rows removed from it, ascending."""

    segments: dict[str, Segment]
    removed: dict[str, NDArray[np.int32]]
    source: VectorSource
    settings: Settings
    next_number: int = 0  # the id that the next sentence without one gets
    chance: tuple[float, ...] | None = None  # what random queries reach, as measured when it was saved

    @property
    def count(self) -> int:
        """The number of sentences that are alive; known without joining the segments."""
        return sum(map(len, self.segments.values())) - sum(map(len, self.removed.values()))

    @cached_property
    def whole(self) -> Segment:
        """All segments as one."""
        return joined(list(self.segments.values()))

    def inheriting(self, before: Snapshot | None) -> Snapshot:
        """Take the joined segments over from an earlier snapshot of the same segments, if it has joined them."""
        if before and list(before.segments) == list(self.segments) and "whole" in before.__dict__:
            self.__dict__["whole"] = before.__dict__["whole"]
        return self

    @cached_property
    def alive(self) -> Mask | None:
        """Which rows of the whole were not removed; None: all."""
        if not any(len(rows) for rows in self.removed.values()):
            return None
        return np.concatenate([living(len(s), self.removed.get(name)) for name, s in self.segments.items()])

    @cached_property
    def database(self) -> Database:
        """The view that search methods work on."""
        return as_database(self.whole, self.alive, self.settings.rules, self.source.refinement, self.chance)

    @cached_property
    def distinct(self) -> Database:
        """The same without repeated texts among the rows that may be answered with."""
        return self.database.filtered(None, firsts(self.whole.digests, self.alive))

    @property
    def columns(self) -> dict[str, Column]:
        """The metadata of the whole."""
        return dict(self.whole.columns)

    def compacted(self) -> Segment:
        """Return what is alive as one segment, the same as a fresh build would make."""
        return kept(self.whole, self.alive)

    def find(self, names: Collection[Identifier]) -> dict[str, NDArray[np.int32]]:
        """Return the living rows of each segment whose id, or the id of whose document, is among `names`."""
        found = {}
        for name, segment in self.segments.items():
            rows = segment.identifiers.rows_of(names)
            if DOCUMENT in segment.columns:
                rows = np.union1d(rows, rows_with(segment.columns[DOCUMENT], names))
            rows = np.setdiff1d(rows, self.removed.get(name, np.zeros(0, np.int32)))
            found[name] = rows.astype(np.int32)
        return found

    def without(self, rows: dict[str, NDArray[np.int32]]) -> dict[str, NDArray[np.int32]]:
        """Return what is removed once these rows are removed too."""
        none = np.zeros(0, np.int32)
        return {
            name: np.union1d(self.removed.get(name, none), rows.get(name, none)).astype(np.int32)
            for name in self.segments
        }


def living(rows: int, removed: NDArray[np.int32] | None) -> Mask:
    """Return which rows are not removed."""
    alive = np.ones(rows, dtype=bool)
    if removed is not None:
        alive[removed] = False
    return alive


def rows_with(column: Column, values: Collection[object]) -> NDArray[np.int64]:
    """Return the rows that have one of some values."""
    wanted = set(values)
    # Code -1, a missing value, points at the last entry.
    return np.flatnonzero(
        np.array([*(v in wanted for v in column.decoded()), False], dtype=bool)[column.codes]
    )


def firsts(digests: NDArray[np.uint64], among: Mask | None) -> Mask | None:
    """Return the first row of each distinct text (among some rows); None if no text is repeated."""
    rows = np.arange(len(digests)) if among is None else np.flatnonzero(among)
    distinct, first = np.unique(digests[rows], return_index=True)
    if len(distinct) == len(rows):
        return None
    mask = np.zeros(len(digests), dtype=bool)
    mask[rows[first]] = True
    return mask
