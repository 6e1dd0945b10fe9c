"""How a server bears what exhausts it: slow clients, stopped jobs, SIGTERM under load, and many clients at once.

    python -m benchmarks.speed.server                   # everything: some minutes
    python -m benchmarks.speed.server slow_clients      # only this part
    python -m benchmarks.speed.server many_clients --searches 5000    # fewer than the 50,000 of the goal

Each part says how long it took until an ordinary search was answered again, or the process was gone; the goal is 30 s.
Results: benchmarks/results/server.json.
"""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks import record

GOAL = 30.0  # seconds
SLOW, STOPPED, TERMINATED = 1000, 100, 20
CLIENTS, SEARCHES = 64, 50_000
HALF = b"POST /api/v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le"
QUERY = {"query": "Our ships were attacked on the high seas.", "top": 5}


@contextmanager
def server(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a server, with the built-in texts where nothing else is said, and wait until it answers."""
    command = [sys.executable, "-m", "lexicloud", "serve", "--port", "0", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            told = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            port = int(told["address"].rstrip("/").rpartition(":")[2])
            until_answered(port, 300)
            yield process, port
        finally:
            process.kill()


def ask(port: int, path: str, body: Any = None, timeout: float = 60, **headers: str) -> Any:
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/{path}", data, {"content-type": "application/json", **headers}
    )
    with urllib.request.urlopen(asked, timeout=timeout) as answer:
        return json.load(answer)


def until_answered(port: int, seconds: float = GOAL) -> float:
    """Return after how many seconds a search was answered."""
    start = time.monotonic()
    while True:
        try:
            ask(port, "search", QUERY, timeout=5)
        except OSError:
            if time.monotonic() - start > seconds:
                raise
            time.sleep(0.05)
        else:
            return time.monotonic() - start


def children(pid: int) -> int:
    found = (Path(task, "children").read_text().split() for task in Path(f"/proc/{pid}/task").iterdir())
    return sum(map(len, found))


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208


def slow_clients() -> dict[str, Any]:
    """A thousand requests of which half a head arrives, and searches meanwhile and after."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(limit[0], SLOW + 200), limit[1]))
    with server() as (process, port):
        before = open_files(process.pid)
        with ExitStack() as sockets:
            for _ in range(SLOW):
                made = sockets.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
                made.sendall(HALF)
            during = until_answered(port)
            start = time.monotonic()
            while open_files(process.pid) > before + 5 and time.monotonic() - start < 2 * GOAL:
                time.sleep(0.1)
            closed = time.monotonic() - start
        after = until_answered(port)
        return {
            "clients": SLOW,
            "search_during_seconds": during,
            "until_all_were_closed_seconds": closed,
            "search_after_seconds": after,
        }


def long_work() -> dict[str, Any]:
    draw = random.Random(0)
    words = [f"word{i}" for i in range(50)] + ["sea", "ship", "captain", "storm", "harbour", "anchor"]
    texts = [{"name": f"t{i}", "text": " ".join(draw.choices(words, k=4000))} for i in range(300)]
    return {"texts": texts, "method": "knn"}


def stopped_jobs() -> dict[str, Any]:
    """A hundred long jobs: half are stopped, half lose the client that waits for them."""
    work = long_work()
    with server() as (process, port):
        worst = 0.0
        for i in range(STOPPED):
            if i % 2:
                with suppress(OSError):
                    ask(port, "compare", work, timeout=0.5)
            else:
                job = ask(port, "compare", work, prefer="respond-async")["job"]
                time.sleep(0.3)
                stop = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/jobs/{job}", method="DELETE")
                urllib.request.urlopen(stop, timeout=60).close()
            start = time.monotonic()
            while children(process.pid) and time.monotonic() - start < 2 * GOAL:
                time.sleep(0.01)
            worst = max(worst, time.monotonic() - start)
        return {
            "jobs": STOPPED,
            "slowest_end_seconds": worst,
            "processes_left": children(process.pid),
            "search_after_seconds": until_answered(port),
        }


def sigterm_under_load() -> dict[str, Any]:
    """Servers that are told to stop while they answer searches, run jobs and hold half-sent requests."""
    times = []
    for _ in range(TERMINATED):
        with server() as (process, port), ExitStack() as sockets:
            for _ in range(50):
                made = sockets.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20))
                made.sendall(HALF)
            for body in (long_work(), long_work(), long_work()):
                ask(port, "compare", body, prefer="respond-async")
            threads = [threading.Thread(target=searching, args=(port,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            time.sleep(0.5)
            start = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=2 * GOAL)
            times.append(time.monotonic() - start)
            for thread in threads:
                thread.join()
    return {
        "servers": TERMINATED,
        "median_seconds": sorted(times)[len(times) // 2],
        "slowest_seconds": max(times),
    }


WORDS = [
    "ship",
    "treaty",
    "harvest",
    "army",
    "bank",
    "railroad",
    "peace",
    "tax",
    "winter",
    "senate",
    "river",
    "law",
]


def _index(folder: str) -> str:
    """Save five thousand sentences."""
    from lexicloud.search import SentenceIndex

    draw = random.Random(0)
    texts = [f"The {' and the '.join(draw.choices(WORDS, k=6))} of year {n}." for n in range(5000)]
    SentenceIndex.build(texts).save(Path(folder, "index"))
    return str(Path(folder, "index"))


def many_clients(searches: int = SEARCHES) -> dict[str, Any]:
    """Sixty-four clients that search, each over one connection; memory after a tenth of the searches and at the end."""
    numbers, failed, memory = itertools.count(), list[str](), dict[int, int]()
    with (
        tempfile.TemporaryDirectory() as folder,
        server("--no-demo", "--index", _index(folder)) as (process, port),
    ):

        def client(seed: int) -> None:
            draw, connection = random.Random(seed), http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            while (n := next(numbers)) < searches:
                mode = draw.choice(("related", "varied"))
                asked = {"query": " ".join(draw.choices(WORDS, k=6)), "top": 5, "mode": mode}
                connection.request(
                    "POST", "/api/v1/search", json.dumps(asked), {"content-type": "application/json"}
                )
                answer = connection.getresponse()
                body = answer.read()  # all of it, or the next request cannot begin
                if answer.status != 200 or not json.loads(body)["result"]["suggestions"]:
                    failed.append(f"{answer.status}: {body[:200]!r}")
                if n % (searches // 10) == 0:
                    memory[n] = resident(process.pid)

        threads = [threading.Thread(target=client, args=(seed,)) for seed in range(CLIENTS)]
        start = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took, memory[searches] = time.monotonic() - start, resident(process.pid)
    print(*failed[:3], sep="\n", file=sys.stderr)
    at_tenth = memory[searches // 10]
    assert memory[searches] < 1.05 * at_tenth, memory
    return {
        "clients": CLIENTS,
        "searches": searches,
        "failed": len(failed),
        "searches_a_second": searches / took,
        "megabytes_after_a_tenth": at_tenth / 1e6,
        "megabytes_at_the_end": memory[searches] / 1e6,
    }


def resident(pid: int) -> int:
    """Return the bytes of memory that a process has to itself or shares."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * resource.getpagesize()


def searching(port: int) -> None:
    """Search until the server is gone."""
    with suppress(OSError, urllib.error.URLError):
        while True:
            ask(port, "search", QUERY)


PARTS = {
    "slow_clients": slow_clients,
    "stopped_jobs": stopped_jobs,
    "sigterm_under_load": sigterm_under_load,
    "many_clients": many_clients,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--searches", type=int, default=SEARCHES, help="of many_clients")
    asked = parser.parse_args()
    file = record.RESULTS / "server.json"
    results = json.loads(file.read_text())["results"] if file.exists() else {}
    for name in asked.parts or PARTS:
        found = many_clients(asked.searches) if name == "many_clients" else PARTS[name]()
        results[name] = {key: round(value, 2) for key, value in found.items()}
        print(name, results[name], flush=True)
        record.write("server", results)
        slowest = max((value for key, value in found.items() if key.endswith("_seconds")), default=0.0)
        assert slowest <= GOAL, f"{name}: {slowest:.1f} s"


if __name__ == "__main__":
    main()
