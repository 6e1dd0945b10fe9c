"""`lexicloud label` as a real process."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import pytest

from tests.labelling.test_labeller import LABELS, NEW, TEXTS


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
    command = [sys.executable, "-m", "lexicloud", "label", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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


def test_next_names_rows_to_label_with_what_they_may_bring(rows):
    found = json.loads(label(rows, "--label", "theme", "--next", 2, "--json").stdout)
    assert len({row["name"] for row in found}) == 2
    assert all(row["gain"] > 0 for row in found)
    assert "can be expected to be right" in label(rows, "--label", "theme", "--next", 2).stdout


def test_a_table_without_any_label_is_a_mistake_in_one_line(tmp_path):
    (tmp_path / "rows.csv").write_text("text\nhello there\ngood morning\n")
    done = label(tmp_path / "rows.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no row has a label" in done.stderr.splitlines()[-1]


def test_help_has_an_example():
    assert "Example: lexicloud label" in " ".join(label("--help").stdout.split())
