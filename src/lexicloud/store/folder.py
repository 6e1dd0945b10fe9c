"""Folders of arrays that open memory-mapped and are never half-written.

Each array (or bundle of arrays) is a `.npy` file. `manifest.json` names the kind of folder, its format version, the
size and SHA-256 of each file, and a checksum of itself. To save, new files are written under new names and flushed to
disk; then one atomic rename replaces the manifest. A crash at any point leaves the old folder or the new one. Files
that the new manifest does not name are removed afterwards; a reader that has them mapped can still use them. One writer
works at a time; the next waits.

The manifest is not trusted with types: the code that opens a folder states the type and the number of dimensions of
each array, and anything else is refused.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import math
import mmap
import os
import re
import secrets
import stat
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from lexicloud.errors import StorageError
from lexicloud.store import bundle
from lexicloud.store.bundle import Bundle, HugeFile, PackedStrings
from lexicloud.store.files import (
    LOCK,
    cannot_write,
    flush,
    is_folder,
    locked,
    refusing,
    replace_bytes,
    replace_text,
    require_room,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "LOCK",
    "MANIFEST",
    "NUMBERS",
    "ArrayType",
    "Folder",
    "PackedStrings",
    "change_folder",
    "check_place",
    "check_runs",
    "locked",
    "move_folder",
    "open_folder",
    "read_manifest",
    "replace_bytes",
    "replace_text",
    "save_folder",
    "verify_folder",
]

MANIFEST: Final = "manifest.json"
_OURS: Final = re.compile(r"^[a-z_0-9]+\.g[0-9a-f]{12}\.npy$|^manifest\.json\.g[0-9a-f]{12}$")
_UNSIGNED: Final = "0" * 64
_READ: Final = 1 << 20  # bytes; smaller files are read whole, which takes less than a millisecond
# The most bytes of a file's header: it has 128, or up to 192 with four dimensions.
_HEADER: Final = 256
_SIGNATURE: Final = re.compile(r'"checksum": "([0-9a-f]{64})"\s*\}\s*\Z')

ArrayType = tuple[str, int]  # a NumPy type (or several, separated by |) and the number of dimensions
# Any numbers in up to four dimensions, for results of many kinds.
NUMBERS: Final[ArrayType] = ("number", 4)
_STRINGS: Final[dict[str, ArrayType]] = {"blob": ("uint8", 1), "offsets": ("uint32|int64", 1)}


@dataclass(frozen=True)
class Folder:
    """An open folder: its description (`meta`), its arrays (memory-mapped) and its strings."""

    path: Path
    meta: dict[str, Any]
    arrays: dict[str, NDArray[Any]]
    strings: dict[str, PackedStrings]


# ---- writing


def save_folder(
    path: str | Path,
    kind: str,
    version: int,
    *,
    arrays: Mapping[str, NDArray[Any] | Bundle],
    strings: Mapping[str, Sequence[str]] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> None:
    """Write a folder of `kind`, replacing one of the same kind at `path`, completely or not at all."""
    path = Path(path)
    check_place(path, kind)  # before the lock, which creates the folder and a file in it
    with locked(path):
        check_place(path, kind)
        with _writing(path) as stamp:
            files = _write_files(path, stamp, _with_packed(arrays, strings))
            _publish(path, kind, version, files, sorted(strings or {}), meta)


def change_folder(
    path: str | Path,
    kind: str,
    version: int,
    *,
    arrays: Mapping[str, NDArray[Any] | Bundle],
    strings: Mapping[str, Sequence[str]] | None = None,
    meta: Mapping[str, Any] | None = None,
    drop: Collection[str] = (),
) -> None:
    """Add or replace arrays of a folder, remove those in `drop`, and leave the others as they are.

    This happens completely or not at all, as with `save_folder`; `meta` replaces the old description.
    """
    path = Path(path)
    _check_kind(path, read_manifest(path), kind, version)
    with locked(path), _writing(path) as stamp:
        old = read_manifest(path)
        kept = {name: entry for name, entry in old["files"].items() if name not in drop}
        files = kept | _write_files(path, stamp, _with_packed(arrays, strings))
        packed = {name for name in {*old["strings"], *(strings or {})} if f"{name}_blob" in files}
        _publish(path, kind, version, files, sorted(packed), meta)


def move_folder(place: str | Path, path: str | Path, kind: str) -> None:
    """Move what was saved at `place` to `path`, in place of what is there, all or nothing; both are on one disk."""
    place, path = Path(place), Path(path)
    check_place(path, kind)
    with locked(path), _writing(path):
        for entry in read_manifest(place)["files"].values():
            (place / entry["file"]).replace(path / entry["file"])
        replace_text(path / MANIFEST, (place / MANIFEST).read_text(encoding="utf-8"), follow=False)
        _sync_directory(path)


@contextmanager
def _writing(path: Path) -> Iterator[str]:
    """Remove files that a crashed writer left; if anything goes wrong, remove one's own new files."""
    stamp = secrets.token_hex(6)
    try:
        _sweep(path, _named(path))
        yield stamp
    except BaseException as error:
        with contextlib.suppress(OSError):
            _sweep(path, _named(path), stamp)
        if isinstance(error, OSError):
            raise cannot_write(error.filename or path, error) from error
        raise
    # The new manifest is in place, so the change is done, even if old files cannot be removed.
    with contextlib.suppress(OSError, MemoryError):
        _sweep(path, _named(path))


