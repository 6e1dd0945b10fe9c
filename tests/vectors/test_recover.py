"""The recovery ladder."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.vectors import EXACT, LOST, RECOVERED, WordVectors, forms, load_vectors
from lexicloud.vectors.lookup import Rung, _climb, rungs

KNOWN = [
    "do",
    "n't",
    "not",
    "can",
    "will",
    "whale",
    "sea",
    "dog",
    "mother",
    "in",
    "law",
    "l",
    "all",
    "café",
    "cafe",
    "naive",
    "I",
    "ll",
    "'ve",
    "have",
    "it",
    "and",
    "or",
    "u.s.",
    "us",
    "mrs",
]


def recover(word: str, known: Callable[[str], bool]) -> Rung | None:
    """The first rung of the ladder of which every word is known, at last the partial one, or None."""
    return _climb(rungs(word), known)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("_whale_", "whale"),
        ("*whale*.", "whale"),
        ("'whale'", "whale"),
        ("Whale", "whale"),
        ("WHALE", "whale"),
        ("_Mrs._", "mrs"),
        ("sea-dog", "sea + dog"),
        ("sea/dog", "sea + dog"),
        ("sea:dog.whale", "sea + dog + whale"),
        ("Sea-Dog", "sea + dog"),
        ("Mother-in-law", "mother + in + law"),
        ("a1l", "all"),
        ("wha1e", "whale"),
        ("Wha1e-Sea", "whale + sea"),
        ("don't", "do + n't"),
        ("don’t", "do + n't"),
        ("DON'T", "do + n't"),
        ("can't", "can + n't"),
        ("won't", "will + n't"),
        ("I've", "I + 've"),
        ("whale's", "whale"),
        ("whales'", None),
        ("dogs'", None),
        ("Whale’s", "whale"),
        ("naïve", "naive"),
        ("Naïve-Café", "naive + cafe"),
        ("sea-xyzzy", None),
        ("11", None),
        ("", None),
        ("___", None),
        ("-", None),
        ("xyzzy", None),
    ],
)
def test_ladder(word, expected):
    rung = recover(word, set(KNOWN).__contains__)
    assert (" + ".join(rung.words) if rung else None) == expected


def test_partial_recovery_needs_half_of_the_letters():
    known = {"whale", "sea"}.__contains__
    assert recover("whale-xyzzy", known).words == ("whale",)
    assert recover("sea-xyzzy", known) is None


def test_faithful_rungs_come_first():
    """Stripping before splitting, splitting before lower case: the order of the paper's authors."""
    assert recover("_u.s._", {"u.s", "u", "s"}.__contains__).words == ("u.s",)
    assert recover("Sea-dog", {"Sea", "dog", "sea-dog"}.__contains__).words == ("Sea", "dog")
    assert recover("Wha1e", {"wha1e", "whale"}.__contains__).words == ("wha1e",)


def test_lookup_averages_and_says_how():
    vectors = WordVectors.from_dict({"sea": [1, 0], "dog": [0, 1], "whale": [2, 2]})
    found = vectors.lookup(["sea", "Sea-dog", "Whale", "xyzzy", "", "sea"])
    assert found.status.tolist() == [EXACT, RECOVERED, RECOVERED, LOST, LOST, EXACT]
    assert found.matrix.tolist() == [[1, 0], [0.5, 0.5], [2, 2], [0, 0], [0, 0], [1, 0]]
    assert found.via == (None, "lower case, split", "lower case", None, None, None)
    empty = vectors.lookup([])
    assert empty.matrix.shape == (0, 2)


def test_built_in_vectors_recover_real_words():
    vectors = load_vectors()
    words = ["Ahab", "don’t", "sailor's", "whale-ship", "_Pequod_", "qqzzxxv"]
    found = vectors.lookup(words)
    assert found.status.tolist() == [2, 2, 2, 2, 2, 0]
    np.testing.assert_allclose(found.matrix[3], (vectors["whale"] + vectors["ship"]) / 2, rtol=1e-6)


@given(st.text(max_size=12))
def test_every_word_asked_for_is_among_the_forms(word):
    every = forms([word])
    for rung in rungs(word):
        assert all(rung.words)
        assert set(rung.words) <= every


@given(st.text("aA1-_.'’éÉ", max_size=8), st.sets(st.text("aAl1-.é", min_size=1, max_size=3), max_size=8))
def test_lookup_equals_one_climb_at_a_time(word, known):
    vectors = WordVectors.from_dict({w: [i + 1.0, 1.0] for i, w in enumerate(sorted(known | {"zz"}))})
    found = vectors.lookup([word, "zz", word])
    rung = None if word in vectors else recover(word, vectors.__contains__)
    assert (found.status[0] == RECOVERED) == (rung is not None)
    if rung is not None:
        np.testing.assert_allclose(
            found.matrix[0], np.mean([vectors[w] for w in rung.words], axis=0), rtol=1e-6
        )
    np.testing.assert_array_equal(found.matrix[0], found.matrix[2])
