"""word2vec's binary format; gensim writes it and is the oracle."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from lexicloud.errors import VectorsError
from lexicloud.vectors import load_vectors
from lexicloud.vectors import word2vec as word2vec_binary

KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors


@pytest.fixture(scope="module")
def keyed():
    rng = np.random.default_rng(5)
    keyed = KeyedVectors(9)
    names = ["the", "über", "日本", "new_york", ",", *(f"w{i}" for i in range(200))]
    keyed.add_vectors(names, rng.normal(size=(len(names), 9)).astype(np.float32))
    return keyed


@pytest.fixture
def path(keyed, tmp_path):
    file = tmp_path / "model"
    keyed.save_word2vec_format(str(file), binary=True)
    return file


def test_same_as_gensim(keyed, path, monkeypatch):
    monkeypatch.setattr(word2vec_binary, "BLOCK", 100)
    vectors = load_vectors(path)
    assert vectors.format == "word2vec binary"
    assert list(vectors.words) == keyed.index_to_key
    np.testing.assert_array_equal(vectors.matrix, keyed.vectors)
    assert not vectors.repairs


def test_gzip_limit_only(keyed, path):
    packed = path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert load_vectors(packed).fingerprint == load_vectors(path).fingerprint
    assert list(load_vectors(path, limit=3).words) == ["the", "über", "日本"]
    only = load_vectors(packed, only={"w7", "über"})
    assert list(only.words) == ["über", "w7"]
    np.testing.assert_array_equal(only["w7"], keyed["w7"])


def test_newlines_after_vectors_as_the_original_program_writes_them(tmp_path):
    rows = np.array([[1.5, 2], [3, 4]], dtype="<f4")
    data = b"2 2\n" + b"a " + rows[0].tobytes() + b"\nb " + rows[1].tobytes() + b"\n"
    (tmp_path / "m").write_bytes(data)
    vectors = load_vectors(tmp_path / "m")
    assert list(vectors.words) == ["a", "b"]
    np.testing.assert_array_equal(vectors.matrix, rows)


def test_cut_short(path):
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(VectorsError, match="entry 205: the file ends inside"):
        load_vectors(path)


def test_wrong_count_is_counted(path):
    data = path.read_bytes().replace(b"205 9\n", b"500 9\n")
    path.write_bytes(data)
    assert list(load_vectors(path).repairs) == [
        "wrong word count in the header: it says 500, the file has 205"
    ]


def test_wrong_dimension_is_an_error(path):
    path.write_bytes(path.read_bytes().replace(b"205 9\n", b"205 8\n"))
    with pytest.raises(VectorsError, match=r"entry \d+"):
        load_vectors(path)


def test_nan_names_the_entry(tmp_path):
    data = b"2 2\na " + np.array([1, 2], "<f4").tobytes() + b"b " + np.array([np.nan, 1], "<f4").tobytes()
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(VectorsError, match="entry 2: the vector of 'b' holds nan"):
        load_vectors(tmp_path / "m")
