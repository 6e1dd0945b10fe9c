"""Names of a package that are imported when they are first asked for, so that importing the package is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def attach(
    package: str, *, submodules: Iterable[str] = (), submod_attrs: Mapping[str, Iterable[str]] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package that offers some submodules, and names taken from them."""
    homes = {name: module for module, names in (submod_attrs or {}).items() for name in names}
    modules = frozenset(submodules)

    def get(name: str) -> Any:
        if name in homes:
            value = getattr(import_module(f"{package}.{homes[name]}"), name)
        elif name in modules:
            value = import_module(f"{package}.{name}")
        else:
            raise AttributeError(f"{package} has no attribute {name}")
        setattr(sys.modules[package], name, value)  # later, Python finds it without this function
        return value

    return get, lambda: sorted({*homes, *modules})
