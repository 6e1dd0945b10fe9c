"""Converted folders, .npy with word lists, model2vec folders, wink's JSON."""

from __future__ import annotations

import gzip
import json
import sys

import numpy as np
import pytest

from lexicloud.errors import MissingExtra, StorageError, UnknownWord, VectorsError
from lexicloud.vectors import WordVectors, load_vectors, save_vectors, text_format

ROWS = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
WORDS = ["whale", "the", "ähre", "Zoo"]
LIST = "whale\nthe\nähre\nZoo\n"


@pytest.fixture
def vectors():
    return WordVectors(WORDS, ROWS, "mine", repairs={"duplicates": 2})


class TestConverted:
    def test_round_trip(self, vectors, tmp_path):
        save_vectors(vectors, tmp_path / "out")
        again = load_vectors(tmp_path / "out")
        assert not again.matrix.flags.owndata  # mapped, not read
        assert not again.matrix.flags.writeable
        assert (again.name, again.repairs, list(again.words)) == ("mine", {"duplicates": 2}, WORDS)
        assert again.fingerprint == vectors.fingerprint
        for word in WORDS:
            np.testing.assert_array_equal(again[word], vectors[word])
        assert again.lookup(["Whale", "zoo", "the"]).status.tolist() == [2, 0, 1]
        assert "mapping" not in vars(again.rows)  # no dictionary was needed
        assert list(load_vectors(tmp_path / "out", limit=2).words) == WORDS[:2]
        save_vectors(again, tmp_path / "copy")
        assert load_vectors(tmp_path / "copy").fingerprint == vectors.fingerprint

    def test_folders_of_the_first_format_open(self, vectors, tmp_path):
        """They kept an alphabetical order and no hashes."""
        from lexicloud.store.folder import open_folder, save_folder
        from lexicloud.vectors.folder_format import KIND, VERSION

        save_vectors(vectors, tmp_path / "new")
        meta = open_folder(tmp_path / "new", KIND, VERSION).meta
        arrays = {"matrix": vectors.matrix, "order": np.argsort(WORDS).astype(np.int64)}
        save_folder(tmp_path / "old", KIND, 1, arrays=arrays, strings={"words": WORDS}, meta=meta)
        again = load_vectors(tmp_path / "old")
        assert [again.rows.find(word) for word in (*WORDS, "zoo")] == [*range(len(WORDS)), -1]

    def test_damage_is_named(self, vectors, tmp_path):
        save_vectors(vectors, tmp_path / "out")
        next((tmp_path / "out").glob("matrix*")).write_bytes(b"short")
        with pytest.raises(StorageError, match="missing or cut short"):
            load_vectors(tmp_path / "out")

    def test_other_folders(self, tmp_path):
        with pytest.raises(VectorsError, match="holds no vectors we know"):
            load_vectors(tmp_path)


class TestNumpy:
    def write(self, folder, matrix=ROWS, words=LIST, name="table"):
        np.save(folder / f"{name}.npy", matrix)
        (folder / f"{name}.txt").write_text(words, encoding="utf-8")
        return folder / f"{name}.npy"

    def test_file_folder_and_gzip(self, vectors, tmp_path):
        path = self.write(tmp_path)
        loaded = load_vectors(path)
        assert isinstance(loaded.matrix, np.memmap)
        assert loaded.fingerprint == load_vectors(tmp_path).fingerprint == vectors.fingerprint
        packed = tmp_path / "deep" / "table.npy.gz"
        packed.parent.mkdir()
        packed.write_bytes(gzip.compress(path.read_bytes()))
        (packed.parent / "words.txt.gz").write_bytes(gzip.compress("\r\n".join(WORDS).encode()))
        assert load_vectors(packed).fingerprint == vectors.fingerprint
        assert list(load_vectors(path, only={"the", "Zoo"}).words) == ["the", "Zoo"]
        assert list(load_vectors(path, limit=1).words) == ["whale"]

    def test_other_numbers_and_repairs(self, tmp_path):
        halves = load_vectors(self.write(tmp_path, ROWS.astype(np.float16)))
        np.testing.assert_array_equal(halves.matrix, ROWS)
        zero = ROWS.copy()
        zero[1] = 0
        repaired = load_vectors(self.write(tmp_path, zero, "a\nb\nc\na\n"))
        assert list(repaired.words) == ["a", "c"]
        assert sorted(repaired.repairs.values()) == [1, 1]

    @pytest.mark.parametrize(
        ("matrix", "words", "message"),
        [
            (ROWS, "a\nb\n", "4 rows but its word list 2 words"),
            (ROWS[0], "a\n", "two axes"),
            (np.array([[1, np.inf]]), "a\n", "row 0: the vector of 'a' holds inf"),
            (np.array([["x"]]), "a\n", "not real numbers"),
            (np.array([[None]], dtype=object), "a\n", "not a whole .npy file of numbers"),
        ],
    )
    def test_damage(self, tmp_path, matrix, words, message):
        with pytest.raises(VectorsError, match=message):
            load_vectors(self.write(tmp_path, matrix, words))

    def test_no_words(self, tmp_path):
        np.save(tmp_path / "x.npy", ROWS)
        with pytest.raises(VectorsError, match="no word list beside it"):
            load_vectors(tmp_path / "x.npy")
        (tmp_path / "x.txt").write_bytes(b"a\nb\n\xff\nd\n")
        with pytest.raises(VectorsError, match=r"x.txt, line 3: not valid UTF-8"):
            load_vectors(tmp_path / "x.npy")

    def test_a_header_that_promises_too_much(self, tmp_path):
        """1.2 million gigabytes, packed: the remedy is another file, not more memory."""
        header = (
            b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 300), }".ljust(117) + b"\n"
        )
        (tmp_path / "x.txt").write_text("a\n", encoding="utf-8")
        (tmp_path / "x.npy.gz").write_bytes(gzip.compress(b"\x93NUMPY\x01\x00v\x00" + header + b"\0" * 64))
        with pytest.raises(VectorsError, match="promises more numbers than there are"):
            load_vectors(tmp_path / "x.npy.gz")


