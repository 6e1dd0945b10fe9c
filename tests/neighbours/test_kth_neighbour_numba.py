"""The compiled pieces of reach, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.neighbours import kth_neighbour_numba as kernel

RNG = np.random.default_rng(0)


def test_sorting_is_by_score_and_then_by_number():
    scores = np.concatenate([RNG.normal(size=400), RNG.integers(-3, 3, 400), [0.0, 1e30, -1e30, 1e-30]])
    row = RNG.permutation(scores).astype(np.float32)
    near = np.flatnonzero(RNG.random(len(row)) < 0.7).astype(np.uint32)
    pairs, spare = np.empty(len(near) + 1, np.uint64), np.empty(len(near) + 1, np.uint64)
    for low, high, own in [(-np.inf, np.inf, -1), (-1, 0.5, near[5]), (0, 2, near[0])]:
        expected = near[(row[near] >= low) & (row[near] < high) & (near != own)]
        limits = np.float32(low), np.float32(high)
        count = kernel._portion(near, row[near], len(near), *limits, np.int32(own), pairs)
        found = kernel._sort(pairs, np.uint64(count), spare, 11, np.ones((3, 2**11), np.uint32))[:count]
        np.testing.assert_array_equal(
            found.astype(np.uint32), expected[np.argsort(row[expected], kind="stable")]
        )


def test_below_a_limit_sorting_is_as_fine_as_single_precision():
    square, limit = np.float32(40), np.float32(3)
    row = np.concatenate([RNG.uniform(-40, 9, 900), RNG.integers(-30, 3, 300), [-40.001]]).astype(np.float32)
    near = np.flatnonzero(RNG.random(len(row)) < 0.9).astype(np.uint32)
    pairs, spare = np.empty(len(near) + 1, np.uint64), np.empty(len(near) + 1, np.uint64)
    for low in (np.float32(-np.inf), np.float32(-10)):
        expected = near[(row[near] >= low) & (row[near] < limit) & (near != 7)]
        count = kernel._near_portion(near, row[near], len(near), low, limit, np.int32(7), square, pairs)
        found = kernel._sort(pairs, np.uint64(count), spare, 12, np.ones((2, 2**12), np.uint32))[:count]
        found = found.astype(np.uint32)
        assert sorted(found.tolist()) == expected.tolist()
        assert row[found] == pytest.approx(np.sort(row[expected]), abs=4 * 43 / 2**24)
        equal = row[found][1:] == row[found][:-1]
        assert (np.diff(found.astype(int))[equal] > 0).all()


def test_turning_words_of_bits_transposes_them():
    square = RNG.random((64, 64)) < 0.3
    words, expected = (
        np.packbits(np.ascontiguousarray(s), axis=1, bitorder="little").view(np.uint64).ravel()
        for s in (square, square.T)
    )
    kernel._turn(words, np.zeros(64, dtype=np.uint64))
    np.testing.assert_array_equal(words, expected)
