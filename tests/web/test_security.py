"""Who may ask, from where, how much, how often; and what a page may do."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from lexicloud.errors import OptionError
from lexicloud.web.app import create_app
from lexicloud.web.settings import Limits, Settings
from tests.web.conftest import BASE

TOKEN = "a-token-of-twenty-chars"


def serving(**settings):
    return TestClient(create_app(Settings(demo=False, **settings)), base_url=BASE)


@pytest.fixture
def guarded():
    with serving(token=TOKEN) as client:
        yield client


def error_of(answer):
    error = answer.json()["error"]
    assert set(error) >= {"code", "status", "message", "remedy"}
    assert error["status"] == answer.status_code
    assert error["message"]
    assert error["remedy"]
    return error


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.4", "example.org", "::"])
def test_an_address_that_others_can_reach_needs_a_token(host):
    with pytest.raises(OptionError, match="a token is needed"):
        Settings(host=host)
    assert Settings(host=host, token=TOKEN).token == TOKEN


def test_a_short_token_is_refused_and_no_token_is_ever_shown():
    with pytest.raises(OptionError, match="5 characters"):
        Settings(token="short")
    assert TOKEN not in repr(Settings(token=TOKEN))


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example:8321"]
)
def test_a_name_that_is_not_ours_is_refused(client, host):
    answer = client.get("/api/v1/health", headers={"host": host})
    assert answer.status_code == 421
    assert error_of(answer)["code"] == "wrong_host"


@pytest.mark.parametrize("host", ["localhost:8321", "127.0.0.1", "[::1]:8321", "LOCALHOST"])
def test_our_own_names_are_taken(client, host):
    assert client.get("/api/v1/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://localhost"]
)
def test_a_page_of_another_site_is_refused(client, origin):
    answer = client.post("/api/v1/search", json={"query": "a ship"}, headers={"origin": origin})
    assert answer.status_code == 403
    error_of(answer)


def test_our_own_page_may_ask(client):
    headers = {"origin": BASE, "sec-fetch-site": "same-origin"}
    assert client.post("/api/v1/search", json={"query": "a letter"}, headers=headers).status_code == 200
    assert client.get("/api/v1/sources", headers={"sec-fetch-site": "cross-site"}).status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_a_form_elsewhere_could_send_is_refused(client, kind):
    answer = client.post("/api/v1/search", content=b'{"query": "a"}', headers={"content-type": kind})
    assert answer.status_code == 415


def test_without_the_token_nothing_but_health_and_pages_is_answered(guarded):
    assert guarded.get("/api/v1/health").json()["token"] is True
    assert guarded.get("/").status_code == 200
    for path in ("sources", "metrics", "jobs/x", "survey/results"):
        answer = guarded.get(f"/api/v1/{path}")
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        error_of(answer)
    assert guarded.post("/api/v1/index/add", json={}).status_code == 401
    assert guarded.post("/mcp", json={}).status_code == 401


@pytest.mark.parametrize(
    "header", ["Bearer wrong-token-of-twenty", "Basic " + TOKEN, TOKEN, "Bearer", "Bearer ü"]
)
def test_a_wrong_token_is_refused(guarded, header):
    assert guarded.get("/api/v1/sources", headers={"authorization": header.encode()}).status_code == 401


def test_the_token_opens_and_so_does_the_cookie_given_for_it(guarded):
    headers = {"authorization": f"Bearer {TOKEN}"}
    assert guarded.get("/api/v1/sources", headers=headers).status_code == 200
    assert guarded.post("/api/v1/session", json={"token": "wrong"}).status_code == 401
    assert guarded.get("/api/v1/sources").status_code == 401
    answer = guarded.post("/api/v1/session", json={"token": TOKEN})
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert guarded.get("/api/v1/sources").status_code == 200


def test_a_token_in_the_address_is_no_token(guarded):
    assert guarded.get(f"/api/v1/sources?token={TOKEN}").status_code == 401


def test_too_large_a_body_is_refused_whether_announced_or_not():
    with serving(limits=Limits(body=1000)) as client:
        answer = client.post("/api/v1/search", json={"query": "x" * 2000})
        assert answer.status_code == 413
        error_of(answer)

        def pieces():
            for _ in range(20):
                yield b" " * 100

        headers = {"content-type": "application/json"}
        assert client.post("/api/v1/search", content=pieces(), headers=headers).status_code == 413


def test_one_client_may_not_ask_too_often():
    with serving(limits=Limits(per_minute=5)) as client:
        answers = [client.get("/api/v1/health") for _ in range(7)]
    assert [a.status_code for a in answers] == [200] * 5 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) >= 1
    error_of(answers[-1])
    assert (Settings().per_minute, Settings(host="192.168.1.4", token=TOKEN).per_minute) == (None, 1200)


def test_every_answer_carries_the_headers_that_bind_a_page(client):
    for path in ("/", "/static/core.js", "/api/v1/health", "/nothing", "/api/v1/nothing"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
    assert client.get("/api/v1/sources").headers["cache-control"] == "no-store"


def test_no_page_has_inline_script_or_style_or_anything_from_elsewhere(client):
    import re

    for path in ("/", "/compare", "/who", "/explore", "/docs"):
        html = client.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", html)
        assert not re.search(r"\son\w+=|\sstyle=|<style", html)
        assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", html)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2f..%2ferrors.py", "/etc/passwd"]
)
def test_no_address_leads_out_of_the_static_files(client, path):
    assert client.get(path).status_code == 404


def test_our_own_mistakes_tell_nothing_of_the_inside(settings, monkeypatch, caplog):
    from lexicloud.web.service import Service

    def broken(self, work):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(Service, "quick", broken)
    with TestClient(create_app(Settings(demo=False, folders=settings.folders)), base_url=BASE) as client:
        answer = client.get("/api/v1/neighbours", params={"word": "sea"})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    error_of(answer)
    assert "secret detail" in caplog.text