def _named(path: Path) -> set[str] | None:
    """Return the files that the manifest names; None if it cannot be read."""
    try:
        return {entry["file"] for entry in read_manifest(path)["files"].values()}
    except (StorageError, KeyError, TypeError, AttributeError):
        return None if _may_exist(path / MANIFEST) else set()


def _may_exist(file: Path) -> bool:
    """Tell whether a file may exist; False only if the system says that it does not."""
    try:
        file.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _sweep(path: Path, keep: set[str] | None, stamp: str = "") -> None:
    """Remove our files that are not in `keep`; with `stamp`, only those that have it in their name."""
    if keep is None:
        return
    for file in path.iterdir():
        if file.name not in keep and _OURS.match(file.name) and stamp in file.name:
            # Windows cannot delete a file that a reader has mapped; the next writer removes it.
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def _with_packed(
    arrays: Mapping[str, NDArray[Any] | Bundle], strings: Mapping[str, Sequence[str]] | None
) -> dict[str, NDArray[Any] | Bundle]:
    every = dict(arrays)
    for name, values in (strings or {}).items():
        packed = PackedStrings.pack(values)
        every[f"{name}_blob"], every[f"{name}_offsets"] = packed.blob, packed.offsets
    return every


def _write_files(
    path: Path, stamp: str, arrays: Mapping[str, NDArray[Any] | Bundle]
) -> dict[str, dict[str, Any]]:
    """Write arrays under new names, and return their entries for the manifest."""
    require_room(path, sum(array.nbytes + 128 for array in arrays.values()))
    return {name: _write_file(path / f"{name}.g{stamp}.npy", array) for name, array in arrays.items()}


def _write_file(file: Path, array: NDArray[Any] | Bundle) -> dict[str, Any]:
    import numpy as np

    parts, dtype, shape = _pieces(array)
    head = {"descr": dtype.str, "fortran_order": False, "shape": shape}
    checksum = hashlib.sha256()
    with file.open("xb") as out:
        np.lib.format.write_array_header_1_0(_Hashing(out, checksum), head)
        for part in parts:
            checksum.update(part)
            out.write(part)
        flush(out)
        size = out.tell()
    return {
        "file": file.name,
        "bytes": size,
        "sha256": checksum.hexdigest(),
        "dtype": dtype.str,
        "shape": list(shape),
    }


