"""How often a client may ask: a bucket of tokens that fills up again with time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_CLIENTS: Final = 10_000  # remembered at once; the one not seen for longest is forgotten


@dataclass
class _Bucket:
    left: float
    seen: float


class RateLimit:
    """At most `per_minute` requests of one client, and as many at once after a minute of silence.

    >>> limit = RateLimit(60, clock=lambda: 0.0)
    >>> sum(limit.wait("a") == 0 for _ in range(100)), limit.wait("b"), limit.wait("a")
    (60, 0.0, 1.0)
    """

    def __init__(self, per_minute: int | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._size = per_minute
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, client: str) -> float:
        """Count one request; return 0 if it may pass, otherwise the seconds to wait."""
        if self._size is None:
            return 0.0
        now, rate = self._clock(), self._size / 60
        bucket = self._buckets.pop(client, None) or _Bucket(self._size, now)
        bucket.left = min(self._size, bucket.left + (now - bucket.seen) * rate)
        bucket.seen = now
        self._buckets[client] = bucket
        while len(self._buckets) > _CLIENTS:
            self._buckets.popitem(last=False)
        if bucket.left < 1:
            return (1 - bucket.left) / rate
        bucket.left -= 1
        return 0.0
