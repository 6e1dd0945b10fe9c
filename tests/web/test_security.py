"""Who may ask, from where, how much, how often; and what a page may do."""

from __future__ import annotations

import json
from functools import partial

import pytest
from starlette.testclient import TestClient

from lexicloud.errors import OptionError
from lexicloud.web import security
from lexicloud.web.server import create_app
from lexicloud.web.settings import ServerLimits, ServerSettings
from tests.web.conftest import BASE

TOKEN = "a-token-of-twenty-chars"
JSON = {"content-type": "application/json"}


def serving(**settings):
    return TestClient(create_app(ServerSettings(demo=False, **settings)), base_url=BASE)


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
        ServerSettings(host=host)
    assert ServerSettings(host=host, token=TOKEN).token == TOKEN


def test_a_short_token_is_refused_and_no_token_is_ever_shown():
    with pytest.raises(OptionError, match="5 characters"):
        ServerSettings(token="short")
    assert TOKEN not in repr(ServerSettings(token=TOKEN))


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
    with serving(limits=ServerLimits(body=1000)) as client:
        answer = client.post("/api/v1/search", json={"query": "x" * 2000})
        assert answer.status_code == 413
        error_of(answer)

        def pieces():
            for _ in range(20):
                yield b" " * 100

        headers = {"content-type": "application/json"}
        assert client.post("/api/v1/search", content=pieces(), headers=headers).status_code == 413


def test_one_client_may_not_ask_too_often():
    with serving(limits=ServerLimits(per_minute=5)) as client:
        answers = [client.get("/api/v1/health") for _ in range(7)]
    assert [a.status_code for a in answers] == [200] * 5 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) >= 1
    error_of(answers[-1])
    assert (ServerSettings().per_minute, ServerSettings(host="192.168.1.4", token=TOKEN).per_minute) == (
        None,
        1200,
    )


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
    with TestClient(
        create_app(ServerSettings(demo=False, folders=settings.folders)), base_url=BASE
    ) as client:
        answer = client.get("/api/v1/neighbours", params={"word": "sea"})
    assert answer.status_code == 500
    assert "secret" not in answer.text
    error_of(answer)
    assert "secret detail" in caplog.text


# ---- guesses, names and proxies


@pytest.fixture
def watched(monkeypatch):
    """A server with a token whose clock stands still."""
    monkeypatch.setattr(security, "RateLimit", partial(security.RateLimit, clock=lambda: 0.0))
    with serving(token=TOKEN) as client:
        yield client


def test_guesses_of_the_token_are_counted_before_the_token_is_looked_at(watched):
    guesses = [
        watched.get("/api/v1/sources", headers={"authorization": f"Bearer guess-{i:0>20}"}).status_code
        for i in range(100)
    ]
    assert guesses.count(401) <= 60
    assert set(guesses[60:]) == {429}
    right = {"authorization": f"Bearer {TOKEN}"}
    assert watched.get("/api/v1/sources", headers=right).status_code == 429


def test_guesses_at_the_cookie_are_counted_too(watched):
    answers = [watched.post("/api/v1/session", json={"token": f"{i}"}).status_code for i in range(100)]
    assert set(answers[60:]) == {429}


@pytest.mark.parametrize("further", [{"names": ("texts.example",)}, {"proxies": frozenset(("127.0.0.1",))}])
def test_a_name_or_a_proxy_needs_a_token(further):
    with pytest.raises(OptionError, match="a token is needed"):
        ServerSettings(**further)
    assert ServerSettings(token=TOKEN, **further).per_minute == 1200


def test_a_proxy_is_named_by_its_address():
    with pytest.raises(OptionError, match="is no address"):
        ServerSettings(token=TOKEN, proxies=frozenset(("proxy.example",)))


def asking_from(address, **settings):
    app = create_app(ServerSettings(demo=False, token=TOKEN, **settings))
    return TestClient(app, base_url=BASE, client=(address, 1234))


def test_only_a_named_proxy_says_who_asks():
    limits = ServerLimits(per_minute=5)
    with asking_from("127.0.0.1", limits=limits) as client:  # nobody named it
        given = [
            client.get("/api/v1/health", headers={"x-forwarded-for": f"10.0.0.{i}"}).status_code
            for i in range(7)
        ]
        assert given == [200] * 5 + [429] * 2
    with asking_from("127.0.0.1", limits=limits, proxies=frozenset(("127.0.0.1",))) as client:
        for client_number in range(
            3
        ):  # what a client wrote into the header itself comes first, and does not count
            headers = {"x-forwarded-for": f"1.2.3.{client_number}, 10.0.0.9"}
            assert client.get("/api/v1/health", headers=headers).status_code == 200
        told = [client.get("/api/v1/health", headers=headers).status_code for _ in range(3)]
        assert told == [200, 200, 429]
        assert client.get("/api/v1/health", headers={"x-forwarded-for": "10.0.0.8"}).status_code == 200


def test_a_cookie_that_was_given_under_tls_stays_there():
    headers = {"x-forwarded-proto": "https"}
    for proxies, secure in ((frozenset(("127.0.0.1",)), True), (frozenset(), False)):
        with asking_from("127.0.0.1", proxies=proxies) as client:
            answer = client.post("/api/v1/session", json={"token": TOKEN}, headers=headers)
            assert ("; secure" in answer.headers["set-cookie"].lower()) is secure


