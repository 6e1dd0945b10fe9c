"""The nearest documents in tiles are those of the matrix of all pairs, and a stopped run goes on where it was."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence_matrix, nearest_documents
from lexicloud.divergences.tiles import _smallest, here
from lexicloud.errors import EstimateError, OptionError, StorageError
from tests.texts import TEXTS


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    rng = np.random.default_rng(3)
    words = [w for text in TEXTS.values() for w in text.split()]
    texts = {f"t{i}": " ".join(rng.choice(words, 60)) for i in range(23)}
    return Corpus.from_texts({**texts, "copy": texts["t4"]})


@pytest.mark.parametrize("method", ["smoothed", "categorical", "jensen-shannon", "delta", "knn"])
@pytest.mark.parametrize("standardise", [False, True])
def test_the_nearest_are_those_of_the_matrix(corpus, method, standardise):
    matrix = divergence_matrix(corpus, method, standardise=standardise)
    found = nearest_documents(corpus, method, n=5, standardise=standardise, rows=7)
    for name in corpus.names:
        expected = matrix.nearest(name, 5, raw=True)
        assert found.of(name)[0][1] == pytest.approx(expected[0][1], abs=1e-9)
        assert [v for _, v in found.of(name)] == pytest.approx([v for _, v in expected], abs=1e-9)
    assert found.standardised is standardise


def test_a_copy_is_nearest_and_nobody_is_their_own_neighbour(corpus):
    found = nearest_documents(corpus, n=50)
    assert found.of("copy")[0][0] == "t4"
    assert found.ids.shape == (24, 23)
    assert not (found.ids == np.arange(24)[:, None]).any()


def test_equal_values_go_to_the_lower_place_whatever_the_blocks():
    ids = np.arange(9, dtype=np.int32)[None, :].repeat(2, axis=0)
    values = np.array([[1.0, 0, 1, 1, 1, 0, 1, 1, 1], [5, 4, 3, 2, 1, 0, 0, 0, 0]])
    found, _ = _smallest(ids, values, 4)
    assert found.tolist() == [[1, 5, 0, 2], [5, 6, 7, 8]]


def test_a_run_that_was_stopped_goes_on_where_it_was(corpus, tmp_path):
    asked = []

    def stopping(work, shared, jobs, what):
        for job, found in here(work, shared, jobs, what):
            asked.append((work.__name__, job.start))
            yield job, found
            if len(asked) == 12:
                raise KeyboardInterrupt

    options = {"n": 4, "rows": 5, "checkpoint": tmp_path / "run"}
    with pytest.raises(KeyboardInterrupt):
        nearest_documents(corpus, run=stopping, **options)
    first = len(asked)
    assert nearest_documents(corpus, run=stopping, **options).of("copy")[0][0] == "t4"
    assert len(set(asked)) == len(asked) == 15  # three passes of five runs of rows, none done twice
    assert first == 12


def test_a_damaged_piece_is_made_again_and_another_run_is_refused(corpus, tmp_path):
    options = {"n": 4, "rows": 9, "checkpoint": tmp_path / "run"}
    whole = nearest_documents(corpus, **options)
    piece = next((tmp_path / "run").glob("rows-*.npz"))
    piece.write_bytes(piece.read_bytes()[:40])
    assert (nearest_documents(corpus, **options).ids == whole.ids).all()
    with pytest.raises(StorageError, match="another run"):
        nearest_documents(corpus, "categorical", **options)


def test_what_is_no_checkpoint_is_left_alone(corpus, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StorageError, match="not empty"):
        nearest_documents(corpus, checkpoint=tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]


def test_bad_counts_and_texts_are_refused(corpus):
    with pytest.raises(OptionError, match="n must be"):
        nearest_documents(corpus, n=0)
    with pytest.raises(EstimateError, match="skip_bad"):
        nearest_documents(Corpus.from_texts(["", "one two", "two three"]), n=1)
    found = nearest_documents(Corpus.from_texts(["", "one two", "two three"]), n=1, skip_bad=True)
    assert found.names == ("1", "2")
    assert found.skipped[0].name == "0"


def test_it_is_told_and_tabled(corpus):
    found = nearest_documents(corpus, n=2)
    assert "nearest 2 of each of 24 texts" in found.blocks()[0].text
    assert list(found.to_pandas().columns) == ["text", "rank", "nearest", "value"]
    assert len(found.to_pandas()) == 48
