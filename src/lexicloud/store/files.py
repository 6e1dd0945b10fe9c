"""Write files whole or not at all, check disk space, lock folders for one writer, and unpack within limits."""

from __future__ import annotations

import contextlib
import errno
import gzip
import os
import secrets
import stat
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Final

from lexicloud.errors import InputError, OptionError, StorageError

LOCK: Final = "lock"
WAIT: Final = 60.0  # seconds that a writer waits for the one before it
_POLL: Final = 0.02
_SPARE: Final = 1 << 16  # bytes for directory entries and the manifest
_FULL: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_held: dict[Path, tuple[int, int]] = {}  # locked folder → the process and thread that hold the lock


# ---- writing


def replace_text(path: str | Path, text: str, *, follow: bool = True) -> None:
    """Replace a file's content by `text` in one atomic step; lone surrogates, which file names may have, become `?`."""
    replace_bytes(path, text.encode("utf-8", "replace"), follow=follow)


def replace_bytes(path: str | Path, data: bytes, *, follow: bool = True) -> None:
    """Replace a file's content by `data` in one atomic step: it is the old or the new, never a part.

    A link stays a link, and the file it points to is replaced; a device or a pipe is written to. Without `follow`, for
    our own files, a link or device is itself replaced.
    """
    target = Path(os.path.realpath(path)) if follow else Path(path)
    try:
        mode = _mode(target, follow=follow)
        if mode is None or stat.S_ISREG(mode):
            _replace(target, data, mode)
        elif not follow:
            _replace(target, data, None)
        else:
            with target.open("wb", buffering=0) as out:
                out.write(data)
    except OSError as error:
        raise cannot_write(path, error) from error


def _mode(path: Path, *, follow: bool) -> int | None:
    try:
        return path.stat(follow_symlinks=follow).st_mode
    except FileNotFoundError:
        return None


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f"{target.name[:100]}.g{secrets.token_hex(6)}")
    try:
        with temporary.open("xb") as out:
            out.write(data)
            flush(out)
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def flush(file: IO[bytes]) -> None:
    """Force the data of a file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def cannot_write(path: str | Path, error: OSError) -> StorageError:
    """Return an error that says in one line why a file cannot be written."""
    if error.errno in _FULL:
        return StorageError(
            f"cannot write {path}: the disk is full; free some room or write elsewhere; what was there is unchanged"
        )
    if isinstance(error, IsADirectoryError):
        return StorageError(f"cannot write {path}: it is a folder; name a file")
    return StorageError(f"cannot write {path}: {error.strerror or error}")


@contextmanager
def refusing(path: str | Path) -> Iterator[None]:
    """Turn the system's errors into a StorageError of one line that names the file."""
    try:
        yield
    except OSError as error:
        what = error.strerror or error
        raise StorageError(f"{error.filename or path} cannot be used: {what}") from error


def is_folder(path: Path) -> bool:
    """Tell whether a folder exists; False if the system refuses to say."""
    try:
        return path.is_dir()
    except OSError:
        return False


def require_room(folder: Path, needed: int) -> None:
    """Raise an error if the disk has too little space for `needed` bytes."""
    import shutil

    with contextlib.suppress(OSError):  # not every file system can say how much is free
        free, needed = shutil.disk_usage(folder).free, needed + _SPARE
        if free < needed:
            raise StorageError(
                f"writing {folder} needs {needed / 1e6:,.2f} MB and its disk has {free / 1e6:,.2f} MB free: "
                "free some room or choose another place; what was there is unchanged"
            )


# ---- one writer at a time


@contextmanager
def locked(path: str | Path, wait: float | None = None) -> Iterator[None]:
    """Lock a folder for one writer; others wait, at most `wait` seconds (60 by default).

    The system releases the lock when the process ends, even by a crash. A thread that holds the lock may take it again.
    """
    path = Path(os.path.realpath(path))
    me = (os.getpid(), threading.get_ident())
    if _held.get(path) == me:
        yield
        return
    file = _lock_file(path)
    try:
        _await(file, path, WAIT if wait is None else wait)
        _held[path] = me
        _sign(file.fileno())
        yield
    finally:
        if _held.get(path) == me:  # and not another thread, which this one has waited for in vain
            del _held[path]
        with contextlib.suppress(OSError):  # what was written meanwhile counts, whatever becomes of the lock
            file.close()


