"""Vectors learnt from texts: counts and PPMI against slow references, places kept, new words where they belong."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lexicloud as lc
from lexicloud.errors import InputError, OptionError, VectorsError
from lexicloud.vectors import WordVectors, save_vectors
from lexicloud.vectors.cooccurrence import TrainOptions, WordStream, neighbour_score, pairs, ppmi, train

SEA, FOOD = (
    ["ship", "boat", "wave", "sailor", "rope", "deck"],
    ["soup", "salt", "pan", "butter", "bread", "oven"],
)
texts_of_words = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=8), min_size=1, max_size=4)


def two_themes(texts: int = 300, seed: int = 0) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    return [["the", *rng.choice(SEA if i % 2 else FOOD, 6).tolist(), "the"] for i in range(texts)]


@given(texts_of_words, st.integers(1, 3))
@settings(max_examples=40, deadline=None)
def test_pairs_are_those_of_a_plain_loop(texts, window):
    if len({word for text in texts for word in text}) < 2:
        return
    stream = WordStream.of(texts, TrainOptions(window=window, least_count=1))
    slow = np.zeros((len(stream.words), len(stream.words)))
    for text in texts:
        for i, a in enumerate(text):
            for j, b in enumerate(text):
                if 0 < abs(i - j) <= window:
                    slow[stream.words.index(a), stream.words.index(b)] += 1 / abs(i - j)
    assert np.allclose(pairs(stream, window).toarray(), slow, atol=1e-5)


def test_ppmi_of_a_worked_example():
    from scipy import sparse

    near = sparse.csr_array(np.array([[0.0, 4.0], [4.0, 8.0]], dtype=np.float32))
    context = np.array([4.0, 12.0]) ** 0.75
    context /= context.sum()
    expected = np.log(np.array([[1e-9, 1.0], [4 / 12, 8 / 12]]) / context)
    assert np.allclose(ppmi(near).toarray(), np.maximum(expected, 0), atol=1e-6)


def test_words_of_one_theme_stand_nearer_than_words_of_two():
    vectors = train(two_themes(), TrainOptions(dimension=4))
    assert {word for word, _ in vectors.nearest("ship", k=5)} == set(SEA) - {"ship"}


def test_words_come_most_frequent_first_and_the_same_seed_gives_the_same_vectors():
    a, b = (train(two_themes(), TrainOptions(dimension=4, seed=3)) for _ in range(2))
    assert a.words[0] == "the"
    assert a.fingerprint == b.fingerprint


def test_known_words_keep_their_vectors_and_a_new_word_joins_those_it_stands_with():
    rng = np.random.default_rng(0)
    base = {word: rng.normal([1.0, 0.0], 0.1) for word in SEA if word != "deck"}
    base |= {word: rng.normal([0.0, 1.0], 0.1) for word in [*FOOD, "the"]}
    start = WordVectors.from_dict(base)
    vectors = train(two_themes(), start=start)
    assert all(np.array_equal(vectors[word], start[word]) for word in base)
    assert vectors.nearest("deck", k=1)[0][0] in SEA
    assert vectors["deck"][0] > vectors["deck"][1]


def test_held_out_text_of_the_same_kind_is_known_better_than_chance_and_random_vectors_are_chance():
    options = TrainOptions(dimension=4, least_count=1)
    held = WordStream.of(two_themes(seed=1), options)
    learnt = neighbour_score(train(two_themes(), options), held, 5, 0)
    rng = np.random.default_rng(0)
    table = WordVectors(held.words, rng.normal(size=(len(held.words), 50)).astype(np.float32))
    random = neighbour_score(table, held, 5, 0)
    assert learnt.value > 0.7
    assert abs(random.value - 0.5) < 0.1


def test_too_little_text_is_said_with_both_numbers():
    with pytest.raises(VectorsError, match=r"2 different words in 2, of which 0 occur 5 times"):
        train([["a", "b"]])
    with pytest.raises(VectorsError, match="too few to join"):
        train(two_themes(), start=WordVectors.from_dict({"ship": [1.0, 0], "x": [0, 1.0]}))
    with pytest.raises(OptionError, match="window = 0"):
        TrainOptions(window=0)


# ---- `train_vectors`: from plain texts to vectors that know how good they are

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
