"""Run cases in processes under watch: a crash of the interpreter, a hang in compiled code and hunger are results.

A case is a number; the same number and seed make the same case. Each worker is forked, may take `memory` bytes, and
writes the number of its case and when it began into memory that the watcher shares. A worker that dies is replaced by
one that goes on with the next case; one that takes too long is killed.
"""

from __future__ import annotations

import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from typing import Any, Final

GIB: Final = 1 << 30
_ROW: Final = struct.Struct("qddq")  # case, when it began, the longest seconds so far, how many were done
_POLL: Final = 0.05


@dataclass
class Outcome:
    """What became of the cases."""

    cases: int = 0
    longest: float = 0.0
    peak: int = 0  # bytes of the hungriest worker
    failures: list[str] = field(default_factory=list)
    crashes: list[str] = field(default_factory=list)
    hangs: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


class Counter:
    """Counts that outlive the worker that counted."""

    def __init__(self, names: tuple[str, ...], shared: mmap, offset: int) -> None:
        self._places = {name: offset + 8 * i for i, name in enumerate(names)}
        self._shared = shared

    def add(self, name: str, n: int = 1) -> None:
        place = self._places[name]
        (old,) = struct.unpack_from("q", self._shared, place)
        struct.pack_into("q", self._shared, place, old + n)

    def read(self) -> dict[str, int]:
        return {name: struct.unpack_from("q", self._shared, p)[0] for name, p in self._places.items()}


@dataclass
class Watch:
    """How many workers there are and what they may take."""

    scratch: Path
    workers: int = 2
    limit: float = 10.0  # seconds that a case may take
    memory: int = 2 * GIB

    def counter(self, names: tuple[str, ...]) -> Counter:
        """Return counts of one's own, for a case that is run here."""
        return Counter(names, mmap(-1, 8 * len(names)), 0)

    def run(
        self,
        make: Callable[[Path, Counter], Callable[[int], Any]],
        names: tuple[str, ...],
        *,
        seconds: float | None = None,
        goal: int | None = None,
    ) -> Outcome:
        """Let each worker `make` its case function (for a folder of its own) and run it until time or cases are up."""
        rounds = _Round(self, make, names, None if seconds is None else time.monotonic() + seconds, goal)
        try:
            return rounds.run()
        finally:
            rounds.end()


class _Round:
    def __init__(
        self, watch: Watch, make: Any, names: tuple[str, ...], end: float | None, goal: int | None
    ) -> None:
        self.watch, self.make, self.until, self.goal = watch, make, end, goal
        row = _ROW.size + 8 * len(names)
        self.shared = mmap(-1, row * watch.workers)
        self.rows = [row * w for w in range(watch.workers)]
        self.counters = [Counter(names, self.shared, offset + _ROW.size) for offset in self.rows]
        self.said = watch.scratch / "said"
        self.said.write_text("", encoding="utf-8")
        self.pids: dict[int, int] = {}
        self.outcome = Outcome()

    def run(self) -> Outcome:
        for worker in range(self.watch.workers):
            self._start(worker, worker)
        while self.pids:
            time.sleep(_POLL)
            self._stop_the_slow()
            self._bury()
        out = self.outcome
        rows = [_ROW.unpack_from(self.shared, offset) for offset in self.rows]
        out.cases = sum(row[3] for row in rows)
        out.longest = max(out.longest, *(row[2] for row in rows))
        out.failures = self.said.read_text(encoding="utf-8").splitlines()
        for counter in self.counters:
            for name, n in counter.read().items():
                out.counts[name] = out.counts.get(name, 0) + n
        return out

    def end(self) -> None:
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    def _start(self, worker: int, case: int) -> None:
        sys.stdout.flush()
        self._write(worker, case, time.monotonic())
        pid = os.fork()
        if pid:
            self.pids[pid] = worker
            return
        code = 1
        try:
            self._work(worker, case)
            code = 0
        except BaseException as error:  # a worker must never return into its parent's code
            self._say(-1, error)
        finally:
            os._exit(code)

    def _work(self, worker: int, case: int) -> None:
        # What a process may write to; libraries and mapped files, which others share, are not counted.
        resource.setrlimit(resource.RLIMIT_DATA, (self.watch.memory, self.watch.memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        folder = self.watch.scratch / f"worker{worker}"
        folder.mkdir(exist_ok=True)
        do = self.make(folder, self.counters[worker])
        while not self._done(case):
            begin = time.monotonic()
            self._write(worker, case, begin)
            try:
                do(case)
            except Exception as error:  # anything but a refusal is what is looked for
                self._say(case, error)
            self._count(worker, time.monotonic() - begin)
            case += self.watch.workers

    def _done(self, case: int) -> bool:
        return (self.until is not None and time.monotonic() >= self.until) or (
            self.goal is not None and case >= self.goal
        )

    def _write(self, worker: int, case: int, begin: float) -> None:
        _, _, longest, done = _ROW.unpack_from(self.shared, self.rows[worker])
        _ROW.pack_into(self.shared, self.rows[worker], case, begin, longest, done)

    def _count(self, worker: int, seconds: float) -> None:
        case, begin, longest, done = _ROW.unpack_from(self.shared, self.rows[worker])
        _ROW.pack_into(self.shared, self.rows[worker], case, begin, max(longest, seconds), done + 1)

    def _say(self, case: int, error: BaseException) -> None:
        trace, where = error.__traceback__, ""
        while trace is not None:  # the innermost line
            where, trace = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}", trace.tb_next
        line = " ".join(f"case {case}: {type(error).__name__} at {where}: {error}".split())[:300]
        with self.said.open("a", encoding="utf-8", errors="replace") as out:
            out.write(line + "\n")

    def _stop_the_slow(self) -> None:
        for pid, worker in self.pids.items():
            case, begin, _, _ = _ROW.unpack_from(self.shared, self.rows[worker])
            if begin and time.monotonic() - begin > self.watch.limit:
                self.outcome.hangs.append(f"case {case}: over {self.watch.limit:g} seconds")
                _, _, longest, done = _ROW.unpack_from(self.shared, self.rows[worker])
                took = max(longest, time.monotonic() - begin)
                _ROW.pack_into(self.shared, self.rows[worker], case, 0.0, took, done + 1)
                os.kill(pid, signal.SIGKILL)

    def _bury(self) -> None:
        for pid in list(self.pids):
            found, status, used = os.wait4(pid, os.WNOHANG)
            if not found:
                continue
            worker = self.pids.pop(pid)
            self.outcome.peak = max(self.outcome.peak, used.ru_maxrss * 1024)
            case, begin, _, _ = _ROW.unpack_from(self.shared, self.rows[worker])
            if status == 0:
                continue
            if begin and os.WIFSIGNALED(status):
                self.outcome.crashes.append(f"case {case}: {signal.Signals(os.WTERMSIG(status)).name}")
            elif begin:
                self.outcome.crashes.append(f"case {case}: exit {os.waitstatus_to_exitcode(status)}")
            if (
                len(self.outcome.crashes) + len(self.outcome.hangs) < 100
            ):  # a broken attack need not run for ever
                self._start(worker, case + self.watch.workers)
