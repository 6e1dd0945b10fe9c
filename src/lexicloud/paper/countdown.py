"""How long a run has still to go, and what it has taken: from the seconds that each experiment took elsewhere."""

from __future__ import annotations

from collections.abc import Mapping


class Countdown:
    """The time that is left, estimated from `expected` seconds of each experiment and what was taken so far.

    A result that is taken up again counts with the seconds it took when it was computed, so that the sum is what a
    whole run takes.

    >>> clock = Countdown({"first": 60, "second": 240})
    >>> clock.begin("first"); clock.done(120, 0)   # twice as long as expected
    >>> clock.begin("second"); clock.said
    ' · about 8 min left'
    """

    def __init__(self, expected: Mapping[str, float] | None = None) -> None:
        self.expected = dict(expected or {})
        self.taken = dict.fromkeys(self.expected, 0.0)
        self.memory = 0
        self._current = ""
        self._finished: list[str] = []

    def begin(self, name: str) -> None:
        """Say that an experiment begins, and the one before it is done."""
        if self._current:
            self._finished.append(self._current)
        self._current = name

    def done(self, seconds: float, memory: int) -> None:
        """Count a result: its seconds, and the bytes of memory that the run needed at most until then."""
        self.memory = max(self.memory, memory)
        if self._current in self.taken:
            self.taken[self._current] += seconds

    @property
    def seconds(self) -> float:
        """What all results took."""
        return sum(self.taken.values())

    @property
    def left(self) -> float:
        """The seconds that are left, at the pace of the experiments that are done."""
        planned = sum(self.expected[name] for name in self._finished)
        pace = sum(self.taken[name] for name in self._finished) / planned if planned else 1.0
        others = [n for n in self.expected if n not in self._finished and n != self._current]
        current = self.expected.get(self._current, 0.0) * pace - self.taken.get(self._current, 0.0)
        return pace * sum(self.expected[name] for name in others) + max(0.0, current)

    @property
    def said(self) -> str:
        """The time left in words, for the line of a progress bar; empty where nothing is expected."""
        if not self._current or self._current not in self.expected:
            return ""
        minutes = round(self.left / 60)
        return f" · about {minutes} min left" if minutes else " · less than a minute left"


def peak_memory() -> int:
    """Return the most memory, in bytes, that this process and any one of its children have needed so far."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    used = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used) * unit
