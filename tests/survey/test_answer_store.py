"""Answers are on the disk when a call returns, several people may write at once, and what is removed is gone.

Exports: every answer, free text only when asked for, nothing that a spreadsheet would run.
"""

from __future__ import annotations

import csv
import json
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from lexicloud.errors import OptionError, SurveyError
from lexicloud.survey import AnswerStore, GivenAnswer, Questionnaire
from lexicloud.survey.answer_store import _inert
from tests.survey.studies import small_study


def answer(participant: str, place: int = 0, chosen: tuple[str, ...] = ("a",)) -> GivenAnswer:
    return GivenAnswer(participant, place, 0, f"q{place}", ("a", "b"), chosen, 4.25)


def test_what_was_written_is_read_again(tmp_path):
    store = AnswerStore(tmp_path / "a.db", "x")
    person = store.add_participant("token", {"writing": "Often"})
    store.record(answer(person.id))
    again = AnswerStore(tmp_path / "a.db", "x")
    assert again.participants() == [person]
    assert again.answers() == [answer(person.id)]
    assert again.find("token") == person
    assert again.find("other") is None


def test_an_answer_is_in_the_file_before_the_call_returns(tmp_path):
    """A process that is killed right after an answer has lost nothing."""
    code = (
        "import os, sys; from tests.survey.test_answer_store import answer; from lexicloud.survey import AnswerStore\n"
        "store = AnswerStore(sys.argv[1], 'x'); person = store.add_participant('t', {})\n"
        "store.record(answer(person.id)); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.db")], check=False)
    assert done.returncode == -9
    assert len(AnswerStore(tmp_path / "a.db", "x").answers()) == 1


def test_the_log_is_written_ahead_and_synchronised(tmp_path):
    store = AnswerStore(tmp_path / "a.db", "x")
    with store._reading() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


def test_many_write_at_once_and_no_two_have_a_number(tmp_path):
    def take_part(i: int) -> None:
        store = AnswerStore(tmp_path / "a.db", "x")  # each makes the file, if it is the first
        person = store.add_participant(f"token {i}", {})
        for place in range(3):
            store.record(answer(person.id, place))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take_part, range(16)))
    store = AnswerStore(tmp_path / "a.db", "x")
    assert [person.number for person in store.participants()] == list(range(16))
    assert len(store.answers()) == 48


def test_the_same_answer_twice_is_one_and_another_one_is_refused(tmp_path):
    store = AnswerStore(tmp_path / "a.db", "x")
    person = store.add_participant("token", {})
    store.record(answer(person.id))
    store.record(answer(person.id))
    with pytest.raises(SurveyError, match="question 1 was answered before, and not like this"):
        store.record(answer(person.id, chosen=("b",)))
    assert store.answers() == [answer(person.id)]


def test_somebody_who_is_removed_leaves_nothing_behind(tmp_path):
    store = AnswerStore(tmp_path / "a.db", "x")
    keep, go = (
        store.add_participant("one", {}),
        store.add_participant("two", {"why": "a very private reason"}),
    )
    for person in (keep, go):
        store.record(answer(person.id))
    store.comment(go.id, "call me by my secret name")
    assert store.remove(go.id) == 1
    assert [person.id for person in store.participants()] == [keep.id]
    assert [a.participant for a in store.answers()] == [keep.id]
    left = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"private reason" not in left
    assert b"secret name" not in left
    assert go.id.encode() not in left
    with pytest.raises(SurveyError, match="no participant"):
        store.remove(go.id)
    with pytest.raises(SurveyError, match="this participant was removed"):
        store.record(answer(go.id, 1))
    assert store.add_participant("three", {}).number == go.number  # the next one fills the gap in the design


def test_answers_of_another_study_are_refused(tmp_path):
    AnswerStore(tmp_path / "a.db", "abcdef")
    with pytest.raises(SurveyError, match="holds answers to another study"):
        AnswerStore(tmp_path / "a.db", "fedcba")


def test_what_is_no_database_is_refused_in_one_line(tmp_path):
    (tmp_path / "a.db").write_text("this is a letter, not a database, " * 100)
    with pytest.raises(SurveyError, match=r"cannot keep answers in .*not a database"):
        AnswerStore(tmp_path / "a.db", "x")


