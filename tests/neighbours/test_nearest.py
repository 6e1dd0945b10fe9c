"""Vectors that are the same get one number; numpy's own comparison of rows is the oracle."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from lexicloud.neighbours import nearest as module
from lexicloud.neighbours.nearest import distinct

TABLES = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, max_side=8),
    elements=st.sampled_from([-1.5, -0.0, 0.0, 2.0]),
)


def check(table, first, number):
    np.testing.assert_array_equal(table[first][number], table)  # 0.0 equals -0.0
    assert len(first) == len(np.unique(table + np.float32(0), axis=0))
    assert (np.diff(first) > 0).all()
    assert all(first[n] <= row for row, n in enumerate(number))


@given(TABLES)
def test_equal_rows_share_a_number_and_others_do_not(table):
    check(table, *distinct(table))


def test_vectors_whose_hashes_collide_stay_apart(monkeypatch):
    monkeypatch.setattr(module, "_hashes", lambda rows, _: np.zeros(len(rows), dtype=np.uint64))
    table = np.array([[1, 2], [3, 4], [1, 2], [0, 0]], dtype=np.float32)
    first, number = distinct(table)
    check(table, first, number)
    assert number.tolist() == [0, 1, 0, 2]
