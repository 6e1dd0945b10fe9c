"""The command line as a user meets it: real processes, their output, their errors, their exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from lexicloud.cli import COMMANDS
from lexicloud.result import plain
from tests.cli.command import lexicloud
from tests.texts import TEXTS


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (path / f"{name}.txt").write_text(text, encoding="utf-8")
    return path


def test_the_overview_names_every_command():
    done = lexicloud("--help")
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    assert "first:" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_has_help(command):
    done = lexicloud(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: lexicloud" in done.stdout
    assert re.findall(r"<[a-z]+[\[>]", done.stdout) == []  # no Python types


@pytest.mark.parametrize(
    ("line", "found"), [("lexicloud comp", "compare"), ("lexicloud compare --sym", "--symmetric")]
)
def test_the_shell_completes_commands_and_options(line, found):
    asked = {"_LEXICLOUD_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    done = subprocess.run(
        [sys.executable, "-m", "lexicloud"],
        env=os.environ | asked,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout.split(), done.stderr) == ([found], "")


def test_version():
    assert lexicloud("--version").stdout.startswith("lexicloud 0.")


def test_a_misspelt_command_is_answered_with_a_suggestion():
    done = lexicloud("comapre")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "lexicloud: error: no command 'comapre'; did you mean compare?\n"


def test_a_wrong_option_is_one_line_and_exit_2():
    done = lexicloud("neighbours", "--kk", "3", "whale")
    assert done.returncode == 2
    # Click writes it with a colon or with quotes, by its version.
    assert re.match("lexicloud: error: No such option:? '?--kk", done.stderr)
    assert done.stderr.count("\n") == 1


def test_a_missing_file_is_one_line_and_exit_2(tmp_path):
    done = lexicloud("corpus", "info", str(tmp_path / "nothing"))
    assert done.returncode == 2
    assert done.stderr == f"lexicloud: error: there is no file or folder {tmp_path / 'nothing'}\n"


def test_corpus_info_counts_and_names_what_was_lost(folder):
    done = lexicloud("corpus", "info", str(folder), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [d["name"] for d in found["documents"]] == sorted(TEXTS)
    assert found["tokens"] == sum(d["tokens"] for d in found["documents"])
    assert found["coverage"]["share"] > 0.99


def test_a_corpus_is_read_from_standard_input():
    done = lexicloud("corpus", "info", "-", stdin="A whale, a whale, and a zzyzxqq.")
    assert done.returncode == 0, done.stderr
    assert "1 documents, 10 tokens" in done.stdout
    assert "zzyzxqq (1)" in done.stdout


def test_neighbours_of_a_word_among_some_texts(folder):
    done = lexicloud("neighbours", "boat", "--corpus", str(folder), "--k", "3", "--json")
    assert done.returncode == 0, done.stderr
    assert {row["word"] for row in json.loads(done.stdout)} & {"ship", "ships", "fishing"}


def test_an_unknown_word_is_named():
    done = lexicloud("neighbours", "qwzzxy")
    assert done.returncode == 2
    assert done.stderr.startswith("lexicloud: error: no vector for 'qwzzxy'")


def test_plain_values_have_no_nan():
    assert plain({"a": (float("nan"), 1.0), "b": {float("inf")}}) == {"a": [None, 1.0], "b": [None]}


def test_a_system_without_threads_is_one_line(monkeypatch, capsys):
    from lexicloud.cli import main

    def refuse(*_, **__):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("lexicloud.vectors.load_vectors", refuse)
    with pytest.raises(SystemExit) as end:
        main(["neighbours", "whale"])
    assert end.value.code == 2
    assert capsys.readouterr().err.startswith("lexicloud: error: the system starts no more threads")
