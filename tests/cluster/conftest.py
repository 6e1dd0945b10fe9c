"""A scheduler and two workers as processes of their own, on free ports of the loopback, stopped at the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed")

HOST = "127.0.0.1"
ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120


class Machines:
    """Processes that stand for machines."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, list[subprocess.Popen[bytes]]()
        self.file = folder / "scheduler.json"
        self.scheduler = self.start(
            "dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file)
        )
        self.address = self._address()
        self.workers = [self.worker(), self.worker()]

    def start(self, module: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--host", HOST, *arguments]
        with (self.folder / f"{module}-{len(self.processes)}.log").open("wb") as log:
            # What tests send to workers is found by its module's name.
            path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
            own = os.environ | {"PYTHONPATH": path}
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=own)
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")

    def _address(self) -> str:
        limit = time.monotonic() + PATIENCE
        while time.monotonic() < limit:
            with suppress(OSError, ValueError):
                return str(json.loads(self.file.read_text())["address"])
            time.sleep(0.1)
        raise TimeoutError("the scheduler did not start")

    def stop(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait(10)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """The same for tests that kill nobody."""
    made = Machines(tmp_path_factory.mktemp("machines"))
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture(scope="module")
def client(lasting: Machines) -> Iterator[object]:
    from distributed import Client

    with Client(lasting.address, timeout=PATIENCE) as made:
        made.wait_for_workers(2, timeout=PATIENCE)
        yield made