def _pieces(array: NDArray[Any] | Bundle) -> tuple[Iterable[Any], np.dtype[Any], tuple[int, ...]]:
    """Return the bytes of an array in pieces, its type and its shape; a bundle is an array of bytes."""
    import numpy as np

    if isinstance(array, Bundle):
        return array.parts(), np.dtype(np.uint8), (array.nbytes,)
    whole = np.ascontiguousarray(array)
    return [whole.reshape(-1).view(np.uint8).data], whole.dtype, whole.shape


@dataclass(frozen=True)
class _Hashing:
    """A file that updates a checksum with all that is written to it."""

    file: Any
    checksum: Any

    def write(self, data: bytes) -> int:
        self.checksum.update(data)
        return int(self.file.write(data))


def _publish(
    path: Path,
    kind: str,
    version: int,
    files: dict[str, dict[str, Any]],
    strings: Sequence[str],
    meta: Mapping[str, Any] | None,
) -> None:
    """Replace the manifest by a new one."""
    manifest = {
        "kind": kind,
        "version": version,
        "files": files,
        "strings": list(strings),
        "meta": dict(meta or {}),
        "checksum": _UNSIGNED,
    }
    replace_text(path / MANIFEST, sign(json.dumps(manifest, indent=1)), follow=False)
    _sync_directory(path)


def _sync_directory(path: Path) -> None:
    """Force the new manifest to the disk before the old files are removed."""
    # Windows cannot open a folder, and needs no such call. The manifest is in place, so errors no longer matter.
    with contextlib.suppress(OSError, MemoryError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def check_place(path: str | Path, kind: str) -> None:
    """Refuse to save to a place that holds something else of the user's; nothing is written."""
    path = Path(path)
    with refusing(path):
        _check_place(path, kind)


def _check_place(path: Path, kind: str) -> None:
    if path.exists() and not path.is_dir():
        raise StorageError(f"{path} is a file, not a folder: choose another place to save to")
    if (held := _kind_of(path)) is not None:
        if held != kind:
            raise StorageError(f"{path} holds a {held}, not a {kind}: choose another folder")
    elif path.is_dir() and any(p for p in path.iterdir() if not _is_ours(p.name)):
        raise StorageError(f"{path} is not empty and holds nothing of ours: choose an empty or new folder")


def _kind_of(path: Path) -> str | None:
    """Return the kind of a saved folder; None if it is not one, or is damaged."""
    try:
        return str(read_manifest(path)["kind"])
    except StorageError as error:
        if isinstance(error.__cause__, OSError):  # its content is not known, so it is not overwritten
            raise
        return None


def _is_ours(name: str) -> bool:
    return name in {LOCK, MANIFEST} or bool(_OURS.match(name))


# ---- reading


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Read the manifest of a folder, and refuse a damaged one."""
    path = Path(path)
    try:
        _require_regular(path / MANIFEST)
        text = (path / MANIFEST).read_text(encoding="utf-8")
        manifest = json.loads(text)
    except (FileNotFoundError, NotADirectoryError):
        what = f"it has no {MANIFEST}" if is_folder(path) else "there is no such folder"
        what = "it is a file" if path.is_file() else what
        raise StorageError(f"{path} is not a folder saved by lexicloud: {what}") from None
    except (OSError, ValueError, RecursionError) as error:
        raise StorageError(f"{path / MANIFEST} cannot be read ({error}): build the folder again") from error
    parts = {"files": dict, "strings": list, "meta": dict, "kind": str, "version": int}
    if not isinstance(manifest, dict) or not all(isinstance(manifest.get(k), t) for k, t in parts.items()):
        raise StorageError(f"{path / MANIFEST} is damaged: build the folder again")
    _check_signature(path, text)
    return manifest


def _require_regular(file: Path) -> None:
    """Refuse a pipe or a device, which could be read without end."""
    if not stat.S_ISREG(file.stat().st_mode):
        raise OSError(errno.EINVAL, "it is no regular file", str(file))


def _check_signature(path: Path, text: str) -> None:
    signature = _SIGNATURE.search(text, len(text) - 100)
    if signature is None:
        raise StorageError(
            f"{path / MANIFEST} has no checksum, it is damaged or of an older lexicloud: build the folder again"
        )
    begin, end = signature.span(1)
    if _digest(f"{text[:begin]}{_UNSIGNED}{text[end:]}") != signature[1]:
        raise StorageError(f"{path / MANIFEST} is damaged, its checksum differs: build the folder again")


def sign(text: str) -> str:
    """Replace the zeros in the last entry of a manifest's text by the checksum of that text."""
    begin = text.rindex(_UNSIGNED)
    return f"{text[:begin]}{_digest(text)}{text[begin + len(_UNSIGNED) :]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def open_folder(
    path: str | Path,
    kind: str,
    version: int,
    types: Callable[[str], ArrayType | None] = lambda _: NUMBERS,
    *,
    whole: bool = False,
    oldest: int = 0,
    needed: Callable[[str], bool] = lambda _: True,
) -> Folder:
    """Open a folder memory-mapped, and check the sizes of its files; `verify_folder` checks checksums.

    `types` returns the type and the number of dimensions of an array by its name, or None for an unknown name; by
    default any numbers are allowed. `whole` checks the checksums too, for folders that are small and read completely.
    Folders of a format before `oldest` are refused; arrays that are not `needed` are not opened.
    """
    path = Path(path)
    manifest = read_manifest(path)
    while True:
        try:
            _check_kind(path, manifest, kind, version, oldest)
            if whole:
                _require_checksums(path)
            return _open_as(path, manifest, types, needed)
        except StorageError:
            # A writer may have removed files after this manifest was read and before they were opened.
            newer = read_manifest(path)
            if newer == manifest:
                raise
            manifest = newer


