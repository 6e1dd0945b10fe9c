"""Compiled functions: their machine code is cached on disk where possible, and compiled anew where not."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Callable, Iterator
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


class Beside:
    """Loops that a background thread compiles, while callers do without them until they are ready.

    `steps` compiles one loop at a time and yields None after each; the thread can be stopped there. No step runs while
    the interpreter exits.
    """

    def __init__(self, steps: Callable[[], Iterator[None]]) -> None:
        self._steps, self._lock = steps, Lock()
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
        if self._seen > _WORTH_COMPILING:
            self.start()
        self._seen += texts

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
