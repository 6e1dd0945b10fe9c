"""The way through a questionnaire, as a shell sees it: plain data, blind to methods, nothing lost, nothing twice."""

from __future__ import annotations

import json

import pytest

from lexicloud.errors import NoConsent, SurveyError, UnknownToken
from lexicloud.survey import Questionnaire, arms_of
from tests.survey.studies import METHODS, small_study


@pytest.fixture
def opened(tmp_path):
    small_study().save(tmp_path / "study.json")
    return Questionnaire.open(tmp_path / "study.json")


def test_nobody_takes_part_without_consent(opened):
    for consent in (False, None, "yes"):
        with pytest.raises(NoConsent, match="without consent"):
            opened.start(consent=consent)
    assert opened.counts() == {"participants": 0, "answers": 0, "by_arm": {"choose-3": 0}}


def test_a_question_is_plain_and_does_not_name_methods(opened):
    question = opened.start(consent=True).question()
    assert json.loads(json.dumps(question)) == question
    assert (question["id"], question["number"], question["total"], question["choose"]) == ("0", 1, 12, 3)
    assert [option["key"] for option in question["options"]] == ["1", "2", "3", "4", "5"]
    assert not any(method in json.dumps(question) for method in METHODS)
    assert not any(method in json.dumps(opened.welcome()) for method in METHODS)


def test_a_head_to_head_shows_two_lists(tmp_path):
    small_study(arms=arms_of("head-to-head", "variety")).save(tmp_path / "study.json")
    question = Questionnaire.open(tmp_path / "study.json").start(consent=True).question()
    assert [(o["key"], len(o["sentences"])) for o in question["options"]] == [("A", 5), ("B", 5)]
    assert question["choose"] == 1
    assert "variety" in question["prompt"]


def test_answers_say_what_was_shown_and_chosen(opened):
    session = opened.start(consent=True, background={"writing": "Often", "why": "for fun"})
    shown = session.plan.items[0].shown
    assert session.answer("0", ["5", "1", "3"], 12.3456) == {"answered": 1, "total": 12, "finished": False}
    (kept,) = opened.store.answers()
    assert kept.shown == shown
    assert kept.chosen == (shown[0], shown[2], shown[4])
    assert (kept.seconds, kept.place, kept.query) == (
        12.346,
        0,
        opened.study.queries[session.plan.items[0].query].id,
    )


def test_the_whole_way_with_a_break_after_every_answer(opened):
    session = opened.start(consent=True)
    token, seen = session.token, []
    while (question := opened.resume(f" {token.upper().replace('-', ' ')} ").question()) is not None:
        seen.append(question["query"])
        opened.resume(token).answer(question["id"], ["1", "2", "3"])
    assert len(set(seen)) == 12
    assert opened.resume(token).progress() == {"answered": 12, "total": 12, "finished": True}
    assert opened.resume(token).id == session.id


def test_a_double_click_is_one_answer(opened):
    session = opened.start(consent=True)
    session.answer("0", ["1", "2", "3"])
    assert session.answer("0", ["3", "2", "1"])["answered"] == 1
    with pytest.raises(SurveyError, match="question 1 was answered before, and not like this"):
        session.answer("0", ["1", "2", "4"])
    assert session.progress()["answered"] == 1


@pytest.mark.parametrize(
    ("question", "chosen", "says"),
    [
        ("1", ["1", "2", "3"], "question '1' is not open: the next one is 0"),
        ("99", ["1", "2", "3"], "is not open"),
        ("-1", ["1", "2", "3"], "is not open"),
        ("first", ["1", "2", "3"], "is not open"),
        ("0", ["1", "2"], "2 options are chosen: choose 3"),
        ("0", ["1", "2", "2"], "2 options are chosen: choose 3"),
        ("0", ["1", "2", "3", "4"], "4 options are chosen: choose 3"),
        ("0", ["1", "2", "setcover"], "there is no option 'setcover': choose among 1, 2, 3, 4, 5"),
    ],
)
def test_wrong_answers_are_refused_and_not_kept(opened, question, chosen, says):
    session = opened.start(consent=True)
    with pytest.raises(SurveyError, match=says):
        session.answer(question, chosen)
    assert session.progress()["answered"] == 0


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf"), "12"])
def test_times_that_are_none_are_refused(opened, seconds):
    with pytest.raises(SurveyError, match="is no time"):
        opened.start(consent=True).answer("0", ["1", "2", "3"], seconds)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"age": "12"}, "nothing was asked about 'age'"),
        ({"writing": "Sometimes"}, "'Sometimes' is no answer about 'writing': choose among Never; Often"),
        ({"why": 3}, "is a int, not a text"),
    ],
)
def test_background_that_was_not_asked_for_is_refused(opened, told, says):
    with pytest.raises(SurveyError, match=says):
        opened.start(consent=True, background=told)
    assert opened.counts()["participants"] == 0


def test_codes_are_secret_and_random(opened, tmp_path):
    sessions = [opened.start(consent=True) for _ in range(5)]
    assert len({s.token for s in sessions}) == len({s.id for s in sessions}) == 5
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("study.answers.db*"))
    for session in sessions:
        assert session.token.encode() not in kept
        assert session.token.replace("-", "").encode() not in kept
        assert session.token not in repr(session)
    with pytest.raises(UnknownToken, match="no participant has the code"):
        opened.resume("aaaa-bbbb-cccc-dddd")


def test_somebody_who_was_removed_cannot_go_on(opened):
    session = opened.start(consent=True)
    session.answer("0", ["1", "2", "3"])
    assert opened.remove(session.id) == 1
    with pytest.raises(UnknownToken):
        opened.resume(session.token)
    with pytest.raises(SurveyError, match="was removed"):
        session.answer("0", ["1", "2", "3"])


def test_opening_a_study_brings_no_heavy_package():
    import subprocess
    import sys

    code = (
        "import sys, lexicloud.survey; print([m for m in ('numpy', 'scipy', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
