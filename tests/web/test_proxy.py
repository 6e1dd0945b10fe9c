"""The file for nginx in the docs, tried with nginx itself."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from lexicloud.web.settings import ServerSettings
from tests.web.conftest import running
from tests.web.test_security import TOKEN

CONFIGURATION = Path(__file__).parents[2] / "docs/examples/nginx.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
pytestmark = pytest.mark.skipif(
    NGINX is None or shutil.which("openssl") is None, reason="needs nginx and openssl"
)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def certificate(folder):
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=texts.example",
    ]
    names = ["-addext", "subjectAltName=DNS:texts.example,IP:127.0.0.1"]
    files = ["-keyout", folder / "texts.key", "-out", folder / "texts.pem"]
    subprocess.run([*command, *names, *files], check=True, capture_output=True)


@pytest.fixture
def proxied(tmp_path):
    """A server behind nginx, and the port of nginx."""
    certificate(tmp_path)
    settings = ServerSettings(
        demo=False, token=TOKEN, names=("texts.example",), proxies=frozenset(("127.0.0.1",))
    )
    with running(settings) as url:
        port = free_port()
        text = CONFIGURATION.read_text()
        for old, new in (
            ("127.0.0.1:8321", url.removeprefix("http://")),
            ("listen 443", f"listen 127.0.0.1:{port}"),
            ("/etc/ssl/texts.example", str(tmp_path / "texts")),
            ("/run/nginx-lexicloud.pid", str(tmp_path / "pid")),
            ("/var/log/nginx/lexicloud.log", str(tmp_path / "log")),
        ):
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "nginx.conf").write_text(text)
        os.chmod(tmp_path, 0o755)  # noqa: PTH101
        command = [NGINX, "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path), "-g", "daemon off;"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as nginx:
            wait_for_port(port)
            yield port, tmp_path
            nginx.terminate()


def wait_for_port(port):
    for _ in range(500):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("nginx did not start")


@pytest.mark.slow
def test_a_server_behind_nginx_with_the_file_of_the_docs(proxied):
    port, folder = proxied
    trusted = ssl.create_default_context(cafile=str(folder / "texts.pem"))
    host = {"host": f"texts.example:{port}"}
    with httpx.Client(
        base_url=f"https://127.0.0.1:{port}", verify=trusted, headers=host, timeout=30
    ) as asking:
        assert asking.get("/api/v1/health").json()["token"] is True
        assert asking.get("/").status_code == 200
        assert asking.get("/api/v1/sources").status_code == 401
        given = asking.post(
            "/api/v1/session", json={"token": TOKEN}, headers={"origin": f"https://texts.example:{port}"}
        )
        assert given.status_code == 204
        assert "; secure" in given.headers["set-cookie"].lower()
        cookie = {"cookie": given.headers["set-cookie"].partition(";")[0]}
        assert asking.get("/api/v1/sources", headers=cookie).status_code == 200
        assert asking.get("/api/v1/health", headers={"host": "evil.example"}).status_code == 421
        elsewhere = asking.get("/api/v1/sources", headers={**cookie, "origin": "https://evil.example"})
        assert elsewhere.status_code == 403
        # An address that a client makes up buys no new guesses.
        asking.cookies.clear()
        guesses = [
            asking.get(
                "/api/v1/sources", headers={"authorization": "Bearer x", "x-forwarded-for": f"10.0.0.{i}"}
            )
            for i in range(70)
        ]
        assert 429 in {guess.status_code for guess in guesses[60:]}
