"""Binary models of fastText and word2vec; gensim writes them and computes what we compare with."""

from __future__ import annotations

import gzip
import struct
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import UnknownWord, VectorsError
from lexicloud.vectors import RECOVERED, WordVectors, binary_formats, load_vectors, save_vectors
from lexicloud.vectors.subwords import Ngrams, fnv1a

SENTENCES = [
    ["the", "white", "whale", "swam", "under", "the", "grey", "sea"],
    ["a", "sailor", "saw", "the", "whale", "from", "the", "ship"],
    ["größe", "naïve", "café", "über", "straße", "whale", "sea"],
    ["the", "sea", "was", "grey", "and", "the", "ship", "was", "old"],
] * 5


def model(**options):
    FastText = pytest.importorskip("gensim.models").FastText
    settings = {
        "vector_size": 6,
        "min_count": 1,
        "bucket": 500,
        "epochs": 1,
        "workers": 1,
        "seed": 1,
        **options,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FastText(sentences=SENTENCES, **settings)


def save(trained, path):
    save_facebook_model = pytest.importorskip("gensim.models.fasttext").save_facebook_model
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        save_facebook_model(trained, str(path))
    return path


@pytest.fixture(scope="module")
def trained():
    return model()


@pytest.fixture(scope="module")
def path(trained, tmp_path_factory):
    return save(trained, tmp_path_factory.mktemp("ft") / "model.bin")


def test_words_and_unknown_words_as_gensim_has_them(trained, path):
    vectors = load_vectors(path)
    assert vectors.format == "fastText binary"
    assert set(vectors.words) == set(trained.wv.index_to_key)
    for word in trained.wv.index_to_key:
        np.testing.assert_allclose(vectors[word], trained.wv[word], atol=1e-6)
    for unknown in ("whales", "seafarer", "größer", "日本語", "x", "naïveté"):
        assert unknown not in vectors
        np.testing.assert_allclose(vectors[unknown], trained.wv[unknown], atol=1e-6)


def test_from_gensim_keeps_the_ngrams(trained):
    vectors = WordVectors.from_gensim(trained)
    np.testing.assert_allclose(vectors["whale"], trained.wv["whale"], atol=1e-6)
    np.testing.assert_allclose(vectors["whalebone"], trained.wv["whalebone"], atol=1e-6)


def test_lookup_climbs_the_ladder_before_it_assembles(path):
    vectors = load_vectors(path)
    found = vectors.lookup(["whale", "Whale", "whalebone", ""])
    assert found.status.tolist() == [1, 2, 2, 0]
    assert found.via == (None, "lower case", "subwords", None)
    np.testing.assert_array_equal(found.matrix[1], vectors["whale"])
    np.testing.assert_allclose(found.matrix[2], vectors["whalebone"])
    with pytest.raises(UnknownWord):
        vectors[""]


def test_gzip_limit_only_and_folder(path, tmp_path):
    vectors = load_vectors(path)
    packed = tmp_path / "model.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert load_vectors(packed).fingerprint == vectors.fingerprint
    np.testing.assert_allclose(load_vectors(packed)["whalebone"], vectors["whalebone"])
    few = load_vectors(path, only={"whale", "sea"})
    assert sorted(few.words) == ["sea", "whale"]
    np.testing.assert_allclose(few["whalebone"], vectors["whalebone"])
    assert len(load_vectors(path, limit=4)) == 4
    save_vectors(vectors, tmp_path / "folder")
    again = load_vectors(tmp_path / "folder")
    np.testing.assert_allclose(again["whalebone"], vectors["whalebone"])
    refined = vectors.refined()
    assert refined.lookup(["whalebone"]).status.tolist() == [RECOVERED]
    np.testing.assert_allclose(np.linalg.norm(refined["whalebone"]), 1, atol=1e-5)
    save_vectors(refined, tmp_path / "refined")
    np.testing.assert_allclose(
        load_vectors(tmp_path / "refined")["whalebone"], refined["whalebone"], atol=1e-6
    )


def test_a_model_without_ngrams(tmp_path):
    plain = model(max_n=0, min_n=0, word_ngrams=1, bucket=1)
    vectors = load_vectors(save(plain, tmp_path / "plain.bin"))
    np.testing.assert_allclose(vectors["whale"], plain.wv["whale"], atol=1e-6)
    with pytest.raises(UnknownWord):
        vectors["whalebone"]


def binary(words, matrix, *, quantised=False, version=12, dimension=None, bucket=0, pruned=-1):
    """Write a model by hand, after the layout in fastText's source (args.cc, dictionary.cc, matrix.cc)."""
    columns = matrix.shape[1]
    out = struct.pack("<ii", 793712314, version)
    out += struct.pack("<12id", dimension or columns, 5, 5, 1, 5, 1, 1, 2, bucket, 3, 6, 100, 1e-4)
    out += struct.pack("<iiiqq", len(words), len(words), 0, 99, pruned)
    for word in words:
        out += word + b"\0" + struct.pack("<qb", 3, 0)
    return out + struct.pack("<?qq", quantised, *matrix.shape) + matrix.astype("<f4").tobytes()


def test_a_model_written_by_hand(tmp_path):
    rows = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    path = tmp_path / "m"
    path.write_bytes(binary([b"</s>", b"\xffx"], rows, bucket=2))
    vectors = load_vectors(path)
    assert vectors["</s>"].tolist() == [1, 2, 3]  # the end of a sentence has no n-grams
    assert list(vectors.words) == ["</s>", "\ufffdx"]
    assert list(vectors.repairs.values()) == [1]
    buckets = [fnv1a(g) % 2 for g in (b"<ab", b"<ab>", b"ab>")]
    np.testing.assert_allclose(vectors["ab"], rows[[2 + b for b in buckets]].mean(axis=0))


def test_damaged_and_quantised_models(tmp_path):
    rows = np.ones((3, 3), dtype=np.float32)
    whole = binary([b"a", b"b"], rows)
    path = tmp_path / "m.bin"
    cases = {
        "quantised": binary([b"a"], rows, quantised=True),
        "quantised fastText": binary([b"a"], rows, pruned=4),
        "fastText format 13": binary([b"a"], rows, version=13),
        "settings say 7 dimensions, the matrix has 3": binary([b"a"], rows, dimension=7),
        "4 words but a matrix of 3 rows": binary([b"a", b"b", b"c", b"d"], rows),
        "ends inside the matrix": whole[:-5],
        "ends inside word 1 of 2": whole[:95],
        "ends inside the settings": whole[:20],
        "holds nan": binary([b"a"], rows * np.nan),
    }
    for message, data in cases.items():
        path.write_bytes(data)
        with pytest.raises(VectorsError, match=message):
            load_vectors(path)
        path.write_bytes(gzip.compress(data))
        with pytest.raises(VectorsError, match=message):
            load_vectors(path)


def test_hash_of_signed_chars():
    """Oracle: the compiled hash that gensim takes from fastText."""
    ft_hash_bytes = pytest.importorskip("gensim.models.fasttext").ft_hash_bytes
    for text in ("a", "<wh", "größ", "日本", "ß>"):
        assert fnv1a(text.encode()) == ft_hash_bytes(text.encode())


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(max_size=8), max_size=6), st.integers(1, 4), st.integers(0, 3), st.integers(1, 900))
def test_kernel_equals_reference(words, minn, more, bucket):
    ngrams = Ngrams(np.zeros((bucket, 1), dtype=np.float32), minn, minn + more)
    rows, starts = ngrams.all_buckets(words)
    parts = [rows[a:b].tolist() for a, b in pairwise(starts)]
    assert parts == [ngrams.buckets(w) for w in words]


KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors


@pytest.fixture(scope="module")
def keyed():
    rng = np.random.default_rng(5)
    keyed = KeyedVectors(9)
    names = ["the", "über", "日本", "new_york", ",", *(f"w{i}" for i in range(200))]
    keyed.add_vectors(names, rng.normal(size=(len(names), 9)).astype(np.float32))
    return keyed


@pytest.fixture
def word2vec_path(keyed, tmp_path):
    file = tmp_path / "model"
    keyed.save_word2vec_format(str(file), binary=True)
    return file


def test_same_as_gensim(keyed, word2vec_path, monkeypatch):
    monkeypatch.setattr(binary_formats, "BLOCK", 100)
    vectors = load_vectors(word2vec_path)
    assert vectors.format == "word2vec binary"
    assert list(vectors.words) == keyed.index_to_key
    np.testing.assert_array_equal(vectors.matrix, keyed.vectors)
    assert not vectors.repairs


def test_gzip_limit_only(keyed, word2vec_path):
    packed = word2vec_path.with_suffix(".gz")
    packed.write_bytes(gzip.compress(word2vec_path.read_bytes()))
    assert load_vectors(packed).fingerprint == load_vectors(word2vec_path).fingerprint
    assert list(load_vectors(word2vec_path, limit=3).words) == ["the", "über", "日本"]
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


def test_cut_short(word2vec_path):
    word2vec_path.write_bytes(word2vec_path.read_bytes()[:-10])
    with pytest.raises(VectorsError, match="entry 205: the file ends inside"):
        load_vectors(word2vec_path)


def test_wrong_count_is_counted(word2vec_path):
    data = word2vec_path.read_bytes().replace(b"205 9\n", b"500 9\n")
    word2vec_path.write_bytes(data)
    assert list(load_vectors(word2vec_path).repairs) == [
        "wrong word count in the header: it says 500, the file has 205"
    ]


def test_wrong_dimension_is_an_error(word2vec_path):
    word2vec_path.write_bytes(word2vec_path.read_bytes().replace(b"205 9\n", b"205 8\n"))
    with pytest.raises(VectorsError, match=r"entry \d+"):
        load_vectors(word2vec_path)


def test_nan_names_the_entry(tmp_path):
    data = b"2 2\na " + np.array([1, 2], "<f4").tobytes() + b"b " + np.array([np.nan, 1], "<f4").tobytes()
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(VectorsError, match="entry 2: the vector of 'b' holds nan"):
        load_vectors(tmp_path / "m")