class TestModel2vec:
    @pytest.fixture(params=[False, True], ids=["plain", "normalised"])
    def model(self, request):
        from model2vec import StaticModel
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

        vocabulary = {"[UNK]": 0, "whale": 1, "sea": 2, "##s": 3, "ship": 4, "##bone": 5, "the": 6}
        tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.Lowercase()
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
        rows = np.random.default_rng(4).normal(size=(7, 5)).astype(np.float32)
        return StaticModel(rows, tokenizer, normalize=request.param)

    def test_as_the_model_encodes_them(self, model, tmp_path):
        """Oracle: model2vec's own encode."""
        model.save_pretrained(tmp_path / "m")
        vectors = load_vectors(tmp_path / "m")
        assert list(vectors.words) == ["whale", "sea", "ship", "the"]
        for word in ("whale", "the", "whales", "whalebone"):
            np.testing.assert_allclose(vectors[word], model.encode([word])[0], atol=1e-6)
        with pytest.raises(UnknownWord):
            vectors["xyzzy"]
        found = vectors.lookup(["whale", "Whale", "seas", "xyzzy"])
        assert found.status.tolist() == [1, 2, 2, 0]
        save_vectors(vectors, tmp_path / "converted")
        np.testing.assert_allclose(load_vectors(tmp_path / "converted")["whalebone"], vectors["whalebone"])
        assert list(load_vectors(tmp_path / "m", only={"sea"}).words) == ["sea"]

    def test_vocabulary_quantised(self, model, tmp_path):
        from model2vec.model import quantize_model

        small = quantize_model(model, vocabulary_quantization=3)
        small.save_pretrained(tmp_path / "q")
        vectors = load_vectors(tmp_path / "q")
        np.testing.assert_allclose(vectors["whalebone"], small.encode(["whalebone"])[0], atol=1e-6)

    def test_unigram_words_lose_their_mark(self, tmp_path):
        from model2vec import StaticModel
        from tokenizers import Tokenizer, models, pre_tokenizers

        pieces = [("<unk>", 0.0), ("▁whale", -1.0), ("s", -2.0), ("▁sea", -1.5), ("▁", -3.0)]
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        rows = np.random.default_rng(4).normal(size=(5, 3)).astype(np.float32)
        model = StaticModel(rows, tokenizer)
        model.save_pretrained(tmp_path / "u")
        vectors = load_vectors(tmp_path / "u")
        assert list(vectors.words) == ["whale", "sea"]
        np.testing.assert_allclose(vectors["whales"], model.encode(["whales"])[0], atol=1e-6)

    def test_missing_extra(self, model, tmp_path, monkeypatch):
        model.save_pretrained(tmp_path / "m")
        monkeypatch.setitem(sys.modules, "safetensors", None)
        with pytest.raises(MissingExtra, match=r'pip install "lexicloud\[model2vec\]"'):
            load_vectors(tmp_path / "m")

    def test_damage(self, model, tmp_path):
        model.save_pretrained(tmp_path / "m")
        (tmp_path / "m" / "tokenizer.json").write_text("{}")
        with pytest.raises(VectorsError, match=r"tokenizer.json is no tokenizer"):
            load_vectors(tmp_path / "m")
        (tmp_path / "m" / "model.safetensors").write_bytes(b"nothing")
        with pytest.raises(VectorsError, match=r"model.safetensors is damaged"):
            load_vectors(tmp_path / "m")


def wink_json(words, rows):
    entries = {w: [*map(float, row), 1.5, i] for i, (w, row) in enumerate(zip(words, rows, strict=True))}
    head = {
        "precision": 8,
        "l2NormIndex": 3,
        "wordIndex": 4,
        "size": len(words),
        "dimensions": 3,
        "words": words,
    }
    return json.dumps({**head, "vectors": entries, "unkVector": [0, 0, 0, 0, -1]}, separators=(",", ":"))


class TestWink:
    words = ("the", '"', "a]b", "\\", "vectors", "naïve", "{}")
    rows = np.arange(1, 22, dtype=np.float32).reshape(7, 3) / 8

    @pytest.mark.parametrize("block", [1 << 24, 150], ids=["one block", "many blocks"])
    def test_reads_every_word(self, tmp_path, monkeypatch, block):
        monkeypatch.setattr(text_format, "BLOCK", block)
        path = tmp_path / "w.json"
        path.write_text(wink_json(list(self.words), self.rows), encoding="utf-8")
        vectors = load_vectors(path)
        assert tuple(vectors.words) == self.words
        np.testing.assert_array_equal(vectors.matrix, self.rows)
        assert list(load_vectors(path, limit=4, only={"\\", "{}"}).words) == ["\\"]

    def test_damage(self, tmp_path):
        path = tmp_path / "w.json"
        whole = wink_json(list(self.words), self.rows)
        for content, message in (
            (whole[:-60], "cut short or damaged"),
            (whole[: whole.index('"vectors":{')], 'no "vectors"'),
            (whole.replace("0.25", '"x"', 1), "cut short or damaged"),
            (whole.replace(",0.25", "", 1), "too few numbers"),
            (whole.replace('"dimensions":3,', '"dimensions":30,'), "too few numbers"),
            (whole.replace("0.25", "o.25", 1), "not a number"),
            (whole.replace('"dimensions":3,', ""), "does not say its dimensions"),
        ):
            path.write_text(content)
            with pytest.raises(VectorsError, match=message):
                load_vectors(path)
