"""The dense kernels on arrays of other libraries; NumPy's ways are the reference.

array-api-strict refuses everything but the standard. torch runs where it is installed (`make arrays`).
"""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import OptionError, VectorsError
from lexicloud.neighbours import Neighbours, any_array
from lexicloud.search import SentenceIndex
from lexicloud.zipf.kmeans import k_means, lloyd
from lexicloud.zipf.sentence_means import sentence_means, token_rows
from tests.texts import TEXTS

LIBRARIES = {
    "array_api_strict": 'array-api-strict is not installed: pip install "lexicloud[test]"',
    "torch": "torch is not installed: `make arrays` fetches it for the processor, and runs these tests",
}


@pytest.fixture(params=LIBRARIES)
def array(request):
    """Return the function that makes an array of a library."""
    return pytest.importorskip(request.param, reason=LIBRARIES[request.param]).asarray


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(300, 12)).astype(np.float32)


def test_the_nearest_are_those_of_the_table(points, monkeypatch, array):
    monkeypatch.setattr(any_array, "SCORES", 5_000)
    expected = Neighbours.build(points, k=9)
    ids, distances = any_array.nearest(array(points), 9)
    assert np.array_equal(np.asarray(ids), expected.ids)
    assert np.asarray(distances) == pytest.approx(expected.distances, rel=1e-5)
    table = Neighbours.build(array(points), k=9)
    assert np.array_equal(table.ids, expected.ids)
    assert table.distances.dtype == np.float32


def test_equal_points_stand_in_their_order(array):
    same = array(np.ones((5, 3), np.float32))
    assert np.asarray(any_array.nearest(same, 4)[0]).tolist()[0] == [1, 2, 3, 4]


def test_other_queries_have_their_nearest_too(points, array):
    ids, distances = any_array.nearest(array(points), 1, array(points[:7]))
    assert np.asarray(ids).ravel().tolist() == list(range(7))
    assert np.asarray(distances) == pytest.approx(0)
    with pytest.raises(OptionError, match="choose a smaller k"):
        any_array.nearest(array(points), 300)


def test_means_are_those_of_the_sentences(monkeypatch, array):
    monkeypatch.setattr(any_array, "SCORES", 3_000)
    found = sentence_means(Corpus.from_texts(TEXTS), mask=None)
    sentences = found.sentences
    stream = [w for i in found.rows for w in sentences.tokens(int(i)) if found.mask[w]]
    lengths = np.asarray(token_rows(sentences)[found.rows] @ found.mask.astype(np.float32)).astype(int)
    means = any_array.means(stream, np.concatenate([[0], np.cumsum(lengths)]), array(found.vectors))
    assert np.asarray(means) == pytest.approx(found.means, abs=1e-5)
    empty = any_array.means([0], [0, 0, 1], array(found.vectors))
    assert not np.asarray(empty)[0].any()


def test_k_means_is_that_of_numpy(points, monkeypatch, array):
    monkeypatch.setattr(any_array, "SCORES", 900)
    start = points[:6]

    def run(job, starts):
        for begin in starts:
            job(begin)

    centres, labels, squared = lloyd(points, start, 25, run)
    found = any_array.k_means(array(points), array(start))
    assert np.array_equal(np.asarray(found[1]), labels)
    assert np.asarray(found[0]) == pytest.approx(centres, abs=1e-4)
    assert np.asarray(found[2]) == pytest.approx(squared, abs=1e-3)
    whole = k_means(array(points), 6)
    assert whole.sizes.sum() == 300
    assert np.array_equal(whole.labels, k_means(points, 6).labels)


def test_a_cluster_that_loses_its_points_takes_the_farthest(array):
    points = array(np.array([[0.0], [1], [10], [11]], np.float32))
    _, labels, _ = any_array.k_means(points, array(np.array([[0.0], [100], [10]], np.float32)))
    assert len(set(np.asarray(labels).tolist())) == 3


def test_a_search_takes_embeddings_of_any_library(array):
    texts = ["The king ruled France.", "The band played all night.", "A queen was crowned in June."]
    index = SentenceIndex.build(texts, dense=None)
    rows, asked = np.eye(3, 4, dtype=np.float32), np.array([0, 1, 0.2, 0], np.float32)
    expected = index.search("music", dense=(rows, asked))
    found = index.search("music", dense=(array(rows), array(asked)))
    assert [s.id for s in found] == [s.id for s in expected]
    assert [s.score for s in found] == pytest.approx([s.score for s in expected], rel=1e-5)


def test_a_cosine_with_a_vector_of_another_kind_is_the_same(array):
    rows, asked = np.eye(3, 4, dtype=np.float32), np.array([0, 3, 4, 0])
    found = any_array.cosines(array(rows), asked)
    assert found == pytest.approx([0, 0.6, 0.8])
    assert any_array.cosines(array(rows), array(asked)) == pytest.approx([0, 0.6, 0.8])


def test_whole_numbers_become_single_precision(array):
    table = Neighbours.build(array(np.array([[0], [1], [3]])), k=2)
    assert table.ids.tolist() == [[1, 2], [0, 2], [1, 0]]
    assert k_means(array(np.array([[0], [1], [9]])), 2).sizes.tolist() in ([1, 2], [2, 1])


def test_what_is_no_table_of_numbers_is_refused_in_one_line(array):
    with pytest.raises(VectorsError, match=r"not an array of shape \(3,\)"):
        Neighbours.build(array(np.ones(3, np.float32)), k=1)
    with pytest.raises(VectorsError, match="nan or infinity"):
        k_means(array(np.full((9, 2), np.nan, np.float32)), 3)


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float64"])
def test_a_tensor_in_training_and_in_half_precision_is_taken(points, kind):
    torch = pytest.importorskip("torch", reason=LIBRARIES["torch"])
    trained = torch.asarray(points).to(getattr(torch, kind)).requires_grad_()
    single = trained.detach().to(torch.float32).numpy()
    assert np.array_equal(Neighbours.build(trained, k=3).ids, Neighbours.build(single, k=3).ids)
    assert np.array_equal(k_means(trained, 6).labels, k_means(single, 6).labels)
    expected = single @ single[0] / np.linalg.norm(single, axis=1) / np.linalg.norm(single[0])
    assert any_array.cosines(trained, trained[0]) == pytest.approx(expected, abs=1e-6)


def test_what_is_numpys_is_not_foreign(points, array):
    assert not any_array.is_foreign(points)
    assert not any_array.is_foreign([1.0])
    assert any_array.is_foreign(array(points))
