"""Bradley–Terry strengths: the closed form of two, a slow reference for more, and known strengths found again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.survey import Crowd, arms_of, simulate
from lexicloud.survey.bradley_terry import HALF, connected, fit, strengths
from lexicloud.survey.counts import count_answers
from tests.survey.studies import METHODS, small_study


def minorise(wins: np.ndarray, rounds: int = 20_000) -> np.ndarray:
    """Return strengths by Hunter's MM algorithm: slow and obvious."""
    met = wins + wins.T > 0
    wins = wins + HALF * met
    games, worth = wins + wins.T, np.ones(len(wins))
    for _ in range(rounds):
        before = worth
        worth = wins.sum(axis=1) / (games / (worth[:, None] + worth[None, :])).sum(axis=1)
        worth /= np.exp(np.log(worth).mean())
        if np.abs(np.log(worth / before)).max() < 1e-12:
            break
    return np.log(worth)


def test_two_methods_have_a_closed_form():
    found = fit(np.array([[[0.0, 30.0], [10.0, 0.0]]]))[0]
    assert found[0] - found[1] == pytest.approx(np.log(30.5 / 10.5))
    assert found.sum() == pytest.approx(0)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 30), min_size=16, max_size=16))
def test_newton_agrees_with_the_slow_reference(cells):
    wins = np.array(cells, dtype=float).reshape(4, 4)
    np.fill_diagonal(wins, 0)
    wins[0, 1:] += 1  # the first meets all, so that the strengths can be compared
    np.testing.assert_allclose(fit(wins[None])[0], minorise(wins), atol=1e-6)


def test_a_method_that_never_won_stays_finite():
    wins = np.array([[0.0, 20, 20], [0, 0, 10], [0, 10, 0]])
    found = fit(wins[None])[0]
    assert np.isfinite(found).all()
    assert found[0] > 2


def test_methods_that_never_met_cannot_be_compared():
    apart = np.zeros((7, 4, 4))
    apart[:, 0, 1] = apart[:, 2, 3] = 1
    assert not connected(apart.sum(axis=0))
    assert strengths(apart) == []


@pytest.mark.parametrize("task", ["choose", "head-to-head"])
def test_known_strengths_are_found(task):
    worth = dict(zip(METHODS, (0.8, 0.4, 0.0, -0.4, -0.8), strict=True))
    study = small_study(40, arms=arms_of(task, "usefulness"))
    answers = simulate(study, 120, Crowd(worth), seed=2)
    found = strengths(count_answers(study, study.arms[0], answers).wins, draws=400)
    values = [s.value for s in found]
    assert sorted(values, reverse=True) == values
    if task == "head-to-head":  # the model is exact here; how often intervals hold is measured in benchmarks/
        assert values == pytest.approx(list(worth.values()), abs=0.25)
    assert all(s.low < s.value < s.high for s in found)
