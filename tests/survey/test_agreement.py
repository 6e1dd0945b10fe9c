"""Krippendorff's α against a worked example, its limits, and what a person who is drawn twice must not do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.survey.agreement import krippendorff_alpha

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
    apart = krippendorff_alpha(chance.integers(0, 2, (12, 200)).astype(float), draws=500)
    assert abs(apart.value) < 0.03
    assert apart.low < 0 < apart.high


def test_a_person_drawn_twice_does_not_agree_with_herself():
    """With such pairs counted, the interval of chance answers would lie far above zero."""
    chance = np.random.default_rng(1)
    found = [krippendorff_alpha(chance.integers(0, 2, (10, 60)).astype(float), draws=300) for _ in range(40)]
    assert sum(f.low <= 0 <= f.high for f in found) >= 34
