"""Compiled functions: their machine code is cached on disk where possible, and compiled anew where not."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final


def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as numba's `njit` does; a cache that cannot be read or written is no error."""
    from numba import njit as numba_njit

    def compiled(function: Callable[..., Any]) -> Any:
        if not cache:
            return numba_njit(**options)(function)
        try:
            dispatcher = numba_njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no folder that it may write to, as in a read-only container
            return numba_njit(**options)(function)
        if hasattr(dispatcher, "_cache"):  # numba that is switched off returns the plain function
            dispatcher._cache = _TolerantCache(dispatcher._cache)  # noqa: SLF001 (numba has no public way)
        return dispatcher

    return compiled


# Held while a thread compiles. A process must not be forked meanwhile, so whoever forks one takes this lock first.
COMPILING = Lock()

# Texts looked at without compiled loops: compiling takes about six seconds of a processor, and a text 0.6 µs.
# Fifteen queries of 57,000 sentences (the demo) take half a second without.
_WORTH_COMPILING: Final = 3_000_000
# Loading what an earlier process has compiled takes 0.3 seconds: the second query of 240,000 texts begins it, so that
# a single one does without. It waits for that so long at most.
_WORTH_LOADING: Final = 200_000
_PATIENCE: Final = 1.0


def is_kept(module: str) -> bool:
    """Tell whether machine code of a module is in numba's cache, without loading numba."""
    found = find_spec(module)
    if found is None or found.origin is None:
        return False
    source, where = Path(found.origin), os.environ.get("NUMBA_CACHE_DIR")
    name = f"{source.stem}.*.py{sys.version_info.major}{sys.version_info.minor}*.nbi"
    with contextlib.suppress(OSError):
        files = Path(where).rglob(name) if where else (source.parent / "__pycache__").glob(name)
        newest = max((file.stat().st_mtime for file in files), default=0.0)
        return newest >= source.stat().st_mtime
    return False


class Beside:
    """Loops that a background thread compiles, while callers do without them until they are ready.

    `steps` compiles one loop at a time and yields None after each; the thread can be stopped there. No step runs while
    the interpreter exits. `module` holds the loops: what was compiled before is loaded earlier.
    """

    def __init__(self, steps: Callable[[], Iterator[None]], module: str | None = None) -> None:
        self._steps, self._module, self._lock = steps, module, Lock()
        self._thread: Thread | None = None
        self._seen = 0
        self._stopped, self._done = Event(), Event()

    @property
    def ready(self) -> bool:
        """Whether the loops are ready."""
        return self._done.is_set()

    def start(self) -> None:
        """Start the thread, unless it was started before."""
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="lexicloud compiles", daemon=True)
                atexit.register(self.stop)
                self._thread.start()

    def after(self, texts: int) -> None:
        """Note that so many texts are looked at without compiled loops; begin if many were before."""
        loads = self._seen > _WORTH_LOADING and self._kept
        if loads or self._seen > _WORTH_COMPILING:
            first = self._thread is None
            self.start()
            if loads and first:
                self._done.wait(_PATIENCE)
        self._seen += texts

    @cached_property
    def _kept(self) -> bool:
        return self._module is not None and is_kept(self._module)

    def wait(self) -> None:
        """Start the thread if need be, and return when the loops are ready."""
        self.start()
        assert self._thread is not None
        self._thread.join()

    def stop(self) -> None:
        """Stop the thread after its current step, and wait for that."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        with contextlib.suppress(Exception):  # callers do without the loops, and show the error themselves
            steps = self._steps()
            while not self._stopped.is_set():
                with COMPILING:
                    if next(steps, self) is self:
                        self._done.set()
                        return


class _TolerantCache:
    """A cache of machine code that may fail: code that cannot be read is compiled, and not saved where it cannot be."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, *arguments: Any) -> Any:
        with contextlib.suppress(Exception):  # a damaged file may raise anything
            return self._cache.load_overload(*arguments)
        return None

    def save_overload(self, *arguments: Any) -> None:
        with contextlib.suppress(Exception):
            self._cache.save_overload(*arguments)
