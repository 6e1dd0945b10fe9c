"""Folders of arrays that open memory-mapped and can never be half-written.

A saved thing is a folder: one `.npy` file per array, and `manifest.json`, which names the kind of thing, its
format version, and for each file its size and SHA-256. Files are written under names that were never used
before, flushed to disk, and only then does one atomic rename put the new manifest in place of the old: a crash at any
point leaves the old folder or the new one. Files that the new manifest no longer names are removed
afterwards; a reader that has them mapped keeps them until it lets go.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import mmap
import os
import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, overload

from lexicloud.errors import StorageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANIFEST: Final = "manifest.json"
LOCK: Final = "lock"
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
        if not 0 <= i < len(self.offsets) - 1:
            raise IndexError(i)
        start, stop = self.offsets[i : i + 2].tolist()
        return self.blob[start:stop].tobytes().decode("utf-8", "surrogatepass")

    def take(self, rows: Sequence[int] | NDArray[Any]) -> PackedStrings:
        """Return some of the strings, in the order given, without decoding them."""
        import numpy as np

        rows = np.asarray(rows, dtype=np.int64)
        # Runs of neighbouring strings are copied as one piece.
        cuts = np.flatnonzero(np.diff(rows) != 1) + 1
        firsts = rows[np.concatenate([[0], cuts])] if len(rows) else rows
        lasts = rows[np.concatenate([cuts - 1, [len(rows) - 1]])] if len(rows) else rows
        pieces = [
            self.blob[self.offsets[a] : self.offsets[b + 1]] for a, b in zip(firsts, lasts, strict=True)
        ]
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum(self.offsets[rows + 1] - self.offsets[rows], out=offsets[1:])
        return PackedStrings(np.concatenate(pieces) if pieces else np.zeros(0, np.uint8), offsets)

    @classmethod
    def join(cls, parts: Sequence[PackedStrings]) -> PackedStrings:
        """Put several one after the other without decoding them."""
        import numpy as np

        if len(parts) == 1:
            return parts[0]
        sizes = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return cls(np.concatenate([part.blob for part in parts]), offsets)

    def to_list(self) -> list[str]:
        """Decode everything at once, much faster than one by one."""
        data, ends = self.blob.tobytes(), self.offsets.tolist()
        return [data[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends)]


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
    path = Path(path)
    _prepare(path, kind)
    stamp = secrets.token_hex(6)
    files = _write_files(path, stamp, _with_packed(arrays, strings))
    _publish(path, kind, version, files, sorted(strings or {}), meta, stamp)


def change_folder(
    path: str | Path,
    kind: str,
    version: int,
    *,
    arrays: Mapping[str, NDArray[Any]],
    strings: Mapping[str, Sequence[str]] | None = None,
    meta: Mapping[str, Any] | None = None,
    drop: Collection[str] = (),
) -> None:
    """Add arrays to a folder (or put them in the place of those of the same name) and leave the others as they are.

    Arrays named in `drop` go. All or nothing, as with `save_folder`; `meta` replaces the old description.
    """
    path = Path(path)
    old = read_manifest(path)
    _check_kind(path, old, kind, version)
    stamp = secrets.token_hex(6)
    kept = {name: entry for name, entry in old["files"].items() if name not in drop}
    files = kept | _write_files(path, stamp, _with_packed(arrays, strings))
    packed = {name for name in {*old["strings"], *(strings or {})} if f"{name}_blob" in files}
    _publish(path, kind, version, files, sorted(packed), meta, stamp)


def _with_packed(
    arrays: Mapping[str, NDArray[Any]], strings: Mapping[str, Sequence[str]] | None
) -> dict[str, NDArray[Any]]:
    every = dict(arrays)
    for name, values in (strings or {}).items():
        packed = PackedStrings.pack(values)
        every[f"{name}_blob"], every[f"{name}_offsets"] = packed.blob, packed.offsets
    return every


def _write_files(path: Path, stamp: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, dict[str, Any]]:
    """Write arrays under names that were never used before, and return their entries for the manifest."""
    import numpy as np

    files = {}
    for name, array in arrays.items():
        array = np.ascontiguousarray(array)  # noqa: PLW2901
        file = path / f"{name}.g{stamp}.npy"
        with file.open("wb") as out:
            np.save(out, array, allow_pickle=False)
            out.flush()
            os.fsync(out.fileno())
        files[name] = {
            "file": file.name,
            "bytes": file.stat().st_size,
            "sha256": _sha256(file),
            "dtype": array.dtype.str,
            "shape": list(array.shape),
        }
    return files


def _publish(
    path: Path,
    kind: str,
    version: int,
    files: dict[str, dict[str, Any]],
    strings: Sequence[str],
    meta: Mapping[str, Any] | None,
    stamp: str,
) -> None:
    """Put a new manifest in place of the old one, then remove what it no longer names."""
    manifest = {
        "kind": kind,
        "version": version,
        "files": files,
        "strings": list(strings),
        "meta": dict(meta or {}),
    }
    replace_text(path / MANIFEST, json.dumps(manifest, ensure_ascii=False, indent=1), stamp)
    _sync_directory(path)
    _sweep(path, keep={entry["file"] for entry in files.values()})


def _sync_directory(path: Path) -> None:
    """Make sure that the new manifest is on the disk before files of the old one go."""
    with contextlib.suppress(OSError):  # Windows cannot open a folder, and needs no such call
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def check_place(path: str | Path, kind: str) -> None:
    """Refuse to save where something else of the user's is; nothing is written."""
    path = Path(path)
    if path.exists() and not path.is_dir():
        raise StorageError(f"{path} is a file, not a folder: choose another place to save to")
    if (path / MANIFEST).exists():
        old = read_manifest(path)
        if old.get("kind") != kind:
            raise StorageError(f"{path} holds a {old.get('kind')}, not a {kind}: choose another folder")
    elif path.is_dir() and any(p for p in path.iterdir() if not _is_ours(p.name)):
        raise StorageError(f"{path} is not empty and holds nothing of ours: choose an empty or new folder")


