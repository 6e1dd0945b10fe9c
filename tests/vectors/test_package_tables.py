"""Tables of words in the forms of other packages, made small."""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import tarfile
import zipfile

import numpy as np
import pytest

from lexicloud.errors import VectorsError
from lexicloud.vectors import catalogue
from lexicloud.vectors.package_tables import read_navec, read_numbered, read_pickled_numbers, read_table

CODES = np.arange(2 * 4 * 3, dtype=np.float32).reshape(2, 4, 3)  # two parts, four codes, three numbers each
NUMBERS = np.array([[0, 1], [3, 2], [1, 1], [0, 0]], np.uint8)


def tarred(**files: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name.replace("_", "."))
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return out.getvalue()


def navec(words=("вода", "и", "ёж", "<unk>"), counts=(5, 900, 1, 0), numbers=NUMBERS) -> bytes:
    vocabulary = struct.pack(f"<I{len(counts)}I", len(words), *counts) + "\n".join(words).encode()
    packed = struct.pack("<4I", len(numbers), 6, 2, 4) + numbers.tobytes() + CODES.tobytes()
    return tarred(meta_json=b"{}", vocab_bin=gzip.compress(vocabulary), pq_bin=packed)


def npy(table) -> bytes:
    out = io.BytesIO()
    np.save(out, table)
    return out.getvalue()


def test_navec_by_falling_counts():
    vectors = read_navec(navec(), "russian")
    assert list(vectors.words) == ["и", "вода", "ёж"]
    assert vectors["вода"].tolist() == [0, 1, 2, 15, 16, 17]
    assert vectors["и"].tolist() == [9, 10, 11, 18, 19, 20]


@pytest.mark.parametrize(
    "data", [b"", navec(words=("one",)), navec(numbers=NUMBERS + 9), tarred(vocab_bin=b""), navec()[:600]]
)
def test_damaged_navec_is_refused(data):
    with pytest.raises(VectorsError, match="no vectors of navec that we know"):
        read_navec(data, "russian")


def test_words_numbered_in_a_pickle():
    numbers = {"taigh": 2, "\ufeffuisge": 1, "<UNK>": 0}
    for protocol in (2, 3, 4, 5):
        vectors = read_numbered(pickle.dumps(numbers, protocol), npy(np.eye(3)), "gaelic")
        assert list(vectors.words) == ["uisge", "taigh"]
        assert vectors["taigh"].tolist() == [0, 0, 1]
    with pytest.raises(VectorsError, match="no table of words that we know"):
        read_numbered(pickle.dumps({"a": 9}), npy(np.eye(3)), "gaelic")


class Harm:
    def __reduce__(self):
        return (print, ("run",))


@pytest.mark.parametrize("thing", [Harm(), {"a": Harm()}, {"a": "b"}, {1: 2}, {"a": -1}, ["a", 1.5]])
def test_a_pickle_of_anything_else_is_refused_and_none_is_run(thing, capsys):
    with pytest.raises(ValueError, match="a pickle with"):
        read_pickled_numbers(pickle.dumps(thing))
    assert capsys.readouterr().out == ""


def test_by_the_catalogue(tmp_path):
    """A wheel with a table of its own goes the way of every source; a member that is missing is named."""
    source = catalogue.find_source("russian-navec-300d")
    wheel = tmp_path / source.archive
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(source.member, navec())
    assert list(catalogue._read(wheel, source).words) == ["и", "вода", "ёж"]
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("other", b"")
    with pytest.raises(VectorsError, match="has no readable natasha/data/emb"):
        catalogue._read(wheel, source)


def test_what_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    from lexicloud.vectors import package_tables

    monkeypatch.setattr(package_tables, "_LARGEST", 10)
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr("table.tar", b"x" * 11)
    with zipfile.ZipFile(tmp_path / "a.whl") as wheel, pytest.raises(VectorsError, match="has 11 bytes"):
        read_table(wheel, "navec", "table.tar", "x")


def test_no_placeholder_is_ever_asked_for():
    """Packages of version 999.9.9 on the index are empty."""
    assert all(source.version != "999.9.9" for source in catalogue.CATALOGUE.values())
    assert all(source.sha256 or source.builtin for source in catalogue.CATALOGUE.values())


def test_languages_name_vectors_of_their_own():
    """A language's file names a source of the catalogue, and the source names the language."""
    from lexicloud.text.language import read_language

    for source in catalogue.CATALOGUE.values():
        named = read_language(source.language).vectors
        assert not named or catalogue.find_source(named).language == source.language
    assert read_language("french").vectors == "french-spacy-300d"
