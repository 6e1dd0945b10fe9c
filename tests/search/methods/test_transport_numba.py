"""Optimal transport: the network simplex against POT's and against a linear programme."""

from __future__ import annotations

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from lexicloud.errors import EstimateError
from lexicloud.search.methods import wmd
from lexicloud.search.methods.wmd import solve


@st.composite
def problems(draw, most=12):
    """Masses as of counted words, and distances with many ties, zeros among them, or none."""
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    counts = st.integers(1, draw(st.sampled_from([1, 3, 50])))
    a = np.array(draw(st.lists(counts, min_size=n, max_size=n)), float)
    b = np.array(draw(st.lists(counts, min_size=m, max_size=m)), float)
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    D = rng.integers(0, 4, (n, m)).astype(float) if draw(st.booleans()) else rng.random((n, m))
    return a / a.sum(), b / b.sum(), D * draw(st.sampled_from([1e-6, 1.0, 1e6]))


def check(a, b, D, T):
    """What every plan must be: no negative flow, the masses as given, and no more arcs than a tree has."""
    assert (T >= 0).all()
    np.testing.assert_allclose(T.sum(axis=1), a, atol=1e-12)
    np.testing.assert_allclose(T.sum(axis=0), b, atol=1e-12)
    assert np.count_nonzero(T) < len(a) + len(b)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_as_good_as_pot(problem):
    """Oracle: POT's network simplex."""
    a, b, D = problem
    T = solve(a, b, D)
    check(a, b, D, T)
    assert (T * D).sum() == pytest.approx(ot.emd2(a, b, D), rel=1e-9, abs=1e-9 * D.max())


@settings(max_examples=40, deadline=None)
@given(problems(most=6))
def test_as_good_as_a_linear_programme(problem):
    """Oracle: HiGHS, through SciPy."""
    a, b, D = problem
    n, m = D.shape
    rows = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    scale = max(D.max(), 1e-300)
    exact = linprog((D / scale).ravel(), A_eq=rows, b_eq=np.concatenate([a, b]), method="highs").fun * scale
    assert (solve(a, b, D) * D).sum() == pytest.approx(exact, rel=1e-6, abs=1e-7 * scale)


@pytest.mark.parametrize("kind", ["counts", "equal", "lopsided", "one point"])
def test_large_clouds(kind):
    """Oracle: POT. Equal masses and equal distances make most steps move nothing."""
    rng = np.random.default_rng(3)
    n, m = (300, 7) if kind == "lopsided" else (120, 120)
    X, Y = rng.normal(size=(n, 5)), rng.normal(size=(m, 5))
    if kind == "one point":
        X[:], Y[:] = 1.0, 1.0
    a, b = (np.ones(k) if kind == "equal" else rng.integers(1, 5, k).astype(float) for k in (n, m))
    a, b, D = a / a.sum(), b / b.sum(), wmd.distances_between(X, Y)
    T = solve(a, b, D)
    check(a, b, D, T)
    assert (T * D).sum() == pytest.approx(ot.emd2(a, b, D), abs=1e-9)


def test_what_is_not_solved_says_so(monkeypatch):
    monkeypatch.setattr(wmd, "_STEPS", 2)
    with pytest.raises(EstimateError, match="3 × 3 words was not solved within 2 steps"):
        solve(np.full(3, 1 / 3), np.full(3, 1 / 3), np.random.default_rng(0).random((3, 3)))
