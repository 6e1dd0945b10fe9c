"""Checks that the arrays of an index fit each other: compiled code follows their pointers unchecked.

Opening an index compares sizes. The contents are read before the first compiled loop uses them, and by `verify_index`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import BrokenIndex
from lexicloud.search.filters import MISSING
from lexicloud.store.bundle import looked_through
from lexicloud.store.folder import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.arrays import Database, Segment
    from lexicloud.search.filters import Column

# Arrays in runs, such as one list of postings for each word. The name of the array of starts → what has one run each,
# the array of values, what the values point to, and arrays that run beside the values.
RUNS: Final = {
    "indptr": ("texts", "indices", "words", ("counts",)),
    "postings_ptr": ("words", "postings", "texts", ()),
    "term_starts": ("terms", "term_rows", "texts", ("term_tf",)),
}


def sizes_of(segment: Segment) -> dict[str, int]:
    """Return how many texts, words and terms there are."""
    return {"texts": len(segment), "words": len(segment.words), "terms": len(segment.terms)}


def size_misfits(segment: Segment, of_words: Mapping[str, Any], of_texts: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each array whose length does not fit the others; reads only the ends of arrays."""
    counted = sizes_of(segment)
    due = dict.fromkeys([*of_words, "df"], counted["words"]) | dict.fromkeys(of_texts, counted["texts"])
    found = {name: len(getattr(segment, name)) for name in due}
    for pointers, (each, values, _, companions) in RUNS.items():
        starts = getattr(segment, pointers)
        found[pointers], due[pointers] = len(starts), counted[each] + 1
        for name in (values, *companions):
            found[name], due[name] = len(getattr(segment, name)), int(starts[-1]) if len(starts) else 0
    found |= {"texts": len(segment.texts), "identifiers": len(segment.identifiers)}
    found |= {f"column {key}": len(column.codes) for key, column in segment.columns.items()}
    yield from (
        f"{name} has {size:,} entries, expected {due.get(name, counted['texts']):,}"
        for name, size in found.items()
        if size != due.get(name, counted["texts"])
    )


def misfits(segment: Segment) -> Iterator[str]:
    """Yield a message for each array whose numbers point outside; reads every array that points somewhere."""
    counted, strings = sizes_of(segment), _packed(segment)
    for pointers, (_, values, into, _) in RUNS.items():
        if not runs_are_sound(getattr(segment, pointers), getattr(segment, values), counted[into]):
            yield f"{values} point outside the {counted[into]:,} that there are"
    if not _within(segment.df, 0, counted["texts"] + 1):
        yield f"df counts more than the {counted['texts']:,} texts that there are"
    # A token takes at least one byte. Search would reserve memory for the tokens of a length that is too high.
    lengths = segment.lengths
    if bool((lengths > np.diff(strings["texts"].offsets)).any()) or int(lengths.min(initial=0)) < 0:
        yield "lengths are not those of the texts"
    yield from (f"{name} point outside their text" for name, own in strings.items() if not own.is_sound)


def _packed(segment: Any) -> dict[str, PackedStrings]:
    """Return the strings of a segment; the identifiers may be numbers."""
    kept = {"words": segment.words, "terms": segment.terms, "texts": segment.texts}
    kept["identifiers"] = getattr(segment.identifiers, "packed", None)
    return {name: strings for name, strings in kept.items() if isinstance(strings, PackedStrings)}


def column_misfits(columns: Mapping[str, Column]) -> Iterator[str]:
    """Yield a message for each column of the metadata that points outside its values."""
    for key, column in columns.items():
        if not (_within(column.codes, MISSING, len(column.values)) and column.values.is_sound):
            yield f"column {key} points outside its {len(column.values):,} values"


def runs_are_sound(pointers: NDArray[np.int64], values: NDArray[np.int32], limit: int) -> bool:
    """Tell whether runs follow each other from the first value to the last, and values point below the limit."""
    ends = len(pointers) > 0 and pointers[0] == 0 and pointers[-1] == len(values)
    return bool(ends) and bool((pointers[1:] >= pointers[:-1]).all()) and _within(values, 0, limit)


def _within(values: NDArray[Any], low: int, limit: int) -> bool:
    return all(int(some.min()) >= low and int(some.max()) < limit for some in looked_through(values))


def require_sound(whole: Segment | Database) -> None:
    """Raise `BrokenIndex` if any number of an index points outside; each segment is checked once."""
    for segment in (part.segment for part in whole.parts):
        if require_sound in segment.memory:
            continue
        problem = next(chain(misfits(segment), column_misfits(segment.columns)), None)
        if problem:
            raise BrokenIndex(
                f"the index is damaged, its {problem}: lexicloud index verify names the file; build it again"
            )
        segment.memory[require_sound] = True
