"""Adding and removing: each makes a new snapshot that shares its segments with the one before."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.corpus import Corpus
from lexicloud.errors import BrokenIndex, LexicloudError, OptionError
from lexicloud.search.build import build_segment
from lexicloud.search.items import Items, read_items
from lexicloud.search.segments import kept
from lexicloud.search.source import Looker
from lexicloud.search.store import new_name

if TYPE_CHECKING:
    from lexicloud.search.database import Identifier
    from lexicloud.search.items import Item
    from lexicloud.search.snapshot import Settings, Snapshot

    Sentences = Iterable[Item] | Mapping[Identifier, str] | Corpus | Items


def with_added(
    snapshot: Snapshot,
    sentences: Sentences,
    *,
    vectors: Looker | None = None,
    overwrite: bool = False,
    workers: int | None = None,
) -> Snapshot:
    """Return the snapshot with one more segment; an id that is there already is an error unless `overwrite` is set."""
    raw = read_items(sentences, snapshot.next_number)
    raw.check_distinct()
    removed = _make_room(snapshot, raw.identifiers, overwrite=overwrite)
    items = _prepared(raw, snapshot.settings, sentences)
    if not len(items) and snapshot.segments:
        return replace(snapshot, removed=removed)
    looker = vectors or _vectors(snapshot)
    segment = build_segment(items, looker, snapshot.source.refinement, snapshot.settings.rules, workers)
    if snapshot.settings.max_tokens is not None:
        segment = kept(segment, segment.lengths <= snapshot.settings.max_tokens)
    return replace(
        snapshot,
        segments={**snapshot.segments, new_name(): segment},
        removed=removed,
        next_number=_next_number(snapshot.next_number, raw),
    )


def _prepared(items: Items, settings: Settings, sentences: Sentences) -> Items:
    """Take boilerplate out and split, as the index was set up to do; a corpus of sentences is split already."""
    if settings.boilerplate:
        items = items.cleaned(settings.boilerplate)
    split = sentences.parents is None if isinstance(sentences, Corpus) else settings.split
    return items.split(settings.rules) if split else items


def _make_room(
    snapshot: Snapshot, names: Collection[Identifier], *, overwrite: bool
) -> dict[str, np.ndarray[tuple[int], np.dtype[np.int32]]]:
    there = snapshot.find(names) if snapshot.segments else {}
    if not overwrite and (segment := next((s for s, rows in there.items() if len(rows)), None)):
        name = snapshot.segments[segment].identifiers[int(there[segment][0])]
        count = sum(map(len, there.values()))
        raise OptionError(
            f"{name!r} is in the index already ({count:,} of the new ids are): remove it first, or overwrite it"
        )
    return snapshot.without(there)


def _vectors(snapshot: Snapshot) -> Looker:
    try:
        return snapshot.source.load()
    except BrokenIndex:
        raise
    except LexicloudError as error:
        raise BrokenIndex(
            f"the vectors {snapshot.source.name} of this index cannot be loaded ({error}): open it with vectors="
        ) from error


def _next_number(first: int, items: Items) -> int:
    numbers = (name for name in items.identifiers if isinstance(name, int))
    return max(first + len(items), 1 + max(numbers, default=-1))


def with_removed(snapshot: Snapshot, names: Collection[Identifier]) -> Snapshot:
    """Return the snapshot without the sentences (or all sentences of the documents) of these ids."""
    rows = snapshot.find(names)
    _check_found(snapshot, names, rows)
    return replace(snapshot, removed=snapshot.without(rows)).inheriting(snapshot)


def as_written(snapshot: Snapshot, names: Collection[str]) -> list[Identifier]:
    """Return the ids that some texts stand for: a string where there is one, otherwise the number it spells."""
    strings = {name for name in names if any(map(len, snapshot.find([name]).values()))}
    return [name if name in strings or not name.lstrip("-").isdecimal() else int(name) for name in names]


def _check_found(
    snapshot: Snapshot,
    names: Collection[Identifier],
    rows: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int32]]],
) -> None:
    missing = set(names)
    for name, segment in snapshot.segments.items():
        found = rows[name]
        missing -= {segment.identifiers[int(i)] for i in found}
        if "document" in segment.columns:
            missing -= {segment.columns["document"].value(int(i)) for i in found}
    if missing:
        first = min(missing, key=str)
        more = f" (and {len(missing) - 1:,} more)" if len(missing) > 1 else ""
        raise OptionError(f"no sentence or document has the id {first!r}{more}: nothing was removed")
