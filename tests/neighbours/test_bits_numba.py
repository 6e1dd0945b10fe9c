"""Words of bits, and what is below a limit, against plain Python and NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.compiled import njit
from lexicloud.neighbours import table
from lexicloud.neighbours.bits_numba import less, lowest, place, population
from lexicloud.neighbours.table import Scores

RNG = np.random.default_rng(0)


@njit(cache=False)
def compared(row, at, other, there):
    return less(row, np.uintp(at), other, np.uintp(there))


@pytest.mark.parametrize("kind", [np.float32, np.int32])
def test_a_bit_says_which_number_is_less(kind):
    row, other = (RNG.integers(-5, 5, 200).astype(kind) for _ in range(2))
    row[40:44] = (
        np.array([-np.inf, np.inf, np.nan, 0])
        if kind == np.float32
        else np.array([-(2**31), 2**31 - 1, 0, 0])
    )
    for at, there in [(0, 0), (7, 100), (136, 3)]:
        word = compared(row, at, other, there)
        expected = row[at : at + 64] < other[there : there + 64]
        assert [bool(word >> i & 1) for i in range(64)] == expected.tolist()


@pytest.mark.parametrize("word", [1, 2**63, 2**64 - 1, 0b1011_0000, 0x8000_0000_0000_0001])
def test_bits_are_counted_and_found(word):
    bits = [i for i in range(64) if word >> i & 1]
    assert population(np.uint64(word)) == len(bits)
    assert lowest(np.uint64(word)) == bits[0]
    assert [int(place(np.uint64(word), rank)) for rank in range(1, len(bits) + 1)] == bits


@pytest.mark.parametrize("size", [1, 63, 64, 200, 1024, 1500])
def test_all_points_below_the_limit_are_found_in_order(size, monkeypatch):
    monkeypatch.setattr(table, "WIDTH", 256)
    points = np.random.default_rng(size).normal(size=(size, 7)).astype(np.float32)
    queries, scores = points[:20], Scores(points)
    rows = scores.of(queries).copy()
    for limits in (np.median(rows, axis=1), rows.min(axis=1), np.full(len(queries), np.inf, np.float32)):
        found = scores.below(queries, limits, size)
        for r, count in enumerate(found.counts):
            near = found.columns[r, :count]
            assert (np.diff(near.astype(int)) > 0).all()
            assert found.scores[r, :count] == pytest.approx(rows[r, near], abs=1e-5)
            clear = np.abs(rows[r] - limits[r]) > 1e-5  # products of other widths may round otherwise
            below = np.flatnonzero(rows[r] < limits[r])
            assert set(below[clear[below]]) <= set(near.tolist())
            assert not clear[near[rows[r, near] >= limits[r]]].any()


def test_a_row_that_does_not_fit_says_so_and_the_others_are_whole():
    points = np.random.default_rng(0).normal(size=(5_000, 3)).astype(np.float32)
    found = Scores(points).below(points[:2], np.array([np.inf, -np.inf], np.float32), 100)
    assert found.counts.tolist() == [-1, 0]
    assert Scores(points).below(points[:1], np.array([np.inf], np.float32), 5_000).counts.tolist() == [5_000]
