"""lexicloud compare, matrix and drift as real processes: what they print, write, refuse and explain."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

from tests.cli.command import lexicloud

SEA = "ship sail captain storm wave sailor deck ocean harbour anchor whale mast wind tide boat crew"
FARM = "field plough horse barn harvest cow wheat farmer meadow sheep fence village hay cart soil crop"
COMMON = "the a and of to was he saw old man day night long time back hand came went"


def story(words: str, seed: int, tokens: int = 500) -> str:
    rng = np.random.default_rng(seed)
    return " ".join(rng.choice((words if rng.random() < 0.5 else COMMON).split()) for _ in range(tokens))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four stories, one with nothing that has a vector, and small vectors that make a process start fast."""
    where = tmp_path_factory.mktemp("stories")
    for i in range(2):
        (where / f"sea{i}.txt").write_text(story(SEA, i), encoding="utf-8")
        (where / f"farm{i}.txt").write_text(story(FARM, 10 + i), encoding="utf-8")
    return where


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("vectors") / "small.vec"
    words = f"{SEA} {FARM} {COMMON}".split()
    lines = [f"{len(words)} 5", *(f"{w} {' '.join(f'{x:.4f}' for x in rng.normal(size=5))}" for w in words)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_compare_two_files_shows_value_interval_and_words(folder, vectors):
    done = lexicloud("compare", folder / "sea0.txt", folder / "farm0.txt", "--vectors", vectors, "--top", 9)
    assert done.returncode == 0, done.stderr
    head, *rest = done.stdout.splitlines()
    assert head.startswith("sea0 and farm0 are farther apart than two parts of one text")
    assert any(line.startswith("  95% interval") for line in rest)
    assert any(line.startswith("  D(sea0 ‖ farm0)") for line in rest)
    listed = [line.split()[0] for line in rest if "█" in line]
    assert len(listed) == 9
    assert len(set(listed) & set(SEA.split())) >= 5  # the words of the sea drive it
    assert re.search(r"^  method +smoothed", done.stdout, re.MULTILINE)
    assert re.search(r"^  background +the two texts, each weighing the same", done.stdout, re.MULTILINE)


def test_compare_names_in_a_folder_as_json_with_a_plot(folder, vectors, tmp_path):
    options = (
        "--method",
        "knn",
        "--k",
        2,
        "--sample",
        150,
        "--seed",
        3,
        "--hypothesis",
        "same text",
    )
    figure = tmp_path / "shift.png"
    runs = [
        lexicloud(
            "compare", folder, "sea0", "farm0", *options, "--vectors", vectors, "--json", "--plot", figure
        )
        for _ in range(2)
    ]
    assert runs[0].stdout == runs[1].stdout  # the same seed, the same answer
    found = json.loads(runs[0].stdout)
    assert found["options"]["k"] == 2
    assert found["tokens"] == [150, 150]
    assert found["interval"][0] < found["value"] < found["interval"][1]
    assert found["p_value"] >= 1 / 200
    assert found["hypothesis"] == "same text"
    assert figure.read_bytes().startswith(b"\x89PNG")
    assert f"wrote {figure}" in runs[0].stderr


def test_compare_reads_standard_input(folder, vectors):
    done = lexicloud(
        "compare",
        "-",
        folder / "sea1.txt",
        "--vectors",
        vectors,
        "--json",
        "--method",
        "categorical",
        stdin=story(SEA, 5),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["b"] == "sea1"


def test_matrix_writes_everything_and_reports_what_it_left_out(folder, vectors, tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    for path in folder.glob("*.txt"):
        (texts / path.name).write_bytes(path.read_bytes())
    (texts / "alien.txt").write_text("zzqq qqzz zzqq", encoding="utf-8")
    out = tmp_path / "out"
    done = lexicloud(
        "matrix",
        texts,
        "--method",
        "knn",
        "--k",
        4,
        "--symmetric",
        "--skip-bad",
        "--vectors",
        vectors,
        "--out",
        out,
    )
    assert done.returncode == 0, done.stderr
    assert "alien was left out: none of the 3 tokens" in done.stdout
    names = {path.name for path in out.iterdir()}
    drawn = {
        f"{name}.{kind}" for name in ("matrix", "matrix_dendrogram", "matrix_map") for kind in ("png", "svg")
    }
    assert names == {"matrix.json", "matrix.csv", *drawn}
    with (out / "matrix.csv").open(encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["document", "farm0", "farm1", "sea0", "sea1"]
    values = np.array([[float(v) for v in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(values, values.T)
    assert "Of 4 texts" in done.stdout
    assert "knn, k = 4" in done.stdout


def test_pictures_of_a_matrix_have_the_authors_that_file_names_tell(folder, vectors, tmp_path):
    texts, out = tmp_path / "texts", tmp_path / "out"
    texts.mkdir()
    told = ("Austen_Emma", "Austen_Persuasion", "Melville_Omoo", "Melville_Typee")
    for path, name in zip(sorted(folder.glob("*.txt")), told, strict=True):
        (texts / f"{name}.txt").write_bytes(path.read_bytes())
    done = lexicloud("matrix", texts, "--vectors", vectors, "--out", out)
    assert done.returncode == 0, done.stderr
    assert "labels from names: 4 texts with 2 labels" in done.stderr
    assert json.loads((out / "matrix.json").read_text())["labels"] == [*["Austen"] * 2, *["Melville"] * 2]


def test_matrix_json_is_all_there_is_on_stdout(folder, vectors):
    done = lexicloud("matrix", folder, "--vectors", vectors, "--standardise", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["method"] == "smoothed"
    assert found["standardised"] is True
    assert np.shape(found["values"]) == (4, 4)


@pytest.mark.slow
def test_drift_finds_where_the_other_story_begins(folder, vectors, tmp_path):
    both = tmp_path / "both.txt"
    both.write_text(f"{story(SEA, 7, 600)} {story(FARM, 8, 600)}", encoding="utf-8")
    figure = tmp_path / "drift.svg"
    done = lexicloud(
        "drift", both, "--window", 200, "--step", 50, "--against", folder / "sea0.txt",
        "--against", folder / "farm0.txt", "--vectors", vectors, "--json", "--plot", figure,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["references"] == ["sea0", "farm0"]
    assert abs(found["change"] - 600) <= 50
    assert "<svg" in figure.read_text(encoding="utf-8")
    shown = lexicloud("drift", both, "--window", 200, "--step", 50, "--vectors", vectors)
    assert "from rest" in shown.stdout
    assert "The hand seems to change in both" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", "FOLDER", "sea", "farm0"], "no document named 'sea'; did you mean 'sea1', 'sea0'?"),
        (["compare", "FOLDER", "FOLDER/sea0.txt"], "holds 4 texts: name two of them"),
        (["compare", "FOLDER", "sea0", "farm0", "--k", "3"], "--k goes with --method knn, not with smoothed"),
        (["matrix", "FOLDER", "--method", "knn", "--k", "x"], "Invalid value for '--k'"),
        (["drift", "FOLDER", "sea0"], "has 500 tokens, but two windows need 8,000: use a smaller window"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_mistakes_are_one_line_that_names_the_remedy(folder, vectors, arguments, message):
    filled = [a.replace("FOLDER", str(folder)) for a in arguments]
    done = lexicloud(*filled, "--vectors", vectors)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["compare", "matrix", "drift"])
def test_help_shows_an_example(command):
    done = lexicloud(command, "--help")
    assert done.returncode == 0
    assert f"Example: lexicloud {command}" in " ".join(done.stdout.split())
    assert "--method" in done.stdout


@pytest.mark.parametrize("command", ["compare", "matrix", "drift", "zipf"])
def test_help_lists_about_ten_options(command):
    shown = lexicloud(command, "--help").stdout
    listed = [line for line in shown.splitlines() if line.startswith(("│ --", "│ *  --"))]
    assert 6 <= len(listed) <= 13  # --help and --json among them