def test_nothing_tells_who_or_when(tmp_path):
    store = AnswerStore(tmp_path / "a.db", "x")
    store.add_participant("hash of the token", {})
    with sqlite3.connect(tmp_path / "a.db") as db:
        columns = {
            row[1]
            for table in ("participants", "answers")
            for row in db.execute(f"PRAGMA table_info({table})")
        }
    db.close()
    assert columns == {
        *("id", "number", "token", "background", "comment"),
        *("participant", "place", "arm", "query", "shown", "chosen", "seconds"),
    }


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


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r=", "\n="])
def test_what_begins_like_a_formula_is_text_to_a_spreadsheet(start):
    assert _inert(f"{start}1") == f"'{start}1"
    assert _inert("1") == "1"


def test_no_token_is_exported(opened, tmp_path):
    session = opened.start(consent=True)
    content = json.loads(opened.export(tmp_path / "a.json", text=True).read_text())
    assert {"participant", "number", "background"} <= set(content["participants"][0])
    assert session.token not in json.dumps(content)
    assert "token" not in json.dumps(content)


def test_other_endings_are_refused(opened, tmp_path):
    with pytest.raises(OptionError, match=r"ends in neither \.csv nor \.json"):
        opened.export(tmp_path / "a.xlsx")


def _store_with_an_answer(path):
    study = small_study()
    small = Questionnaire(study, AnswerStore(path, study.checksum))
    session = small.start(consent=True)
    question = session.question()
    session.answer(question["id"], [option["key"] for option in question["options"][:3]])
    return study


@pytest.mark.parametrize(
    ("column", "value"),
    [("shown", "[1"), ("chosen", '["nobody"]'), ("query", "q99"), ("arm", 7), ("participant", "nobody")],
)
def test_an_answer_that_nobody_can_have_given_is_damage(tmp_path, column, value):
    study = _store_with_an_answer(tmp_path / "a.db")
    with sqlite3.connect(tmp_path / "a.db") as db:
        db.execute(f"UPDATE answers SET {column} = ?", (value,))
    db.close()
    with pytest.raises(SurveyError, match="is damaged"):
        Questionnaire(study, AnswerStore(tmp_path / "a.db", study.checksum)).results()


def test_a_damaged_file_is_refused_at_once_and_left_as_it_was(tmp_path):
    study = _store_with_an_answer(tmp_path / "a.db")
    data = bytearray((tmp_path / "a.db").read_bytes())
    data[4096:5096] = b"\xff" * 1000
    (tmp_path / "a.db").write_bytes(bytes(data))
    for path in tmp_path.glob("a.db-*"):
        path.unlink()
    with pytest.raises(SurveyError, match=r"a\.db"):
        AnswerStore(tmp_path / "a.db", study.checksum)
    assert (tmp_path / "a.db").read_bytes() == bytes(data)


def failing_after(monkeypatch, calls):
    """Let the file be opened so many times, and no more."""
    connect, left = sqlite3.connect, [calls]

    def opening(*arguments, **options):
        left[0] -= 1
        if left[0] < 0:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", opening)


def test_a_removal_is_done_though_the_log_cannot_be_cut_off(tmp_path, monkeypatch):
    store = AnswerStore(tmp_path / "a.db", "x")
    person = store.add_participant("token", {})
    store.record(answer(person.id))
    with monkeypatch.context() as broken:
        failing_after(broken, 1)
        with pytest.warns(UserWarning, match="is removed, but may be read in .*-wal"):
            assert store.remove(person.id) == 1
    assert store.participants() == store.answers() == []


def test_an_answer_that_is_kept_is_never_told_as_lost(tmp_path, monkeypatch):
    small_study().save(tmp_path / "study.json")
    asked = Questionnaire.open(tmp_path / "study.json", tmp_path / "a.db")
    session = asked.start(consent=True)
    question = session.question()
    keys = [option["key"] for option in question["options"][:3]]
    with monkeypatch.context() as broken:
        failing_after(broken, 2)  # counting what was answered, and keeping this answer
        assert session.answer(question["id"], keys)["answered"] == 1
    assert session.progress()["answered"] == 1