def _open_as(
    path: Path,
    manifest: dict[str, Any],
    types: Callable[[str], ArrayType | None],
    needed: Callable[[str], bool],
) -> Folder:
    try:
        packed = {f"{name}_{part}": of for name in manifest["strings"] for part, of in _STRINGS.items()}
        arrays = {
            name: _map_array(path, name, entry, packed.get(name) or types(name))
            for name, entry in manifest["files"].items()
            if needed(name)
        }
        strings = {
            name: PackedStrings(arrays.pop(f"{name}_blob"), arrays.pop(f"{name}_offsets"))
            for name in manifest["strings"]
        }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StorageError(f"{path / MANIFEST} is damaged ({error}): build the folder again") from error
    return Folder(path, manifest["meta"], arrays, strings)


def _check_kind(path: Path, manifest: dict[str, Any], kind: str, version: int, oldest: int = 0) -> None:
    if manifest["kind"] != kind:
        raise StorageError(f"{path} holds a {manifest['kind']}, not a {kind}")
    if not isinstance(manifest["version"], int) or manifest["version"] > version:
        raise StorageError(
            f"{path} has format {manifest['version']}, this lexicloud reads up to {version}: upgrade lexicloud"
        )
    if manifest["version"] < oldest:
        raise StorageError(
            f"{path} has format {manifest['version']} of an older lexicloud, which is read no more: build it again"
        )


def _map_array(path: Path, name: str, entry: dict[str, Any], due: ArrayType | None) -> NDArray[Any]:
    """Map one file; type and shape are in the manifest, so its header is not read (0.05 ms a file, not 0.4)."""
    import numpy as np

    file = path / _file_name(name, entry)
    dtype, shape = _checked_type(path, name, entry, due)
    try:
        _require_regular(file)
        with file.open("rb") as source:
            if os.fstat(source.fileno()).st_size == entry["bytes"]:
                data = _contents(source, entry["bytes"])
                # The numbers are at the end of the file. NumPy would accept a negative offset and read outside.
                offset = entry["bytes"] - dtype.itemsize * math.prod(shape)
                if not 0 < offset <= _HEADER:
                    raise ValueError(f"{name} has {entry['bytes']} bytes and the shape {entry['shape']}")
                return np.ndarray(shape, dtype, buffer=data, offset=offset)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StorageError(f"{file} cannot be read: {error.strerror}") from error
    raise StorageError(f"{file} is missing or cut short: build {path} again")


