"""`lexicloud label` as a real process."""

from __future__ import annotations

import csv
import json

import pytest

from tests.cli.command import lexicloud
from tests.labelling.test_labeller import LABELS, NEW, TEXTS

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together


@pytest.fixture
def rows(tmp_path):
    """A table of examples, then of texts without a label."""
    with (tmp_path / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "body", "theme"])
        writer.writerows([f"r{i}", *pair] for i, pair in enumerate(zip(TEXTS, LABELS, strict=True)))
        writer.writerows([f"n{i}", text, ""] for i, text in enumerate(NEW))
    return tmp_path / "rows.csv"


def label(*arguments):
    return lexicloud("label", *arguments)


def test_rows_without_a_label_get_one_with_its_probability_and_reasons(rows):
    done = label(rows, "--text", "body", "--label", "theme", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [(row["name"], row["guess"]) for row in found] == [("n0", "sea"), ("n1", "food"), ("n2", "court")]
    assert all(sum(row["probabilities"].values()) == pytest.approx(1) for row in found)
    assert "stands near" in found[1]["reasons"]


def test_a_saved_model_labels_a_table_without_labels_and_writes_a_csv(rows, tmp_path):
    model, out = tmp_path / "model", tmp_path / "labelled.csv"
    first = label(rows, "--label", "theme", "--save", model)
    assert first.returncode == 0, first.stderr
    assert "3 labels from 12 examples" in first.stdout
    (tmp_path / "new.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in NEW))
    done = label(tmp_path / "new.jsonl", "--model", model, "--out", out)
    assert done.returncode == 0, done.stderr
    with out.open(encoding="utf-8") as file:
        assert [row["guess"] for row in csv.DictReader(file)] == ["sea", "food", "court"]
    assert "The mix of labels has not moved" in done.stdout


def test_next_names_rows_to_label_with_what_they_may_bring(rows):
    found = json.loads(label(rows, "--label", "theme", "--next", 2, "--json").stdout)
    assert len({row["name"] for row in found}) == 2
    assert all(row["gain"] > 0 for row in found)
    done = label(rows, "--label", "theme", "--next", 2, "--out", rows.parent / "next.csv")
    assert "wrong guesses" in done.stdout
    with (rows.parent / "next.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 15
    named = sorted((row for row in table if row["label next"]), key=lambda row: float(row["label next"]))
    assert [row["id"] for row in named] == [row["name"] for row in found]


def test_check_shows_the_labels_that_look_wrong_and_the_better_ones(rows):
    text = rows.read_text(encoding="utf-8").replace("melt butter in a pan,food", "melt butter in a pan,sea")
    rows.write_text(text, encoding="utf-8")
    done = label(rows, "--label", "theme", "--check", "--out", rows.parent / "checked.csv")
    assert done.returncode == 0, done.stderr
    assert "look wrong" in done.stdout
    with (rows.parent / "checked.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 15
    assert [(row["theme"], row["rather"]) for row in table if "butter" in row["body"]] == [("sea", "food")]


def test_a_label_with_one_example_is_left_out_and_told(rows):
    rows.write_text(rows.read_text(encoding="utf-8") + "x,the only one,odd\n", encoding="utf-8")
    done = label(rows, "--label", "theme", "--json")
    assert done.returncode == 0
    assert "1 of 4 labels ('odd')" in done.stderr
    assert len(json.loads(done.stdout)) == 3


def test_rows_may_have_several_labels(rows):
    text = rows.read_text(encoding="utf-8")
    text = text.replace("the soup needs salt,food", "the soup on the ship needs salt,food; sea")
    rows.write_text(
        text.replace("a ship came into the harbour,sea", "a ship of onions,sea;food"), encoding="utf-8"
    )
    found = json.loads(label(rows, "--label", "theme", "--split", ";", "--json").stdout)
    assert [row["guess"] for row in found] == ["sea", "food", "court"]
    assert all(set(row["labels"]) <= {"sea", "food", "court"} for row in found)


def test_excel_is_written_with_texts_that_stay_texts(rows, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    rows.write_text(rows.read_text(encoding="utf-8") + "f,=1+1 ship,\n", encoding="utf-8")
    done = label(rows, "--text", "body", "--label", "theme", "--out", tmp_path / "out.xlsx")
    assert done.returncode == 0, done.stderr
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    table = list(sheet.iter_rows(values_only=True))
    assert table[0] == ("id", "body", "theme", "label", "guess", "probability", "fit", "reason")
    assert [row[0] for row in table[1:]] == [*(f"r{i}" for i in range(12)), "n0", "n1", "n2", "f"]
    assert (sheet["B17"].value, sheet["B17"].data_type) == ("=1+1 ship", "s")


def test_a_table_without_any_label_is_a_mistake_in_one_line(tmp_path):
    (tmp_path / "rows.csv").write_text("text\nhello there\ngood morning\n")
    done = label(tmp_path / "rows.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no row has a label" in done.stderr.splitlines()[-1]


def test_help_has_an_example():
    assert "Example: lexicloud label" in " ".join(label("--help").stdout.split())


def test_answers_can_be_lines_of_json_and_keep_the_other_columns(rows, tmp_path):
    table = rows.read_text(encoding="utf-8").replace("id,body,theme", "id,body,theme,desk").splitlines()
    lines = [table[0], *(f"{line},{i}" for i, line in enumerate(table[1:])), "x,,,99", 'y,"the jury", ,100']
    rows.write_text("\n".join(lines), encoding="utf-8")
    done = label(rows, "--text", "body", "--label", "theme", "--out", tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    assert "1 of 17 rows" in done.stderr  # a row without text is counted, not lost in silence
    found = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["desk"] for row in found] == [*map(str, range(15)), "99", "100"]  # every row, in order
    assert list(found[0])[:4] == ["id", "body", "theme", "desk"]
    assert [row["guess"] for row in found[12:15]] == ["sea", "food", "court"]
    assert (found[0]["label"], found[0]["reason"], found[15]["label"]) == ("sea", "given", "")
    assert found[-1]["guess"] == "court"  # a blank label is none


def test_a_table_is_never_written_over(rows):
    before = rows.read_bytes()
    done = label(rows, "--label", "theme", "--out", rows.parent / ".." / rows.parent.name / rows.name)
    assert (done.returncode, done.stdout) == (2, "")
    assert "give another file" in done.stderr.splitlines()[-1]
    assert rows.read_bytes() == before


def test_labels_that_somebody_may_have_put_right_are_replaced_only_on_request(rows, tmp_path):
    out = tmp_path / "labelled.csv"
    out.write_text("my corrections", encoding="utf-8")
    done = label(rows, "--label", "theme", "--out", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is there already: give another file, or replace it with --overwrite" in done.stderr
    assert out.read_text(encoding="utf-8") == "my corrections"
    assert label(rows, "--label", "theme", "--out", out, "--overwrite").returncode == 0
    assert out.read_text(encoding="utf-8").startswith("id,body,theme,label,")


def test_a_model_takes_another_share_to_refuse(rows, tmp_path):
    assert label(rows, "--label", "theme", "--save", tmp_path / "model").returncode == 0
    (tmp_path / "new.csv").write_text("text\nqwx zzt kfj 17 vvbn qqq\n", encoding="utf-8")
    strict = json.loads(label(tmp_path / "new.csv", "--model", tmp_path / "model", "--json").stdout)
    lenient = label(tmp_path / "new.csv", "--model", tmp_path / "model", "--refuse", 0, "--json").stdout
    assert strict[0]["label"] is None
    assert json.loads(lenient)[0]["label"] == strict[0]["guess"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--label", "nothing"], "no column 'nothing' for the label; its columns are id, body, theme"),
        (["--text", "nothing"], "no column 'nothing' for the text"),
        (["--label", "theme", "--model", "nowhere"], "nowhere is not a folder saved by lexicloud"),
        (["--label", "theme", "--vectors", "nowhere"], "no name of the catalogue"),
        (["--label", "id"], "15 labels ('n0', 'n1', 'n2', …) have 1 example: give at least 2"),
        (["--label", "theme", "--out", "out.tsv"], "give a name that ends in .csv, .jsonl or .xlsx"),
    ],
)
def test_a_mistake_is_told_in_one_line(rows, arguments, said):
    done = label(rows, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
