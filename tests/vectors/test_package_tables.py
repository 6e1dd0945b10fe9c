"""Tables of words in the forms of other packages, made small."""

from __future__ import annotations

import gzip
import io
import json
import pickle
import struct
import tarfile
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import StorageError, VectorsError
from lexicloud.store.bundle import PackedStrings
from lexicloud.vectors import catalogue, load_vectors, save_vectors
from lexicloud.vectors.package_tables import (
    hash64a,
    hash128,
    read_keys,
    read_navec,
    read_numbered,
    read_pickled_numbers,
    read_spacy,
    read_table,
)

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


WORDS = ["roi", "reine", "monarque", "eau", "flotte", "zéro"]
ROWS = {"roi": 0, "eau": 1, "reine": 0, "monarque": 0, "flotte": 1, "zéro": 2}
TABLE = np.array([[1, 0], [0, 1], [0, 0]], np.float32)


def keys(rows) -> bytes:
    """A MessagePack map of 64-bit hashes to small numbers, as spaCy writes it."""
    hashes = hash64a(PackedStrings.pack(list(rows))).tolist()
    pairs = b"".join(struct.pack(">BQB", 0xCF, h, row) for h, row in zip(hashes, rows.values(), strict=True))
    return struct.pack(">BI", 0xDF, len(rows)) + pairs


@pytest.fixture
def files():
    return {
        "vectors.cfg": b'{"mode": "default"}',
        "vectors": npy(TABLE),
        "strings.json": json.dumps(["", " ", "unseen", *WORDS]).encode(),
        "key2row": keys(ROWS),
    }


@pytest.fixture
def floret(files):
    settings = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2, "hash_seed": 2166136261}
    table = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    settings |= {"bow": "<", "eow": ">", "attr": 65}
    return {**files, "vectors.cfg": json.dumps(settings).encode(), "vectors": npy(table), "key2row": b"\x80"}


def test_the_first_word_of_a_row_owns_it_and_the_others_share_it(files, tmp_path):
    vectors = read_spacy(files.__getitem__, "french")
    save_vectors(vectors, tmp_path / "folder")
    for found in (vectors, load_vectors(tmp_path / "folder")):
        assert list(found.words) == ["roi", "eau"]
        looked = found.lookup(["roi", "reine", "monarque", "flotte", "zéro", "unseen"])
        assert looked.status.tolist() == [1, 2, 2, 2, 0, 0]
        assert looked.via[1] == "subwords"
        assert looked.matrix[:4].tolist() == [[1, 0], [1, 0], [1, 0], [0, 1]]
        assert found["reine"].tolist() == [1, 0]
        # No neighbour at distance 0: a hundred words may share a row.
        assert [word for word, _ in found.nearest("reine", k=3)] == ["roi", "eau"]
        assert [word for word, _ in found.nearest("roi", k=3)] == ["eau"]


def test_refined_shared_rows_survive_saving(files, tmp_path):
    rng = np.random.default_rng(1)
    files["vectors"] = npy(rng.normal(size=(3, 2)).astype(np.float32))
    refined = read_spacy(files.__getitem__, "french").refined()
    save_vectors(refined, tmp_path / "folder")
    np.testing.assert_allclose(load_vectors(tmp_path / "folder")["reine"], refined["reine"], atol=1e-6)


def test_floret_gives_every_word_the_mean_of_its_n_grams(floret, tmp_path):
    vectors = read_spacy(floret.__getitem__, "finnish")
    table = np.load(io.BytesIO(floret["vectors"]))
    save_vectors(vectors, tmp_path / "folder")
    for found in (vectors, load_vectors(tmp_path / "folder")):
        for word in ("eau", "vesi"):
            marked = f"<{word}>"
            grams = [marked, *(marked[i : i + n] for n in (2, 3) for i in range(len(marked) - n + 1))]
            hashes = [int(h) for h in hash128(PackedStrings.pack(grams), 2166136261)]
            rows = [part % 50 for h in hashes for part in (h & 0xFFFFFFFF, h >> 32)]
            np.testing.assert_allclose(found[word], table[rows].mean(axis=0), atol=1e-6)
        assert "eau" in found
        assert "vesi" not in found


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("key2row", b"\x93\x01\x02\x03"),
        ("key2row", b"\xdf\x00\x00\x00\x09\xcf"),
        ("key2row", keys({"roi": 99})),
        ("vectors.cfg", b"no JSON"),
        ("vectors", b"\x93NUMPY"),
        ("strings.json", b"3"),
    ],
)
def test_what_is_damaged_is_refused(files, file, content):
    with pytest.raises(VectorsError, match="no vectors of spaCy that we know"):
        read_spacy({**files, file: content}.__getitem__, "french")


def test_floret_of_another_make_is_refused(floret):
    settings = json.loads(floret["vectors.cfg"]) | {"hash_count": 4}
    floret["vectors.cfg"] = json.dumps(settings).encode()
    with pytest.raises(VectorsError, match="floret"):
        read_spacy(floret.__getitem__, "finnish")


def test_a_folder_that_shares_rows_that_are_not_there_is_refused(files, tmp_path):
    vectors = read_spacy(files.__getitem__, "french")
    vectors.subwords.rows[:] = 77
    save_vectors(vectors, tmp_path / "folder")
    with pytest.raises(StorageError, match="shared rows that are not there"):
        load_vectors(tmp_path / "folder")


def test_keys_of_every_width():
    data = bytes([0xDE, 0, 5, 7, 1, 0xCC, 200, 2, 0xCD, 1, 0, 3, 0xCE, 0, 1, 0, 0, 4, 0xCF, *[0] * 7, 9, 5])
    assert [part.tolist() for part in read_keys(data)] == [[7, 200, 256, 65536, 9], [1, 2, 3, 4, 5]]


# ---- Murmur hashes of many strings at once: published values, and what does not depend on the company


def test_spacy_s_own_example():
    """Oracle: spaCy's documentation of its string store."""
    assert hash64a(PackedStrings.pack(["coffee"])).tolist() == [3197928453018144401]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello", 0xCBD8A7B341BD9B02),
        ("hello, world", 0x342FAC623A5EBC8E),
        ("The quick brown fox jumps over the lazy dog.", 0xCD99481F9EE902C9),
    ],
)
def test_published_values_of_murmur3(text, expected):
    """Oracle: the values that implementations of MurmurHash3 test themselves with (seed 0)."""
    assert hash128(PackedStrings.pack([text]), 0).tolist() == [expected]


def slow64a(data: bytes, seed: int = 1) -> int:
    """The published algorithm, in Python's own integers."""
    m, whole = 0xC6A4A7935BD1E995, 2**64
    h = seed ^ (len(data) * m % whole)
    for i in range(0, len(data) // 8 * 8, 8):
        k = int.from_bytes(data[i : i + 8], "little") * m % whole
        h = (h ^ (k ^ k >> 47) * m % whole) * m % whole
    if rest := data[len(data) // 8 * 8 :]:
        h = (h ^ int.from_bytes(rest, "little")) * m % whole
    h = (h ^ h >> 47) * m % whole
    return h ^ h >> 47


@given(st.lists(st.text(max_size=40), max_size=10))
def test_many_at_once(texts):
    packed = PackedStrings.pack(texts)
    assert hash64a(packed).tolist() == [slow64a(t.encode()) for t in texts]
    alone = [int(hash128(PackedStrings.pack([t]), 7)[0]) for t in texts]
    np.testing.assert_array_equal(hash128(packed, 7), np.array(alone, np.uint64))
