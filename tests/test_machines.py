"""Machines that give little: a read-only one, a disk that is really full, many processes that save at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lexicloud.corpus import Corpus
from tests.search.toy import VECTORS, build

TEXTS = ["kadan kafel kagos kahin kajat", "lodan lofel logos lohin lojat", "midan mifel migos mihin mijat"]


def _own_mounts() -> bool:
    """Whether this process may mount a file system that nobody else sees."""
    try:
        probe = subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
            capture_output=True,
            check=False,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return probe.returncode == 0


mounts = pytest.mark.skipif(not _own_mounts(), reason="needs a system where tests may mount (root, Linux)")


def _in_namespace(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in {"HOME", "NUMBA_CACHE_DIR"}} | variables
    return subprocess.run(
        ["unshare", "-m", "bash", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@mounts
def test_a_machine_without_a_writable_folder_answers(tmp_path: Path) -> None:
    build(TEXTS).save(tmp_path / "index")
    command = (
        f"'{sys.executable}' -m lexicloud search '{tmp_path}/index' 'kadan lofel' --method setcover --json"
    )
    done = _in_namespace(f"mount -o remount,bind,ro / && cd / && {command}", PYTHONDONTWRITEBYTECODE="1")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


_FILL = """
import json, sys
from pathlib import Path
from lexicloud.errors import LexicloudError
from lexicloud.search import SentenceIndex, verify_index
from tests.search.toy import VECTORS, build
disk = Path(sys.argv[1])
index = build([(str(i), "kadan kafel kagos") for i in range(20)])
index.save(disk / "index")
index, refused = SentenceIndex.open(disk / "index", vectors=VECTORS), ""
for n in range(200):
    try:
        index.add([(f"{n}-{i}", f"lodan lofel word{n}x{i} " * 10) for i in range(300)])
    except LexicloudError as error:
        refused = str(error)
        break
ids = len(SentenceIndex.open(disk / "index", vectors=VECTORS))
sound = verify_index(disk / "index")
(disk / "ballast").unlink()
index = SentenceIndex.open(disk / "index", vectors=VECTORS)
index.add([("after", "midan mifel")])
print(json.dumps({"refused": refused, "ids": ids, "sound": sound, "n": n, "after": len(index)}))
"""


@mounts
def test_an_index_on_a_disk_that_is_full_stays_whole_and_can_be_written_again(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    code = tmp_path / "fill.py"
    code.write_text(_FILL, encoding="utf-8")
    root = Path(__file__).resolve().parents[1]
    done = _in_namespace(
        f"mount -t tmpfs -o size=6m tmpfs '{disk}' && head -c 2000000 /dev/zero > '{disk}/ballast' && "
        f"cd '{root}' && '{sys.executable}' '{code}' '{disk}'",
        PYTHONPATH=f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "room" in said["refused"] or "full" in said["refused"] or "space" in said["refused"]
    assert said["sound"] == []
    assert (
        said["ids"] == 20 + 300 * said["n"]
    )  # every addition that was not refused, and nothing of the one that was
    assert said["after"] == said["ids"] + 1


def _save(path: str, first: int) -> None:
    for n in range(first, first + 5):
        Corpus.from_texts({f"text {n}": " ".join(TEXTS[: 1 + n % 3])}, vectors=VECTORS).save(path)


def test_processes_that_save_one_folder_take_turns(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    context = multiprocessing.get_context("spawn")
    savers = [context.Process(target=_save, args=(str(folder), 10 * i)) for i in range(2)]
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join(120)
    assert [saver.exitcode for saver in savers] == [0, 0]
    assert Corpus.open(folder).names[0].startswith("text ")
