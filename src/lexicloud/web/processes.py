"""Work in a process of its own, with limits of time and memory, which can be killed.

The process is a fork of the server. It shares the server's memory, so it starts within milliseconds with every index
open and every module imported, and any function can run in it. What it changes is lost; its result is sent as JSON. A
fork copies locks as they are, so a `Gate` stops searches for the moment of a fork. A copy that hangs all the same,
because another thread held a lock, uses no processor time, is killed and made again.

Linux only. Elsewhere the numerical libraries do not survive a fork, and work runs in a thread, which ends where it
next reports its progress.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import struct
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING, Any, Final, NoReturn

from lexicloud.compiled import COMPILING
from lexicloud.progress import reporting
from lexicloud.result import as_json
from lexicloud.web.faults import Fault, fault_of

if TYPE_CHECKING:
    from threading import Event

AVAILABLE: Final = sys.platform == "linux" and Path("/proc/self/statm").exists()
_HEAD: Final = struct.Struct("!cQ")  # the kind and the length of a message
_RESULT, _FAULT, _PROGRESS, _NOTE = b"r", b"f", b"p", b"n"
_EVERY: Final = 0.1  # seconds between two reports of progress, and between two checks whether to stop
_IMPORTS: Final = 2.0  # seconds that a fork waits for imports to end
_BEHIND: Final = 5.0  # seconds that a fork waits for what goes on behind the searches
_TRIES: Final = 3
_STUCK: Final = 3  # seconds asleep without any processor time
_PATIENCE: Final = 1.0  # seconds that a fork waits for searches to end
_LONGER: Final = 12  # times as long where a fork beside other work could hang the server
_DEATH_SIGNAL: Final = 1  # prctl's PR_SET_PDEATHSIG


class Stopped(Exception):
    """Raised where work was told to stop."""


@dataclass(frozen=True)
class Encoded:
    """An answer as JSON, encoded in the process that computed it."""

    data: bytes

    @property
    def value(self) -> Any:
        """The answer itself."""
        return json.loads(self.data)


class Gate:
    """Lets either many threads work or one fork: a lock that a thread holds would stay locked for ever in the copy."""

    def __init__(self) -> None:
        self.behind = COMPILING  # held by background work, which may take seconds
        self._changed = Condition()
        self._inside = 0
        self._forking = False

    @contextmanager
    def working(self) -> Iterator[None]:
        """Hold off forks while the block runs."""
        with self._changed:
            self._changed.wait_for(lambda: not self._forking)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Fork while nobody works; after some time do so all the same, since a copy that hangs is made again.

        Where OpenBLAS has threads, 503 is the answer then. It ends them before a fork; if another thread wakes them at
        that moment, the fork never returns, and the server hangs. `lexicloud serve` gives it none.
        """
        safe = os.environ.get("OPENBLAS_NUM_THREADS") == "1"
        longer = 1 if safe else _LONGER
        quiet = self.behind.acquire(timeout=_BEHIND * longer)
        try:
            if not (quiet or safe):
                raise _busy()
            with self._nobody_inside(_PATIENCE * longer, safe=safe):
                yield
        finally:
            if quiet:
                self.behind.release()

    @contextmanager
    def _nobody_inside(self, patience: float, *, safe: bool) -> Iterator[None]:
        end = time.monotonic() + _IMPORTS
        while _importing() and time.monotonic() < end:
            time.sleep(0.005)
        with self._changed:
            self._changed.wait_for(lambda: not self._forking)
            self._forking = True
            nobody = self._changed.wait_for(lambda: self._inside == 0, patience)
        try:
            if not (nobody or safe):
                raise _busy()
            yield
        finally:
            with self._changed:
                self._forking = False
                self._changed.notify_all()


@dataclass
class Task:
    """What to run in a new process, its limits of time and memory, and the functions to call."""

    work: Callable[[], Any]
    stop: Event
    deadline: float  # by time.monotonic
    memory: int  # bytes in addition to those shared with the server
    progress: Callable[[str, int, int | None], None]
    begin: Callable[[], None] = lambda: None  # runs first in the new process
    notes: list[str] = field(default_factory=list)  # names of what the work had to prepare first


def run(task: Task, gate: Gate) -> Encoded:
    """Run a task in a new process and return its answer; `Stopped` and `Fault` say why there is none."""
    for _ in range(_TRIES):
        try:
            return _run(task, gate)
        except _Stuck:
            task.notes.clear()
    raise Fault(503, "the work got stuck on this server", "send it again")


def _run(task: Task, gate: Gate) -> Encoded:
    reading, writing = os.pipe()
    try:
        with gate.alone():
            child = _fork()
            if child == 0:
                _child(task, writing)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    try:
        return _followed(task, reading, _Pulse(child))
    finally:
        os.close(reading)
        _kill(child)


def _fork() -> int:
    """Fork while no thread compiles: numba's lock cannot be renewed in the copy."""
    compiling = sys.modules.get("numba.core.compiler_lock")
    nobody_compiles = contextlib.nullcontext() if compiling is None else compiling.global_compiler_lock
    with nobody_compiles, warnings.catch_warnings():
        # Python 3.12 warns of forks in a process with threads; the gate and the limit of time allow for the danger.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            return os.fork()
        except OSError as error:
            raise Fault(503, f"no process could be started ({error.strerror})") from None


def _importing() -> bool:
    """Tell whether a module is being imported at this moment."""
    specs = (getattr(module, "__spec__", None) for module in list(sys.modules.values()))
    return any(getattr(spec, "_initializing", False) for spec in specs)


