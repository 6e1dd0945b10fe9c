"""Run a command as another processor would: `python -m tests.processors Haswell pytest -q tests/zipf`.

OpenBLAS chooses its kernels by the processor and NumPy its loops, and their sums differ in the last bits. No answer
may depend on these. A name is one of OpenBLAS's own: Haswell has AVX2, Nehalem and Prescott have neither AVX nor FMA.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np

WITH_AVX2 = {"Haswell", "Zen"}
WITHOUT = {"Nehalem", "Prescott"}


def environment(name: str) -> dict[str, str]:
    """Return the variables under which libraries take this machine for another."""
    loops = np._core._multiarray_umath.__cpu_dispatch__
    kept = {"AVX2", "FMA3", "X86_V3"} if name in WITH_AVX2 else set()
    found = np._core._multiarray_umath.__cpu_features__
    disabled = [loop for loop in loops if found.get(loop) and loop not in kept]
    return {"OPENBLAS_CORETYPE": name, "NPY_DISABLE_CPU_FEATURES": " ".join(disabled)}


def main(name: str, *command: str) -> int:
    if name not in WITH_AVX2 | WITHOUT:
        print(f"{name}: not one of {', '.join(sorted(WITH_AVX2 | WITHOUT))}", file=sys.stderr)
        return 2
    if platform.machine() not in {"x86_64", "AMD64"}:
        print(
            f"{name}: a processor of this kind ({platform.machine()}) cannot take its place", file=sys.stderr
        )
        return 0
    return subprocess.run(
        [sys.executable, "-m", *command], env=os.environ | environment(name), check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