@pytest.mark.parametrize(
    "origin", ["http://[", "http://[::1", "//", "http://\udcff".encode("utf-8", "replace")]
)
def test_an_origin_that_is_none_is_refused(client, origin):
    assert client.get("/api/v1/health", headers={"origin": origin}).status_code == 403


# ---- bodies


def test_what_takes_no_body_reads_none(client):
    for method, path in (("GET", "sources"), ("DELETE", "jobs/x"), ("GET", "health")):
        answer = client.request(method, f"/api/v1/{path}", content=b"x" * 10, headers=JSON)
        assert answer.status_code == 413
        assert answer.headers["connection"] == "close"
    assert client.post("/", content=b"x").status_code == 413


def test_a_search_takes_a_mebibyte_and_texts_take_more():
    with serving() as client:
        large = b'{"query": "' + b"x" * (2 << 20) + b'"}'
        assert client.post("/api/v1/search", content=large, headers=JSON).status_code == 413
        assert client.post("/api/v1/compare", content=large, headers=JSON).status_code == 422
        raw = {"content-type": "application/octet-stream"}
        file = client.post("/api/v1/read?name=a.txt", content=b"x" * (9 << 20), headers=raw)
        assert file.status_code == 413


@pytest.mark.parametrize("values", ['"",' * 300, "[]," * 300, "{}," * 300, "1," * 300, '"\\\\",' * 300])
def test_json_of_very_many_values_is_refused_before_it_is_read(values):
    with serving(limits=ServerLimits(values=200)) as client:
        assert error_of(post_json(client, f'{{"texts": [{values}1]}}'))["message"] == (
            "the request has more than 200 values"
        )


def test_marks_inside_texts_are_no_values():
    with serving(limits=ServerLimits(values=200)) as client:
        answer = post_json(client, json.dumps({"texts": [{"name": "a", "text": '[{,"\\' * 500}]}))
        assert error_of(answer)["message"].startswith("texts: at least 2 are needed")


def post_json(client, body):
    return client.post("/api/v1/compare", content=body, headers={"content-type": "application/json"})


def test_a_head_has_a_limit_even_if_it_arrives_at_once(client):
    answer = client.get("/api/v1/health", headers={"x-long": "a" * 20_000})
    assert answer.status_code == 431
    assert error_of(answer)["code"] == "head_too_large"


def test_many_unknown_fields_are_one_error(client):
    answer = client.post("/api/v1/search", json={"query": "sea", **{f"k{i}": 1 for i in range(50)}})
    assert error_of(answer)["message"] == "there is no field 'k0', nor 49 others"


def test_bytes_are_counted_while_they_arrive_over_all_requests():
    """Many requests of which nearly all has arrived take no more than the limit together."""
    import asyncio

    from lexicloud.web.security import Guard
    from lexicloud.web.service import Service

    async def never(*_):
        raise AssertionError("no request was whole")

    async def trial():
        service = Service.of(ServerSettings(demo=False, limits=ServerLimits(in_flight=10_000)))
        guard, answers, held = Guard(never, service), [], []

        async def one():
            pieces = iter([b"x" * 1000] * 3)

            async def receive():
                piece = next(pieces, None)
                if piece is None:
                    held.append(service.in_flight.bytes)
                    await asyncio.sleep(30)
                return {"type": "http.request", "body": piece, "more_body": True}

            async def send(message):
                if message["type"] == "http.response.start":
                    answers.append(message["status"])

            await guard(scope_of("POST", "/api/v1/compare"), receive, send)

        tasks = [asyncio.ensure_future(one()) for _ in range(40)]
        while len(answers) + len(held) < 40:
            await asyncio.sleep(0.01)
        assert set(answers) == {503}
        assert len(held) == 3
        assert service.in_flight.bytes <= 10_000
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert service.in_flight.bytes == 0
        service.close()

    asyncio.run(trial())


def scope_of(method, path):
    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"9999")]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "scheme": "http",
        "headers": headers,
        "client": ("127.0.0.1", 1),
    }


def test_a_job_that_nobody_waits_for_keeps_its_bytes():
    with serving() as client:
        in_flight = client.app.state.service.in_flight
        texts = [{"name": name, "text": "The captain watched the waves. " * 2000} for name in "ab"]
        begun = client.post("/api/v1/compare", json={"texts": texts}, headers={"prefer": "respond-async"})
        held = in_flight.bytes
        assert held > 100_000
        where = begun.headers["location"]
        while client.get(where).json()["state"] in {"waiting", "running"}:
            pass
        assert in_flight.bytes == 0


# ---- what messages tell


def test_a_message_names_no_place_on_the_server(index_folder):
    from lexicloud.errors import StorageError
    from lexicloud.web.faults import fault_of

    told = fault_of(StorageError(f"{index_folder} is damaged: put back {str(index_folder)!r}"))
    assert str(index_folder.parent) not in told.message + told.remedy
    assert index_folder.name in told.message
