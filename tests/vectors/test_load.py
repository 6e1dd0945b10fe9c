"""The built-in vectors: checked once, their words kept in the cache, and usable where there is no cache."""

from __future__ import annotations

import os

import numpy as np
import pytest

from lexicloud.errors import VectorsError
from lexicloud.vectors import load
from lexicloud.vectors.load import BUILTIN_FINGERPRINT, builtin_folder, builtin_vectors
from lexicloud.vectors.word_vectors import fingerprint


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LEXICLOUD_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors" / "built-in-words"


def opened():
    """Open them as a new process would."""
    return builtin_vectors.__wrapped__()


@pytest.fixture
def hashed(monkeypatch):
    """Which files had their checksum taken."""
    files = []
    real = load._sha256
    monkeypatch.setattr(load, "_sha256", lambda file: files.append(file) or real(file))
    return files


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the package's numbers that may be changed."""
    folder = tmp_path / "package"
    folder.mkdir()
    numbers = (builtin_folder() / "glove_6B_50d_emb.npy").read_bytes()
    (folder / "glove_6B_50d_emb.npy").write_bytes(numbers)
    monkeypatch.setattr(load, "builtin_folder", lambda: folder)
    return folder / "glove_6B_50d_emb.npy"


def test_the_words_are_those_of_the_package():
    """Oracle: the list that the package has beside its numbers, read by Arrow."""
    parquet = pytest.importorskip("pyarrow.parquet", reason="reads the package's own list")
    theirs = parquet.read_table(builtin_folder() / "glove_6B_index.parquet").column("index").to_pylist()
    assert load._shipped().to_list() == theirs


def test_the_checksum_is_compared_once(hashed):
    first, second = opened(), opened()
    assert len(hashed) == 1
    for vectors in (first, second):
        assert vectors.fingerprint == fingerprint(vectors.words, vectors.matrix) == BUILTIN_FINGERPRINT
        assert vectors.rows.find_many(["the", "zxqv", "whale"]).tolist() == [0, -1, vectors.index["whale"]]


def test_a_file_that_changed_is_compared_again(copy, hashed):
    opened()
    os.utime(copy, ns=(1, 1))
    opened()
    assert len(hashed) == 2
    numbers = np.load(copy, mmap_mode="r+")
    numbers[123_456, 7] += 1  # a row that the fingerprint does not look at
    numbers.flush()
    os.utime(copy, ns=(2, 2))
    with pytest.raises(VectorsError, match=r"damaged.*checksum differs.*pip install --force-reinstall kumo"):
        opened()


def test_the_last_installations_are_remembered(copy, hashed, monkeypatch):
    monkeypatch.setattr(load, "_INSTALLATIONS", 2)
    for time in (1, 2, 3, 3, 2, 1):
        os.utime(copy, ns=(time, time))
        opened()
    assert len(hashed) == 4


def test_a_cut_or_foreign_table_is_refused(copy):
    copy.write_bytes(copy.read_bytes()[:5000])
    with pytest.raises(VectorsError, match="built-in vectors are damaged"):
        opened()
    np.save(copy, np.ones((3, 2), np.float32))
    with pytest.raises(VectorsError, match=r"shape \(3, 2\)"):
        opened()


def test_without_a_cache_everything_works(tmp_path, monkeypatch, hashed):
    """A file stands where the folder would be: not even root can write there."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LEXICLOUD_CACHE", str(tmp_path / "file"))
    vectors = opened()
    assert vectors.rows.find_many(["the", "zxqv"]).tolist() == [0, -1]
    assert vectors.fingerprint == BUILTIN_FINGERPRINT
    assert not hashed


def test_without_a_cache_foreign_numbers_are_noticed(copy, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LEXICLOUD_CACHE", str(tmp_path / "file"))
    numbers = np.load(copy, mmap_mode="r+")
    numbers[0] = 7
    numbers.flush()
    with pytest.raises(VectorsError, match="numbers are others"):
        opened()


@pytest.mark.parametrize("harm", ["cut", "manifest", "foreign"])
def test_a_damaged_cache_is_written_again(cache, harm):
    opened()
    if harm == "cut":
        file = next(cache.glob("hashes.*"))
        file.write_bytes(file.read_bytes()[:-8])
    elif harm == "manifest":
        (cache / "manifest.json").write_text("{")
    else:
        from lexicloud.store.folder import save_folder

        save_folder(cache, "list of words", 1, arrays={}, strings={"words": ["a"]})
    assert opened().rows.find("the") == 0
    assert load._kept() is not None