def _prepare(path: Path, kind: str) -> None:
    """Make the folder, unless something else of the user's is there already."""
    check_place(path, kind)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"cannot create {path}: {error.strerror}") from error


def _is_ours(name: str) -> bool:
    return name == LOCK or bool(_OURS.match(name))


def _sweep(path: Path, keep: set[str]) -> None:
    """Remove what the manifest before this one named, and what a crashed writer left."""
    for file in path.iterdir():
        if file.name not in keep and _OURS.match(file.name):
            # Windows does not part with a file that a reader has mapped; the next writer sweeps it up.
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Let one writer at a time into a folder; the lock goes with the process, however that ends."""
    path = Path(path)
    path.mkdir(parents=True, exist_ok=True)
    with (path / LOCK).open("a+", encoding="utf-8") as file:
        if not _take_lock(file.fileno()):
            file.seek(0)
            who = file.read().strip() or "another process"
            raise StorageError(f"{path} is being written by {who}: try again when it is done")
        file.truncate(0)
        file.write(f"process {os.getpid()}")
        file.flush()
        yield


def _take_lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return _take_lock_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _take_lock_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        # A byte far behind the text, because a locked byte cannot be read by others there.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True


def replace_text(path: Path, text: str, stamp: str | None = None) -> None:
    """Put `text` into a file in one atomic step: the old content or the new, never a part."""
    replace_bytes(path, text.encode("utf-8"), stamp)


def replace_bytes(path: Path, data: bytes, stamp: str | None = None) -> None:
    """Put `data` into a file in one atomic step."""
    temporary = path.with_name(f"{path.name}.g{stamp or secrets.token_hex(6)}")
    with temporary.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(path)


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Read the manifest of a folder."""
    path = Path(path)
    try:
        manifest = json.loads((path / MANIFEST).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if not path.is_dir():
            what = "it is a file" if path.exists() else "there is no such folder"
            raise StorageError(f"{path} is not a folder saved by lexicloud: {what}") from None
        raise StorageError(f"{path} is not a folder saved by lexicloud: it has no {MANIFEST}") from None
    except (OSError, ValueError) as error:
        raise StorageError(f"{path / MANIFEST} cannot be read ({error}): build the folder again") from error
    if not isinstance(manifest, dict) or "kind" not in manifest or "files" not in manifest:
        raise StorageError(f"{path / MANIFEST} is damaged: build the folder again")
    return manifest


def open_folder(path: str | Path, kind: str, version: int) -> Folder:
    """Open a folder memory-mapped; sizes are checked now, checksums by `verify_folder`."""
    path = Path(path)
    manifest = read_manifest(path)
    while True:
        try:
            return _open_as(path, manifest, kind, version)
        except StorageError:
            # A writer may have swept files away after this manifest was read and before they were opened.
            newer = read_manifest(path)
            if newer == manifest:
                raise
            manifest = newer


def _open_as(path: Path, manifest: dict[str, Any], kind: str, version: int) -> Folder:
    _check_kind(path, manifest, kind, version)
    arrays = {name: _map_array(path, entry) for name, entry in manifest["files"].items()}
    strings = {
        name: PackedStrings(arrays.pop(f"{name}_blob"), arrays.pop(f"{name}_offsets"))
        for name in manifest["strings"]
    }
    return Folder(path, manifest["meta"], arrays, strings)


def _check_kind(path: Path, manifest: dict[str, Any], kind: str, version: int) -> None:
    if manifest["kind"] != kind:
        raise StorageError(f"{path} holds a {manifest['kind']}, not a {kind}")
    if manifest["version"] > version:
        raise StorageError(
            f"{path} has format {manifest['version']}, this lexicloud reads up to {version}: upgrade lexicloud"
        )


def _map_array(path: Path, entry: dict[str, Any]) -> NDArray[Any]:
    """Map one file; the manifest says what is in it, which spares the reading of a header (0.05 ms a file, not 0.4)."""
    import numpy as np

    file = path / entry["file"]
    try:
        with file.open("rb") as source:
            if os.fstat(source.fileno()).st_size == entry["bytes"]:
                data = mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ)
                dtype, shape = np.dtype(entry["dtype"]), tuple(entry["shape"])
                # The numbers fill the end of the file.
                offset = entry["bytes"] - dtype.itemsize * math.prod(shape)
                return np.ndarray(shape, dtype, buffer=data, offset=offset)
    except FileNotFoundError:
        pass
    except (KeyError, TypeError, ValueError) as error:
        raise StorageError(f"{path / MANIFEST} does not fit {file.name}: build the folder again") from error
    raise StorageError(f"{file} is missing or cut short: build {path} again")


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
