"""The table equals the naive one: same words, same order, same distances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lexicloud.corpus import Corpus
from lexicloud.errors import OptionError, VectorsError
from lexicloud.neighbours import Neighbours
from lexicloud.neighbours import table as blocks
from lexicloud.neighbours.table import FEW_ROWS, Scores
from tests.neighbours.naive import naive_table
from tests.texts import TEXTS

# Whole numbers are measured exactly in any precision, so ties are real ties and order must agree to the last place.
grid = st.integers(1, 40).flatmap(
    lambda n: st.integers(1, 5).flatmap(lambda d: arrays(np.float32, (n, d), elements=st.integers(-3, 3)))
)


@given(grid, st.integers(1, 50))
@settings(max_examples=150, deadline=None)
def test_equals_the_naive_table_ties_and_duplicates_included(points, k):
    table = Neighbours.build(points, k)
    ids, distances = naive_table(points, k)
    np.testing.assert_array_equal(table.ids[:, : ids.shape[1]], ids)
    np.testing.assert_allclose(table.distances[:, : ids.shape[1]], distances, rtol=1e-6)
    assert (table.ids[:, ids.shape[1] :] == -1).all()
    assert np.isinf(table.distances[:, ids.shape[1] :]).all()


@pytest.mark.parametrize(("n", "d", "k"), [(1500, 50, 256), (900, 300, 20), (700, 3, 699)])
def test_equals_the_naive_table_where_rows_are_sampled(n, d, k):
    points = np.random.default_rng(n).normal(size=(n, d)).astype(np.float32)
    table = Neighbours.build(points, k)
    ids, distances = naive_table(points, k)
    np.testing.assert_array_equal(table.ids, ids)
    np.testing.assert_allclose(table.distances, distances, rtol=1e-6)


def test_points_far_from_the_origin_lose_nothing():
    # Single precision alone would round these distances away: 1 part in 10^4 beside coordinates of 10^3.
    rng = np.random.default_rng(0)
    points = (1000 + 0.1 * rng.normal(size=(800, 10))).astype(np.float32)
    table = Neighbours.build(points, 5)
    ids, distances = naive_table(points, 5)
    np.testing.assert_array_equal(table.ids, ids)
    np.testing.assert_allclose(table.distances, distances, rtol=1e-6)


def test_small_blocks_give_the_same_table(monkeypatch):
    points = np.random.default_rng(1).normal(size=(300, 8)).astype(np.float32)
    whole = Neighbours.build(points, 9)
    monkeypatch.setattr(blocks, "BLOCK_SCORES", 1)
    cut = Neighbours.build(points, 9)
    np.testing.assert_array_equal(whole.ids, cut.ids)
    np.testing.assert_array_equal(whole.distances, cut.distances)


def test_words_outside_the_mask_have_no_row_and_are_in_none():
    points = np.arange(6, dtype=np.float32)[:, None]
    table = Neighbours.build(points, 3, mask=np.array([True, False, True, True, False, True]))
    assert table.ids[1].tolist() == [-1, -1, -1]
    assert table.row(2)[0].tolist() == [3, 0, 5]
    assert not np.isin(table.ids, [1, 4]).any()


def test_a_corpus_shares_one_table_among_its_samples():
    corpus = Corpus.from_texts(TEXTS)
    table = Neighbours.of(corpus, 20)
    assert Neighbours.of(corpus.sample(5), 20).ids is table.ids
    np.testing.assert_array_equal(Neighbours.of(corpus, 4).ids, table.ids[:, :4])


def test_the_nearest_words_make_sense():
    corpus = Corpus.from_texts(TEXTS)
    ids, _ = Neighbours.of(corpus, 3, mask=corpus.content, refined=True).row(corpus.vocabulary.index("ship"))
    assert {corpus.vocabulary[i] for i in ids} & {"ships", "boat", "crew"}


def test_a_table_of_no_neighbours_is_refused():
    with pytest.raises(OptionError, match="k of at least 1, not 0"):
        Neighbours.build(np.zeros((3, 2), np.float32), 0)


def test_nan_is_refused():
    with pytest.raises(VectorsError, match="nan"):
        Neighbours.build(np.array([[0.0], [np.nan]], np.float32), 1)


@pytest.mark.parametrize("rows", [1, 2, 7, FEW_ROWS, FEW_ROWS + 1])
def test_scores_of_a_few_rows_are_those_of_one_product(rows):
    rng = np.random.default_rng(rows)
    points = rng.normal(size=(9_000, 50)).astype(np.float32)
    queries = rng.normal(size=(rows, 50)).astype(np.float32)
    scores = Scores(points)
    wide = queries.astype(np.float64) - scores.mean
    expected = wide @ scores.columns[:-1].astype(np.float64) + scores.columns[-1]
    assert np.all(np.abs(scores.of(queries) - expected) <= scores.error(queries)[:, None])
