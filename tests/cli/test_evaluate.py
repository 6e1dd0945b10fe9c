"""`lexicloud evaluate` as a real process."""

from __future__ import annotations

import json
import subprocess

import pytest

from lexicloud.search import SentenceIndex
from tests.cli.command import lexicloud

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return lexicloud("evaluate", *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    who = ["the captain", "an old sailor", "her brother", "the doctor", "a young clerk"]
    what = ["watched the grey sea", "read a long letter", "lost his way home", "sang in the dark kitchen"]
    texts = [f"{a.capitalize()} {b} before the storm came." for a in who for b in what]
    path = tmp_path_factory.mktemp("evaluate") / "index"
    SentenceIndex.build(texts).save(path)
    return str(path)


def test_json_is_the_only_thing_on_stdout_and_repeats(folder):
    first, second = (run(folder, "--queries", "6", "--seed", "3", "--json") for _ in range(2))
    assert first.returncode == 0, first.stderr
    found = json.loads(first.stdout)
    assert found["queries"] == 6
    assert set(found["unique_percent"]) == {"setcover", "average", "wmd", "jaccard", "levenshtein"}
    assert first.stdout == second.stdout


def test_two_tables(folder):
    shown = run(folder, "--queries", "4", "--methods", "setcover,bm25")
    assert shown.returncode == 0, shown.stderr
    assert "no other method made" in shown.stdout
    assert "pairwise Jaccard" in shown.stdout
    assert "bm25" in shown.stdout


def test_mistakes_are_one_line(folder):
    wrong = run(folder, "--methods", "setcover,lucene")
    assert wrong.returncode == 2
    assert wrong.stderr.count("\n") == 1
    assert "no method 'lucene'" in wrong.stderr or "no method lucene" in wrong.stderr


def test_help_has_an_example():
    assert "lexicloud evaluate books.index" in run("--help").stdout
