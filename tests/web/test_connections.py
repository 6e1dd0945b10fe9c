"""Slow clients, many of them, and an accept that fails: others are served, and nothing stays broken."""

from __future__ import annotations

import logging
import socket
import time
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace

import httpx
import pytest

from lexicloud.web import connections
from lexicloud.web.connections import PlainHandler, on_loop_trouble
from lexicloud.web.settings import ServerLimits, ServerSettings
from tests.web.conftest import process, running

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together

resource = pytest.importorskip("resource", reason="this system has no limits of open files")
HALF = b"POST /api/v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le"


HEAD = (
    b"POST /api/v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
)


def serving(**limits):
    return running(ServerSettings(demo=False, limits=ServerLimits(**limits)))


def connect(url, data=HALF):
    made = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=20)
    if data:
        made.sendall(data)
    return made


@contextmanager
def half_sent(url, n, sent=HALF):
    with ExitStack() as open_sockets:
        yield [open_sockets.enter_context(connect(url, sent)) for _ in range(n)]


def dribble(to, data, times, pause):
    for _ in range(times):
        to.sendall(data)
        time.sleep(pause)


def lives(url):
    return httpx.get(f"{url}/api/v1/health", timeout=20).status_code == 200


@pytest.mark.parametrize("sent", [b"", HALF])
def test_a_request_whose_head_does_not_arrive_is_closed(sent):
    with serving(heads=0.3) as url, connect(url, sent) as slow:
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")
        assert slow.recv(1000) == b""
        assert lives(url)


def test_one_byte_now_and_then_buys_no_time():
    with serving(heads=0.5) as url, connect(url, b"GET /") as slow:
        with pytest.raises(OSError):
            dribble(slow, b"x", 300, pause=0.05)
        assert lives(url)


def test_the_head_of_a_second_request_is_timed_too():
    whole = b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with serving(heads=0.3) as url, connect(url, whole) as slow:
        assert slow.recv(10_000).startswith(b"HTTP/1.1 200")
        slow.sendall(b"GET /api")
        told = b""
        while piece := slow.recv(1000):
            told += piece
        assert b"HTTP/1.1 408" in told


def test_a_stop_waits_for_no_rest_of_a_request():
    with process() as (server, url), half_sent(url, 5, HEAD) as sockets:
        assert lives(url)
        start = time.monotonic()
        server.terminate()
        server.wait(timeout=60)
        assert time.monotonic() - start < 15  # it was 25 s, the time for requests that are being answered
        assert all(one.recv(100).startswith(b"HTTP/1.1 503") for one in sockets)


@pytest.mark.parametrize("sent", [HALF, HEAD], ids=["half a head", "a head without its body"])
def test_a_full_server_lets_go_of_those_who_only_wait(sent):
    with serving(connections=16, heads=60.0) as url, half_sent(url, 40, sent), httpx.Client() as asking:
        assert all(asking.get(f"{url}/api/v1/health", timeout=20).status_code == 200 for _ in range(20))


def test_one_address_has_its_share(monkeypatch):
    monkeypatch.setattr(connections, "is_loopback", lambda _: False)
    with serving(per_address=5, heads=60.0) as url, half_sent(url, 8) as sockets:
        assert lives(url)
        closed = 0
        for one in sockets:
            one.settimeout(0.2)
            try:
                closed += one.recv(10) == b""
            except TimeoutError:
                pass
            except ConnectionResetError:
                closed += 1
        assert closed >= 3


def test_a_client_that_does_not_read_its_answer_is_cut_off(monkeypatch):
    monkeypatch.setattr(connections, "_LEAST_RATE", 1 << 20)
    ask = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with serving(reading=0.3) as url, connect(url, b"") as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        with pytest.raises(OSError):
            dribble(deaf, ask, 3000, pause=0.001)
        assert lives(url)


def test_a_log_that_cannot_write_ends_nothing(monkeypatch):
    def broken(*_):
        raise OSError(24, "Too many open files")

    logger = logging.Logger("test")
    logger.addHandler(PlainHandler())
    monkeypatch.setattr(connections.os, "write", broken)
    logger.error("trouble", exc_info=OSError(24, "Too many open files"))
    on_loop_trouble(None, {"message": "accept failed", "exception": OSError(24, "Too many open files")})


def test_the_same_trouble_is_told_once(monkeypatch):
    lines = []
    monkeypatch.setattr(connections.os, "write", lambda _, line: lines.append(line))
    monkeypatch.setattr(connections.sys, "stderr", SimpleNamespace(fileno=lambda: 2))
    logger = logging.Logger("test")
    logger.addHandler(PlainHandler())
    for _ in range(1000):
        logger.error("accept failed", exc_info=OSError(24, "Too many open files"))
    assert len(lines) == 1
    assert b"Too many open files" in lines[0]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux sets the limit of another process")
def test_an_accept_that_fails_is_survived():
    with process() as (server, url):
        assert lives(url)
        before = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (8, before[1]))  # fewer than are open
        with half_sent(url, 20), pytest.raises(httpx.TransportError):
            httpx.get(f"{url}/api/v1/health", timeout=2)
        assert server.poll() is None
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, before)
        assert lives(url)
        server.terminate()
        server.wait(timeout=30)


@pytest.mark.slow
def test_a_thousand_half_sent_requests_keep_nobody_out():
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    if own[1] != resource.RLIM_INFINITY and own[1] < 1200:
        pytest.skip("this process may not open a thousand connections")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(own[0], 1200), own[1]))
    with process() as (server, url):
        with half_sent(url, 1000):
            assert lives(url)
        assert lives(url)
        server.terminate()
        server.wait(timeout=30)
