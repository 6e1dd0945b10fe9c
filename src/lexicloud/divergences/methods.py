"""The divergence methods by name: a new method is a class in a file beside this one and a line in `METHODS`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from lexicloud.divergences.base import Method
from lexicloud.divergences.categorical import Categorical, JensenShannon
from lexicloud.divergences.delta import Delta
from lexicloud.divergences.knn import Knn
from lexicloud.divergences.smoothed import Smoothed
from lexicloud.errors import OptionError
from lexicloud.presets import preset as published

METHODS: Final[dict[str, type[Method]]] = {
    "smoothed": Smoothed,
    "knn": Knn,
    "categorical": Categorical,
    "jensen-shannon": JensenShannon,
    "delta": Delta,
}
DEFAULT: Final = "smoothed"


def make_method(method: str | Method = DEFAULT, *, preset: str | None = None, **options: Any) -> Method:
    """Return a method from its name and options; a method that is already made is returned as it is.

    `preset` puts published options in (see `lexicloud.presets`); the default method is then "knn".

    >>> make_method("knn", k=5)
    Knn(k=5, alpha=1.0, compat=None)
    >>> make_method(preset="authors")
    Knn(k=3, alpha=1.0, compat='authors')
    """
    if preset is not None and isinstance(method, str):
        method = "knn" if method == DEFAULT else method
        options = {**published(preset).divergence.get(method, {}), **options}
    if isinstance(method, Method):
        if options:
            raise OptionError(
                f"{', '.join(options)}: give options to the method itself, {type(method).__name__}(…)"
            )
        return method
    if method not in METHODS:
        raise OptionError(f"no method {method!r}: choose from {', '.join(METHODS)}")
    cls = METHODS[method]
    known = [f.name for f in fields(cls)]  # type: ignore[arg-type]
    wrong = [name for name in options if name not in known]
    if wrong:
        listed = f"its options are {', '.join(known)}" if known else "it has no options"
        raise OptionError(f"method {method!r} has no option {wrong[0]!r}; {listed}")
    return cls(**options)
