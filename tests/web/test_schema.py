"""Requests made from the schema itself, sensible and senseless ones: never a 5xx, always the one shape of errors."""

from __future__ import annotations

import json

import pytest

schemathesis = pytest.importorskip("schemathesis")
from hypothesis import HealthCheck, Phase, settings  # noqa: E402

from lexicloud.web.server import create_app  # noqa: E402
from lexicloud.web.settings import ServerSettings  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # warnings of schemathesis itself
EXAMPLES = 8  # of each route
# A report is many seconds of work; what it is asked with is what every other view of `explore` is asked with.
described = schemathesis.openapi.from_dict(create_app(ServerSettings(demo=False)).openapi()).exclude(
    path="/api/v1/explore/report"
)


@described.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_request_breaks_the_server(case, address):
    answer = case.call(base_url=address, headers={"connection": "close"})
    assert answer.status_code < 500 or answer.status_code == 503, answer.text
    if answer.status_code >= 400:
        error = json.loads(answer.content)["error"]
        assert error["status"] == answer.status_code
        assert error["message"]
