"""`train_vectors`: from plain texts to vectors that know how good they are."""

from __future__ import annotations

import pytest

import lexicloud as lc
from lexicloud.errors import InputError
from lexicloud.vectors import save_vectors
from lexicloud.vectors.cooccurrence import TrainOptions
from tests.vectors.test_train import two_themes

TEXTS = [" ".join(words) for words in two_themes(3000)]


def test_training_says_what_it_read_and_how_well_held_out_text_is_known():
    vectors = lc.train_vectors(TEXTS, options=TrainOptions(dimension=4))
    training = vectors.training
    assert (training.words, training.tokens) == (13, 3000 * 8)
    assert training.quality.value > training.compared.value
    assert training.compared_with == "glove-6b-50d"


def test_trained_vectors_are_saved_loaded_and_used_as_any_others(tmp_path):
    vectors = lc.train_vectors(TEXTS[:400], options=TrainOptions(dimension=4), name="mine")
    save_vectors(vectors, tmp_path / "mine")
    loaded = lc.load_vectors(tmp_path / "mine")
    assert (loaded.fingerprint, loaded.name) == (vectors.fingerprint, "mine")
    assert lc.Corpus.from_texts({"a": TEXTS[0], "b": TEXTS[1]}, vectors=loaded).coverage is not None


def test_one_text_in_place_of_a_list_is_refused():
    with pytest.raises(InputError, match="list of texts"):
        lc.train_vectors("one text")
