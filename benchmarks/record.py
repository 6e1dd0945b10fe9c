"""Results of benchmarks: JSON with the machine they were measured on."""

from __future__ import annotations

import json
import os
import platform
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SHARED = ROOT.parent / "shared" / "data"


def machine() -> dict[str, Any]:
    """Describe the machine, so that a ratio can be read with its context."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line
        ]
        model = names[0] if names else model
    return {
        "cpu": model,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def versions() -> dict[str, str]:
    """Return the versions of what is measured, and of what it is measured against."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    ours = ("lexicloud", "numpy", "scipy", "numba")
    for name in (*ours, "scikit-learn", "faiss-cpu", "bm25s", "nltk", "gensim", "distributed"):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def peak_mib() -> float:
    """Return this process's peak memory.

    Linux's own count of it: `ru_maxrss` of a child starts from what its parent held when it was started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        return int(lines["VmHWM"].split()[0]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def write(topic: str, results: dict[str, Any]) -> Path:
    """Write one topic's results and return the file."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{topic}.json"
    content = {"measured": datetime.now(UTC).strftime("%Y-%m-%d"), "machine": machine(), "results": results}
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def earlier(topic: str) -> dict[str, Any]:
    """Return the results that are there, so that a part can be measured again."""
    path = RESULTS / f"{topic}.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))["results"]) if path.exists() else {}
