"""The commands on a cluster of real processes say what they say on one machine."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cluster.test_index import write

pytestmark = pytest.mark.slow


def lexicloud(*arguments):
    command = [sys.executable, "-m", "lexicloud", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)


def answered(*arguments):
    done = lexicloud(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_commands_answer_the_same_on_a_cluster(lasting, tmp_path):
    texts, there = tmp_path / "texts", ("--cluster", lasting.address)
    write(texts, 0, 10)
    one, found = (answered("matrix", texts, *more) for more in ((), there))
    assert found["names"] == one["names"]
    for mine, theirs in zip(found["values"], one["values"], strict=True):
        assert mine == pytest.approx(theirs, abs=1e-9)
    assert (
        answered("zipf", texts, "--samples", 0, *there)["ranks"]
        == answered("zipf", texts, "--samples", 0)["ranks"]
    )
    answered("index", "build", texts, "--out", tmp_path / "shards", *there)
    answered("index", "build", texts, "--out", tmp_path / "one")
    query = "the captain watched the storm"
    mine = answered("search", tmp_path / "shards", query, *there)["suggestions"]
    theirs = answered("search", tmp_path / "one", query)["suggestions"]
    assert [s["id"] for s in mine] == [s["id"] for s in theirs]
    done = lexicloud("search", tmp_path / "shards", query)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--cluster" in done.stderr


def test_a_scheduler_that_is_not_there_is_one_line(tmp_path):
    write(tmp_path / "texts", 0, 2)
    done = lexicloud("matrix", tmp_path / "texts", "--cluster", "tcp://127.0.0.1:9")
    assert done.returncode == 2
    assert "no Dask scheduler at tcp://127.0.0.1:9" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
