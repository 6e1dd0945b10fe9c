"""Counts by participant agree with counting one answer after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.survey import Crowd, arms_of, simulate
from lexicloud.survey.counts import count_answers
from tests.survey.studies import METHODS, small_study


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
