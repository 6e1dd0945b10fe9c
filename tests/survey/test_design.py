"""A study is frozen: it comes back as it was, and any change to it is noticed; its orders are balanced."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import OptionError, SurveyError
from lexicloud.survey import Arm, Study, arms_of, pairs_of
from lexicloud.survey.design import plan, query_order, williams_square
from tests.survey.studies import METHODS, small_study


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


@given(st.integers(2, 15))
def test_a_williams_square_is_balanced_for_places_and_for_what_follows_what(n):
    rows = williams_square(n)
    places = Counter((item, place) for row in rows for place, item in enumerate(row))
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert set(places.values()) == {len(rows) // n}
    assert len(places) == n * n
    assert len(follows) == n * (n - 1)
    assert len(set(follows.values())) == 1


@given(st.integers(1, 60), st.integers(0, 300))
def test_everybody_gets_every_query_once(n, row):
    assert sorted(query_order(n, row)) == list(range(n))


def test_after_one_square_every_query_stood_at_every_place_once():
    n = 20
    places = Counter((q, place) for row in range(n) for place, q in enumerate(query_order(n, row)))
    assert set(places.values()) == {1}


@pytest.mark.parametrize("stop", [5, 12, 26])
def test_the_first_participants_cover_all_queries_evenly_though_they_stop_early(stop):
    counts = Counter(q for row in range(40) for q in query_order(100, row)[:stop])
    expected = 40 * stop / 100
    assert len(counts) == 100
    # A shuffle for each participant would leave queries at 0 or at more than twice the mean here.
    assert max(counts.values()) <= 1.5 * expected + 1
    assert min(counts.values()) >= 0.5 * expected - 1


@given(st.integers(0, 200), st.integers(1, 12))
def test_methods_share_the_places_whenever_a_participant_stops(number, stop):
    items = plan(small_study(), number).items[:stop]
    counts = Counter((method, place) for item in items for place, method in enumerate(item.shown))
    each = [counts[method, place] for method in METHODS for place in range(5)]
    assert max(each) - min(each) <= 2


def test_methods_share_the_places_exactly_over_ten_answers():
    items = plan(small_study(20), 7).items[:10]
    counts = Counter((method, place) for item in items for place, method in enumerate(item.shown))
    assert set(counts.values()) == {2}


@given(st.integers(0, 200))
def test_pairs_and_sides_alternate_in_a_head_to_head(number):
    study = small_study(16, arms=arms_of("head-to-head", "variety"))
    items = plan(study, number).items
    assert set(Counter(item.shown for item in items).values()) == {2}  # 4 pairs, 2 sides, 16 questions
    for start in range(0, 16, 4):
        assert len({frozenset(item.shown) for item in items[start : start + 4]}) == 4


def test_every_query_meets_every_order_of_methods_about_equally_often():
    study = small_study(40)
    met = Counter((item.query, item.shown) for number in range(400) for item in plan(study, number).items)
    assert len(met) == 400  # 40 queries, 10 orders
    assert 0.5 * 40 <= min(met.values()) <= max(met.values()) <= 1.5 * 40


def test_arms_take_turns():
    study = small_study(arms=arms_of("both"))
    assert [plan(study, number).arm.name for number in range(4)] == [
        "choose-3",
        "head-to-head on usefulness",
        "head-to-head on variety",
        "choose-3",
    ]


def test_groups_of_queries_are_mixed():
    study = small_study(30)
    groups = [study.queries[item.query].group for item in plan(study, 3).items]
    for stop in (6, 10, 20, 30):
        assert abs(groups[:stop].count("a") - groups[:stop].count("b")) <= 2


def test_the_seed_changes_the_order_and_the_number_repeats_it():
    assert plan(small_study(), 5) == plan(small_study(), 5)
    first, second = ([i.query for i in plan(small_study(seed=s), 5).items] for s in (0, 1))
    assert first != second
