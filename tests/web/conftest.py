"""A server with a small library of our own stories: in process for the API, on a real port for the browser."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import httpx
import pytest
from starlette.testclient import TestClient

from lexicloud.search import SentenceIndex
from lexicloud.web.server import Server, create_app
from lexicloud.web.settings import ServerLimits, ServerSettings
from tests.report.stories import library

BASE = "http://127.0.0.1:8321"
SENTENCES = [
    "The captain watched the grey waves from the deck.",
    "A sailor pulled the rope and the ship turned to the harbour.",
    "The cook chopped onions and garlic in the hot kitchen.",
    "Snow fell on the silent mountain village all night.",
    "The judge read the verdict to a crowded court.",
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Six stories by two authors, as files `Author_number.txt`."""
    where = tmp_path_factory.mktemp("stories") / "stories"
    where.mkdir()
    for name, text in library(3, 15).items():
        (where / f"{name}.txt").write_text(text, encoding="utf-8")
    return where


@pytest.fixture
def index_folder(tmp_path):
    path = tmp_path / "notes.index"
    SentenceIndex.build([(f"n{i}", text) for i, text in enumerate(SENTENCES)]).save(path)
    return path


def wait_until_ready(client, seconds=240.0):
    end = time.monotonic() + seconds
    while client.get("/api/v1/health").json()["status"] != "ready":
        assert time.monotonic() < end, "the server was not ready in time"
        time.sleep(0.05)


@pytest.fixture(scope="session")
def settings(folder):
    return ServerSettings(folders=(folder,), demo=False, limits=ServerLimits(seconds=60, sources=3))


@pytest.fixture(scope="session")
def client(settings):
    with TestClient(create_app(settings), base_url=BASE) as made:
        wait_until_ready(made)
        yield made


@contextmanager
def running(settings):
    """Run a server on a real port, in a thread, and give out its address once it is ready."""
    free = socket.socket()
    free.bind(("127.0.0.1", 0))
    server = Server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [free]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with httpx.Client(base_url=url) as asking:
        wait_until_ready(asking)
    yield url
    server.should_exit = True
    thread.join(timeout=20)


@contextmanager
def process(*options):
    """Run the command itself, and give out the process and the address it printed."""
    command = [sys.executable, "-m", "lexicloud", "serve", "--no-demo", "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        lines = iter(server.stdout.readline, "}\n")
        try:
            yield server, json.loads("".join(lines) + "}")["address"].rstrip("/")
        finally:  # a test that fails would wait for the server for ever
            server.kill()


@pytest.fixture(scope="session")
def address(folder):
    """A server with the stories, for browsers."""
    with running(ServerSettings(folders=(folder,), demo=False)) as url:
        yield url


@pytest.fixture(scope="module")
def browser():
    """A Chromium for one module: while Playwright runs, no other event loop can run in this thread."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("there is no Chromium on this machine: install it to test the pages in a browser")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()
