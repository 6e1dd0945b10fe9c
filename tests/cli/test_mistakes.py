"""What users do wrong, and what shells do to a command: one line each, never a traceback."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import new_process
from tests.cli.command import printed_bytes as lexicloud
from tests.texts import TEXTS


def refused(*arguments: object, stdin: bytes = b"") -> str:
    done = lexicloud(*arguments, stdin=stdin)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, done.stdout, len(lines)) == (2, b"", 1), done
    return lines[0]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("texts")
    for name, text in TEXTS.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table whose names look like markup, which a terminal library would take for it."""
    path = tmp_path_factory.mktemp("tables") / "odd.csv"
    rows = [f"[/b]{i},[/i]{i % 2},{text}" for i, text in enumerate(["the whale sang", "a ship sank"] * 2)]
    path.write_text("id,who,text\n" + "\n".join(rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "made"
    lines = b"The whale swam over the deep sea.\nA caf\xe9 stood by the sea wall.\n"  # Windows-1252
    assert lexicloud("index", "build", "-", "--out", path, stdin=lines).returncode == 0
    return path


def test_queries_in_another_encoding_are_read(index):
    done = lexicloud("search", index, "-", "--json", stdin=b"the caf\xe9 by the sea\n")
    found = json.loads(done.stdout)
    assert (done.returncode, found["query"]) == (0, "the café by the sea")
    assert "A café stood by the sea wall." in [s["text"] for s in found["suggestions"]]


def test_lines_in_another_encoding_are_read_where_memory_is_limited_too(tmp_path):
    made, lines = tmp_path / "made", b"A caf\xe9 stood by the sea.\n"
    build = ("index", "build", "-", "--language", "english", "--memory", "1G", "--out", made)
    assert lexicloud(*build, stdin=lines).returncode == 0
    assert "A café stood by the sea." in lexicloud("search", made, "a café by the sea").stdout.decode()


def test_keep_is_an_option_of_search(index):
    assert lexicloud("search", index, "whale", "--keep", "0").returncode == 0
    assert "cannot keep more than all" in refused("search", index, "whale", "--keep", "2")


def test_nothing_on_stdin_builds_no_index(tmp_path):
    assert "there is no text on standard input" in refused("index", "build", "-", "--out", tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("asked", "help"),
    [
        (["compare", "a.txt", "b.txt", "--method", "foo"], "compare"),
        (["compare", "a.txt", "b.txt", "--foo"], "compare"),
        (["index", "build"], "index build"),
        (["vectors", "get", "nope"], "vectors get"),
        (["vectors", "foo"], "vectors"),
        (["verify", "a.txt"], "verify"),
    ],
)
def test_a_mistake_leads_to_the_help_of_that_very_command(asked, help):  # noqa: A002
    assert refused(*asked).endswith(f"; see lexicloud {help} --help")


def test_an_answer_among_the_texts_is_said_to_be_read_by_the_next_run(tmp_path):
    for name in ("sea", "kitchen", "court"):
        (tmp_path / f"{name}.txt").write_text(TEXTS[name], encoding="utf-8")
    beside = tmp_path.with_name(f"{tmp_path.name}_answers")
    said = "lies among the texts of"
    assert said not in lexicloud("matrix", tmp_path, "--out", beside).stderr.decode()
    assert said not in lexicloud("index", "build", tmp_path, "--out", tmp_path / "made").stderr.decode()
    among = lexicloud("matrix", tmp_path, "--out", tmp_path / "answers").stderr.decode()
    assert f"{tmp_path / 'answers'} {said} {tmp_path}: the next run would read it as a text" in among


def test_a_folder_of_the_users_stays_as_it_was(texts, table):
    before = sorted(p.name for p in texts.iterdir())
    assert "holds nothing of ours" in refused("index", "build", table, "--text", "text", "--out", texts)
    assert sorted(p.name for p in texts.iterdir()) == before


def test_a_checkpoint_without_what_it_keeps_is_refused(texts, tmp_path):
    assert "--nearest" in refused("matrix", texts, "--checkpoint", tmp_path / "run")


def test_an_index_in_shards_is_called_that(tmp_path):
    (tmp_path / "whole").mkdir()
    for command in (["index", "info", tmp_path], ["search", tmp_path, "whale"]):
        assert "is an index in shards" in refused(*command)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.jsonl.gz", b"\x1f\x8b\x08nothing"),
        ("a.csv.bz2", b"BZh9 nothing"),
        ("a.jsonl.xz", b"nothing"),
        ("a.parquet", b"PAR1 nothing"),
        ("a.jsonl", b"{broken"),
        ("a.csv", b"text\ncaf\xe9 au lait\n"),
    ],
)
def test_a_damaged_table_is_one_line_also_where_memory_is_limited(tmp_path, name, data):
    (tmp_path / name).write_bytes(data)
    said = refused("index", "build", tmp_path / name, "--memory", "1G", "--out", tmp_path / "made")
    assert name in said
    assert sorted(file.name for file in tmp_path.iterdir()) == [name]


