"""Machines that give little: a read-only one, a disk that is really full, many processes that save at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.paper.workbench import PaperOptions, Workbench
from lexicloud.store.folder import LOCK, MANIFEST, read_manifest, verify_folder
from lexicloud.vectors import load_vectors, save_vectors
from tests.search.toy import VECTORS, build
from tests.texts import TEXTS as SMALL

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
    # What measures coverage would write, too, where nothing can be written.
    kept = {k: v for k, v in os.environ.items() if k not in {"HOME", "NUMBA_CACHE_DIR"} and "COV" not in k}
    environment = kept | variables
    return subprocess.run(
        ["unshare", "-m", "bash", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def _as_nobody() -> list[str]:
    """Return what runs a command as a user who owns nothing; nothing at all where Python cannot be run by others."""
    change = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    try:
        probe = subprocess.run(
            [*change, sys.executable, "-c", "import numpy"], capture_output=True, check=False
        )
    except OSError:
        return []
    return change if probe.returncode == 0 else []


def _texts(folder: Path) -> Path:
    """Write eight texts by two authors."""
    folder.mkdir()
    for n, (name, text) in enumerate(SMALL.items()):
        for part in "ab":
            (folder / f"Author{n % 2}_{name}{part}.txt").write_text(f"{text} " * 6, encoding="utf-8")
    return folder


@mounts
@pytest.mark.slow
def test_an_ordinary_user_of_a_read_only_machine_without_a_home_gets_every_answer(tmp_path: Path) -> None:
    nobody = _as_nobody()
    if not nobody:
        pytest.skip("needs setpriv, and a Python that any user may run")
    for folder in (tmp_path, *tmp_path.parents):
        if Path(tempfile.gettempdir()) in folder.parents:
            folder.chmod(0o755)
    texts = _texts(tmp_path / "texts")
    a, b = sorted(texts.iterdir())[:2]
    build(TEXTS).save(tmp_path / "index")
    commands = (
        f"compare '{a}' '{b}'", f"matrix '{texts}'", f"zipf '{texts}'", f"attribute '{texts}' --label @name",
        f"search '{tmp_path}/index' 'kadan lofel' --method setcover",
    )  # fmt: skip
    lines = [
        f"{' '.join(nobody)} '{sys.executable}' -m lexicloud {c} --json >/dev/null || exit 1"
        for c in commands
    ]
    read_only = f"mount -o remount,bind,ro / && cd / && ! touch '{tmp_path}/x' 2>/dev/null || exit 9\n"
    done = _in_namespace(read_only + "\n".join(lines), PYTHONDONTWRITEBYTECODE="1")
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


_OUTPUTS = """
import contextlib, io, json, sys
from pathlib import Path
from lexicloud.cli import main
texts, disk = Path(sys.argv[1]), Path(sys.argv[2])
a, b = sorted(map(str, texts.iterdir()))[:2]
vectors = disk.parent / "own.vec"
commands = {
    "page.html": ["report", str(texts), "--out"],
    "corpus": ["corpus", "save", str(texts), "--out"],
    "vectors": ["vectors", "convert", str(vectors)],
    "matrix": ["matrix", str(texts), "--out"],
    "shift.png": ["compare", a, b, "--plot"],
    "index": ["index", "build", str(texts), "--out"],
    "model": ["train", str(texts), "--label", "@name", "--out"],
}
(disk / "page.html").write_text("<!doctype html>the old page", encoding="utf-8")
said = {}
for name, words in commands.items():
    error, code = io.StringIO(), 0
    with contextlib.redirect_stderr(error), contextlib.redirect_stdout(io.StringIO()):
        try:
            main([*words, str(disk / name)])
        except SystemExit as end:
            code = end.code
    said[name] = [code, error.getvalue()]
left = {str(p.relative_to(disk)): p.stat().st_size for p in disk.rglob("*") if p.is_file()}
print(json.dumps({"said": said, "left": left}))
"""


@mounts
@pytest.mark.slow
def test_no_output_is_left_half_written_on_a_disk_that_is_full(tmp_path: Path) -> None:
    texts, disk, code = _texts(tmp_path / "texts"), tmp_path / "disk", tmp_path / "outputs.py"
    disk.mkdir()
    code.write_text(_OUTPUTS, encoding="utf-8")
    rows = "\n".join(f"word{i} " + " ".join(["0.125"] * 50) for i in range(300))
    (tmp_path / "own.vec").write_text(rows, encoding="utf-8")
    done = _in_namespace(
        f"mount -t tmpfs -o size=24k tmpfs '{disk}' && '{sys.executable}' '{code}' '{texts}' '{disk}'",
        PYTHONPATH=os.environ.get("PYTHONPATH", ""),
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for code_of, message in found["said"].values():
        assert code_of == 2, found
        assert "free" in message.splitlines()[-1], found  # the disk is full; free some room
    assert found["left"].pop("page.html") == len("<!doctype html>the old page")
    assert {name for name in found["left"] if not name.endswith("lock")} <= {
        "matrix/matrix.csv",
        "matrix/matrix.json",
    }


ROUNDS = 40


def _save_all(folder: str, number: int) -> None:
    """Save a corpus, vectors and a result of the paper, and read what is there, again and again."""
    place = Path(folder)
    os.fsync = lambda _: None  # type: ignore[assignment]  # guards against power cuts, and costs most of the time
    corpora = [Corpus.from_texts({f"text {n}": " ".join(TEXTS[: 1 + n])}, vectors=VECTORS) for n in range(3)]
    for n in range(ROUNDS):
        corpora[n % 3].save(place / "corpus")
        save_vectors(VECTORS, place / "vectors")
        bench = Workbench(PaperOptions(place, place / "out"))
        bench.vectors = VECTORS
        kept = bench.recall("test", lambda n=n: {"value": number, "array": np.arange(5)}, round=n)
        assert kept["array"].tolist() == [0, 1, 2, 3, 4]
        assert Corpus.open(place / "corpus").names[0].startswith("text ")
        assert len(load_vectors(place / "vectors")) == len(VECTORS)


def test_processes_that_save_one_folder_take_turns(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    savers = [context.Process(target=_save_all, args=(str(tmp_path), i)) for i in range(2)]
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join(240)
    assert [saver.exitcode for saver in savers] == [0, 0]
    results = list((tmp_path / "out" / "cache").iterdir())
    assert len(results) == ROUNDS
    for folder in (tmp_path / "corpus", tmp_path / "vectors", *results):
        assert verify_folder(folder) == []
        named = {entry["file"] for entry in read_manifest(folder)["files"].values()}
        assert {p.name for p in folder.iterdir()} == named | {MANIFEST, LOCK}
