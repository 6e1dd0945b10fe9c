"""How long it takes to ask who wrote a text: a folder of books, a kept model, and a verification.

    python -m benchmarks.speed.attribution

Each is a process of its own, started cold, as a user would. The processor time is what counts on a busy machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.authors import DATA
from benchmarks.record import write
from lexicloud.text.clean import cut_gutenberg


def timed(*arguments: str | Path) -> dict[str, float]:
    """Run a command and return its seconds: by the clock, and of the processor."""
    before, start = os.times(), time.perf_counter()
    command = [sys.executable, "-m", "lexicloud", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after, wall = os.times(), time.perf_counter() - start
    used = after.children_user + after.children_system - before.children_user - before.children_system
    print(" ".join(map(str, arguments))[:40], round(wall, 2), round(used, 2), flush=True)
    return {"seconds": round(wall, 2), "processor": round(used, 2)}


def main() -> None:
    results: dict[str, Any] = {}
    books = sorted((DATA / "books").glob("*.txt"))
    table = DATA / "books" / "books.csv"
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        texts, labels = here / "books", here / "labels.csv"
        texts.mkdir()
        for book in books[:70]:
            (texts / book.name).symlink_to(book)
        rows = [line.split(",") for line in table.read_text(encoding="utf-8").splitlines()[1:]]
        slugs = {book.stem for book in books[:70]}
        lines = [
            f"{row[0]}.txt,{row[-2] if row[-2] != 'unique' else row[0]}" for row in rows if row[0] in slugs
        ]
        labels.write_text("\n".join(["name,label", *lines]), encoding="utf-8")
        words = cut_gutenberg(books[-1].read_text(encoding="utf-8"))[0].split()
        (here / "unknown.txt").write_text(" ".join(words[5000:6000]), encoding="utf-8")
        (here / "known.txt").write_text(" ".join(words[20_000:30_000]), encoding="utf-8")
        asked, model = here / "unknown.txt", here / "books.model"
        results["attribute, 70 books"] = timed("attribute", texts, "--labels", labels, "--json")
        results["attribute, 70 books and a text"] = timed(
            "attribute", texts, asked, "--labels", labels, "--json"
        )
        results["train, 70 books"] = timed("train", texts, "--labels", labels, "--out", model, "--json")
        results["attribute by a kept model"] = timed("attribute", model, asked, "--json")
        results["verify, 1,000 words"] = timed("verify", here / "known.txt", "--unknown", asked, "--json")
    write("attribution_speed", results)


if __name__ == "__main__":
    main()
