"""The watch over attacked processes sees crashes, hangs, hunger and errors, and goes on after each."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.watched import GIB, Counter, Watch

pytestmark = pytest.mark.skipif(os.name != "posix", reason="forks")


def _cases(_: Path, count: Counter) -> Any:
    def case(n: int) -> None:
        if n == 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        elif n == 2:
            time.sleep(60)
        elif n == 3:
            bytearray(4 * GIB)
        elif n == 4:
            raise KeyError("no refusal")
        count.add("sound")

    return case


def test_nothing_escapes_the_watch(tmp_path: Path) -> None:
    found = Watch(tmp_path, workers=2, limit=1.0).run(_cases, ("sound",), goal=10)
    assert found.crashes == ["case 1: SIGSEGV"]
    assert found.hangs == ["case 2: over 1 seconds"]
    assert [line.split(" at ")[0] for line in sorted(found.failures)] == [
        "case 3: MemoryError",
        "case 4: KeyError",
    ]
    assert found.counts == {"sound": 6}
