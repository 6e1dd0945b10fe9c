"""`lexicloud serve` and `lexicloud mcp` as real processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from lexicloud.web.server import listen

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together


def run(*arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if k != "LEXICLOUD_TOKEN"}
    return subprocess.run(
        [sys.executable, "-m", "lexicloud", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={**clean, **environment},
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["serve", "--host", "0.0.0.0"], "a token is needed: set LEXICLOUD_TOKEN"),
        (["serve", "--index", "nowhere"], "there is no folder nowhere"),
        (["serve", "--index", "tests", "--port", "0"], "tests is not a folder saved by lexicloud"),
        (["serve", "--study", "README.md", "--port", "0"], "README.md is no JSON"),
        (["serve", "--port", "70000"], "--port"),
        (["mcp", "--folder", "nowhere"], "there is no folder nowhere"),
    ],
)
def test_a_mistake_is_one_line_and_exit_2(arguments, told):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert told in done.stderr


def test_a_short_token_is_refused_without_being_shown():
    done = run("serve", LEXICLOUD_TOKEN="hunter2")
    assert done.returncode == 2
    assert "7 characters" in done.stderr
    assert "hunter2" not in done.stderr


def test_a_taken_port_is_told_at_once(address):
    done = run("serve", "--port", address.rpartition(":")[2], "--no-demo")
    assert done.returncode == 2
    assert "give another with --port" in done.stderr


@pytest.mark.parametrize("command", ["serve", "mcp"])
def test_help_has_an_example(command):
    done = run(command, "--help")
    assert done.returncode == 0
    assert "Example:" in done.stdout


def test_an_interrupt_stops_the_server_quietly(folder):
    command = [
        sys.executable,
        "-m",
        "lexicloud",
        "serve",
        "--folder",
        str(folder),
        "--no-demo",
        "--port",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        url = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")["address"]
        assert httpx.get(f"{url}api/v1/health", timeout=60).status_code == 200
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=120)
    assert server.returncode in {0, 130}
    assert "Traceback" not in told


def test_answers_leave_at_once():
    """Without this option an answer of two packets waits 40 ms for the first to be acknowledged."""

    async def nodelay():
        with listen("127.0.0.1", 0) as listening:
            server = await asyncio.start_server(lambda _, writer: seen.append(writer), sock=listening)
            _, writer = await asyncio.open_connection(*listening.getsockname())
            while not seen:
                await asyncio.sleep(0.001)
            on = seen[0].get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            seen[0].close()
            server.close()
            return on

    seen = []
    assert asyncio.run(nodelay())
