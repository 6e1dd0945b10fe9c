"""Fail every call to the system in turn while each public operation runs, and look at what is left.

`python -m tests.faults` runs all of it, `--only 'index: add'` the operations whose name holds this, `--most 10` at most
so many calls of each kind, `--case 'index: add' open 3 EMFILE` one case with its traceback. Prints one JSON object for
each operation, and ends with 1 if anything was lost, half-written, told as what it is not, or no clean refusal.
"""

from __future__ import annotations

import argparse
import errno
import gc
import json
import logging
import os
import re
import sys
import tempfile
import traceback
import warnings
from collections import Counter as Tally
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lexicloud.errors import LexicloudError
from lexicloud.web.faults import Fault as Answer
from tests.faults import inject
from tests.faults.inject import MEMORY, Fault
from tests.faults.operations import GROUPS, NotPrinted, Operation, Refused, operations, put_back, rubbish
from tests.watched import Counter, Watch

COUNTED: Final = ("done", "refused", "out of memory or threads", "done, told as out of memory", "not reached")


class Found(AssertionError):
    """What a fault brought to light."""


class Trial:
    """One operation, what it comes to without a fault, and how each fault is judged."""

    def __init__(self, operation: Operation, folder: Path) -> None:
        self.operation, self.folder = operation, folder
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(2):  # imports and compiles everything
            begun = self._begun()
            self.old = operation.state(folder)
            self.value = operation.do(begun)
            self.new = operation.state(folder)
        begun = self._begun()
        inject.arm(None)
        try:
            operation.do(begun)
        finally:
            inject.disarm()
        self.calls = inject.calls()

    def _begun(self) -> Any:
        put_back(self.folder, self.operation.files)
        return self.operation.begin(self.folder)

    def run(self, fault: Fault, count: Counter) -> None:
        """Let one fault happen, and raise what is not as it should be."""
        begun = self._begun()
        value, error, hits = self._failed(begun, fault)
        if not hits:
            count.add("not reached")
        state = self.operation.state(self.folder)
        if error is None:
            count.add("done")
            if state != self.new or value != self.value:
                raise Found(
                    f"done, and {'something else' if state == self.new else 'not all of it'} is there"
                )
            return
        short = fault.kind in MEMORY or _is_shortage(error)
        count.add("out of memory or threads" if short else "refused")
        if fault.kind not in MEMORY:  # without memory Python itself may say anything
            _require_clean(error)
        if fault.kind in MEMORY and state == self.new != self.old:
            # Python itself needs memory to return; a change that it then cannot tell of is whole all the same.
            count.add("done, told as out of memory")
            return
        if isinstance(error, NotPrinted) and state == self.new:
            return  # the work is done, and said to be
        if not self.operation.several and state != self.old:
            raise Found(
                f"told that it failed, and {'it was done' if state == self.new else 'half is there'}: {error}"
            )
        if self.operation.again:
            self._again(self._begun() if short else begun)

    def _failed(self, begun: Any, fault: Fault) -> tuple[Any, BaseException | None, int]:
        value, error = None, None
        gc.disable()  # what is collected closes files, at no call of its own
        inject.arm(fault)
        try:
            value = self.operation.do(begun)
        except BaseException as raised:  # anything at all is judged
            error = raised
        finally:
            hits = inject.disarm()
            gc.enable()
        return value, error, hits

    def _again(self, begun: Any) -> None:
        """What was refused can be done afterwards, and leaves no rubbish."""
        if self.operation.several:
            begun = self.operation.begin(self.folder)
        try:
            value = self.operation.do(begun)
        except Exception as error:
            raise Found(f"refused again without a fault: {type(error).__name__}: {error}") from error
        if self.operation.state(self.folder) != self.new or (value != self.value):
            raise Found("the second time something else came of it")
        if left := rubbish(self.folder):
            raise Found(f"rubbish is left: {left[:3]}")


def _require_clean(error: BaseException) -> None:
    """A refusal is an error of ours, or what Python says where memory or threads are short, in one line."""
    if _is_shortage(error):
        return
    if not isinstance(error, LexicloudError | Refused | Answer):
        raise Found(f"{_place(error)}: {type(error).__name__}: {error}")
    if not str(error).strip() or "\n" in str(error):
        raise Found(f"no single line: {error!r}")


