"""Finding what is wrong with an index on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lexicloud.errors import StorageError
from lexicloud.search.store import open_snapshot
from lexicloud.storage import verify_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lexicloud.search.segments import Segment


def verify_index(path: str | Path) -> list[str]:
    """Read every file of an index and say what is wrong and in which file; an empty list means all is well."""
    path = Path(path)
    try:
        problems = verify_folder(path)
        if problems:
            return problems
        segments = open_snapshot(path).segments
    except StorageError as error:
        return [str(error)]
    return [
        f"{path}: {name}: {problem}" for name, segment in segments.items() for problem in _misfits(segment)
    ]


def _misfits(segment: Segment) -> Iterator[str]:
    """Say which arrays of a segment do not fit each other, which checksums cannot tell."""
    rows, words = len(segment), len(segment.words)
    sizes = {
        "texts": (len(segment.texts), rows),
        "identifiers": (len(segment.identifiers), rows),
        "digests": (len(segment.digests), rows),
        "indptr": (len(segment.indptr), rows + 1),
        "indices": (len(segment.indices), int(segment.indptr[-1])),
        "counts": (len(segment.counts), len(segment.indices)),
        "vectors": (len(segment.vectors), words),
        "postings_ptr": (len(segment.postings_ptr), words + 1),
        "postings": (len(segment.postings), len(segment.indices)),
    }
    yield from (
        f"{name} has {found:,} entries, expected {due:,}"
        for name, (found, due) in sizes.items()
        if found != due
    )
    for name, numbers, limit in (("indices", segment.indices, words), ("postings", segment.postings, rows)):
        if len(numbers) and not 0 <= int(np.min(numbers)) <= int(np.max(numbers)) < limit:
            yield f"{name} point outside the {limit:,} that there are"
