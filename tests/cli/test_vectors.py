"""`lexicloud vectors` as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture
def run(tmp_path):
    def run(*arguments, path=None):
        environment = {**os.environ, "LEXICLOUD_CACHE": str(tmp_path / "cache"), "COLUMNS": "120"}
        environment["PATH"] = path or environment["PATH"]
        command = [sys.executable, "-m", "lexicloud", "vectors", *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, check=False, cwd=tmp_path
        )

    return run


@pytest.mark.parametrize(
    "command", [[], ["list"], ["get"], ["info"], ["convert"], ["train"]], ids=lambda c: c[0] if c else "group"
)
def test_help_has_an_example(run, command):
    done = run(*command, "--help")
    assert done.returncode == 0
    assert f"lexicloud vectors {' '.join(command)}".strip() in " ".join(done.stdout.split())
    assert "Example" in done.stdout


def test_list(run):
    sources = json.loads(run("list", "--json").stdout)
    assert {s["name"] for s in sources} >= {"glove-6b-50d", "glove-840b-300d-34k", "glove-100d"}
    assert [s["name"] for s in sources if s["fetched"]] == ["glove-6b-50d"]
    shown = run("list").stdout
    assert "glove-840b-300d-34k  (not fetched)" in shown
    assert "PDDL" in shown


def test_convert_then_info(run, tmp_path):
    (tmp_path / "mine.vec").write_text("9 2\nking 1 2\nqueen 1 2.1\nking 5 5\nwater -3 1\n")
    done = run("convert", "mine.vec", "out", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["words"], report["dimension"]) == (3, 2)
    assert "duplicate words" in done.stderr
    facts = json.loads(run("info", "out", "--json").stdout)
    assert facts["fingerprint"] == report["fingerprint"]
    assert facts["nearest"]["king"][0][0] == "queen"
    assert sum(facts["repairs"].values()) == 2
    assert facts["bytes"] > 0
    shown = run("info", "mine.vec").stdout
    assert "3 words × 2 dimensions (text with header)" in shown
    assert "it says 9, the file has 4" in shown


def test_only_and_mistakes(run, tmp_path):
    (tmp_path / "mine.vec").write_text("a 1 2\nb 1 3\nc 4\n")
    (tmp_path / "words").write_text("b\n")
    assert "out: 1 words × 2" in run("convert", "mine.vec", "out", "--only", "words").stdout
    for arguments, message in (
        (("info", "mine.vec"), "mine.vec, line 3: 1 numbers, expected 2"),
        (("info", "absent"), "absent is no file, no folder and no name of the catalogue"),
        (("get", "absent"), "the catalogue has no vectors 'absent'"),
        (("info", "glove-100d"), "run lexicloud vectors get glove-100d"),
    ):
        done = run(*arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.startswith("lexicloud: error: ")
        assert message in done.stderr
        assert done.stderr.count("\n") == 1


def test_get(run, tmp_path):
    assert "is built in" in run("get", "glove-6b-50d").stdout
    done = run("get", "glove-100d", path=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("lexicloud: error: fetching glove-100d needs npm")
    assert done.stdout == ""


def test_train_writes_vectors_that_info_reads_and_says_how_good_they_are(run, tmp_path):
    lines = [
        "the ship left the harbour at dawn",
        "salt the soup and stir the pan",
        "the ship met a wave",
    ] * 40
    (tmp_path / "texts.txt").write_text("\n".join(lines))
    done = run("train", "texts.txt", "--out", "mine", "--dimension", 5, "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["words"], report["dimension"], report["compared_with"]) == (14, 5, "glove-6b-50d")
    assert json.loads(run("info", "mine", "--json").stdout)["words"] == 14
    again = run("train", "texts.txt", "--out", "again", "--dimension", 5)
    assert "use it with --vectors again" in again.stdout


def test_train_on_too_little_text_says_so(run, tmp_path):
    (tmp_path / "short.txt").write_text("one two three")
    done = run("train", "short.txt", "--out", "mine")
    assert done.returncode == 2
    assert "give more text" in done.stderr
    assert done.stderr.count("\n") == 1
