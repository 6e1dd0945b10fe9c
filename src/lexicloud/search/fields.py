"""Records with several text fields, each with a weight.

A field of weight 3 counts as if its words were written three times (Robertson, Zaragoza and Taylor, 2004): its terms
weigh more, and the record gets longer. So one list of postings is enough, as for texts of one field. The index keeps
the fields one after the other, with a mark between them, and reads from this text which field has a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lexicloud.errors import InputError, OptionError, warn
from lexicloud.say.blocks import many
from lexicloud.search.items import Items, item_of
from lexicloud.search.typed import plain
from lexicloud.text.records import MARK, cell_text, joined, read_weights
from lexicloud.text.stems import stop_terms, terms_by
from lexicloud.text.tables import value_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Part
    from lexicloud.search.items import Suggestions
    from lexicloud.search.query import Query
    from lexicloud.text import TokenRules
    from lexicloud.words.reason import Reason


def field_names(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of an index's text fields; none where its texts are whole."""
    weights = read_weights(schema.get("text"))
    return tuple(weights) if len(weights) > 1 else ()


def fields_of(text: str, names: Sequence[str]) -> dict[str, str]:
    """Return the fields of a kept text by name, without those that are empty."""
    return {name: part for name, part in zip(names, text.split(MARK), strict=False) if part}


def rows_of_table(given: Any) -> Any:
    """Return the rows of a pandas or Arrow table as dicts, None where a cell is empty; anything else as it is.

    The index of a table is a column if it has a name; that of a Series of texts names these.
    """
    if hasattr(given, "to_pylist"):
        return given.to_pylist()
    if hasattr(given, "notna") and hasattr(given, "to_dict") and hasattr(given, "columns"):
        if not given.columns.is_unique:
            twice = given.columns[given.columns.duplicated()][0]
            raise InputError(f"the table has two columns named {twice!r}: rename one")
        if not {None, *given.columns} & set(given.index.names):
            given = given.reset_index()
        return given.astype(object).where(given.notna(), None).to_dict("records")
    if hasattr(given, "notna") and hasattr(given, "index") and hasattr(given, "items"):
        return list(given.items())
    return given


def record_items(
    records: Iterable[Any], schema: Mapping[str, Any], first: int = 0, *, every: bool = False
) -> Items:
    """Return records as an index takes them: `text` names their text fields, `id` and `meta` the other columns.

    Without `meta` all other columns are kept. A record whose fields are all empty is left out. `every` says that these
    are all records of the index: a text field that none of them has is then refused.
    """
    weights = read_weights(schema.get("text"))
    column, meta = schema.get("id") or "id", schema.get("meta")
    items = Items([], [], [], tuple(weights.values()) if len(weights) > 1 else ())
    there: set[str] = set()
    empty = numbered = 0
    for position, record in enumerate(records):
        there |= _fields_in(record, weights, position, every=every)
        text = joined([cell_text(value_at(record, name)) for name in weights])
        if not text.strip():
            empty += 1
            continue
        every_other = [key for key in record if key not in weights and key != column]
        others = every_other if meta is None or "*" in meta else meta
        known = {key: value for key in others if not _nothing(value := value_at(record, key))}
        named = {"id": _whole(value_at(record, column)), "text": text}
        numbered += _nothing(named["id"])
        items.identifiers.append(item_of(named, first + position, position)[0])
        items.texts.append(text)
        items.metadata.append(known or None)
    missing = sorted(weights.keys() - there)
    if every and missing and (items.texts or empty):
        raise InputError(f"no record has the text field {missing[0]!r}: check its name")
    if numbered and (numbered < len(items) or schema.get("id")):
        raise InputError(
            f"{many(numbered, 'record')} of {len(items):,} have no {column!r}: give each an id, or none"
        )
    if empty:
        warn(f"{many(empty, 'record')} without any text {'was' if empty == 1 else 'were'} left out")
    return items


def _fields_in(record: Any, weights: Mapping[str, int], position: int, *, every: bool) -> set[str]:
    """Return which text fields a record has, empty ones included; without `every`, refuse a record that has none."""
    named = ", ".join(weights)
    if not isinstance(record, Mapping):
        what = type(record).__name__
        raise InputError(f"record {position} is a {what}: give dicts with the text fields {named}")
    found = {name for name in weights if name in record or value_at(record, name) is not None}
    if not found and not every:
        raise InputError(f"record {position} has none of the text fields {named}")
    return found


def _whole(name: Any) -> Any:
    """Return 7 for 7.0: tables turn whole ids into floats where another row has no id."""
    name = plain(name)
    return int(name) if isinstance(name, float) and name.is_integer() else name


