"""Single records of an index: read by id, changed in part, counted by value; and which ids there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import OptionError
from lexicloud.result import Result
from lexicloud.say.blocks import Block, Facts, Sentence, many, table
from lexicloud.search.fields import field_names, fields_of
from lexicloud.search.filters import matching_rows, record_of
from lexicloud.search.items import DOCUMENT, Items, whole_text
from lexicloud.search.segments import as_kept, ids_there
from lexicloud.text.records import cell_text, joined, read_weights

if TYPE_CHECKING:
    from lexicloud.search.arrays import Identifier, Segment
    from lexicloud.search.filters import Where
    from lexicloud.search.segments import Snapshot

_OWN = frozenset(("id", "text", "tokens"))  # the keys of a record besides its columns


@dataclass(frozen=True)
class Record(Result):
    """One record of an index: its id, its text (with the fields by name) and its metadata."""

    id: int | str
    text: str
    tokens: int
    fields: dict[str, str]
    metadata: dict[str, Any]

    def blocks(self) -> list[Block]:
        """Return the text and its metadata."""
        known = [
            (key, ", ".join(map(str, value)) if isinstance(value, list) else str(value))
            for key, value in self.metadata.items()
        ]
        parts = [(name, text) for name, text in self.fields.items()] or [("text", self.text)]
        return [Sentence(f"{self.id}, {many(self.tokens, 'token')}.", "answer"), Facts((*parts, *known))]


@dataclass(frozen=True)
class Facets(Result):
    """How many records have each value of a column, the commonest first."""

    column: str
    counts: dict[Any, int]
    records: int  # number counted
    without: int  # how many of them have no value

    def blocks(self) -> list[Block]:
        """Return the values and their counts."""
        said = f"{many(len(self.counts), 'value')} of {self.column} in {many(self.records, 'record')}"
        said += f", {self.without:,} of them without one." if self.without else "."
        rows = [(str(value), f"{count:,}") for value, count in self.counts.items()]
        return [Sentence(said, "answer"), table([self.column, "records"], rows)]


def _rows(snapshot: Snapshot, name: Identifier) -> list[tuple[Segment, int]]:
    """Return the living rows of a record, or of all sentences of a document, by its id as it is kept."""
    found = [
        (snapshot.segments[segment], row)
        for segment, rows in snapshot.find([name]).items()
        for row in rows.tolist()
    ]
    own = [(segment, row) for segment, row in found if segment.identifiers[row] == name]
    if not found:
        raise OptionError(f"no sentence has the id {name!r}")
    return own or found


def record_by_id(snapshot: Snapshot, name: Identifier) -> Record:
    """Return a record by its id; of a document that was split, all of its sentences."""
    (name,) = as_kept(snapshot, [name])
    rows = _rows(snapshot, name)
    names = field_names(snapshot.settings.schema)
    segment, row = rows[0]
    metadata = record_of(segment.columns, row)
    if len(rows) > 1 or segment.identifiers[row] != name:
        metadata.pop(DOCUMENT, None)
    texts = [own.texts[at] for own, at in rows]
    tokens = sum(int(own.lengths[at]) for own, at in rows)
    fields = fields_of(texts[0], names) if names else {}
    return Record(name, " ".join(map(whole_text, texts)), tokens, fields, metadata)


def flat(record: Record) -> dict[str, Any]:
    """Return a record as one dict: id, text, tokens, columns and fields."""
    known = {"id": record.id, "text": record.text, "tokens": record.tokens}
    return {**known, **record.metadata, **record.fields}


def updated_items(snapshot: Snapshot, name: Identifier, columns: Mapping[str, Any]) -> Items:
    """Return a record with some columns or text fields changed, to be added again; None takes one away.

    With a sentence of a document come the others, as they are, so that they stay in their order.
    """
    (name,) = as_kept(snapshot, [name])
    weights = read_weights(snapshot.settings.schema.get("text"))
    names = tuple(weights) if len(weights) > 1 else ()
    items = Items([], [], [], tuple(weights.values()) if names else (), prepared=True)
    wrong = sorted(columns.keys() & (_OWN - set(names)))
    if wrong:
        raise OptionError(
            f"{wrong[0]} is no column that can be changed: add the record again, with overwrite"
        )
    changes = {key: value for key, value in columns.items() if key not in names}
    rows = _rows(snapshot, name)
    own = {(id(segment), row) for segment, row in rows}
    document = record_of(rows[0][0].columns, rows[0][1]).get(DOCUMENT) if snapshot.settings.split else None
    for segment, row in rows if document is None else _rows(snapshot, document):
        text = segment.texts[row]
        if (id(segment), row) not in own:
            items.texts.append(text)
            items.identifiers.append(segment.identifiers[row])
            items.metadata.append(record_of(segment.columns, row))
            continue
        if columns.keys() & set(names):
            parts = fields_of(text, names) | {k: cell_text(columns[k]) for k in names if k in columns}
            text = joined([parts.get(part, "") for part in names])
        metadata = record_of(segment.columns, row) | changes
        items.texts.append(text)
        items.identifiers.append(segment.identifiers[row])
        items.metadata.append({key: value for key, value in metadata.items() if value is not None})
    return items


def facets_of(snapshot: Snapshot, column: str, where: Where | None) -> Facets:
    """Count records by the values of a column; each entry of a list counts."""
    columns, database = snapshot.columns, snapshot.database
    if column not in columns:
        raise OptionError(f"no metadata {column!r}; there are {', '.join(columns) or 'none'}")
    kept = np.ones(len(database), dtype=bool) if database.alive is None else database.alive.copy()
    if where is not None:
        kept &= matching_rows(where, columns, len(database))
    codes = columns[column].codes[kept]
    counts = np.bincount(codes[codes >= 0], minlength=len(columns[column].values)).tolist()
    found: Counter[Any] = Counter()
    for value, count in zip(columns[column].decoded(), counts, strict=True):
        for entry in value if isinstance(value, list) else [value]:
            if count and entry is not None:
                found[entry if isinstance(entry, Hashable) else str(entry)] += count
    without = int(np.count_nonzero(~columns[column].filled()[kept]))
    return Facets(column, dict(found.most_common()), len(codes), without)


def ids_not_there(snapshot: Snapshot, names: Collection[Any]) -> list[Identifier]:
    """Return which ids no sentence and no document has, in their order."""
    kept = as_kept(snapshot, names)
    there = ids_there(snapshot, kept)
    return [name for name in dict.fromkeys(kept) if name not in there]
