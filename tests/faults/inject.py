"""Calls to the system that fail when asked to: the library `inject.c`, preloaded, and what it can do.

The library is compiled by the machine's own compiler and has to be there when Python starts, so `start` runs a module
again with it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn

KINDS: Final = (
    "open", "read", "mmap", "write", "flush", "rename", "entry", "look", "close", "fork", "malloc", "object",
)  # fmt: skip
PARTIAL: Final = 0  # no error: half of the bytes are read or written
_FULL: Final = (errno.ENOSPC, errno.EIO)
ERRORS: Final = {
    "open": (errno.EMFILE, errno.ENOSPC, errno.EIO, errno.ENOMEM, errno.EINTR),
    "read": (errno.EIO, errno.EINTR, PARTIAL),
    "mmap": (errno.ENOMEM, errno.EMFILE),
    "write": (*_FULL, errno.EINTR, PARTIAL),
    "flush": (*_FULL, errno.EINTR),
    "rename": _FULL,
    "entry": _FULL,  # a name made or removed: mkdir, unlink, rmdir, chmod
    "look": (errno.EIO, errno.ENOMEM),  # stat
    "close": _FULL,
    "fork": (errno.EAGAIN, errno.ENOMEM),  # a process, or a thread
    "malloc": (errno.ENOMEM,),  # half a kilobyte and more
    "object": (errno.ENOMEM,),  # of Python's own
}
# A call that is repeated has to succeed some time, and where no memory is left at all Python itself never ends.
_ONCE: Final = {errno.EINTR, PARTIAL}
MEMORY: Final = {"malloc", "object"}
_LIBRARY: Final = "LEXICLOUD_TEST_FAULTS"
COMPILER: Final = shutil.which("cc") if sys.platform == "linux" else None


@dataclass(frozen=True)
class Fault:
    """The n-th call of a kind fails; a lasting fault fails all calls after it, too."""

    kind: str
    n: int
    error: int
    lasting: bool = False

    def __str__(self) -> str:
        what = errno.errorcode.get(self.error, "half of the bytes")
        return f"{what} at {self.kind} {self.n}{' and after' if self.lasting else ''}"


@cache
def _library() -> Any:
    return ctypes.PyDLL(os.environ[_LIBRARY])


def arm(fault: Fault | None) -> None:
    """Let a fault happen from now on; None counts the calls alone."""
    if fault is None:
        _library().faults_arm(-1, 0, 0, 0)
    else:
        _library().faults_arm(KINDS.index(fault.kind), fault.n, fault.error, int(fault.lasting))


def disarm() -> int:
    """Let calls succeed again, and return how many failed."""
    return int(_library().faults_disarm())


def calls() -> dict[str, int]:
    """Return how many calls of each kind there were since `arm`."""
    return {kind: int(_library().faults_seen(i)) for i, kind in enumerate(KINDS)}


def faults(counted: dict[str, int], most: int) -> Iterator[Fault]:
    """Yield the faults of an operation: each call of each kind, or `most` of them, evenly spread."""
    for kind, count in counted.items():
        for n in sorted({i * count // most for i in range(most)} if count > most else range(count)):
            for error in ERRORS[kind]:
                yield Fault(kind, n, error)
                if error not in _ONCE and kind not in MEMORY:
                    yield Fault(kind, n, error, lasting=True)


def is_loaded() -> bool:
    """Tell whether this Python has the library."""
    return _LIBRARY in os.environ


def start(module: str, arguments: list[str]) -> NoReturn:
    """Compile the library and run a module with it, in place of this process's own work."""
    if COMPILER is None:
        sys.exit("faults are injected on Linux, and a C compiler (cc) is needed")
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(Path(folder))
        run = subprocess.run(
            [sys.executable, "-m", module, *arguments], env={**os.environ, **preloaded(library)}, check=False
        )
    sys.exit(run.returncode)


def compiled(folder: Path) -> Path:
    """Compile the library into a folder."""
    library = folder / "faults.so"
    source = Path(__file__).with_name("inject.c")
    subprocess.run([str(COMPILER), "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


def preloaded(library: Path) -> dict[str, str]:
    """Return the environment in which a Python has the library."""
    return {"LD_PRELOAD": str(library), _LIBRARY: str(library)}
