"""An index on disk: one folder of arrays whose names begin with their segment's, under one manifest.

A change writes the files of a new segment, or a new list of removed rows, and then swaps the manifest; see
`lexicloud.storage`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import BrokenIndex, StorageError
from lexicloud.search.filters import Column
from lexicloud.search.methods.ball import nearest_words
from lexicloud.search.segment import (
    ARRAYS,
    NEAREST,
    OF_SENTENCES,
    OF_WORDS,
    Identifiers,
    Segment,
    as_database,
)
from lexicloud.search.snapshot import Settings, Snapshot, new_name
from lexicloud.search.soundness import column_misfits, misfits, size_misfits
from lexicloud.storage import (
    ArrayType,
    Folder,
    PackedStrings,
    change_folder,
    open_folder,
    save_folder,
    verify_folder,
)
from lexicloud.text import TokenRules
from lexicloud.text.clean import Boilerplate
from lexicloud.vectors.load import VectorSource
from lexicloud.vectors.refine import Refinement

if TYPE_CHECKING:
    from numpy.typing import NDArray


KIND: Final = "lexicloud index"
VERSION: Final = 3
_OF_SEGMENT: Final = re.compile(r"^s(?:[0-9a-f]{12})?_(?:column[0-9]+_(?=codes$))?")
_TYPES: Final = {
    **ARRAYS,
    **{f"near_{name}": kind for name, kind in NEAREST.items()},
    "removed": ("int32", 1),
    "identifiers": ("int64", 1),
    "identifier_range": ("int64", 1),
    "codes": ("int32", 1),
    "refinement_mean": ("float32", 1),
    "refinement_components": ("float32", 2),
}


# ---- writing


def save_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write what is alive as a single segment with its nearest words, in place of what was there."""
    name, segment = new_name(), snapshot.compacted()
    if not segment.nearest:
        whole = as_database(segment, None, snapshot.settings.rules, snapshot.source.refinement)
        segment = replace(segment, nearest=nearest_words(whole))
    arrays, strings = _files(name, segment)
    arrays["refinement_mean"] = snapshot.source.refinement.mean
    arrays["refinement_components"] = snapshot.source.refinement.components
    meta = _meta(snapshot, {name: segment}) | {"chance": _chance(snapshot)}
    save_folder(path, KIND, VERSION, arrays=arrays, strings=strings, meta=meta)


def _chance(snapshot: Snapshot) -> Sequence[float]:
    """Measure what random queries reach, so that the first search need not."""
    from lexicloud.search.methods.bm25_scores import chance_shares

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
    names = segment.identifiers.packed
    if isinstance(names, PackedStrings):
        strings[f"{name}_identifiers"] = names
    elif isinstance(names, range):
        arrays[f"{name}_identifier_range"] = np.array([names.start, names.stop], np.int64)
    else:
        arrays[f"{name}_identifiers"] = names
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


def array_type(name: str) -> ArrayType | None:
    """Return the type and the number of dimensions of an array of an index."""
    return _TYPES.get(_OF_SEGMENT.sub("", name))


def open_snapshot(path: Path, before: Snapshot | None = None) -> Snapshot:
    """Map an index into memory; segments that an earlier snapshot has open are taken from there."""
    try:
        return _read_snapshot(open_folder(path, KIND, VERSION, array_type), before).inheriting(before)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenIndex(
            f"the manifest of {path} does not fit its files ({error}): build the index again"
        ) from error
    except BrokenIndex:
        raise
    except StorageError as error:
        raise BrokenIndex(str(error)) from error


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
            s["name"]: _checked_rows(arrays[f"{s['name']}_removed"], s["rows"])
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
    own: dict[str, Any] = {array: arrays[f"{name}_{array}"] for array in ARRAYS}
    segment = Segment(
        words=strings[f"{name}_words"],
        terms=strings[f"{name}_terms"],
        nearest={
            array: arrays[f"{name}_near_{array}"] for array in NEAREST if f"{name}_near_{array}" in arrays
        },
        texts=strings[f"{name}_texts"],
        identifiers=_read_identifiers(folder, name),
        columns={
            column: Column(arrays[f"{name}_column{i}_codes"], strings[f"{name}_column{i}_values"])
            for i, column in enumerate(columns)
        },
        **own,
    )
    _require_fit(folder, segment)
    return segment


def _read_identifiers(folder: Folder, name: str) -> Identifiers:
    key, row = f"{name}_identifiers", f"{name}_identifier_range"
    if row in folder.arrays:
        first, end = folder.arrays[row].tolist()
        return Identifiers(range(first, end))
    return Identifiers(folder.strings[key] if key in folder.strings else folder.arrays[key])


def _require_fit(folder: Folder, segment: Segment) -> None:
    """Refuse a segment whose arrays differ in length, or whose vectors are not those of the index."""
    sizes = size_misfits(segment, OF_WORDS, OF_SENTENCES)
    problem = next(chain(sizes, column_misfits(segment.columns)), None)
    if problem:
        raise BrokenIndex(f"{folder.path} is damaged, its {problem}: build the index again")
    dimension = folder.meta["vectors"]["dimension"]
    found = {segment.vectors.shape[1], len(folder.arrays["refinement_mean"])}
    if found != {dimension} or folder.arrays["refinement_components"].shape[1] != dimension:
        raise BrokenIndex(
            f"{folder.path} is damaged, not all its vectors have {dimension} dimensions: build it again"
        )


def _checked_rows(removed: NDArray[np.int32], rows: int) -> NDArray[np.int32]:
    if len(removed) and not (removed[0] >= 0 and removed[-1] < rows and bool((np.diff(removed) > 0).all())):
        raise BrokenIndex(
            f"the index is damaged, its removed rows are not among its {rows:,}: build it again"
        )
    return removed


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
        f"{path}: {name}: {problem}"
        for name, segment in segments.items()
        for problem in chain(misfits(segment), column_misfits(segment.columns))
    ]
