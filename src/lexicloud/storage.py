"""Folders of arrays that open memory-mapped and can never be half-written.

A saved thing is a folder: one `.npy` file per array, and `manifest.json`, which names the kind of thing, its
format version, and for each file its size and SHA-256. Files are written under names that were never used
before, flushed to disk, and only then does one atomic rename put the new manifest in place of the old: a crash at any
point leaves the old folder or the new one. Files that the new manifest no longer names are removed
afterwards; a reader that has them mapped keeps them until it lets go.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

from lexicloud.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"
_OURS: Final = re.compile(r"^[a-z_0-9]+\.g[0-9a-f]{12}\.npy$|^manifest\.json\.g[0-9a-f]{12}$")


class PackedStrings(Sequence[str]):
    """Strings in one block of UTF-8 bytes: opens in no time, decodes only what is asked for."""

    __slots__ = ("blob", "offsets")

    def __init__(self, blob: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.blob = blob
        self.offsets = offsets

    @classmethod
    def pack(cls, strings: Sequence[str]) -> PackedStrings:
        """Encode a sequence of strings."""
        import numpy as np

        if isinstance(strings, cls):
            return strings
        encoded = [s.encode("utf-8", "surrogatepass") for s in strings]
        offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
        np.cumsum([len(e) for e in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, i: int) -> str: ...
    @overload
    def __getitem__(self, i: slice) -> list[str]: ...
    def __getitem__(self, i: int | slice) -> str | list[str]:
        if isinstance(i, slice):
            return [self[j] for j in range(*i.indices(len(self)))]
        if i < 0:
            i += len(self)
        if not 0 <= i < len(self):
            raise IndexError(i)
        return bytes(self.blob[self.offsets[i] : self.offsets[i + 1]]).decode("utf-8", "surrogatepass")

    def to_list(self) -> list[str]:
        """Decode everything at once, much faster than one by one."""
        data, ends = self.blob.tobytes(), self.offsets.tolist()
        return [
            data[a:b].decode("utf-8", "surrogatepass") for a, b in zip(ends[:-1], ends[1:], strict=True)
        ]


@dataclass(frozen=True)
class Folder:
    """An opened folder: its description, its arrays (memory-mapped) and its strings."""

    path: Path
    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    strings: dict[str, PackedStrings]


def save_folder(
    path: str | Path,
    kind: str,
    version: int,
    *,
    arrays: Mapping[str, NDArray[Any]],
    strings: Mapping[str, Sequence[str]] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write a folder of `kind`, replacing one of the same kind at `path`, all or nothing."""
    import numpy as np

    path = Path(path)
    old = _prepare(path, kind)
    stamp = secrets.token_hex(6)
    every = dict(arrays)
    for name, values in (strings or {}).items():
        packed = PackedStrings.pack(values)
        every[f"{name}_blob"], every[f"{name}_offsets"] = packed.blob, packed.offsets
    files = {}
    for name, array in every.items():
        file = path / f"{name}.g{stamp}.npy"
        with file.open("wb") as out:
            np.save(out, np.ascontiguousarray(array), allow_pickle=False)
            out.flush()
            os.fsync(out.fileno())
        files[name] = {"file": file.name, "bytes": file.stat().st_size, "sha256": _sha256(file)}
    manifest = {
        "kind": kind,
        "version": version,
        "files": files,
        "strings": sorted(strings or {}),
        "meta": dict(meta or {}),
    }
    replace_text(path / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1), stamp)
    _sweep(path, old, keep={f["file"] for f in files.values()})


def _prepare(path: Path, kind: str) -> dict[str, Any] | None:
    """Check that `path` may be written, and return the manifest that stands there already."""
    if path.exists() and not path.is_dir():
        raise StorageError(f"{path} is a file, not a folder: choose another place to save to")
    old = None
    if (path / MANIFEST).exists():
        old = read_manifest(path)
        if old.get("kind") != kind:
            raise StorageError(f"{path} holds a {old.get('kind')}, not a {kind}: choose another folder")
    elif path.is_dir() and any(p for p in path.iterdir() if not _OURS.match(p.name)):
        raise StorageError(f"{path} is not empty and holds nothing of ours: choose an empty or new folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {path}: {error.strerror}") from error
    return old


def _sweep(path: Path, old: dict[str, Any] | None, keep: set[str]) -> None:
    """Remove what the manifest before this one named, and what a crashed writer left."""
    known = {f["file"] for f in (old or {}).get("files", {}).values()}
    for file in path.iterdir():
        if file.name not in keep and (file.name in known or _OURS.match(file.name)):
            file.unlink(missing_ok=True)


def replace_text(path: Path, text: str, stamp: str | None = None) -> None:
    """Put `text` into a file in one atomic step: the old content or the new, never a part."""
    temporary = path.with_name(f"{path.name}.g{stamp or secrets.token_hex(6)}")
    with temporary.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(path)


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Read the manifest of a folder."""
    path = Path(path)
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StorageError(f"{path} is not a folder saved by lexicloud: it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise StorageError(f"{path / MANIFEST} cannot be read ({error}): build the folder again") from error
    if not isinstance(manifest, dict) or "kind" not in manifest or "files" not in manifest:
        raise StorageError(f"{path / MANIFEST} is damaged: build the folder again")
    return manifest


def open_folder(path: str | Path, kind: str, version: int) -> Folder:
    """Open a folder memory-mapped; sizes are checked now, checksums by `verify_folder`."""
    import numpy as np

    path = Path(path)
    manifest = read_manifest(path)
    if manifest["kind"] != kind:
        raise StorageError(f"{path} holds a {manifest['kind']}, not a {kind}")
    if manifest["version"] > version:
        raise StorageError(
            f"{path} has format {manifest['version']}, this lexicloud reads up to {version}: upgrade lexicloud"
        )
    arrays = {}
    for name, entry in manifest["files"].items():
        file = path / entry["file"]
        if not file.exists() or file.stat().st_size != entry["bytes"]:
            raise StorageError(f"{file} is missing or cut short: build {path} again")
        try:
            arrays[name] = np.load(file, mmap_mode="r", allow_pickle=False)
        except ValueError:
            # An empty array cannot be mapped; a damaged header cannot be read at all.
            arrays[name] = _load_or_fail(file)
    strings = {
        name: PackedStrings(arrays.pop(f"{name}_blob"), arrays.pop(f"{name}_offsets"))
        for name in manifest["strings"]
    }
    return Folder(path, manifest["meta"], arrays, strings)


def _load_or_fail(file: Path) -> NDArray[Any]:
    import numpy as np

    try:
        return np.asarray(np.load(file, allow_pickle=False))
    except (ValueError, OSError) as error:
        raise StorageError(f"{file} is damaged: build the folder again") from error


def verify_folder(path: str | Path) -> list[str]:
    """Read every file of a folder and say what is wrong with it; an empty list means all is well."""
    path = Path(path)
    problems = []
    for entry in read_manifest(path)["files"].values():
        file = path / entry["file"]
        if not file.exists():
            problems.append(f"{file} is missing")
        elif file.stat().st_size != entry["bytes"]:
            problems.append(f"{file} has {file.stat().st_size} bytes, expected {entry['bytes']}")
        elif _sha256(file) != entry["sha256"]:
            problems.append(f"{file} is damaged: its checksum differs")
    return problems


def _sha256(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
