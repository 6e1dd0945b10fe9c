"""Compiled functions without a folder to keep them in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lexicloud.compiled import njit

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
