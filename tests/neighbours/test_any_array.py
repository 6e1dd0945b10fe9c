"""The dense kernels in nothing but the array API: array-api-strict refuses the rest, NumPy's ways are the reference."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import OptionError
from lexicloud.neighbours import Neighbours, any_array
from lexicloud.search import SentenceIndex
from lexicloud.zipf.kmeans import k_means, lloyd
from lexicloud.zipf.sentence_means import sentence_means, token_rows
from tests.texts import TEXTS

strict = pytest.importorskip("array_api_strict")


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(300, 12)).astype(np.float32)


def test_the_nearest_are_those_of_the_table(points, monkeypatch):
    monkeypatch.setattr(any_array, "SCORES", 5_000)
    expected = Neighbours.build(points, k=9)
    ids, distances = any_array.nearest(strict.asarray(points), 9)
    assert np.array_equal(np.asarray(ids), expected.ids)
    assert np.asarray(distances) == pytest.approx(expected.distances, rel=1e-5)
    table = Neighbours.build(strict.asarray(points), k=9)
    assert np.array_equal(table.ids, expected.ids)
    assert table.distances.dtype == np.float32


def test_equal_points_stand_in_their_order():
    same = strict.asarray(np.ones((5, 3), np.float32))
    assert np.asarray(any_array.nearest(same, 4)[0]).tolist()[0] == [1, 2, 3, 4]


def test_other_queries_have_their_nearest_too(points):
    ids, distances = any_array.nearest(strict.asarray(points), 1, strict.asarray(points[:7]))
    assert np.asarray(ids).ravel().tolist() == list(range(7))
    assert np.asarray(distances) == pytest.approx(0)
    with pytest.raises(OptionError, match="choose a smaller k"):
        any_array.nearest(strict.asarray(points), 300)


def test_means_are_those_of_the_sentences(monkeypatch):
    monkeypatch.setattr(any_array, "SCORES", 3_000)
    found = sentence_means(Corpus.from_texts(TEXTS), mask=None)
    sentences = found.sentences
    stream = [w for i in found.rows for w in sentences.tokens(int(i)) if found.mask[w]]
    lengths = np.asarray(token_rows(sentences)[found.rows] @ found.mask.astype(np.float32)).astype(int)
    means = any_array.means(stream, np.concatenate([[0], np.cumsum(lengths)]), strict.asarray(found.vectors))
    assert np.asarray(means) == pytest.approx(found.means, abs=1e-5)
    empty = any_array.means([0], [0, 0, 1], strict.asarray(found.vectors))
    assert not np.asarray(empty)[0].any()


def test_k_means_is_that_of_numpy(points, monkeypatch):
    monkeypatch.setattr(any_array, "SCORES", 900)
    start = points[:6]

    def run(job, starts):
        for begin in starts:
            job(begin)

    centres, labels, squared = lloyd(points, start, 25, run)
    found = any_array.k_means(strict.asarray(points), strict.asarray(start))
    assert np.array_equal(np.asarray(found[1]), labels)
    assert np.asarray(found[0]) == pytest.approx(centres, abs=1e-4)
    assert np.asarray(found[2]) == pytest.approx(squared, abs=1e-3)
    whole = k_means(strict.asarray(points), 6)
    assert whole.sizes.sum() == 300
    assert np.array_equal(whole.labels, k_means(points, 6).labels)


def test_a_cluster_that_loses_its_points_takes_the_farthest():
    points = strict.asarray(np.array([[0.0], [1], [10], [11]], np.float32))
    _, labels, _ = any_array.k_means(points, strict.asarray(np.array([[0.0], [100], [10]], np.float32)))
    assert len(set(np.asarray(labels).tolist())) == 3


def test_a_search_takes_embeddings_of_any_library():
    texts = ["The king ruled France.", "The band played all night.", "A queen was crowned in June."]
    index = SentenceIndex.build(texts, dense=None)
    rows, asked = np.eye(3, 4, dtype=np.float32), np.array([0, 1, 0.2, 0], np.float32)
    expected = index.search("music", dense=(rows, asked))
    found = index.search("music", dense=(strict.asarray(rows), strict.asarray(asked)))
    assert [s.id for s in found] == [s.id for s in expected]
    assert [s.score for s in found] == pytest.approx([s.score for s in expected], rel=1e-5)


def test_what_is_numpys_is_not_foreign(points):
    assert not any_array.is_foreign(points)
    assert not any_array.is_foreign([1.0])
    assert any_array.is_foreign(strict.asarray(points))