def _nothing(value: Any) -> bool:
    return plain(value) in (None, "", [])


def rows_with_word(database: Database, place: int, word: str, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of some records have a word, in any form, or a phrase, in the field at a place.

    `pictu*` is a word that begins so, `*` any.
    """
    mask, terms = among.copy(), terms_by(database.rules)
    wanted = [set(terms[part]) for part in word.split() if terms[part]]
    said, end = r"\s+".join(map(re.escape, word.split())), r"(?!\w)"
    if word.endswith("*"):
        said, end = re.escape(word[:-1]), r"\w" if word == "*" else ""
    whole = " " not in word and not word.endswith("*")
    pattern = None if whole else re.compile(rf"(?<!\w){said}{end}", re.IGNORECASE)
    for row in np.flatnonzero(mask).tolist():
        parts = database.texts[row].split(MARK)
        text = parts[place] if place < len(parts) else ""
        if pattern is not None:
            mask[row] = pattern.search(text) is not None
        else:
            own = set(terms.of(text))
            mask[row] = all(own >= part for part in wanted)
    return mask


def located(reasons: Iterable[Reason], fields: Mapping[str, str], rules: TokenRules) -> tuple[Reason, ...]:
    """Add to each reason the names of the fields that have its word, in any form."""
    terms = terms_by(rules)
    owned = {name: set(terms.of(text)) for name, text in fields.items()}
    return tuple(
        replace(reason, fields=tuple(name for name, own in owned.items() if own & set(terms[reason.word])))
        if reason.word and " " not in reason.word
        else reason
        for reason in reasons
    )


def same_first(found: Suggestions) -> Suggestions:
    """Put first, and mark, the records that have a field which is the query, in any case."""
    asked = found.query.strip().lower()
    marked = [one.known(same=True) if asked in map(str.lower, one.fields.values()) else one for one in found]
    return found.with_items(sorted(marked, key=lambda one: not one.same))


def rows_being(database: Database, query: Query, among: NDArray[np.bool_], *, records: bool) -> list[int]:
    """Return which of some texts are the query, or, of records, whose first field is, in any case.

    Those are looked at that have the query's rarest word, or all where it has stop words alone.
    """
    asked = query.text.strip()
    if not asked or (records and bool(query.unknown_content.any())):
        return []
    found = [
        part.first + row
        for part in database.parts
        for row in (_titled(database, part, asked) if records else _same(database, part, query)).tolist()
    ]
    read = (lambda row: database.texts[row].split(MARK)[0].lower()) if records else database.texts.__getitem__
    asked = asked.lower() if records else query.text
    return [row for row in found if among[row] and read(row) == asked]


def _same(database: Database, part: Part, query: Query) -> NDArray[np.int64]:
    """Return the rows of a part whose text has the query's hash."""
    rows = _with_rarest_word(database, part, query.text)
    return np.asarray(rows[part.segment.digests[rows] == np.uint64(query.digest)])


def _titled(database: Database, part: Part, asked: str) -> NDArray[np.int64]:
    """Return the rows of a part whose first field has as many bytes as the query, and its rarest word."""
    rows, texts = _with_rarest_word(database, part, asked), part.segment.texts
    ends = np.asarray(texts.offsets[rows + 1]).astype(np.int64)
    behind = np.asarray(texts.offsets[rows]).astype(np.int64) + len(asked.encode("utf-8", "surrogatepass"))
    inside = behind < ends
    rows, behind = rows[inside], behind[inside]
    return np.asarray(rows[np.asarray(texts.blob[behind]) == ord(MARK)])


def _with_rarest_word(database: Database, part: Part, asked: str) -> NDArray[np.int64]:
    """Return the rows of a part that have the rarest word of a query, in any form; all if it has stop words alone."""
    terms, segment, stop = terms_by(database.rules), part.segment, stop_terms(database.rules.language)
    names = [name for word in asked.split() for name in terms[word] if name not in stop]
    numbers = [segment.term_ids.get(name, -1) for name in names]
    if -1 in numbers:
        return np.zeros(0, np.int64)
    lists = [segment.term_rows[segment.term_starts[n] : segment.term_starts[n + 1]] for n in numbers]
    return np.asarray(min(lists, key=len) if lists else np.arange(len(segment)), np.int64)


def require_records(items: Items, names: Sequence[str]) -> None:
    """Refuse plain texts for an index of records: they do not say which field they are."""
    if names and not items.weights:
        raise OptionError(
            f"this index has the text fields {', '.join(names)}: give records with them, not texts"
        )
