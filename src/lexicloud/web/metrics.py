"""Counts for Prometheus: requests by route and status, how long they took, writes, and what the process uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lexicloud.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Mapping

    from prometheus_client import Gauge
    from starlette.types import Scope

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
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
        from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector

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
        """Count one request under its route instead of its path, so that ids do not become labels."""
        route = _route(scope)
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def write(self, action: str, n: int) -> None:
        """Count sentences written."""
        self._writes.labels(action).inc(n)

    def text(self, gauges: Mapping[str, float]) -> str:
        """Return everything in Prometheus's format; `gauges` are the current values."""
        from prometheus_client import Gauge, generate_latest

        for name, value in gauges.items():
            if name not in self._gauges:
                about = name.replace("_", " ").capitalize() + "."
                self._gauges[name] = Gauge(f"lexicloud_{name}", about, registry=self._registry)
            self._gauges[name].set(value)
        return generate_latest(self._registry).decode()


class NoMetrics(Metrics):
    """Counts nothing: for servers where prometheus_client is not installed."""

    def __init__(self) -> None:
        pass

    def request(self, scope: Scope, status: int, seconds: float) -> None:
        """Count nothing."""

    def write(self, action: str, n: int) -> None:
        """Count nothing."""

    def text(self, gauges: Mapping[str, float]) -> str:  # noqa: ARG002
        """Refuse, and say which package is missing."""
        raise MissingExtra("counts for Prometheus", "metrics")


def new_metrics() -> Metrics:
    """Return the metrics of a new server."""
    try:
        return Metrics()
    except ImportError:
        return NoMetrics()


def _route(scope: Scope) -> str:
    """Return the route that a request matched, with names of parameters in place of their values."""
    path: str = scope["path"]
    if path.startswith("/static/"):
        return "/static"
    if "endpoint" not in scope:
        return "other"
    for name, value in scope.get("path_params", {}).items():
        path = path.replace(f"/{value}", f"/{{{name}}}")
    return path
