"""What workers are told before their first job."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PAGES = """
import resource, sys
import numpy as np
from lexicloud.cluster.workers import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
np.ones(2**20).sum()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(50):
    np.ones(2**20).sum()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it counts pages asked of Linux")
def test_freed_memory_is_used_again_where_dask_gives_it_back():
    told = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "65536"}
    pages = {
        way: int(subprocess.check_output([sys.executable, "-c", PAGES, way], env=told, text=True))
        for way in ("as it is", "kept")
    }
    # 50 arrays of 8 MiB are 102,400 pages where each is asked for anew.
    assert pages["kept"] < pages["as it is"] / 10