def test_a_matrix_that_fails_leaves_no_folder(texts, tmp_path):
    one = next(iter(texts.iterdir()))
    assert "at least two documents" in refused("matrix", one, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_empty_path_is_not_the_current_folder(texts):
    assert "the path is empty" in refused("compare", "", next(iter(texts.iterdir())))


def test_two_texts_cannot_both_come_from_stdin():
    assert "only one of the two texts" in refused("compare", "-", "-", stdin=b"some words")


def test_a_negative_seed_is_refused(texts):
    assert "--seed" in refused("zipf", texts, "--seed", "-1")


def test_names_that_look_like_markup_are_shown_as_they_are(table):
    done = lexicloud("corpus", "info", table, "--label", "who")
    assert done.returncode == 0
    assert b"[/b]0" in done.stdout
    assert b"[/i]1" in done.stdout
    compared = lexicloud("compare", table, "[/b]0", "[/b]1")
    assert (compared.returncode, b"in [/b]1" in compared.stdout) == (0, True)


def test_the_description_of_a_corpus_is_json(texts):
    done = new_process("corpus", "info", texts, "--json", PYTHONIOENCODING="ascii")
    found = json.loads(done.stdout)
    assert (len(found["documents"]), found["rules"]["language"]) == (len(TEXTS), "english")


def test_a_terminal_without_a_character_shows_another(texts):
    a, b = sorted(texts.iterdir())[:2]
    done = new_process("compare", a, b, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"apart than two parts of one text" in done.stdout


def test_a_figure_without_an_ending_is_named_as_it_was_written(texts, tmp_path):
    a, b = sorted(texts.iterdir())[:2]
    done = lexicloud("compare", a, b, "--plot", tmp_path / "shift")
    assert f"wrote {tmp_path / 'shift.png'}" in done.stderr.decode()
    assert (tmp_path / "shift.png").stat().st_size > 0


def test_undecodable_bytes_are_replaced_on_request(tmp_path):
    path = tmp_path / "damaged.txt"
    path.write_bytes("café naïve résumé ".encode() + b"\xff whale ship sea boat")
    assert "utf-8:replace" in refused("corpus", "info", path)
    assert lexicloud("corpus", "info", path, "--encoding", "utf-8:replace").returncode == 0


def test_a_saved_corpus_serves_drift_and_keeps_its_vectors(texts, tmp_path):
    saved = tmp_path / "saved"
    done = lexicloud("corpus", "save", texts, "--out", saved, "--json")
    assert json.loads(done.stdout)["documents"] == len(TEXTS)
    name = min(TEXTS)
    drifted = lexicloud("drift", saved, name, "--window", "5", "--step", "5", "--json")
    assert json.loads(drifted.stdout)["name"] == name
    (tmp_path / "own.vec").write_text("whale 1 2\nship 2 1\n", encoding="utf-8")
    assert "was saved with the vectors" in refused("matrix", saved, "--vectors", tmp_path / "own.vec")


@pytest.mark.parametrize("where", ["lexicloud.corpus.Corpus.from_folder", "lexicloud.cli.shell.run"])
def test_an_interrupt_is_one_line(where):
    code = (
        "from unittest.mock import patch\n"
        "from lexicloud.cli import main\n"
        f"with patch({where!r}, side_effect=KeyboardInterrupt):\n"
        "    main(['matrix', 'novels'])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"lexicloud: stopped\n")


@pytest.mark.skipif(sys.platform == "win32", reason="needs the pipes of a Unix shell")
@pytest.mark.parametrize("ending", ["| head -1", ">&-", "2>&- | head -1"])
def test_a_reader_may_go_away(index, ending):
    command = f"set -o pipefail; '{sys.executable}' -m lexicloud search '{index}' whale {ending}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=60)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the full device of Linux")
@pytest.mark.parametrize("words", ["--help", "search --help"])
@pytest.mark.parametrize("where", [">/dev/full", ">&-", ">/dev/full 2>/dev/full", ">&- 2>&-"])
def test_an_answer_into_a_full_or_closed_stream_is_no_traceback(words, where):
    command = f"'{sys.executable}' -m lexicloud {words} {where}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=120)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


def test_an_interrupt_while_the_package_is_imported_is_one_line():
    code = (
        "import builtins, lexicloud_start\n"
        "real = builtins.__import__\n"
        "def stop(name, *rest):\n"
        "    if name == 'lexicloud.cli':\n"
        "        raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = stop\n"
        "lexicloud_start.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"lexicloud: stopped\n")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows allows no such names")
@pytest.mark.parametrize("command", [["matrix"], ["corpus", "info"], ["corpus", "info", "--json"]])
def test_control_characters_of_a_name_do_not_reach_the_terminal(tmp_path, command):
    for n, name in enumerate(("a\x1b[2J", "b\x07\x9b31m", "c\x7f")):
        (tmp_path / f"{name}.txt").write_text(f"The whale and the ship number {n}. " * 20, encoding="utf-8")
    (tmp_path / "bad\x1b]0;title\x07.docx").write_bytes(b"no zip")
    done = lexicloud(*command, tmp_path, "--skip-bad")
    raw = set((done.stdout + done.stderr).decode()) & {
        chr(c) for c in (*range(9), *range(11, 32), *range(127, 160))
    }
    assert (done.returncode, raw) == (0, set())
    assert b"left out" in done.stdout + done.stderr


@pytest.mark.parametrize("command", ["matrix", "corpus info", "corpus save", "report", "index build"])
def test_one_bad_file_of_a_folder_is_left_out_on_request(tmp_path, texts, command):
    folder = shutil.copytree(texts, tmp_path / "texts")
    (folder / "broken.docx").write_bytes(b"no zip")
    out = ["--out", tmp_path / "made"] if command.endswith(("build", "report", "save")) else []
    words = [*command.split(), folder, *out]
    assert "--skip-bad" in refused(*words)
    assert b"not readable and left out: broken.docx" in lexicloud(*words, "--skip-bad").stderr


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["compare", "nowhere.txt", "nor.txt"], "smoothed, knn"),
        (["matrix", "nowhere"], "smoothed, knn"),
        (["drift", "nowhere.txt"], "smoothed, knn"),
        (["report", "nowhere"], "smoothed, knn"),
        (["attribute", "nowhere"], "combined, characters"),
        (["verify", "nowhere.txt", "--unknown", "nor.txt"], "two-sided, imposters"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_wrong_method_is_refused_before_any_text_is_read(arguments, known):
    assert f"no method 'magic': choose from {known}" in refused(*arguments, "--method", "magic")


def test_an_option_of_another_method_is_named_as_it_is_typed(texts):
    told = refused("matrix", texts, "--k", "3")
    assert told == (
        "lexicloud: error: --k goes with --method knn, not with smoothed: leave it out, or add --method knn; "
        "see lexicloud matrix --help"
    )


def test_two_texts_of_one_word_are_called_too_short_to_compare(tmp_path):
    (tmp_path / "a.txt").write_text("whale\n", encoding="utf-8")
    done = lexicloud("compare", tmp_path / "a.txt", tmp_path / "a.txt")
    assert done.stdout.decode().startswith("a (1) and a (2) are too short to say how far apart they are.")
    assert "has 1 word that counts, below 500" in done.stdout.decode()
    assert "name it (--language)" in done.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["label", "TEXT", "--label", "kind"], "their names (--label @name) or folders (--label @folder)"),
        (["neighbours", "zzzzqqq"], "no vector for 'zzzzqqq' in glove-6b-50d: try another spelling"),
        (["attribute", "nowhere", "--error", "2"], "--error"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_mistakes_name_options_and_no_python(texts, arguments, told):
    line = refused(*(next(texts.glob("*.txt")) if a == "TEXT" else a for a in arguments))
    assert told in line
    assert "()" not in line
    assert "='" not in line


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["search", "INDEX", "whale", "--top", "0"], "--top 0, but it must be at least 1"),
        (["drift", "LONG"], "two windows need 8,000: use a smaller window (--window 300)"),
        (["report", "FOLDER", "--by", "hand", "--out", "page.html"], "--by 'hand' is not known"),
        (["compare", "LONG", "LONG", "--sample", "ten"], "it should be a whole number"),
        (["compare", "LONG", "LONG", "--sample", "0"], "it should be at least 1"),
        (["rolling", "SHORT", "--against", "FOLDER"], "the text has no label"),
    ],
)
def test_options_are_named_as_they_are_typed(arguments, told, index, tmp_path):
    """Not as Python's arguments (`top = 0`), and without the words of the library that reads options."""
    long, short, folder = tmp_path / "long.txt", tmp_path / "short.txt", tmp_path / "one"
    long.write_text("The whale swam on. " * 120, encoding="utf-8")
    short.write_text("A whale.", encoding="utf-8")
    folder.mkdir()
    (folder / "only.txt").write_text("The whale swam over the deep sea.", encoding="utf-8")
    places = {"INDEX": index, "LONG": long, "SHORT": short, "FOLDER": folder}
    assert told in refused(*(places.get(argument, argument) for argument in arguments))


def test_a_note_names_one_way_to_ask_for_equal_samples(tmp_path):
    for name, times in (("long", 400), ("short", 10)):
        (tmp_path / f"{name}.txt").write_text(
            "The grey whale swam over a deep sea. " * times, encoding="utf-8"
        )
    done = lexicloud("compare", tmp_path / "long.txt", tmp_path / "short.txt", "--method", "knn", "--k", "1")
    assert b"compare samples of equal size (--sample 50)" in done.stderr
    assert b"sample=" not in done.stderr
