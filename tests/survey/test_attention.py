"""Careless participants are flagged, careful ones are not, whatever they prefer."""

from __future__ import annotations

import pytest

from lexicloud.survey import Answer, Arm, Crowd, arms_of, simulate
from lexicloud.survey.attention import flagged, times
from tests.survey.studies import small_study


@pytest.mark.parametrize("task", ["choose", "head-to-head"])
def test_careful_people_are_rarely_flagged_even_with_strong_preferences(task):
    study = small_study(40, arms=arms_of(task, "usefulness"))
    crowd = Crowd({"setcover": 2.0}, persons=1.0, first=0.3, answers=40)
    answers = simulate(study, 200, crowd, seed=1)
    assert len(flagged(answers, study.arms[0])) <= 2


@pytest.mark.parametrize("task", ["choose", "head-to-head"])
def test_people_who_always_choose_the_same_places_are_flagged(task):
    study = small_study(40, arms=arms_of(task, "usefulness"))
    answers = simulate(study, 20, Crowd(careless=1.0, answers=1000), seed=2)
    slow = [Answer(**{**vars(a), "seconds": 20.0}) for a in answers]
    found = flagged(slow, study.arms[0])
    assert len(found) == 20
    assert found[0].reason == ("chose 1, 2, 3" if task == "choose" else "chose A") + " in 40 of 40 answers"


def test_haste_is_flagged():
    answers = [Answer("p", i, 0, f"q{i}", ("a", "b"), (("a", "b")[i % 2],), 0.8) for i in range(6)]
    (flag,) = flagged(answers, Arm("head-to-head", "usefulness"))
    assert flag.reason == "half of 6 answers took less than 0.8 seconds"


def test_three_answers_alike_are_nothing():
    answers = [Answer("p", i, 0, f"q{i}", ("a", "b"), (("a", "b")[i % 2],), 20.0) for i in range(3)]
    assert flagged(answers, Arm("head-to-head", "usefulness")) == []


def test_times():
    answers = [Answer("p", i, 0, f"q{i}", ("a", "b"), ("a",), float(i)) for i in range(11)]
    found = times(answers)
    assert (found.low, found.median, found.high) == (1, 5, 9)
    assert times([Answer("p", 0, 0, "q", ("a", "b"), ("a",))]) is None
