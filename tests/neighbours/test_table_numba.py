"""Selecting and sorting in compiled loops, against NumPy's own."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.neighbours.table_numba import kth_smallest, sort_pairs

values = st.lists(
    st.integers(-5, 5).map(float) | st.just(np.inf) | st.floats(-9, 9), min_size=1, max_size=300
)


@settings(max_examples=200, deadline=None)
@given(values=values, place=st.floats(0, 1, exclude_max=True))
def test_the_value_at_a_place_is_the_one_of_the_sorted_values(values, place):
    given = np.array(values)
    k = int(place * len(values))
    assert kth_smallest(given.copy(), k) == np.sort(given)[k]


@settings(max_examples=200, deadline=None)
@given(values=values)
def test_pairs_are_sorted_by_key_then_by_number(values):
    keys = np.array(values)
    numbers = np.random.default_rng(0).permutation(len(keys)).astype(np.int32)
    order = np.lexsort((numbers, keys))
    expected = keys[order], numbers[order]
    sort_pairs(keys, numbers)
    assert np.array_equal(keys, expected[0])
    assert np.array_equal(numbers, expected[1])


def test_many_equal_or_sorted_values_take_no_longer():
    for many in (np.zeros(200_000), np.arange(200_000.0), np.arange(200_000.0)[::-1].copy()):
        assert kth_smallest(many.copy(), 100_000) == np.sort(many)[100_000]
