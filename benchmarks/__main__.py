"""Run every benchmark, or those named: `python -m benchmarks [text vectors …]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NOT_RUN = {"record", "reference_pairs"}  # the second writes into the package, on purpose only


def main(wanted: list[str]) -> int:
    """Run each benchmark in a process of its own, so that none leaves memory or threads to the next."""
    modules = sorted(
        p.stem for p in HERE.glob("*.py") if not p.stem.startswith("_") and p.stem not in NOT_RUN
    )
    chosen = [m for m in modules if not wanted or m in wanted or m.removeprefix("bench_") in wanted]
    if not chosen:
        print(f"no benchmark named {' '.join(wanted)}; there are {', '.join(modules)}", file=sys.stderr)
        return 2
    failed = []
    for module in chosen:
        print(f"\n== {module}", flush=True)
        if subprocess.run(
            [sys.executable, "-m", f"benchmarks.{module}"], cwd=HERE.parent, check=False
        ).returncode:
            failed.append(module)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
