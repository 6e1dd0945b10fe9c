"""The service under load on loopback, and the Write page in a browser, both on 240,000 sentences.

1, 8 and 64 clients ask queries drawn from the sentences, with the default settings, each over a connection of its
own. Then memory is watched over 50,000 searches, and a browser measures the time from the key that ends a sentence
to its suggestions on the screen. `--quick` does a tenth of it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks import record
from benchmarks.bench_search import queries, sentences
from lexicloud.search import SentenceIndex

CLIENTS = (1, 8, 64)
REQUESTS = 3_000  # at each number of clients
SEARCHES = 50_000  # over which memory is watched
KEYS = 40  # sentences typed in the browser
HOST = "127.0.0.1"
MEASURED = "performance.getEntriesByName('lexicloud:suggestions').map(e => e.duration)"


@contextmanager
def serving(index: Path) -> Iterator[int]:
    """Run a server and give out its port."""
    command = [
        sys.executable,
        "-m",
        "lexicloud",
        "serve",
        "--index",
        str(index),
        "--no-demo",
        "--port",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        told = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")
        port = int(told["address"].rstrip("/").rpartition(":")[2])
        post(port, "search", {"query": "The ship sailed home.", "top": 5})
        time.sleep(5)  # what is compiled and read in the background
        yield port
        server.terminate()


def post(port: int, path: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        f"http://{HOST}:{port}/api/v1/{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def resident(port: int) -> float:
    """The server's memory in MiB, by its own count."""
    with urllib.request.urlopen(f"http://{HOST}:{port}/api/v1/metrics", timeout=20) as answer:
        lines = answer.read().decode().splitlines()
    return float(next(x for x in lines if x.startswith("lexicloud_resident_bytes")).split()[1]) / 2**20


@asynccontextmanager
async def connection(port: int) -> AsyncIterator[Any]:
    """Yield a function that asks one query over a kept connection; plain streams, so that the client costs little."""
    reader, writer = await asyncio.open_connection(HOST, port)

    async def ask(query: str) -> int:
        body = json.dumps({"query": query, "top": 5}).encode()
        head = f"POST /api/v1/search HTTP/1.1\r\nHost: {HOST}:{port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answered.partition("content-length:")[2].split("\r\n")[0])
        await reader.readexactly(length)
        return int(answered.split()[1])

    yield ask
    writer.close()


async def load(port: int, clients: int, asked: list[str]) -> dict[str, float]:
    """Let clients ask until all queries are answered; return how it went."""
    waiting, seconds, errors = iter(asked), [], 0

    async def client() -> None:
        nonlocal errors
        async with connection(port) as ask:
            for query in waiting:
                start = time.perf_counter()
                errors += await ask(query) != 200
                seconds.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    took = time.perf_counter() - start
    p50, p99 = median(seconds), quantiles(seconds, n=100)[98]
    return {
        "requests_per_second": len(seconds) / took,
        "p50_ms": 1e3 * p50,
        "p99_ms": 1e3 * p99,
        "p99_over_p50": p99 / p50,
        "errors": errors,
    }


def memory(port: int, asked: list[str]) -> dict[str, float]:
    """Watch the server's memory over many searches."""
    asyncio.run(load(port, 8, asked[: len(asked) // 10]))
    before = resident(port)
    asyncio.run(load(port, 8, asked[len(asked) // 10 :]))
    return {"searches": len(asked), "mib_after_a_tenth": before, "mib_after_all": resident(port)}


def in_browser(port: int, asked: list[str]) -> dict[str, float] | None:
    """Type sentences into the Write page; return the milliseconds from the last key to the drawn suggestions."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://{HOST}:{port}/")
        paint = page.evaluate("performance.getEntriesByType('paint').at(-1).startTime")
        taken: list[float] = []
        for n, sentence in enumerate(asked, 1):
            page.locator("#text").fill("")
            page.locator("#text").fill(sentence.rstrip(".!?…\"' ") + " here")
            page.locator("#text").press_sequentially(".")
            while len(taken := page.evaluate(MEASURED)) < n:
                page.wait_for_timeout(20)
        browser.close()
    return {
        "first_paint_ms": paint,
        "key_to_drawn_p50_ms": median(taken),
        "key_to_drawn_p95_ms": quantiles(taken, n=20)[18],
    }


def main() -> None:
    part_of = 10 if "--quick" in sys.argv else 1
    requests, searches = REQUESTS // part_of, SEARCHES // part_of
    texts = sentences()
    asked = queries(texts, max(requests * len(CLIENTS), searches))
    results: dict[str, Any] = {"sentences": len(texts)}
    with tempfile.TemporaryDirectory() as folder:
        SentenceIndex.build(texts).save(Path(folder) / "index")
        with serving(Path(folder) / "index") as port:
            for i, clients in enumerate(CLIENTS):
                part = asked[i * requests : (i + 1) * requests]
                results[f"clients_{clients}"] = asyncio.run(load(port, clients, part))
                print(clients, results[f"clients_{clients}"], flush=True)
            results["browser"] = in_browser(port, [q for q in asked if "\n" not in q][:KEYS])
            print(results["browser"], flush=True)
            results["memory"] = memory(port, asked[:searches])
            print(results["memory"], flush=True)
    record.write("web", results)


if __name__ == "__main__":
    main()
