"""Exports: every answer, free text only when asked for, nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import json

import pytest

from lexicloud.errors import OptionError
from lexicloud.survey import Questionnaire
from tests.survey.studies import small_study


@pytest.fixture
def opened(tmp_path):
    small_study().save(tmp_path / "s.json")
    opened = Questionnaire.open(tmp_path / "s.json")
    session = opened.start(consent=True, background={"writing": "Often", "why": "=HYPERLINK(my name)"})
    session.answer("0", ["1", "2", "3"], 3.5)
    session.comment("my secret remark")
    return opened


def test_csv_has_a_row_for_each_suggestion_shown(opened, tmp_path):
    with opened.export(tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["position"] for row in rows] == list("12345")
    assert [row["chosen"] for row in rows] == list("11100")
    assert {row["method"] for row in rows} == set(opened.study.methods)
    assert rows[0]["writing"] == "Often"
    assert "why" not in rows[0]
    assert "comment" not in rows[0]


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_free_text_leaves_only_when_asked_for(opened, tmp_path, name):
    plain = opened.export(tmp_path / name).read_text()
    assert "my name" not in plain
    assert "secret" not in plain
    asked = opened.export(tmp_path / name, text=True).read_text()
    assert "my name" in asked
    assert "my secret remark" in asked


def test_a_text_is_never_a_formula(opened, tmp_path):
    with opened.export(tmp_path / "a.csv", text=True).open() as file:
        assert next(csv.DictReader(file))["why"].startswith("'=")


def test_no_token_is_exported(opened, tmp_path):
    session = opened.start(consent=True)
    content = json.loads(opened.export(tmp_path / "a.json", text=True).read_text())
    assert {"participant", "number", "background"} <= set(content["participants"][0])
    assert session.token not in json.dumps(content)
    assert "token" not in json.dumps(content)


def test_other_endings_are_refused(opened, tmp_path):
    with pytest.raises(OptionError, match=r"ends in neither \.csv nor \.json"):
        opened.export(tmp_path / "a.xlsx")
