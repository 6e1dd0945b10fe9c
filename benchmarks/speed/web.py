"""The service under load on loopback, and the Write page in a browser, both on 240,000 sentences.

    python -m benchmarks.speed.web                      # everything, about six minutes; a tenth of it with --quick
    python -m benchmarks.speed.web clients_64 browser   # only these parts; others keep their numbers
    python -m benchmarks.speed.web memory --index F     # with an index that is made in F the first time

clients_1, _8, _64: so many clients ask queries drawn from the sentences, with the default settings, each over a
connection of its own. browser: the time from the key that ends a sentence to its suggestions on the screen, as the
browser counts it; and until the first page is painted and filled. memory: the server's, after each tenth of 50,000
searches. The processor time of the server for one request says what a busy machine hides.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks import record
from benchmarks.sentences import queries, sentences
from lexicloud.search import SentenceIndex

CLIENTS = (1, 8, 64)
PARTS = (*(f"clients_{c}" for c in CLIENTS), "browser", "memory")
REQUESTS = 1_000  # at each number of clients
SEARCHES = 50_000  # over which memory is watched
KEYS = 40  # sentences typed in the browser
PATIENCE = 180.0  # seconds for a server to be ready, or for suggestions to be drawn
HOST = "127.0.0.1"
MEASURED = "performance.getEntriesByName('lexicloud:suggestions').map(e => e.duration)"


@contextmanager
def serving(index: Path) -> Iterator[tuple[int, int]]:
    """Run a server and give out its port and its process id."""
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
        try:
            assert server.stdout is not None
            told = json.loads("".join(iter(server.stdout.readline, "}\n")) + "}")
            port = int(told["address"].rstrip("/").rpartition(":")[2])
            warm_up(port)
            yield port, server.pid
        finally:
            server.terminate()


def warm_up(port: int) -> None:
    """Ask until what is compiled and read in the background is there."""
    done, end = 0, time.monotonic() + PATIENCE
    while done < 20:
        try:
            post(port, "search", {"query": "The ship sailed home.", "top": 5})
            post(port, "suggest", {"sentence": "The ship sailed home."})
            done += 1
        except urllib.error.HTTPError as error:
            if error.code != 503 or time.monotonic() > end:
                raise
            time.sleep(1)


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
    return float(next(x for x in lines if x.startswith("process_resident_memory_bytes")).split()[1]) / 2**20


def worked(process: int) -> float | None:
    """The processor seconds of a process so far, where the system tells them."""
    stat = Path(f"/proc/{process}/stat")
    if not stat.exists():
        return None
    parts = stat.read_text().rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


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


async def load(port: int, clients: int, asked: list[str], process: int = 0) -> dict[str, float | None]:
    """Let clients ask until all queries are answered; return how it went."""
    waiting, seconds, errors = iter(asked), [], 0

    async def client() -> None:
        nonlocal errors
        async with connection(port) as ask:
            for query in waiting:
                start = time.perf_counter()
                errors += await ask(query) != 200
                seconds.append(time.perf_counter() - start)

    before, start = worked(process), time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    took, after = time.perf_counter() - start, worked(process)
    p50, p99 = median(seconds), quantiles(seconds, n=100)[98]
    return {
        "requests_per_second": len(seconds) / took,
        "p50_ms": 1e3 * p50,
        "p99_ms": 1e3 * p99,
        "p99_over_p50": p99 / p50,
        "server_ms_a_request": None if before is None else 1e3 * ((after or 0) - before) / len(seconds),
        "errors": errors,
        "load_average": os.getloadavg()[0],  # of the machine: over its cores, others were at work too
    }


def memory(port: int, asked: list[str]) -> dict[str, Any]:
    """Watch the server's memory over many searches: after each tenth of them."""
    tenth, found = len(asked) // 10, []
    for start in range(0, 10 * tenth, tenth):
        asyncio.run(load(port, 8, asked[start : start + tenth]))
        found.append(round(resident(port), 1))
    return {
        "searches": 10 * tenth,
        "mib_after_each_tenth": found,
        "mib_grown": found[-1] - found[0],
        "mib_grown_in_the_second_half": found[-1] - found[4],
    }


def in_browser(port: int, asked: list[str]) -> dict[str, float] | None:
    """Type sentences into the Write page; return the milliseconds from the last key to the drawn suggestions."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=["--no-sandbox"])
        first = [first_page(browser, port) for _ in range(5)]
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"http://{HOST}:{port}/")
        taken: list[float] = []
        for n, sentence in enumerate(asked, 1):
            page.locator("#text").fill(sentence)
            page.locator("#text").press_sequentially(".")
            end = time.monotonic() + PATIENCE
            while len(taken := page.evaluate(MEASURED)) < n:
                if time.monotonic() > end:
                    raise SystemExit(f"no suggestions were drawn for {sentence!r} in {PATIENCE:.0f} s")
                page.wait_for_timeout(20)
        browser.close()
    return {
        "first_page_ms": median(first),
        "key_to_drawn_p50_ms": median(taken),
        "key_to_drawn_p95_ms": quantiles(taken, n=20)[18],
        "key_to_drawn_worst_ms": max(taken),
        "sentences_typed": len(taken),
        "load_average": os.getloadavg()[0],
    }


def first_page(browser: Any, port: int) -> float:
    """Open the first page in a new, empty browser session; return the milliseconds until it is painted and usable."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(f"http://{HOST}:{port}/")
    page.wait_for_selector("#source option", state="attached")
    milliseconds: float = page.evaluate("performance.now()")
    context.close()
    return milliseconds


def measure(part: str, port: int, process: int, asked: list[str], part_of: int) -> Any:
    if part.startswith("clients_"):
        n, c = REQUESTS // part_of, int(part.removeprefix("clients_"))
        start = CLIENTS.index(c) * n
        return asyncio.run(load(port, c, asked[start : start + n], process))
    if part == "browser":
        # One sentence each, without its own end: the page looks at the last sentence of a text.
        whole = (q.rstrip(".!?…\"'”’) ") for q in asked)
        return in_browser(port, [f"{q} here" for q in whole if not re.search(r"[.!?…\n]", q)][:KEYS])
    return memory(port, asked[: SEARCHES // part_of])


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}; all by default")
    args.add_argument("--quick", action="store_true")
    args.add_argument("--index", type=Path)
    given = args.parse_args()
    if wrong := set(given.parts) - set(PARTS):
        args.error(f"no part {min(wrong)}: choose from {', '.join(PARTS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # whoever stops this stops the server too
    file = record.RESULTS / "web.json"
    results: dict[str, Any] = json.loads(file.read_text())["results"] if file.exists() else {}
    texts = sentences()
    asked = queries(texts, max(REQUESTS * len(CLIENTS), SEARCHES))
    with tempfile.TemporaryDirectory() as folder:
        index = given.index or Path(folder) / "index"
        if not index.exists():
            SentenceIndex.build(texts).save(index)
        with serving(index) as (port, process):
            for part in given.parts or PARTS:
                results[part] = measure(part, port, process, asked, 10 if given.quick else 1)
                print(part, json.dumps(results[part]), flush=True)
                if not given.quick:
                    record.write("web", {"sentences": len(texts), **results})


if __name__ == "__main__":
    main()
