"""An index on disk: one file a segment, and one for the rows removed from it, under one manifest.

A change writes the file of a new segment (which may take the place of older ones), or a new list of removed rows, and
then swaps the manifest; see `lexicloud.store.folder`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from lexicloud.errors import BrokenIndex, StorageError
from lexicloud.progress import stage
from lexicloud.search.arrays import ARRAYS, OF_SENTENCES, OF_WORDS, Segment
from lexicloud.search.checks import column_misfits, misfits, size_misfits
from lexicloud.search.filters import Column
from lexicloud.search.ids import Identifiers
from lexicloud.search.parts import WHOLE
from lexicloud.search.segments import Settings, Snapshot, new_name
from lexicloud.search.whole import Whole
from lexicloud.store.bundle import Blocks, Bundle, read_bundle
from lexicloud.store.folder import (
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
from lexicloud.vectors.word_vectors import Refinement

if TYPE_CHECKING:
    from numpy.typing import NDArray


KIND: Final = "lexicloud index"
VERSION: Final = 5  # since 5 a segment holds the signs of its embeddings; older folders must be built again
_SEGMENT: Final = re.compile(r"s[0-9a-f]{12}")
_COLUMN: Final = re.compile(r"column[0-9]+_(?=(codes|values_blob|values_offsets)$)")
_STRINGS: Final = ("words", "terms", "texts", "identifiers", "values")
# What a segment's file holds: name → (type, number of dimensions).
_IN_SEGMENT: Final = {
    **ARRAYS,
    "codes": ("int32", 1),
    "identifiers": ("int64", 1),
    "identifier_range": ("int64", 1),
    **{f"{name}_blob": ("uint8", 1) for name in _STRINGS},
    **{f"{name}_offsets": ("uint32|int64", 1) for name in _STRINGS},
}


# ---- writing


def save_snapshot(path: Path, snapshot: Snapshot, *, measure: bool = True) -> None:
    """Write the living sentences as one segment, in place of what was there; `measure` the scores of random queries."""
    name = new_name()
    segment = snapshot.whole if snapshot.alive is None else snapshot.compacted()
    arrays: dict[str, NDArray[Any] | Bundle] = {
        name: _bundle(segment),
        "refinement_mean": snapshot.source.refinement.mean,
        "refinement_components": snapshot.source.refinement.components,
    }
    meta = _meta(snapshot, {name: segment}) | {"chance": chance_of(snapshot) if measure else None}
    save_folder(path, KIND, VERSION, arrays=arrays, meta=meta)


def chance_of(snapshot: Snapshot) -> tuple[float, ...]:
    """Measure the scores that random queries reach, so that the first search need not."""
    from lexicloud.search.methods.bm25_scores import chance_shares

    with stage("measuring chance", None):
        return chance_shares(snapshot.database)


def write_change(path: Path, old: Snapshot, new: Snapshot) -> None:
    """Write the segments and the removed rows of `new` that `old` does not have, and drop segments that `new` lacks."""
    arrays: dict[str, NDArray[Any] | Bundle] = {}
    for name, segment in new.segments.items():
        if name not in old.segments:
            arrays[name] = _bundle(segment)
        removed = new.removed.get(name, ())
        if len(removed) and len(removed) != len(old.removed.get(name, ())):
            arrays[f"{name}_removed"] = np.asarray(removed, dtype=np.int32)
    gone = [name for name in old.segments if name not in new.segments]
    drop = [*gone, *(f"{name}_removed" for name in gone)]
    change_folder(path, KIND, VERSION, arrays=arrays, meta=_meta(new, new.segments), drop=drop)


def _bundle(segment: Segment) -> Bundle:
    """Return the arrays of a segment as one file; the segments of a `Whole` are joined as they are written."""
    arrays: dict[str, NDArray[Any] | Blocks] = {}
    strings: dict[str, PackedStrings] = {}
    if isinstance(segment, Whole):
        arrays |= {name: segment.blocks(name) for name in ARRAYS}
        for name in ("words", "terms", "texts"):
            arrays[f"{name}_blob"], arrays[f"{name}_offsets"] = segment.strings(name)
        names = Identifiers.join([part.identifiers for part in segment.segments]).packed
    else:
        arrays |= {name: getattr(segment, name) for name in ARRAYS}
        strings |= {name: getattr(segment, name) for name in ("words", "terms", "texts")}
        names = segment.identifiers.packed
    for i, column in enumerate(segment.columns.values()):
        arrays[f"column{i}_codes"], strings[f"column{i}_values"] = column.codes, column.values
    if isinstance(names, PackedStrings):
        strings["identifiers"] = names
    elif isinstance(names, range):
        arrays["identifier_range"] = np.array([names.start, names.stop], np.int64)
    else:
        arrays["identifiers"] = names
    for name, packed in strings.items():
        arrays[f"{name}_blob"], arrays[f"{name}_offsets"] = packed.blob, packed.offsets
    return Bundle(arrays)


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
    """Return the type and the number of dimensions of a file of an index."""
    if name in {"refinement_mean", "refinement_components"}:
        return "float32", 1 if name == "refinement_mean" else 2
    segment, _, rest = name.partition("_")
    if not _SEGMENT.fullmatch(segment):
        return None
    return {"": ("uint8", 1), "removed": ("int32", 1)}.get(rest)


def _type_in_segment(name: str) -> ArrayType | None:
    return _IN_SEGMENT.get(_COLUMN.sub("", name))


def _is_in_shards(path: Path) -> bool:
    try:
        return (path / WHOLE).is_dir()
    except OSError:  # the error that led here says more
        return False


def open_snapshot(path: Path, before: Snapshot | None = None) -> Snapshot:
    """Map an index into memory; segments that an earlier snapshot has open are taken from there."""
    there = before.segments if before else {}
    try:
        folder = open_folder(
            path, KIND, VERSION, array_type, oldest=VERSION, needed=lambda name: name not in there
        )
        return _read_snapshot(folder, before).inheriting(before)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BrokenIndex(
            f"the manifest of {path} does not fit its files ({error}): build the index again"
        ) from error
    except BrokenIndex:
        raise
    except StorageError as error:
        if _is_in_shards(path):
            raise BrokenIndex(
                f"{path} is an index in shards: search it with --cluster tcp://… or --cluster local, "
                "and change it with lexicloud.cluster.ShardedIndex"
            ) from error
        raise BrokenIndex(str(error)) from error


def _read_snapshot(folder: Folder, before: Snapshot | None) -> Snapshot:
    meta, arrays = folder.meta, folder.arrays
    if not isinstance(meta["next_number"], int) or not isinstance(meta["schema"], dict):
        raise TypeError(f"next_number is {meta['next_number']!r}, the schema {meta['schema']!r}")
    boilerplate = Boilerplate.from_dict(meta["boilerplate"]) if meta["boilerplate"] else None
    opened = before.segments if before else {}
    return Snapshot(
        {
            s["name"]: opened[s["name"]]
            if s["name"] in opened
            else _read_segment(folder, s["name"], s["columns"])
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
    arrays = _arrays_of(folder, name)
    own: dict[str, Any] = {array: arrays[array] for array in ARRAYS}
    segment = Segment(
        words=_strings(arrays, "words"),
        terms=_strings(arrays, "terms"),
        texts=_strings(arrays, "texts"),
        identifiers=_read_identifiers(folder, arrays),
        columns={
            column: Column(arrays[f"column{i}_codes"], _strings(arrays, f"column{i}_values"))
            for i, column in enumerate(columns)
        },
        **own,
    )
    _require_fit(folder, segment)
    return segment


def _arrays_of(folder: Folder, name: str) -> dict[str, NDArray[Any]]:
    try:
        return read_bundle(folder.arrays[name], _type_in_segment)
    except StorageError as error:
        raise BrokenIndex(f"{folder.path}: {name}: {error}") from error


def _strings(arrays: Mapping[str, NDArray[Any]], name: str) -> PackedStrings:
    return PackedStrings(arrays[f"{name}_blob"], arrays[f"{name}_offsets"])


def _read_identifiers(folder: Folder, arrays: Mapping[str, NDArray[Any]]) -> Identifiers:
    if "identifier_range" in arrays:
        first, end = arrays["identifier_range"].tolist()
        if end - first != len(arrays["lengths"]):
            raise BrokenIndex(
                f"{folder.path} is damaged, its ids are not as many as its texts: build it again"
            )
        return Identifiers(range(first, end))
    if "identifiers" in arrays:
        return Identifiers(arrays["identifiers"])
    return Identifiers(_strings(arrays, "identifiers"))


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
