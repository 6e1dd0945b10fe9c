"""The questionnaire as people use it: the real program in a terminal, with keys."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

pytest.importorskip("pexpect", reason="pexpect drives the terminal; it is in the extra test")
pytest.importorskip("prompt_toolkit", reason="the terminal program is in the extra survey")

from lexicloud.survey import Questionnaire, arms_of
from tests.cli.terminal import Person
from tests.survey.studies import SENTENCES, small_study

ENTER, DOWN = "\r", "\x1b[B"


@pytest.fixture
def study(tmp_path):
    return small_study(4).save(tmp_path / "study.json")


def start(study, **options) -> tuple[Person, str]:
    """Agree, tell a little, and note the code."""
    person = Person("survey", "run", study, **options)
    person.sees("y agree")
    person.presses("y")
    person.sees("How often do you write?")
    person.presses(DOWN)
    person.sees("> [ ] 2  Often")
    person.presses(ENTER)
    person.sees("Why do you write?")
    person.presses("for qwfun")  # q is a letter here, not the end
    person.sees("for qwfun")
    person.presses("\x7f" * 5 + "fun" + ENTER)
    code = re.search(r"[a-z2-9]{4}(-[a-z2-9]{4}){3}", person.sees("Your code"))
    person.presses(ENTER)
    return person, code[0]


def answer(person: Person, number: int, keys: str = "135") -> None:
    person.sees(f"Question {number} of")
    person.presses(keys)
    person.sees("choose (3 of 3)")
    person.presses(ENTER)


def test_a_whole_questionnaire(study):
    person, _ = start(study)
    person.sees("Question 1 of 4")
    first = person.sees("1-5 choose (0 of 3)")  # the last line that is drawn
    assert "This is query" in first
    assert not any(name in first for name in ("setcover", "average", "wmd", "jaccard", "levenshtein"))
    assert max(map(len, first.splitlines())) <= 80
    person.presses("12" + ENTER)
    person.sees("2 of 3 are chosen: choose, then press Enter")
    person.presses("34")
    person.sees("3 are chosen already")
    person.presses("1")
    person.sees("choose (2 of 3)")
    person.presses("1" + ENTER)
    for number in (2, 3, 4):
        answer(person, number)
    person.sees("That was the last question")
    person.presses("Fine." + ENTER)
    assert person.leaves() == 0
    assert "4 of 4 questions answered" in person.screen.text
    opened = Questionnaire.open(study)
    (participant,) = opened.store.participants()
    assert participant.background == {"writing": "Often", "why": "for fun"}
    assert participant.comment == "Fine."
    first_answer = opened.store.answers()[0]
    assert first_answer.chosen == first_answer.shown[:3]
    assert all(0 < a.seconds < 60 for a in opened.store.answers())


@pytest.mark.slow
def test_stop_and_go_on_later(study):
    person, code = start(study)
    answer(person, 1)
    person.sees("Question 2 of 4")
    person.presses("q")
    assert person.leaves() == 0
    assert f"--resume {code}" in person.screen.text.replace("\n", "")
    assert "1 of 4 questions answered" in person.screen.text
    again = Person("survey", "run", study, "--resume", code.upper())
    again.sees("Question 2 of 4")
    answer(again, 2)
    again.sees("Question 3 of 4")
    again.presses("\x03")  # Ctrl-C
    assert again.leaves() == 0
    assert [a.place for a in Questionnaire.open(study).store.answers()] == [0, 1]


@pytest.mark.slow
def test_nothing_is_lost_when_the_terminal_dies(study):
    person, code = start(study)
    answer(person, 1)
    person.sees("Question 2 of 4")  # so the first answer must be on the disk
    person.presses("24")
    person.dies()
    assert len(Questionnaire.open(study).store.answers()) == 1
    again = Person("survey", "run", study, "--resume", code)
    assert "(0 of 3)" in again.sees("Question 2 of 4")
    for number in (2, 3, 4):
        answer(again, number)
    again.sees("That was the last question")
    again.presses(ENTER)
    assert again.leaves() == 0
    assert [a.place for a in Questionnaire.open(study).store.answers()] == [0, 1, 2, 3]


@pytest.mark.slow
def test_two_people_at_once(study):
    (one, _), (two, _) = start(study), start(study)
    for number in (1, 2, 3, 4):
        answer(one, number, "123")
        answer(two, number, "345")
    for person in (one, two):
        person.sees("That was the last question")
        person.presses(ENTER)
        assert person.leaves() == 0
    opened = Questionnaire.open(study)
    numbers = {p.id: p.number for p in opened.store.participants()}
    assert sorted(numbers.values()) == [0, 1]
    for given in opened.store.answers():
        places = [given.shown.index(method) for method in given.chosen]
        assert places == ([0, 1, 2] if numbers[given.participant] == 0 else [2, 3, 4])


def test_a_head_to_head_fits_80_columns_and_24_rows(tmp_path):
    study = small_study(4, arms=arms_of("head-to-head", "variety")).save(tmp_path / "study.json")
    person, _ = start(study)
    shown = person.sees("Question 1 of 4")
    assert "[ ] A" in shown
    assert "[ ] B" in shown
    assert "more below" not in shown
    person.presses("b")
    person.sees("[x] B")
    person.presses("a")
    person.sees("[x] A")
    person.presses(ENTER)
    person.sees("Question 2 of 4")
    person.presses("q")
    person.leaves()
    (given,) = Questionnaire.open(study).store.answers()
    assert given.chosen == given.shown[:1]


def test_a_narrow_low_terminal_scrolls(tmp_path):
    study = small_study(4, arms=arms_of("head-to-head", "variety")).save(tmp_path / "study.json")
    person, _ = start(study, rows=14, columns=50)
    assert "PgDn more below" in person.sees("Question 1 of 4")
    person.presses("\x1b[6~" * 6)
    person.sees("[ ] B")
    person.presses("q")
    assert person.leaves() == 0


def test_without_consent_nothing_is_stored(study):
    person = Person("survey", "run", study)
    person.sees("Do you agree to take part?")
    person.presses("n")
    assert person.leaves() == 0
    assert "nothing was stored" in person.screen.text
    assert Questionnaire.open(study).store.participants() == []


def test_a_wrong_code_is_one_line(study):
    person = Person("survey", "run", study, "--resume", "aaaa-bbbb-cccc-dddd", columns=200)
    person.sees("no participant has the code")
    assert person.leaves() == 2


@pytest.mark.slow
def test_the_published_protocol_in_one_command_to_its_end(tmp_path):
    """Three people, one of each group, answer all questions of a study that one command made."""
    from lexicloud.search import SentenceIndex

    levels = ("college", "high", "middle")
    rows = [(i, text, {"reading_level": levels[i % 3]}) for i, text in enumerate(SENTENCES)]
    SentenceIndex.build(rows).save(tmp_path / "books.index")
    study = tmp_path / "study.json"
    command = (
        "survey",
        "create",
        "--index",
        tmp_path / "books.index",
        "--as-published",
        "--queries",
        "3",
        "--out",
        study,
    )
    made = subprocess.run(
        [sys.executable, "-m", "lexicloud", *map(str, command)], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    told = "3 queries, shared evenly by reading_level, of 5 to 15 tokens"
    assert told in made.stderr
    assert "choose-3; head-to-head on usefulness; head-to-head on variety" in made.stderr
    for keys in ("135", "A", "B"):
        person = Person("survey", "run", study)
        person.sees("y agree")
        person.presses("y")
        for question in ("What do you study", "How often do you write", "How likely would you use"):
            person.sees(question)
            person.presses(ENTER)
        person.sees("Your code")
        person.presses(ENTER)
        for number in (1, 2, 3):
            person.sees(f"Question {number} of 3")
            person.presses(keys.lower() + ENTER)
        person.sees("That was the last question")
        person.presses(ENTER)
        assert person.leaves() == 0
    opened = Questionnaire.open(study)
    assert {query.group for query in opened.study.queries} == set(levels)
    assert opened.counts()["by_arm"] == dict.fromkeys(
        ("choose-3", "head-to-head on usefulness", "head-to-head on variety"), 3
    )
