"""Names of a package that are imported when they are first asked for, so that importing the package is quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
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
            raise AttributeError(f"{package} has no attribute {name}{_hint(package, name, homes, modules)}")
        setattr(sys.modules[package], name, value)  # the next time it is found at once
        return value

    return get, lambda: sorted({*homes, *modules})


def _hint(package: str, name: str, homes: Iterable[str], modules: Iterable[str]) -> str:
    """Say where a name is that was looked for at the top, or which one may be meant."""
    if name.startswith("_") or find_spec(f"{package}.{name}"):  # asked for by a tool, or about to be imported
        return ""
    for module in sorted(modules):
        with suppress(ImportError):  # what an extra would bring
            if name in getattr(import_module(f"{package}.{module}"), "__all__", ()):
                return f": it is {package}.{module}.{name}"
    close = get_close_matches(name, homes, 1)
    return f"; did you mean {close[0]}?" if close else ""
