"""Counts for Prometheus: the text itself is tested with the server; here, a server without the package."""

from __future__ import annotations

import sys

import pytest

from lexicloud.errors import MissingExtra
from lexicloud.web.service import Metrics, new_metrics


def test_a_server_without_prometheus_client_counts_nothing_and_says_so(monkeypatch):
    assert type(new_metrics()) is Metrics
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    counts = new_metrics()
    counts.request({"method": "GET", "path": "/"}, 200, 0.1)
    counts.write("added", 3)
    with pytest.raises(MissingExtra, match=r"lexicloud\[metrics\]"):
        counts.text({})
