"""Compiled functions without a folder to keep them in."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from lexicloud import compiled
from lexicloud.compiled import Beside, is_kept, njit

numba_caching = pytest.importorskip("numba.core.caching")


def double(x: float) -> float:
    return 2 * x


def test_nowhere_to_keep_machine_code_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba_caching.CompileResultCacheImpl, "_locator_classes", [])
    assert njit(nogil=True)(double)(3.0) == 6.0


def test_a_cache_that_cannot_be_read_or_written_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba_caching.IndexDataCacheFile, "load", fail)
    monkeypatch.setattr(numba_caching.IndexDataCacheFile, "save", fail)
    assert njit(nogil=True)(double)(4.0) == 8.0


def test_every_compiled_file_goes_through_it() -> None:
    home = Path(__file__).resolve().parents[1] / "src" / "lexicloud"
    kernels = sorted(home.rglob("*_numba.py"))
    assert len(kernels) > 5
    assert [k.name for k in kernels if "from numba import njit" in k.read_text(encoding="utf-8")] == []


def test_loops_are_compiled_once_many_texts_were_looked_at_without(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    small, large = Beside(lambda: iter(())), Beside(lambda: iter(()))
    monkeypatch.setattr(small, "start", lambda: begun.append("small"))
    monkeypatch.setattr(large, "start", lambda: begun.append("large"))
    for _ in range(15):
        small.after(57_000)  # the demo's queries: compiling would take longer than all of them
    large.after(10_000_000)  # one query of a process is never worth it
    assert begun == []
    large.after(10_000_000)
    assert begun == ["large"]


def test_loops_compiled_before_are_loaded_sooner_and_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "is_kept", lambda module: module == "kept")
    kept, new = Beside(lambda: iter(()), "kept"), Beside(lambda: iter(()), "new")
    for loops in (kept, new):
        loops.after(240_000)  # a single query does without
        assert not loops.ready
        loops.after(240_000)
    assert kept.ready
    assert not new.ready


def test_machine_code_counts_that_is_newer_than_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "some_loops.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    assert not is_kept("some_loops")
    code = (
        tmp_path
        / "cache"
        / "a"
        / f"some_loops.fill-3.py{sys.version_info.major}{sys.version_info.minor}.1.nbi"
    )
    code.parent.mkdir(parents=True)
    code.write_bytes(b"")
    assert is_kept("some_loops")
    os.utime(code, (0, 0))
    assert not is_kept("some_loops")
    assert not is_kept("no_such_loops")


def test_compiled_loops_assign_no_slices_to_slices() -> None:
    """Numba takes more than a second to compile one, for the words of an error that cannot occur."""
    home = Path(__file__).resolve().parents[1] / "src" / "lexicloud"
    found = [
        f"{file.name}: {line.strip()}"
        for file in sorted(home.rglob("*_numba.py"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"\w\[[^]]*:[^]]*\] [-+*/]?= (?!0$|False$|np\.inf$)", line)
    ]
    assert found == []
