"""Compiled functions whose machine code is kept where that is possible, and compiled anew where it is not."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any


def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function as numba's `njit` does; no folder to write to, a full disk or a damaged cache is no error."""
    from numba import njit as numba_njit

    def compiled(function: Callable[..., Any]) -> Any:
        if not cache:
            return numba_njit(**options)(function)
        try:
            dispatcher = numba_njit(cache=True, **options)(function)
        except RuntimeError:  # numba finds no folder that it may write to, as in a read-only container
            return numba_njit(**options)(function)
        if hasattr(dispatcher, "_cache"):  # not where numba is switched off and returns the function itself
            dispatcher._cache = _Forgiving(dispatcher._cache)  # noqa: SLF001 (numba has no public way)
        return dispatcher

    return compiled


class _Forgiving:
    """A cache of machine code that may fail: what cannot be read is compiled, what cannot be kept is not."""

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
