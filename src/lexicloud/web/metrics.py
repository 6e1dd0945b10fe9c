"""Counts for Prometheus: requests by route and status, how long they took, writes, and what the process uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Scope

__all__ = ["CONTENT_TYPE", "Metrics"]
_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
_METHODS: Final = frozenset(("GET", "POST", "DELETE", "PUT", "HEAD"))


class Metrics:
    """What one server counts.

    >>> metrics = Metrics()
    >>> metrics.request({"method": "GET", "path": "/x"}, 200, 0.003)
    >>> [line for line in metrics.text({}).splitlines() if line.startswith("lexicloud_requests_total")]
    ['lexicloud_requests_total{method="GET",route="other",status="200"} 1.0']
    """

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "lexicloud_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "lexicloud_request_seconds",
            "Time from request to answer.",
            ("route",),
            buckets=_BOUNDS,
            registry=self._registry,
        )
        self._writes = Counter(
            "lexicloud_writes",
            "Sentences written to indexes, taken in and forgotten; answers to a study.",
            ("action",),
            registry=self._registry,
        )
        self._gauges: dict[str, Gauge] = {}

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count one request under its route, not its path, so that ids do not become labels."""
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def write(self, action: str, n: int) -> None:
        """Count sentences written."""
        self._writes.labels(action).inc(n)

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return everything in Prometheus's format; `gauges` are what is true at this moment."""
        for name, value in gauges.items():
            if name not in self._gauges:
                about = name.replace("_", " ").capitalize() + "."
                self._gauges[name] = Gauge(f"lexicloud_{name}", about, registry=self._registry)
            self._gauges[name].set(value)
        return generate_latest(self._registry).decode()


def _route(scope: Scope) -> str:
    """Return the address that a request matched, with names in the place of what they stood for."""
    path: str = scope["path"]
    if path.startswith("/static/"):
        return "/static"
    if "endpoint" not in scope:
        return "other"
    for name, value in scope.get("path_params", {}).items():
        path = path.replace(f"/{value}", f"/{{{name}}}")
    return path
