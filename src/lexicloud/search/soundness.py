"""Whether the arrays of an index fit each other: compiled code follows them wherever they point.

Sizes are compared whenever an index is opened; what the arrays hold is read before the first compiled loop follows it,
and by `verify_index`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import BrokenIndex, StorageError
from lexicloud.search.filters import MISSING
from lexicloud.storage import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lexicloud.search.segment import Segment

# Arrays of runs: where each run begins → what there is one run for, where the runs point to, and what goes with them.
RUNS: Final = {
    "indptr": ("texts", "indices", "words", ("counts",)),
    "postings_ptr": ("words", "postings", "texts", ("postings_tf",)),
}


def sizes_of(segment: Segment) -> dict[str, int]:
    """Return how many texts and words a segment has."""
    return {"texts": len(segment), "words": len(segment.words)}


def size_misfits(segment: Segment, of_words: Mapping[str, Any], of_texts: Mapping[str, Any]) -> Iterator[str]:
    """Say which arrays have another length than the others ask for; reads nothing but the ends of arrays."""
    counted = sizes_of(segment)
    due = dict.fromkeys(of_words, counted["words"]) | dict.fromkeys(of_texts, counted["texts"])
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
    """Say which numbers point outside; reads every array that points somewhere."""
    counted = sizes_of(segment)
    for pointers, (_, values, into, _) in RUNS.items():
        if not runs_are_sound(getattr(segment, pointers), getattr(segment, values), counted[into]):
            yield f"{values} point outside the {counted[into]:,} that there are"
    for key, column in segment.columns.items():
        if not _within(column.codes, MISSING, len(column.values)):
            yield f"column {key} points outside its {len(column.values):,} values"
    # A token takes a byte at least; a longer sentence would make search reserve memory for what is not there.
    if (
        bool((segment.lengths > np.diff(segment.texts.offsets)).any())
        or int(segment.lengths.min(initial=0)) < 0
    ):
        yield "lengths are not those of the texts"
    packed = {"words": segment.words, "texts": segment.texts}
    packed |= {f"column {key}": column.values for key, column in segment.columns.items()}
    if isinstance(segment.identifiers.packed, PackedStrings):
        packed["identifiers"] = segment.identifiers.packed
    for name, strings in packed.items():
        try:
            strings.check()
        except StorageError:
            yield f"{name} point outside their text"


def runs_are_sound(pointers: NDArray[np.int64], values: NDArray[np.int32], limit: int) -> bool:
    """Tell whether runs follow each other from the first value to the last, and values point below the limit."""
    ends = len(pointers) > 0 and pointers[0] == 0 and pointers[-1] == len(values)
    return bool(ends) and bool((pointers[1:] >= pointers[:-1]).all()) and _within(values, 0, limit)


def _within(values: NDArray[Any], low: int, limit: int) -> bool:
    return not len(values) or (int(values.min()) >= low and int(values.max()) < limit)


def require_sound(segment: Segment) -> None:
    """Refuse a segment whose numbers point outside of it; each is looked at once."""
    if "_sound" in segment.__dict__:
        return
    problem = next(misfits(segment), None)
    if problem:
        raise BrokenIndex(
            f"the index is damaged, its {problem}: lexicloud index verify names the file; build it again"
        )
    segment.__dict__["_sound"] = True
