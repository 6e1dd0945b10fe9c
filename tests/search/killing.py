"""Kill writers of an index at every step they take, and look at what is left; prints one JSON object a kill.

Run as a process of its own: it imports once and forks a writer for every step, so that hundreds of kills cost seconds.
`python -m tests.search.killing FOLDER 1000` kills a thousand times, on indexes with more and more segments, and
prints the counts alone.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lexicloud.search import SentenceIndex, verify_index
from lexicloud.store import folder as storage
from tests.search.toy import VECTORS, build

OLD = [
    ("a", "kadan kafel kagos kahin kajat"),
    ("b", "lodan lofel logos lohin lojat"),
    ("c", "midan mifel migos mihin mijat"),
]
CHANGES: dict[str, Any] = {
    "add": lambda index: index.add(
        [("d", "rudan rufel rugos ruhin rujat"), ("e", "sendan senfel sengos senhin senjat")]
    ),
    "remove": lambda index: index.remove(["a", "c"]),
    "overwrite": lambda index: index.add([("b", "tordan torfel torgos torhin torjat")], overwrite=True),
    "compact": lambda index: index.compact(),
    "save over": lambda index: build([("z", "kadan lodan midan rudan sendan")]).save(index.path),
}


class Killer:
    """Counts the steps of a writer (a file flushed, a file renamed, a file removed) and kills it before the n-th."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def step(self) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1

    def watch(self) -> None:
        for owner, name in ((storage.os, "fsync"), (Path, "replace"), (Path, "unlink")):
            setattr(owner, name, self._counted(getattr(owner, name)))

    def _counted(self, original: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            self.step()
            return original(*arguments, **options)

        return call


def contents(folder: Path) -> dict[str, str]:
    database = SentenceIndex.open(folder).database
    rows = range(len(database)) if database.alive is None else database.alive.nonzero()[0]
    return {str(database.identifiers[int(i)]): database.texts[int(i)] for i in rows}


def prepare(folder: Path) -> None:
    """Two segments and a removed sentence, so that every kind of file is there."""
    index = build(OLD[:2])
    index.save(folder)
    index.add([*OLD[2:], ("gone", "kadan")])
    index.remove("gone")


def kill_at(base: Path, folder: Path, change: str, steps: int) -> dict[str, Any]:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(base, folder)
    writer = os.fork()
    if writer == 0:
        Killer(steps).watch()
        CHANGES[change](SentenceIndex.open(folder, vectors=VECTORS))
        os._exit(0)
    _, status = os.waitpid(writer, 0)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    left = {"contents": contents(folder), "problems": verify_index(folder)}
    index = SentenceIndex.open(folder, vectors=VECTORS)
    index.add(
        [("later", "kadan torjat")]
    )  # the lock of the dead does not stand in the way, and rubbish is swept up
    named = {entry["file"] for entry in storage.read_manifest(folder)["files"].values()}
    rubbish = [p.name for p in folder.iterdir() if p.name not in named | {storage.MANIFEST, storage.LOCK}]
    return {
        "change": change,
        "steps": steps,
        "killed": killed,
        **left,
        "later": "later" in contents(folder),
        "rubbish": rubbish,
    }


def reports(root: Path, extra: int = 0) -> Iterator[dict[str, Any]]:
    """Kill each writer at each of its steps, on an index with some more segments."""
    # What a killed process wrote stays written; flushing guards against power cuts, and costs most of the time.
    os.fsync = lambda handle: None  # type: ignore[assignment]
    base = root / f"base{extra}"
    prepare(base)
    for n in range(extra):
        SentenceIndex.open(base, vectors=VECTORS).add([(f"more {n}", "kadan lodan midan")])
    for change in CHANGES:
        steps, killed = 0, True
        while killed:
            report = kill_at(base, root / "victim", change, steps)
            killed = report["killed"]
            yield report
            steps += 1


def summary(root: Path, kills: int) -> dict[str, int]:
    """Kill until there were so many; count what was left neither old nor new, unsound, littered or locked."""
    counts = {"kills": 0, "neither old nor new": 0, "unsound": 0, "rubbish": 0, "not writable": 0}
    extra = 0
    while counts["kills"] < kills:
        found = list(reports(root, extra))
        for change in CHANGES:
            of_change = [r for r in found if r["change"] == change]
            old, new = of_change[0]["contents"], of_change[-1]["contents"]
            counts["neither old nor new"] += sum(r["contents"] not in (old, new) for r in of_change)
        counts["kills"] += sum(r["killed"] for r in found)
        counts["unsound"] += sum(r["problems"] != [] for r in found)
        counts["rubbish"] += sum(r["rubbish"] != [] for r in found)
        counts["not writable"] += sum(not r["later"] for r in found)
        extra += 1
    return counts


if __name__ == "__main__":
    if len(sys.argv) > 2:
        print(json.dumps(summary(Path(sys.argv[1]), int(sys.argv[2]))))
    else:
        for line in reports(Path(sys.argv[1])):
            print(json.dumps(line), flush=True)