def _kill(child: int) -> None:
    """Kill a process and those it started, and wait until it is gone."""
    for send in (os.killpg, os.kill):  # it may not have its own group yet
        with contextlib.suppress(ProcessLookupError, PermissionError):
            send(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


# ---- in the server


class _Stuck(Exception):
    """Raised where a process waits for a lock that nobody will release."""


class _Pulse:
    """Watches whether a process is stuck: asleep for seconds without using any processor time."""

    def __init__(self, child: int) -> None:
        self._file = Path(f"/proc/{child}/stat")
        self._looked, self._used, self._still = time.monotonic(), "", 0

    def check(self) -> None:
        """Look once a second; raise `_Stuck` if the process is stuck."""
        if time.monotonic() - self._looked < 1:
            return
        self._looked = time.monotonic()
        with contextlib.suppress(OSError):
            state, *numbers = self._file.read_text().rpartition(")")[2].split()
            used = " ".join(numbers[10:12])  # its ticks of user and of system time
            self._still = self._still + 1 if (state, used) == ("S", self._used) else 0
            self._used = used
        if self._still >= _STUCK:
            raise _Stuck


def _followed(task: Task, reading: int, pulse: _Pulse) -> Encoded:
    """Read messages until the answer arrives or the time is over."""
    found = bytearray()
    ready = select.poll()
    ready.register(reading, select.POLLIN)
    while True:
        if task.stop.is_set():
            raise Stopped
        left = task.deadline - time.monotonic()
        if left <= 0:
            raise too_long()
        if not ready.poll(1000 * min(left, _EVERY)):
            pulse.check()
            continue
        piece = os.read(reading, 1 << 20)
        if not piece:
            raise Fault(
                503,
                "the work ended before its time, most likely for want of memory",
                "send shorter or fewer texts",
            )
        found += piece
        for kind, data in _messages(found):
            if kind == _RESULT:
                return Encoded(data)
            _heard(task, kind, json.loads(data))


def _messages(found: bytearray) -> Iterator[tuple[bytes, bytes]]:
    """Yield complete messages and remove them from `found`."""
    while len(found) >= _HEAD.size:
        kind, size = _HEAD.unpack_from(found)
        end = _HEAD.size + size
        if len(found) < end:
            return
        data = bytes(found[_HEAD.size : end])
        del found[:end]
        yield kind, data


def _heard(task: Task, kind: bytes, message: Any) -> None:
    if kind == _FAULT:
        raise Fault(**message)
    if kind == _NOTE:
        task.notes.append(message)
    else:
        task.progress(message["stage"], message["done"], message["total"])


def _busy() -> Fault:
    return Fault(503, "the server is busy with other work", "try again in a minute")


def too_long() -> Fault:
    """Return the fault for work that takes longer than it may."""
    return Fault(503, "the work took longer than this server allows", "send shorter or fewer texts")


# ---- in the new process


class _Voice:
    """Sends messages from a process to the server."""

    def __init__(self, writing: int) -> None:
        self._writing = writing
        self._last = 0.0
        self._stage: tuple[str, int, int | None] = ("", 0, None)

    def say(self, kind: bytes, data: bytes) -> None:
        """Send a whole message."""
        left = memoryview(_HEAD.pack(kind, len(data)) + data)
        while left:
            left = left[os.write(self._writing, left) :]

    def start(self, description: str, total: int | None) -> int:
        """Begin a stage of the work."""
        self._stage = description, 0, total
        self._report()
        return 0

    def advance(self, bar: int, steps: int) -> None:  # noqa: ARG002 — the shape of a reporter
        """Move on within the stage."""
        stage, done, total = self._stage
        self._stage = stage, done + steps, total
        if time.monotonic() - self._last > _EVERY:
            self._report()

    def finish(self, bar: int) -> None:
        """Do nothing: the next stage replaces this one."""

    def _report(self) -> None:
        stage, done, total = self._stage
        self._last = time.monotonic()
        self.say(_PROGRESS, json.dumps({"stage": stage, "done": done, "total": total}).encode())


_voice: _Voice | None = None  # only in a process that was forked for a task


def note(done: str) -> None:
    """Tell the server what the work had to prepare first; does nothing in the server itself."""
    if _voice is not None:
        _voice.say(_NOTE, json.dumps(done).encode())


def _child(task: Task, writing: int) -> NoReturn:
    global _voice  # noqa: PLW0603 — one process, one task
    try:
        _settle(writing)
        _limit(task)
        task.begin()
        _voice = _Voice(writing)
        with reporting(_voice):
            data = as_json(task.work()).encode("utf-8", "replace")
        _voice.say(_RESULT, data)
    except BaseException as error:  # the copy must not go on as a second server
        with contextlib.suppress(BaseException):
            fault = fault_of(error if isinstance(error, Exception) else RuntimeError(repr(error)))
            (_voice or _Voice(writing)).say(_FAULT, json.dumps(fault.parts()).encode())
    finally:
        os._exit(0)


def _settle(writing: int) -> None:
    """Leave the server's process group, signal handlers, files and connections, which are the server's to close."""
    os.setpgid(0, 0)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.closerange(3, writing)
    os.closerange(writing + 1, os.sysconf("SC_OPEN_MAX"))
    gc.freeze()  # a garbage collection of shared memory would copy it


def _limit(task: Task) -> None:
    """Bound memory and processor time, and die with the server."""
    import ctypes
    import resource

    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
    with open("/proc/self/statm") as file:  # noqa: PTH123
        shared = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (shared + task.memory,) * 2)
    seconds = max(1, int(task.deadline - time.monotonic())) * (os.cpu_count() or 1) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
