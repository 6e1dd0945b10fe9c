"""Regions: as many as there are dense places, numbered by size, each point in one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.plane.naming import distinct_words, named_regions, regions


def heaps(sizes: list[int]) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    middles = np.array([(0, 0), (10, 0), (0, 10), (10, 10)][: len(sizes)], float)
    heap = np.repeat(np.arange(len(sizes)), sizes)
    return middles[heap] + 0.7 * rng.standard_normal((len(heap), 2)), heap


def test_heaps_are_found_the_largest_first():
    points, heap = heaps([50, 90, 70, 60])
    found = regions(points, 4)
    assert [set(found[heap == i]) for i in range(4)] == [{3}, {0}, {1}, {2}]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=60), st.integers(1, 12)
)
def test_every_point_has_a_region_and_numbers_have_no_gaps(points, about):
    found = regions(np.array(points, float), about)
    assert set(found.tolist()) == set(range(found.max() + 1))
    sizes = np.bincount(found)
    assert (np.diff(sizes) <= 0).all()


def test_regions_are_named_by_their_own_points():
    points, heap = heaps([40, 60])
    named, of = named_regions(points, (2, 0), lambda rows: [f"heap{heap[rows[0]]}"])
    assert [region.title for region in named] == ["heap1", "heap0"]
    assert [region.size for region in named] == np.bincount(of).tolist() == [60, 40]
    assert named[0].colour != named[1].colour


def test_forms_of_one_word_name_a_region_once():
    words = ["legislature", "legislation", "law", "laws", "gold"]
    assert distinct_words(words, 3) == ("legislature", "law", "gold")