def _contents(source: IO[bytes], size: int) -> Any:
    """Return a file's bytes, read if it is small, mapped if it is larger; the file need not stay open.

    Before Python 3.13 a map keeps a file descriptor of its own; that of a huge file always keeps one.
    """
    if size <= _READ:
        return source.read()
    options: dict[str, Any] = {"trackfd": False} if sys.version_info >= (3, 13) else {}
    if size >= bundle.HUGE and hasattr(os, "pread"):
        return HugeFile.of(source.fileno(), **options)
    return mmap.mmap(source.fileno(), 0, access=mmap.ACCESS_READ, **options)


def _file_name(name: str, entry: dict[str, Any]) -> str:
    """Return the name of an array's file; refuse a name that is not ours or points outside the folder."""
    file = entry["file"]
    if not (isinstance(file, str) and _OURS.match(file) and file.startswith(f"{name}.g")):
        raise ValueError(f"{file!r} is no name of a file of {name}")
    return file


def _checked_type(
    path: Path, name: str, entry: dict[str, Any], due: ArrayType | None
) -> tuple[Any, tuple[int, ...]]:
    """Return the type and shape of an array if they are as expected; Python objects are never allowed."""
    import numpy as np

    shape = tuple(entry["shape"])
    if due is None:
        raise ValueError(f"no array {name!r} is known")
    if not all(isinstance(n, int) and n >= 0 for n in shape):
        raise ValueError(f"{name} has the shape {entry['shape']}")
    found = np.dtype(str(entry["dtype"]))
    allowed = [np.dtype(name) for name in due[0].split("|")] if due != NUMBERS else []
    fits = found.kind in "biuf" and len(shape) <= due[1] if due == NUMBERS else found in allowed
    if not fits or (due != NUMBERS and len(shape) != due[1]):
        raise StorageError(
            f"{path}: {name} holds {found} in {len(shape)} dimensions, expected {due[0]} in {due[1]}: build it again"
        )
    return found, shape


def check_runs(starts: NDArray[np.int64], values: NDArray[Any], limit: int) -> None:
    """Refuse the rows of a sparse matrix if their starts do not rise from first to last, or a column is too large.

    SciPy's own check misses some cases in which its compiled code then reads outside its arrays.
    """
    whole = len(starts) > 0 and starts[0] == 0 and starts[-1] == len(values)
    if not whole or bool((starts[1:] < starts[:-1]).any()):
        raise ValueError("its rows do not follow each other")
    if len(values) and not 0 <= int(values.min()) <= int(values.max()) < limit:
        raise ValueError(f"its columns are not among the {limit:,} that there are")


def verify_folder(path: str | Path) -> list[str]:
    """Read every file of a folder and return a list of what is wrong; it is empty if all is well."""
    path = Path(path)
    problems: list[str] = []
    for name, entry in read_manifest(path)["files"].items():
        try:
            file = path / _file_name(name, entry)
            problems += _problems(file, entry)
        except OSError as error:
            problems.append(f"{error.filename or path} cannot be read: {error.strerror or error}")
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"{path / MANIFEST} is damaged: {error}")
    return problems


def _require_checksums(path: Path) -> None:
    for problem in verify_folder(path):
        raise StorageError(f"{problem}: make {path} again")


def _problems(file: Path, entry: dict[str, Any]) -> Iterator[str]:
    if not file.is_file():
        yield f"{file} is missing"
    elif file.stat().st_size != entry["bytes"]:
        yield f"{file} has {file.stat().st_size} bytes, expected {entry['bytes']}"
    elif _sha256(file) != entry["sha256"]:
        yield f"{file} is damaged: its checksum differs"


def _sha256(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
