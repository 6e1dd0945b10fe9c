"""An index on disk: one folder of arrays whose names begin with their segment's, under one manifest.

A change writes the files of a new segment, or a new list of removed rows, and then swaps the manifest; see
`lexicloud.storage`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import BrokenIndex, StorageError
from lexicloud.search.filters import Column
from lexicloud.search.segment import ARRAYS, NEAREST, OF_SENTENCES, POINTERS, Identifiers, Segment
from lexicloud.search.snapshot import Settings, Snapshot
from lexicloud.storage import Folder, PackedStrings, change_folder, open_folder, save_folder, verify_folder
from lexicloud.text import TokenRules
from lexicloud.text.clean import Boilerplate
from lexicloud.vectors.refine import Refinement
from lexicloud.vectors.source import VectorSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


KIND: Final = "lexicloud index"
VERSION: Final = 2


def new_name() -> str:
    """Return a name for a segment that no other segment ever had."""
    return f"s{secrets.token_hex(6)}"


# ---- writing


def save_snapshot(path: Path, snapshot: Snapshot, segment: Segment | None = None) -> None:
    """Write what is alive (or `segment`, which is the same) as a single segment, in place of what was there."""
    name, segment = new_name(), segment or snapshot.compacted()
    arrays, strings = _files(name, segment)
    arrays["refinement_mean"] = snapshot.source.refinement.mean
    arrays["refinement_components"] = snapshot.source.refinement.components
    meta = _meta(snapshot, {name: segment}) | {"chance": _chance(snapshot)}
    save_folder(path, KIND, VERSION, arrays=arrays, strings=strings, meta=meta)


def _chance(snapshot: Snapshot) -> Sequence[float]:
    """Measure what random queries reach, so that the first search need not."""
    from lexicloud.search.chance import chance_shares

    database = snapshot.database
    if "chance" not in database.cache:
        database.cache["chance"] = chance_shares(database)
    shares: Sequence[float] = database.cache["chance"]
    return shares


def write_change(path: Path, old: Snapshot, new: Snapshot) -> None:
    """Write what `new` has and `old` has not: segments, and rows removed."""
    arrays: dict[str, NDArray[Any]] = {}
    strings: dict[str, Sequence[str]] = {}
    for name, segment in new.segments.items():
        if name not in old.segments:
            more_arrays, more_strings = _files(name, segment)
            arrays |= more_arrays
            strings |= more_strings
        removed = new.removed.get(name, ())
        if len(removed) and len(removed) != len(old.removed.get(name, ())):
            arrays[f"{name}_removed"] = np.asarray(removed, dtype=np.int32)
    change_folder(path, KIND, VERSION, arrays=arrays, strings=strings, meta=_meta(new, new.segments))


def _files(name: str, segment: Segment) -> tuple[dict[str, NDArray[Any]], dict[str, Sequence[str]]]:
    arrays: dict[str, NDArray[Any]] = {f"{name}_{array}": getattr(segment, array) for array in ARRAYS}
    strings: dict[str, Sequence[str]] = {
        f"{name}_{kind}": getattr(segment, kind) for kind in ("words", "terms", "texts")
    }
    for i, column in enumerate(segment.columns.values()):
        arrays[f"{name}_column{i}_codes"] = column.codes
        strings[f"{name}_column{i}_values"] = column.values
    arrays |= {f"{name}_near_{array}": values for array, values in segment.nearest.items()}
    if isinstance(segment.identifiers.packed, PackedStrings):
        strings[f"{name}_identifiers"] = segment.identifiers.packed
    else:
        arrays[f"{name}_identifiers"] = segment.identifiers.packed
    return arrays, strings


def _meta(snapshot: Snapshot, segments: Mapping[str, Segment]) -> dict[str, Any]:
    settings, source = snapshot.settings, snapshot.source
    return {
        "rules": asdict(settings.rules),
        "split": settings.split,
        "max_tokens": settings.max_tokens,
        "boilerplate": settings.boilerplate.to_dict() if settings.boilerplate else None,
        "dense": settings.dense,
        "schema": dict(settings.schema),
        "chance": snapshot.chance,
        "vectors": {"name": source.name, "fingerprint": source.fingerprint, "dimension": source.dimension},
        "next_number": snapshot.next_number,
        "segments": [
            {"name": name, "rows": len(segment), "columns": list(segment.columns)}
            for name, segment in segments.items()
        ],
    }


# ---- reading


def open_snapshot(path: Path, before: Snapshot | None = None) -> Snapshot:
    """Map an index into memory; segments that an earlier snapshot has open are taken from there."""
    folder = open_folder(path, KIND, VERSION)
    try:
        return _read_snapshot(folder, before).inheriting(before)
    except (KeyError, TypeError) as error:
        raise BrokenIndex(
            f"the manifest of {path} does not fit its files ({error}): build the index again"
        ) from error


def _read_snapshot(folder: Folder, before: Snapshot | None) -> Snapshot:
    meta, arrays = folder.meta, folder.arrays
    boilerplate = Boilerplate.from_dict(meta["boilerplate"]) if meta["boilerplate"] else None
    opened = before.segments if before else {}
    return Snapshot(
        {
            s["name"]: opened.get(s["name"]) or _read_segment(folder, s["name"], s["columns"])
            for s in meta["segments"]
        },
        {
            s["name"]: arrays[f"{s['name']}_removed"]
            for s in meta["segments"]
            if f"{s['name']}_removed" in arrays
        },
        _read_source(folder, before),
        Settings(
            TokenRules(**meta["rules"]),
            meta["split"],
            meta["max_tokens"],
            boilerplate,
            meta["dense"],
            meta["schema"],
        ),
        meta["next_number"],
        None if meta["chance"] is None else tuple(map(float, meta["chance"])),
    )


def _read_source(folder: Folder, before: Snapshot | None) -> VectorSource:
    vectors = folder.meta["vectors"]
    if before and before.source.fingerprint == vectors["fingerprint"]:
        return before.source  # it may have its vectors loaded already
    refinement = Refinement(
        np.asarray(folder.arrays["refinement_mean"]), np.asarray(folder.arrays["refinement_components"])
    )
    return VectorSource(vectors["name"], vectors["fingerprint"], vectors["dimension"], refinement)


def _read_segment(folder: Folder, name: str, columns: Sequence[str]) -> Segment:
    arrays, strings = folder.arrays, folder.strings
    key = f"{name}_identifiers"
    own: dict[str, Any] = {array: arrays[f"{name}_{array}"] for array in ARRAYS}
    return Segment(
        words=strings[f"{name}_words"],
        terms=strings[f"{name}_terms"],
        nearest={
            array: arrays[f"{name}_near_{array}"] for array in NEAREST if f"{name}_near_{array}" in arrays
        },
        texts=strings[f"{name}_texts"],
        identifiers=Identifiers(strings[key] if key in strings else arrays[key]),
        columns={
            column: Column(arrays[f"{name}_column{i}_codes"], strings[f"{name}_column{i}_values"])
            for i, column in enumerate(columns)
        },
        **own,
    )


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
        **{name: (len(getattr(segment, name)), rows) for name in OF_SENTENCES},
        "indptr": (len(segment.indptr), rows + 1),
        "indices": (len(segment.indices), int(segment.indptr[-1])),
        "counts": (len(segment.counts), len(segment.indices)),
        "vectors": (len(segment.vectors), words),
        "postings_ptr": (len(segment.postings_ptr), words + 1),
        "postings": (len(segment.postings), len(segment.indices)),
        "term_starts": (len(segment.term_starts), len(segment.terms) + 1),
        "term_rows": (len(segment.term_rows), int(segment.term_starts[-1])),
        "term_tf": (len(segment.term_tf), len(segment.term_rows)),
    }
    yield from (
        f"{name} has {found:,} entries, expected {due:,}"
        for name, (found, due) in sizes.items()
        if found != due
    )
    limits = {"words": words, "texts": rows}
    for name, (_, into) in POINTERS.items():
        numbers, limit = getattr(segment, name), limits[into]
        if len(numbers) and not 0 <= int(np.min(numbers)) <= int(np.max(numbers)) < limit:
            yield f"{name} point outside the {limit:,} that there are"
