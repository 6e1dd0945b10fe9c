"""Stopping: jobs end at once, and the process within its time whatever runs."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from lexicloud.vectors import load_vectors
from lexicloud.web import processes
from tests.web.conftest import process

# A search that never ends, in a thread that no signal reaches, under a server with little patience.
HUNG = """
import sys, time
from lexicloud.web import ServerSettings, serve, server
from lexicloud.operations.search import Search

server.GRACE, server._FINISHING = 4, 1
Search.run = lambda *_: time.sleep(1000)
settings = ServerSettings(port=0, demo=False, indexes=(__import__("pathlib").Path(sys.argv[1]),))
serve(settings, lambda address: print(address, flush=True))
"""


def long_work():
    """Texts of many different words: their comparison takes long on any machine."""
    draw, words = random.Random(0), load_vectors().words[:30_000]
    return {"texts": [{"name": f"t{i}", "text": " ".join(draw.choices(words, k=6000))} for i in range(400)]}


def children(pid):
    return [
        int(child)
        for task in Path(f"/proc/{pid}/task").iterdir()
        for child in (task / "children").read_text().split()
    ]


def started(url):
    """Begin a long job, and wait until it runs."""
    begun = httpx.post(
        f"{url}/api/v1/compare", json=long_work(), headers={"prefer": "respond-async"}, timeout=60
    )
    where = f"{url}{begun.headers['location']}"
    wait_for(lambda: httpx.get(where, timeout=60).json()["state"] == "running")
    return where


def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.skipif(not processes.AVAILABLE, reason="work has processes of its own on Linux only")
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_jobs_and_the_server(told):
    with process() as (server, url):
        started(url)
        wait_for(lambda: children(server.pid))
        (child,) = children(server.pid)
        server.send_signal(told)
        server.wait(timeout=30)
        assert not Path(f"/proc/{child}").exists()


@pytest.mark.slow
@pytest.mark.skipif(not processes.AVAILABLE, reason="work has processes of its own on Linux only")
def test_a_killed_server_leaves_no_job_behind():
    with process() as (server, url):
        started(url)
        wait_for(lambda: children(server.pid))
        (child,) = children(server.pid)
        server.kill()
        server.wait(timeout=30)
        wait_for(lambda: not Path(f"/proc/{child}").exists())


@pytest.mark.slow
@pytest.mark.skipif(not processes.AVAILABLE, reason="work has processes of its own on Linux only")
def test_a_client_that_waits_and_leaves_ends_its_job():
    with process() as (server, url):
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{url}/api/v1/compare", json=long_work(), timeout=httpx.Timeout(60, read=2))
        wait_for(lambda: not children(server.pid), 4)  # the work itself takes 9 s on a quick machine
        assert "lexicloud_jobs_active 0.0" in httpx.get(f"{url}/api/v1/metrics", timeout=60).text


@pytest.mark.slow
@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_search_that_hangs_does_not_keep_the_server_alive(index_folder, told):
    command = [sys.executable, "-c", HUNG, str(index_folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        url = server.stdout.readline().strip()
        wait_for(lambda: httpx.get(f"{url}api/v1/health", timeout=60).json()["status"] == "ready")
        asking = threading.Thread(target=ask_in_vain, args=(url,), daemon=True)
        asking.start()
        wait_for(lambda: "waiting 1.0" in httpx.get(f"{url}api/v1/metrics", timeout=60).text)
        os.kill(server.pid, told)
        server.wait(timeout=20)


def ask_in_vain(url):
    with suppress(httpx.TransportError):
        httpx.post(f"{url}api/v1/search", json={"query": "a ship"}, timeout=60)
