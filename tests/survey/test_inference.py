"""Intervals and tests over people: exact where that can be counted out, as good as they claim elsewhere.

Krippendorff's α against a worked example, its limits, and its interval.
Bradley–Terry strengths: the closed form of two, a slow reference for more, and known strengths found again.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.survey import Crowd, arms_of, simulate
from lexicloud.survey.inference import (
    FEWEST,
    HALF,
    connected,
    draw_people,
    effective_people,
    fit,
    holm,
    krippendorff_alpha,
    ratio_interval,
    sign_flip,
    strengths,
)
from lexicloud.survey.results import count_answers
from tests.survey.studies import METHODS, small_study


def test_a_ratio_is_that_of_the_sums():
    found = ratio_interval(np.array([1.0, 2, 3, 4, 0, 5, 0]), np.array([2.0, 4, 4, 4, 1, 5, 0]))
    assert found.value == 15 / 20
    assert 0 < found.low < 0.75 < found.high <= 1


def test_people_who_agree_leave_nothing_open():
    found = ratio_interval(np.full(8, 3.0), np.full(8, 5.0))
    assert (found.low, found.value, found.high) == pytest.approx((0.6, 0.6, 0.6))


def test_too_few_people_have_no_interval():
    few = ratio_interval(np.ones(FEWEST - 1), np.full(FEWEST - 1, 2.0))
    assert (few.value, few.low, few.high) == (0.5, None, None)
    assert np.isnan(ratio_interval(np.zeros(3), np.zeros(3)).value)


def test_one_busy_person_widens_the_interval():
    shares = np.array([0.2, 0.4, 0.6, 0.8, 0.5, 0.3, 0.7, 0.5])
    even = np.full(8, 25.0)
    busy = np.array([150.0, 7, 7, 7, 7, 7, 7, 8])
    widths = [found.high - found.low for found in (ratio_interval(shares * n, n) for n in (even, busy))]
    assert widths[1] > 1.3 * widths[0]
    assert effective_people(busy) < 3 < 7.9 < effective_people(even)


def test_answers_that_repeat_within_people_do_not_narrow_the_interval():
    x, n = np.array([1.0, 3, 2, 4, 5, 2, 1]), np.full(7, 5.0)
    once, tenfold = ratio_interval(x, n), ratio_interval(10 * x, 10 * n)
    assert tenfold.to_dict() == pytest.approx(once.to_dict())


def test_the_interval_holds_as_often_as_it_says():
    """95 % within what 300 studies can tell, though people differ and answer 1 to 100 times.

    benchmarks/truth/survey_calibration.py measures it at more settings.
    """
    chance, held, studies = np.random.default_rng(5), 0, 300
    for study in range(studies):
        shares = chance.beta(3, 2, 15)  # mean 0.6
        n = np.minimum(100, 1 + chance.exponential(25, 15).astype(int)).astype(float)
        found = ratio_interval(chance.binomial(n.astype(int), shares).astype(float), n, seed=study, draws=800)
        held += found.low <= 0.6 <= found.high
    draw_people.cache_clear()
    assert 0.91 <= held / studies <= 0.99


def test_flips_are_counted_out_for_few_people():
    """Oracle: all 2^5 signs, by hand."""
    scores = np.array([3.0, 1.0, 2.0, -1.0, 2.0])
    sums = [abs(np.dot(signs, scores)) for signs in itertools.product([1, -1], repeat=5)]
    assert sign_flip(scores) == sum(s >= 7 for s in sums) / 32


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=10))
def test_the_sign_of_all_does_not_matter_nor_do_people_without_a_preference(scores):
    values = np.array(scores, dtype=float)
    assert sign_flip(values) == sign_flip(-values) == sign_flip(np.append(values, 0.0))
    assert 0 < sign_flip(values) <= 1


def test_many_people_are_flipped_at_random_to_the_same_end():
    scores = np.random.default_rng(0).normal(0.3, 1, 12)
    exact = sign_flip(scores)
    padded = np.append(scores, 1e-9)  # a thirteenth person: too many to count out
    assert sign_flip(padded, draws=20_000) == pytest.approx(exact, abs=0.02)


def test_people_without_a_preference_are_rarely_taken_to_have_one():
    chance = np.random.default_rng(1)
    found = [sign_flip(chance.binomial(20, 0.5, 20) - 10.0, seed=i, draws=400) for i in range(400)]
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_holm():
    """Oracle: R's p.adjust(c(.01, .02, .03, .5), "holm")."""
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([]) == []


NAN = float("nan")


def by_pairs(values: np.ndarray) -> float:
    """Return α straight from its definition, pair by pair."""
    units = [column[~np.isnan(column)] for column in values.T]
    units = [u for u in units if len(u) > 1]
    n = sum(map(len, units))
    seen = sum(
        sum(a != b for i, a in enumerate(u) for j, b in enumerate(u) if i != j) / (len(u) - 1) for u in units
    )
    pool = np.concatenate(units)
    expected = sum(a != b for i, a in enumerate(pool) for j, b in enumerate(pool) if i != j) / (n * (n - 1))
    return float(1 - seen / n / expected)


def test_a_worked_example():
    """Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), part A: two observers, ten units, α = .095."""
    one = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    two = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha(np.array([one, two], dtype=float)).value == pytest.approx(0.095, abs=0.0005)


@given(st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=24, max_size=24))
def test_it_is_its_definition(cells):
    values = np.array(cells).reshape(4, 6)
    kept = [c[~np.isnan(c)] for c in values.T if (~np.isnan(c)).sum() > 1]
    if not kept or len(set(np.concatenate(kept))) < 2:
        assert np.isnan(krippendorff_alpha(values).value)
    else:
        assert krippendorff_alpha(values).value == pytest.approx(by_pairs(values))


def test_perfect_agreement_is_one_and_chance_is_about_zero():
    chance = np.random.default_rng(0)
    same = np.tile(chance.integers(0, 2, 40).astype(float), (8, 1))
    assert krippendorff_alpha(same).value == 1
    apart = krippendorff_alpha(chance.integers(0, 2, (12, 200)).astype(float))
    assert abs(apart.value) < 0.03
    assert apart.low < 0 < apart.high


def test_the_interval_of_chance_answers_holds_zero_and_is_not_far_wider_than_they_spread():
    """A bootstrap of people is up to twice as wide: it counts what belongs to pairs three times."""
    chance = np.random.default_rng(1)
    answers = chance.integers(0, 2, (120, 12, 60)).astype(float)
    answers[chance.random(answers.shape) < 0.6] = NAN
    found = [krippendorff_alpha(values) for values in answers]
    assert 0.9 <= np.mean([f.low <= 0 <= f.high for f in found]) <= 1
    wide = np.mean([f.high - f.low for f in found]) / (2 * 1.96 * np.std([f.value for f in found]))
    assert 1 <= wide < 1.75


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
