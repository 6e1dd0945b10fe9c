"""Progress of long loops, which a shell may listen to; no function passes it on as an argument.

Library code wraps a loop in `track`. Nobody listens by default, so nothing is printed; the command line
installs a reporter with `reporting`.
"""

from __future__ import annotations

from collections.abc import Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


class Reporter(Protocol):
    """What a shell provides: open a bar, move it, close it."""

    def start(self, description: str, total: int | None) -> int:
        """Open a bar and return its number."""

    def advance(self, bar: int, steps: int) -> None:
        """Move a bar forward."""

    def finish(self, bar: int) -> None:
        """Close a bar."""


_reporter: ContextVar[Reporter | None] = ContextVar("lexicloud_reporter", default=None)


@contextmanager
def reporting(reporter: Reporter) -> Iterator[None]:
    """Send the progress of everything inside to `reporter`."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def track(items: Iterable[T], description: str, total: int | None = None) -> Iterator[T]:
    """Yield `items`, telling the listener, if there is one, how far the loop has come."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with stage(description, total) as advance:
        for item in items:
            yield item
            advance(1)


class Advance(Protocol):
    """The function that `stage` hands out."""

    def __call__(self, steps: int = 1) -> None:
        """Move the bar forward."""


@contextmanager
def stage(description: str, total: int | None = None) -> Iterator[Advance]:
    """Open one bar and hand out the function that moves it, for work that is not a plain loop."""
    reporter = _reporter.get()
    if reporter is None:
        yield lambda steps=1: None  # noqa: ARG005
        return
    bar = reporter.start(description, total)
    try:
        yield lambda steps=1: reporter.advance(bar, steps)
    finally:
        reporter.finish(bar)
