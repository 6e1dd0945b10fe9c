"""A study is frozen: it comes back as it was, and any change to it is noticed."""

from __future__ import annotations

import json

import pytest

from lexicloud.errors import OptionError, SurveyError
from lexicloud.survey import Arm, Study, arms_of, pairs_of
from tests.survey.studies import small_study


def test_a_study_comes_back_as_it_was(tmp_path):
    study = small_study(arms=arms_of("both"))
    study.save(tmp_path / "study.json")
    again = Study.open(tmp_path / "study.json")
    assert again.to_dict() == study.to_dict()
    assert again.checksum == study.checksum
    assert repr(again) == (
        "<Study 'Which suggestions help?': 12 queries, 5 methods, "
        "choose-3, head-to-head on usefulness, head-to-head on variety>"
    )


def test_a_study_is_never_overwritten_unasked(tmp_path):
    path = small_study().save(tmp_path / "study.json")
    before = path.read_bytes()
    with pytest.raises(SurveyError, match="is there already, and answers may belong to it"):
        small_study(queries=5).save(path)
    assert path.read_bytes() == before
    small_study(queries=5).save(path, overwrite=True)
    assert len(Study.open(path).queries) == 5
    assert [p.name for p in tmp_path.iterdir()] == ["study.json"]  # nothing half-written is left


@pytest.mark.parametrize(
    "change",
    [
        lambda study: study["queries"][3]["lists"]["wmd"].reverse(),
        lambda study: study.update(consent="You agree to everything."),
        lambda study: study["arms"][0].update(choose=2),
        lambda study: study.update(seed=9),
    ],
    ids=["suggestions", "consent", "task", "seed"],
)
def test_a_changed_study_is_refused(tmp_path, change):
    path = small_study().save(tmp_path / "study.json")
    content = json.loads(path.read_text())
    change(content["study"])
    path.write_text(json.dumps(content))
    with pytest.raises(SurveyError, match="was changed after it was frozen"):
        Study.open(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is no JSON"),
        ("[]", "is not a study: lexicloud survey create makes one"),
        ('{"format": "lexicloud-study", "version": 99}', "has format 99, this lexicloud reads up to 1"),
        ('{"format": "lexicloud-study", "version": 1, "study": {}}', "is damaged"),
        ('{"format": "lexicloud-study", "version": 1}', "is damaged"),
    ],
)
def test_what_is_no_study_is_refused_in_one_line(tmp_path, content, says):
    path = tmp_path / "study.json"
    path.write_text(content)
    with pytest.raises(SurveyError, match=says) as refused:
        Study.open(path)
    assert "\n" not in str(refused.value)


def test_a_missing_study_is_named(tmp_path):
    with pytest.raises(SurveyError, match=r"cannot read .*nowhere\.json: No such file"):
        Study.open(tmp_path / "nowhere.json")


def test_tasks_that_make_no_sense_are_refused():
    with pytest.raises(OptionError, match="choose 3 of 3 methods"):
        small_study(methods=["a", "b", "c"])
    with pytest.raises(OptionError, match="no task 'rank'"):
        arms_of("rank")
    with pytest.raises(OptionError, match="no criterion 'beauty'"):
        Arm("choose", "beauty")
    with pytest.raises(OptionError, match="no method 'z' in this study"):
        pairs_of(["a", "b"], "z")
    assert len(pairs_of(["a", "b", "c", "d"], "all")) == 6