def _lock_file(path: Path) -> IO[str]:
    try:
        path.mkdir(parents=True, exist_ok=True)
        # In a folder from a stranger, a link could point to the user's own file, which `_sign` would empty.
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
        return os.fdopen(os.open(path / LOCK, flags, 0o666), "a+", encoding="utf-8")
    except OSError as error:
        raise cannot_write(path / LOCK if is_folder(path) else path, error) from error


def _await(file: IO[str], path: Path, wait: float) -> None:
    limit = time.monotonic() + wait
    while not _take_lock(file.fileno()):
        if time.monotonic() >= limit:
            file.seek(0)
            who = file.read().strip() or "another process"
            raise StorageError(
                f"{path} is being written by {who}, and {wait:g} seconds were not enough: try again when it is done"
            )
        time.sleep(_POLL)


def _sign(handle: int) -> None:
    """Write the holder's name into the lock file; on a full disk the lock works without it."""
    with contextlib.suppress(OSError):
        os.ftruncate(handle, 0)
        os.write(handle, f"process {os.getpid()}".encode())


def _take_lock(handle: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return _take_lock_on_windows(handle)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise StorageError(f"the file system cannot lock files ({error.strerror}): save elsewhere") from error
    return True


def _take_lock_on_windows(handle: int) -> bool:
    import msvcrt

    try:
        # A byte far after the text, because on Windows others cannot read a locked byte.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True


VARIABLE: Final = "LEXICLOUD_UNPACK_MB"
_MOST: Final = 256  # megabytes: some fifty million words
_RATIO: Final = 100  # text packs to a fifth of its size, the most repetitive text to a fiftieth
_SMALL: Final = 16  # megabytes that any file may unpack to, whatever the ratio


def refuse_device(path: Path) -> None:
    """Refuse what may never end: devices and pipes; a terminal and `<(…)` end when their writer does."""
    mode = path.stat().st_mode
    if (stat.S_ISCHR(mode) and str(path) != os.devnull and not _is_terminal(path)) or stat.S_ISBLK(mode):
        raise InputError(f"{path} is a device, not a file: give a file, a folder, or - for standard input")
    if stat.S_ISSOCK(mode) or (stat.S_ISFIFO(mode) and not str(path).startswith(("/dev/", "/proc/"))):
        raise InputError(
            f"{path} is a pipe, not a file: give a file, or - and send the text to standard input"
        )


def _is_terminal(path: Path) -> bool:
    with path.open("rb") as device:
        return device.isatty()


def unpack_limit(packed: int) -> int:
    """Return how many bytes a file of `packed` bytes may unpack to; LEXICLOUD_UNPACK_MB sets another limit."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        if not chosen.isdecimal():
            raise OptionError(f"{VARIABLE}={chosen!r} is not a number of megabytes")
        return int(chosen) << 20
    return min(_MOST << 20, max(_SMALL << 20, _RATIO * packed))


def too_large(source: str, packed: int, limit: int) -> InputError:
    """Return the error for a file that unpacks to more than the limit."""
    return InputError(
        f"{source} unpacks from {packed / 1e6:,.1f} MB to more than {limit >> 20:,} MB, as no text does: "
        f"if you trust it, set {VARIABLE} to the megabytes that it may take"
    )


def gunzip(data: bytes, source: str) -> bytes:
    """Unpack gzipped bytes, at most to the limit."""
    limit = unpack_limit(len(data))
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
            unpacked = packed.read(limit + 1)
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"{source} is a damaged gzip file: {error}") from None
    if len(unpacked) > limit:
        raise too_large(source, len(data), limit)
    return unpacked
