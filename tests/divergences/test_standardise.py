"""Standardising a matrix of divergences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.divergences import standardise
from lexicloud.divergences.standardise import UsualDistances, standardise_left_out
from lexicloud.errors import EstimateError, OptionError


def naive(values: np.ndarray, labels: list[str] | None = None) -> np.ndarray:
    """Rows, then columns, one mean at a time; every label weighs the same."""
    n = len(values)
    labels = labels or ["all"] * n

    def scale(row: np.ndarray, skip: int) -> np.ndarray:
        groups = [[j for j in range(n) if labels[j] == g and j != skip] for g in sorted(set(labels))]
        groups = [g for g in groups if g]
        mean = np.mean([row[g].mean() for g in groups])
        second = np.mean([((row[g] - mean) ** 2).mean() for g in groups])
        return (row - mean) / (np.sqrt(second) if second > 1e-12 else 1.0)

    rows = np.array([scale(values[i], i) for i in range(n)])
    return np.array([scale(rows[:, j], j) for j in range(n)]).T


@st.composite
def labelled_matrices(draw: st.DrawFn) -> tuple[np.ndarray, list[str]]:
    n = draw(st.integers(4, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    labels = [draw(st.sampled_from("abc")) for _ in range(n)]
    return rng.gamma(2.0, size=(n, n)) + rng.gamma(1.0, size=n), labels


@given(labelled_matrices())
def test_equals_one_mean_at_a_time(case: tuple[np.ndarray, list[str]]) -> None:
    values, labels = case
    off = ~np.eye(len(values), dtype=bool)
    np.testing.assert_allclose(standardise(values)[off], naive(values)[off], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        standardise(values, labels)[off], naive(values, labels)[off], rtol=1e-8, atol=1e-8
    )


@given(labelled_matrices())
def test_leaving_out_equals_leaving_out_for_real(case: tuple[np.ndarray, list[str]]) -> None:
    values, labels = case
    found = standardise_left_out(values, labels)
    for i in range(len(values)):
        rest = [j for j in range(len(values)) if j != i]
        yardstick = UsualDistances.of(values[np.ix_(rest, rest)], [labels[j] for j in rest])
        np.testing.assert_allclose(
            found[i, rest], yardstick.apply(values[[i]][:, rest])[0], rtol=1e-6, atol=1e-7
        )


@given(labelled_matrices(), st.data())
def test_a_row_does_not_know_its_own_label(case: tuple[np.ndarray, list[str]], data: st.DataObject) -> None:
    values, labels = case
    i = data.draw(st.integers(0, len(labels) - 1))
    other = [*labels[:i], "somebody else", *labels[i + 1 :]]
    before, after = standardise_left_out(values, labels)[i], standardise_left_out(values, other)[i]
    np.testing.assert_allclose(before, after, rtol=1e-6, atol=1e-7, equal_nan=True)


def test_a_text_that_is_near_to_everybody_stops_being_the_nearest() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(10, 1, size=(12, 12))
    values[:, 3] -= 6
    off = values + np.where(np.eye(12), np.inf, 0)
    assert (off.argmin(axis=1) == 3).sum() == 11
    assert (np.nanargmin(standardise_left_out(values), axis=1) == 3).sum() <= 4


def test_each_label_weighs_the_same() -> None:
    """Nine novels and three plays: with labels a novel's distance to novels is below what is usual."""
    labels = ["novel"] * 9 + ["play"] * 3
    same = np.equal.outer(labels, labels)
    values = np.where(same, 1.0, 2.0) + np.random.default_rng(0).normal(0, 0.01, size=(12, 12))
    balanced, plain = standardise_left_out(values, labels), standardise_left_out(values)
    assert np.nanmean(balanced[0, :9]) < -0.8
    assert np.nanmean(balanced[0, :9]) < np.nanmean(plain[0, :9])


def test_equal_values_give_zeros_and_not_nan() -> None:
    assert np.array_equal(standardise(np.full((4, 4), 2.5)), np.zeros((4, 4)))


@pytest.mark.parametrize("shape", [(3, 4), (5,)])
def test_refuses_what_is_not_all_pairs(shape: tuple[int, ...]) -> None:
    with pytest.raises(OptionError, match="square"):
        standardise(np.zeros(shape))


def test_refuses_two_texts_and_missing_labels() -> None:
    with pytest.raises(EstimateError, match="at least 3 texts, not 2"):
        standardise(np.zeros((2, 2)))
    with pytest.raises(OptionError, match="2 labels for 4 texts"):
        standardise(np.zeros((4, 4)), ["a", "b"])
