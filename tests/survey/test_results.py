"""Results: what adds up, what is found in simulated people with known preferences, and what they can be turned into.

Counts by participant agree with counting one answer after the other.
Careless participants are flagged, careful ones are not, whatever they prefer.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.survey import Arm, Crowd, GivenAnswer, Questionnaire, arms_of, score, simulate
from lexicloud.survey.inference import answers_needed
from lexicloud.survey.results import count_answers, flagged, times
from tests.survey.studies import METHODS, small_study


@pytest.fixture(scope="module")
def study():
    return small_study(40, arms=arms_of("both"))


@pytest.fixture(scope="module")
def results(study):
    crowd = Crowd({"setcover": 1.0, "levenshtein": -1.0}, persons=0.3, queries=0.3)
    return score(study, simulate(study, 90, crowd, seed=1))


def test_shares_add_up(results):
    choose, useful, variety = results.arms
    assert sum(s.chosen for s in choose.shares) == 3 * choose.answers
    assert {s.shown for s in choose.shares} == {choose.answers}
    assert sum(s.share.value for s in choose.shares) == pytest.approx(3)
    for heads in (useful, variety):
        assert sum(s.chosen for s in heads.shares) == heads.answers
        assert sum(c.answers for c in heads.comparisons) == heads.answers


def test_known_preferences_are_found(results):
    for arm in results.arms:
        share = {s.method: s.share for s in arm.shares}
        assert share["setcover"].low > arm.shares[0].chance > share["levenshtein"].high
        assert arm.p_equal < 0.01
        last = next(c for c in arm.comparisons if c.second == "levenshtein")
        assert last.p_holm < 0.01
        assert last.value.low > last.none
        assert max(arm.strengths, key=lambda m: arm.strengths[m].value) == "setcover"
    assert results.arms[0].agreement.low > 0


def test_people_without_preferences_give_chance():
    study = small_study(40)
    arm = score(study, simulate(study, 40, Crowd(), seed=3)).arms[0]
    assert arm.p_equal > 0.01
    assert arm.positions.p_value > 0.01
    assert arm.agreement.low < 0 < arm.agreement.high
    assert all(s.share.low < 0.6 < s.share.high for s in arm.shares)


def test_a_liking_for_the_first_place_is_found_and_does_not_touch_the_methods():
    study = small_study(40)
    arm = score(study, simulate(study, 60, Crowd(first=0.6, answers=40), seed=4)).arms[0]
    assert arm.positions.p_value < 0.001
    assert arm.positions.shares[0].low > 0.6 > arm.positions.shares[-1].high
    assert arm.p_equal > 0.01


def test_groups_are_told_apart(results):
    choose = results.arms[0]
    assert set(choose.by_group) == {"a", "b"}
    assert sum(s.shown for shares in choose.by_group.values() for s in shares) == 5 * choose.answers


def test_the_careless_are_flagged_and_the_shares_given_without_them():
    study = small_study(40)
    answers = simulate(study, 60, Crowd({"setcover": 1.0}, careless=0.4, answers=40), seed=5)
    arm = score(study, answers).arms[0]
    assert 10 <= len(arm.flags) <= 35
    with_all, attentive = (
        {s.method: s for s in shares}["setcover"] for shares in (arm.shares, arm.attentive)
    )
    assert attentive.share.value > with_all.share.value + 0.02
    assert attentive.shown < with_all.shown


def test_few_people_get_no_interval_and_no_p_value(study):
    arm = score(study, simulate(study, 9, Crowd(), seed=1)).arms[0]
    assert arm.participants == 3
    assert all(s.share.low is None for s in arm.shares)
    assert arm.p_equal is None
    assert all(c.p_value is None and c.p_holm is None and c.needed is None for c in arm.comparisons)


def test_no_answers_are_no_error(study, tmp_path):
    empty = score(study, [])
    assert [arm.answers for arm in empty.arms] == [0, 0, 0]
    assert "There are no answers yet." in empty.page()
    assert empty.write(tmp_path / "out")


def test_answers_needed_is_the_textbook_number_for_independent_answers():
    """Oracle: n = ((1.96 + 0.8416) / 0.05)² · p (1 − p) for one answer a person, p = 0.5."""
    x = np.array([0.0, 1.0] * 500)
    needed = answers_needed(x, np.ones(1000))
    assert needed == pytest.approx((2.8016 / 0.05) ** 2 * 0.25, rel=0.01)
    assert answers_needed(np.ones(9), np.ones(9)) is None


def test_people_who_differ_need_more_answers():
    chance = np.random.default_rng(0)
    n = np.full(40, 20.0)
    alike, apart = (chance.binomial(20, p).astype(float) for p in (np.full(40, 0.5), chance.beta(2, 2, 40)))
    assert answers_needed(apart, n) > 2 * answers_needed(alike, n)


def test_results_are_plain_and_complete(results, tmp_path):
    plain = json.loads(json.dumps(results.to_dict()))
    assert [arm["name"] for arm in plain["arms"]] == [arm.name for arm in results.arms]
    table = results.to_pandas()
    assert len(table) == 15
    assert list(table.columns) == ["arm", "method", "chosen", "shown", "value", "low", "high"]
    assert repr(results).startswith("<Results of 'Which suggestions help?': 90 participants")
    page = results._repr_html_()
    assert page.index("chosen more often than by chance") < page.index("<table")  # the conclusion first
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert results.plot(ax=ax) is ax
    assert [label.get_text() for label in ax.get_yticklabels()] == METHODS


def test_the_same_answers_and_seed_give_the_same_results(study):
    answers = simulate(study, 30, Crowd(), seed=1)
    assert score(study, answers).to_dict() == score(study, answers).to_dict()


def test_a_questionnaire_scores_its_own_answers(tmp_path):
    small_study().save(tmp_path / "s.json")
    opened = Questionnaire.open(tmp_path / "s.json")
    for told in ("Often", "Often", "Never"):
        opened.start(consent=True, background={"writing": told, "why": "secret"}).answer("0", ["1", "2", "3"])
    found = opened.results()
    assert found.background == {"writing": {"Never": 1, "Often": 2}}
    assert "secret" not in json.dumps(found.to_dict()) + found.page()


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(["choose", "head-to-head"]), st.integers(0, 1000))
def test_they_agree_with_counting_answer_by_answer(task, seed):
    study = small_study(arms=arms_of(task, "usefulness"))
    answers = simulate(study, 5, Crowd(persons=1.0, answers=6), seed=seed)
    counts = count_answers(study, study.arms[0], answers)
    for row, person in enumerate(counts.people):
        own = [a for a in answers if a.participant == person]
        assert counts.places_shown[row] == len(own)
        for i, method in enumerate(METHODS):
            assert counts.shown[row, i] == sum(method in a.shown for a in own)
            assert counts.chosen[row, i] == sum(method in a.chosen for a in own)
            for j, other in enumerate(METHODS):
                beaten = [a for a in own if method in a.chosen and other in a.shown and other not in a.chosen]
                assert counts.wins[row, i, j] == len(beaten)
        for place in range(len(own[0].shown)):
            assert counts.places[row, place] == sum(a.shown[place] in a.chosen for a in own)


@pytest.mark.parametrize(("task", "units"), [("choose", 5), ("head-to-head", 1)])
def test_every_answer_judges_its_units(task, units):
    study = small_study(arms=arms_of(task, "usefulness"))
    answers = simulate(study, 6, Crowd(answers=8), seed=1)
    judged = count_answers(study, study.arms[0], answers).judgements
    assert np.isfinite(judged).sum() == units * len(answers)
    if task == "choose":
        assert np.nansum(judged) == 3 * len(answers)


def test_a_comparison_is_the_difference_or_the_share_of_wins():
    study = small_study()
    counts = count_answers(study, study.arms[0], simulate(study, 6, Crowd(answers=8), seed=2))
    margin, answers, none = counts.margin("wmd", "jaccard")
    assert none == 0
    assert margin.sum() == counts.chosen[:, 2].sum() - counts.chosen[:, 3].sum()
    assert (answers == counts.places_shown).all()


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
    slow = [GivenAnswer(**{**vars(a), "seconds": 20.0}) for a in answers]
    found = flagged(slow, study.arms[0])
    assert len(found) == 20
    assert found[0].reason == ("chose 1, 2, 3" if task == "choose" else "chose A") + " in 40 of 40 answers"


def test_haste_is_flagged():
    answers = [GivenAnswer("p", i, 0, f"q{i}", ("a", "b"), (("a", "b")[i % 2],), 0.8) for i in range(6)]
    (flag,) = flagged(answers, Arm("head-to-head", "usefulness"))
    assert flag.reason == "half of 6 answers took less than 0.8 seconds"


def test_three_answers_alike_are_nothing():
    answers = [GivenAnswer("p", i, 0, f"q{i}", ("a", "b"), (("a", "b")[i % 2],), 20.0) for i in range(3)]
    assert flagged(answers, Arm("head-to-head", "usefulness")) == []


def test_times():
    answers = [GivenAnswer("p", i, 0, f"q{i}", ("a", "b"), ("a",), float(i)) for i in range(11)]
    found = times(answers)
    assert (found.low, found.median, found.high) == (1, 5, 9)
    assert times([GivenAnswer("p", 0, 0, "q", ("a", "b"), ("a",))]) is None
