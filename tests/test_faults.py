"""The regime of faults finds what writes in place, what tells a failure that was none, and what leaks an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from lexicloud.errors import StorageError
from tests.faults import inject
from tests.faults.inject import ERRORS, KINDS, Fault, faults

ROOT = Path(__file__).resolve().parents[1]
needs_compiler = pytest.mark.skipif(inject.COMPILER is None, reason="needs Linux and a C compiler")

_CAREFUL = """
import errno, json, sys
from pathlib import Path
from lexicloud.errors import StorageError
from lexicloud.store.files import replace_text
from tests.faults.__main__ import COUNTED, Found, Trial
from tests.faults.inject import Fault
from tests.faults.operations import Operation, tree
from tests.watched import Watch

def in_place(folder):
    try:
        with (folder / "a.txt").open("w") as out:
            out.write("new")
    except OSError as error:
        raise StorageError(str(error)) from error

def late(folder):
    replace_text(folder / "a.txt", "new")
    try:
        (folder / "a.txt").read_text()
    except OSError as error:
        raise StorageError(str(error)) from error

ways = {
    "careful": lambda folder: replace_text(folder / "a.txt", "new"),
    "in place": in_place,
    "late": late,
    "leaking": lambda folder: (folder / "b.txt").write_text("x"),
}
place, found = Path(sys.argv[1]), {}
for name, way in ways.items():
    trial = Trial(Operation(name, {"a.txt": b"old"}, way, tree), place / name)
    fault = Fault("read", 0, errno.EIO) if name == "late" else Fault("write", 0, errno.ENOSPC, lasting=True)
    try:
        trial.run(fault, Watch(place).counter(COUNTED))
        found[name] = "whole"
    except Found as error:
        found[name] = str(error)
print(json.dumps(found))
"""


def with_faults(tmp_path: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        **inject.preloaded(inject.compiled(tmp_path)),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@needs_compiler
@pytest.mark.slow
def test_careless_writers_are_found_and_a_careful_one_is_not(tmp_path: Path) -> None:
    run = with_faults(tmp_path, "-c", _CAREFUL, str(tmp_path))
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["careful"] == "whole"
    assert "half is there" in found["in place"]
    assert "it was done" in found["late"]
    assert "No space left on device" in found["leaking"]


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("group", ["indexes", "folders", "studies", "readers"])
def test_what_fails_leaves_the_old_or_the_new_and_says_so(tmp_path: Path, group: str) -> None:
    # Faults of memory belong to `make faults`: where Python itself runs out, even a `finally` may not run.
    asked = ["--group", group, "--most", "2", "--limit", "120", "--without", "malloc", "object"]
    run = with_faults(tmp_path, "-m", "tests.faults", *asked)
    assert run.returncode == 0, run.stdout + run.stderr


def test_every_kind_of_call_fails_in_each_of_its_ways() -> None:
    made = list(faults(dict.fromkeys(KINDS, 2), 10))
    assert {(fault.kind, fault.error) for fault in made} == {(k, e) for k in KINDS for e in ERRORS[k]}
    assert Fault("write", 1, ERRORS["write"][0], lasting=True) in made
    assert str(made[0]) == "EMFILE at open 0"
    many = [fault.n for fault in faults({"fork": 1000}, 4) if not fault.lasting]
    assert sorted(set(many)) == [0, 250, 500, 750]


def test_a_refusal_is_one_of_ours_in_one_line() -> None:
    from tests.faults.__main__ import Found, _require_clean

    _require_clean(StorageError("the disk is full: free some room"))
    _require_clean(MemoryError())
    for error in (OSError("raw"), StorageError("two\nlines"), StorageError("")):
        with pytest.raises(Found):
            _require_clean(error)
