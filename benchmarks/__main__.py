"""Run benchmarks, each in a process of its own, and write docs/benchmarks.md from the results.

python -m benchmarks                  # all of benchmarks/speed
python -m benchmarks truth            # all of benchmarks/truth: hours
python -m benchmarks text verification truth.attribution
"""

from __future__ import annotations

import subprocess
import sys

from benchmarks.record import ROOT

KINDS = ("speed", "truth")


def modules(kind: str) -> list[str]:
    """Return the benchmarks of a kind, as `speed.text`."""
    return sorted(f"{kind}.{file.stem}" for file in (ROOT / "benchmarks" / kind).glob("[!_]*.py"))


def chosen(wanted: list[str]) -> list[str]:
    """Return the benchmarks that are meant: kinds, names with their kind, or names (speed before truth)."""
    known = {module: module for kind in reversed(KINDS) for module in modules(kind)}
    by_name = {module.split(".")[1]: module for module in known} | known
    found: list[str] = []
    for word in wanted or ["speed"]:
        found += modules(word) if word in KINDS else [by_name[word]]
    return list(dict.fromkeys(found))


def main(wanted: list[str]) -> int:
    """Run what is wanted; 1 if one failed, 2 if there is none of that name."""
    if {"-h", "--help"} & set(wanted):
        print(__doc__)
        return 0
    try:
        asked = chosen(wanted)
    except KeyError as error:
        there = ", ".join(module for kind in KINDS for module in modules(kind))
        print(f"no benchmark named {error}; there are {there}", file=sys.stderr)
        return 2
    failed = []
    for module in asked:
        print(f"\n== {module}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{module}"], cwd=ROOT, check=False).returncode:
            failed.append(module)
    from benchmarks.make.benchmarks_page import PAGE, page

    PAGE.write_text(page(), encoding="utf-8")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
