"""How soon a command answers: `lexicloud --help` against `python -c pass`.

python -m benchmarks.speed.start
"""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median
from typing import Any

from benchmarks.record import write


def seconds(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def run(repeats: int = 21) -> dict[str, Any]:
    times: dict[str, list[float]] = {"python -c pass": [], "lexicloud --help": []}
    for _ in range(repeats):
        times["python -c pass"].append(seconds("-c", "pass"))
        times["lexicloud --help"].append(seconds("-m", "lexicloud", "--help"))
    middle = {name: median(values) for name, values in times.items()}
    return {
        "milliseconds": {name: round(1000 * value, 1) for name, value in middle.items()},
        "lexicloud --help, times python -c pass": round(
            middle["lexicloud --help"] / middle["python -c pass"], 2
        ),
    }


if __name__ == "__main__":
    found = run()
    print(found)
    write("start", found)
