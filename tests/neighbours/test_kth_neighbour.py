"""Reach equals the naive search: rows that run out, duplicates, single-word documents and all."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from lexicloud.errors import OptionError
from lexicloud.neighbours import iter_reach, kth_neighbour, reach
from lexicloud.neighbours.kth_neighbour import _bits
from tests.neighbours.naive import naive_reach


def members(documents, n):
    rows = np.repeat(np.arange(len(documents)), [len(d) for d in documents])
    columns = np.concatenate([np.asarray(d, dtype=int) for d in documents])
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(documents), n))


@st.composite
def clouds(draw):
    n, d = draw(st.integers(1, 25)), draw(st.integers(1, 3))
    points = draw(arrays(np.float32, (n, d), elements=st.integers(-2, 2)))
    documents = draw(st.lists(st.sets(st.integers(0, n - 1), min_size=1), min_size=1, max_size=4))
    return points, [sorted(document) for document in documents]


@given(clouds(), st.lists(st.integers(1, 12), min_size=1, max_size=4))
@settings(max_examples=150, deadline=None)
def test_equals_the_naive_search(cloud, ks):
    points, documents = cloud
    fast = reach(points, members(documents, len(points)), ks)
    for j, k in enumerate(ks):
        np.testing.assert_allclose(fast[j], naive_reach(points, documents, k), rtol=1e-6)


def test_equals_the_naive_search_on_a_large_cloud():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(1200, 20)).astype(np.float32)
    documents = [np.sort(rng.choice(1200, size, replace=False)) for size in (5, 100, 700, 1)]
    words = rng.choice(1200, 100, replace=False).astype(np.int32)
    fast = reach(points, members(documents, 1200), (3, 50, 1), words)
    for j, k in enumerate((3, 50, 1)):
        np.testing.assert_allclose(fast[j], naive_reach(points, documents, k, words), rtol=1e-6)


@pytest.mark.parametrize(("documents", "size", "by_bits"), [(150, 20, True), (900, 3, False)])
def test_many_documents_equal_the_naive_search_by_bits_and_by_lists(documents, size, by_bits):
    rng = np.random.default_rng(4)
    points = rng.normal(size=(200, 3)).astype(np.float32)
    chosen = [np.sort(rng.choice(200, rng.integers(1, 2 * size), replace=False)) for _ in range(documents)]
    table = members(chosen, 200)
    assert bool(_bits(sparse.csr_array(table.T)).shape[1]) == by_bits
    words = np.array([0, 17, 199], dtype=np.int32)
    fast = reach(points, table, (2, 5), words)
    for j, k in enumerate((2, 5)):
        np.testing.assert_allclose(fast[j], naive_reach(points, chosen, k, words), rtol=1e-6)


@pytest.mark.parametrize("margin", [0.01, 1.0, 100.0])
def test_answers_do_not_depend_on_how_much_is_looked_at_first(monkeypatch, margin):
    rng = np.random.default_rng(5)
    points = rng.normal(size=(3000, 8)).astype(np.float32)
    table = members([rng.choice(3000, size, replace=False) for size in (2000, 900, 60)], 3000)
    words = rng.choice(3000, 40, replace=False).astype(np.int32)
    usual = reach(points, table, (1, 20), words)
    monkeypatch.setattr(kth_neighbour, "MARGIN", margin)
    np.testing.assert_array_equal(reach(points, table, (1, 20), words), usual)


def test_limits_ascend_to_infinity():
    rng = np.random.default_rng(6)
    holds = sparse.csr_array(rng.random((5000, 4)) < 0.5)
    sizes = holds.sum(axis=0).astype(np.int32)
    plan = kth_neighbour.LookAhead.of(holds, sizes, np.array([3, 100], dtype=np.int32))
    limits = plan.limits(rng.normal(size=(7, 5000)).astype(np.float32))
    assert limits.shape[1] > 2
    assert (np.diff(limits, axis=1) > 0).all()
    assert np.isposinf(limits[:, -1]).all()


def test_blocks_joined_are_the_whole():
    rng = np.random.default_rng(2)
    points = rng.normal(size=(200, 4)).astype(np.float32)
    table = members([range(50), range(20, 200)], 200)
    words = np.array([7, 3, 150, 0], dtype=np.int32)
    whole = reach(points, table, (2,), words)
    joined = np.concatenate([d for _, d in iter_reach(points, table, (2,), words)], axis=1)
    np.testing.assert_array_equal(whole, joined)
    np.testing.assert_array_equal(whole, reach(points, table, (2,))[:, words])


def test_adding_a_document_leaves_the_columns_of_the_others():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(150, 6)).astype(np.float32)
    documents = [range(60), range(30, 90), range(60, 150)]
    two, three = (reach(points, members(documents[:n], 150), (4,)) for n in (2, 3))
    np.testing.assert_allclose(two, three[:, :, :2], rtol=1e-6)
    one = reach(points, members(documents[2:], 150), (4,))
    np.testing.assert_allclose(one[:, :, 0], three[:, :, 2], rtol=1e-6)


def test_k_below_one_is_refused():
    with pytest.raises(OptionError, match="k must be at least 1, not 0"):
        reach(np.zeros((2, 1), np.float32), members([[0, 1]], 2), (0,))