def _is_shortage(error: BaseException) -> bool:
    return isinstance(error, MemoryError) or "start new thread" in str(error)


def _place(error: BaseException) -> str:
    """Return the innermost line of ours that an error came through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "lexicloud" in f.filename]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "outside"


def tried(operation: Operation, asked: argparse.Namespace, scratch: Path) -> bool:
    """Let every fault happen to one operation, print the counts, and tell whether anything was found."""
    trial = Trial(operation, scratch / "trial")
    faults = list(inject.faults(trial.calls, min(asked.most or operation.most, operation.most)))
    faults = [fault for fault in faults if asked.kind in fault.kind and fault.kind not in asked.without]
    faults = [fault for fault in faults if operation.takes(fault)][:: asked.part]

    def make(folder: Path, count: Counter) -> Callable[[int], None]:
        mine = trial
        mine.folder = folder / "trial"
        mine.folder.mkdir(exist_ok=True)
        return lambda n: mine.run(faults[n], count)

    found = Watch(scratch, asked.workers, asked.limit).run(make, COUNTED, goal=len(faults))
    troubles = found.failures + found.crashes + found.hangs
    told = {
        "operation": operation.name,
        "faults": len(faults),
        **{name: n for name, n in found.counts.items() if n},
        "troubles": len(troubles),
        "longest s": round(found.longest, 2),
    }
    print(json.dumps(told), flush=True)
    for line in _grouped(troubles, faults)[: asked.show]:
        print("  ", line, flush=True)
    return bool(troubles)


def _grouped(troubles: list[str], faults: list[Fault]) -> list[str]:
    """Put troubles of one kind together, the commonest first, with the first fault of each."""
    first: dict[str, str] = {}
    tally: Tally[str] = Tally()
    for line in troubles:
        number, _, what = re.sub(r"/\S*worker\d+|/\S*scratch", "…", line).partition(": ")
        n = int(number.removeprefix("case "))
        kind = faults[n].kind if n >= 0 else "worker"
        tally[f"{kind}: {what}"] += 1
        first.setdefault(f"{kind}: {what}", str(faults[n]) if n >= 0 else "")
    return [f"{times} × {what} [{first[what]}]" for what, times in tally.most_common()]


def once(words: list[str], groups: list[str], scratch: Path) -> int:
    """Run one case here, with its traceback."""
    name, kind, n, what = words[:4]
    operation = next(o for o in operations(scratch / "made", groups) if name in o.name)
    trial = Trial(operation, scratch / "trial")
    error = 0 if what == "PARTIAL" else int(getattr(errno, what))
    trial.run(Fault(kind, int(n), error, lasting=len(words) > 4), Watch(scratch).counter(COUNTED))
    return 0


def main() -> int:
    """Read the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="operations whose name holds this")
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=[], help="operations of these groups")
    parser.add_argument("--kind", default="", help="calls of this kind alone")
    parser.add_argument("--without", nargs="+", default=[], help="all calls but those of these kinds")
    parser.add_argument("--most", type=int, help="at most so many calls of each kind")
    parser.add_argument("--part", type=int, default=1, help="every so many-th fault alone")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that a case may take")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--show", type=int, default=8, help="how many kinds of trouble to show")
    parser.add_argument(
        "--case", nargs="+", help="operation, kind, number, error and, for a lasting one, any word"
    )
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    sys.unraisablehook = lambda _: None  # what libraries swallow, they swallow
    room = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # a folder in memory
    with tempfile.TemporaryDirectory(dir=room) as name:
        if asked.case:
            return once(asked.case, asked.group, Path(name))
        made = operations(Path(name) / "made", asked.group)
        found = [tried(operation, asked, Path(name)) for operation in made if asked.only in operation.name]
    return int(any(found))


if __name__ == "__main__":
    if not inject.is_loaded():
        inject.start("tests.faults", sys.argv[1:])
    sys.exit(main())
