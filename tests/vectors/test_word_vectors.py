"""The table itself: lookups, nearest words, fingerprints, refinement."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import OptionError, UnknownWord, VectorsError
from lexicloud.neighbours.nearest import distances, nearest_rows
from lexicloud.store.folder import PackedStrings
from lexicloud.vectors import (
    EXACT,
    LOST,
    RECOVERED,
    Refinement,
    WordVectors,
    forms,
    load_vectors,
    save_vectors,
)
from lexicloud.vectors.lookup import Rung, WordIndex, _climb, rungs

TABLE = {
    "whale": [1, 0, 0],
    "orca": [0.9, 0.1, 0],
    "ship": [0, 1, 0],
    "boat": [0, 2, 0.1],
    "far": [-1, -1, -1],
}


@pytest.fixture
def vectors():
    return WordVectors.from_dict(TABLE)


def test_the_usual_questions(vectors):
    assert vectors["whale"].tolist() == [1, 0, 0]
    assert vectors.get("sea") is None
    assert vectors.get("sea", 7) == 7
    assert "whale" in vectors
    assert "" not in vectors
    assert 3 not in vectors
    assert len(vectors) == 5
    assert vectors.index["ship"] == 2
    with pytest.raises(UnknownWord, match=r"no vector for 'sea' in dict"):
        vectors["sea"]
    with pytest.raises(KeyError):
        vectors["sea"]


def test_what_is_returned_can_be_changed_without_harm(vectors):
    vectors["whale"][:] = 9
    assert vectors["whale"].tolist() == [1, 0, 0]


def test_from_dict_refuses_what_is_no_table():
    with pytest.raises(VectorsError, match="no words"):
        WordVectors.from_dict({})
    with pytest.raises(VectorsError, match="not all lists of 2 numbers"):
        WordVectors.from_dict({"a": [1, 2], "b": [1]})
    with pytest.raises(VectorsError, match="'b' holds nan"):
        WordVectors.from_dict({"a": [1, 2], "b": [1, np.nan]})
    with pytest.raises(VectorsError, match="2 words but a table of shape"):
        WordVectors(["a", "b"], np.ones((3, 2), dtype=np.float32))


def test_numbers_that_are_none_and_doubled_words_are_refused():
    rows = np.ones((3, 2), dtype=np.float32)
    with pytest.raises(
        VectorsError, match=r"mine: the word 'a' occurs more than once \(rows 0 and 2\): give each"
    ):
        WordVectors(["a", "b", "a"], rows, "mine")
    with pytest.raises(VectorsError, match=r"'\\ud800' occurs more than once"):
        WordVectors(PackedStrings.pack(["\ud800", "b", "\ud800"]), rows)
    for bad in (np.nan, np.inf, -np.inf):
        rows[1, 1] = bad
        with pytest.raises(
            VectorsError, match=rf"the vector of 'b' \(row 1\) holds {bad}: leave this word out"
        ):
            WordVectors(["a", "b", "c"], rows)


def test_zero_vectors_are_not_there():
    vectors = WordVectors.from_dict({"a": [1, 2], "zero": [0, 0]})
    assert "zero" not in vectors
    assert list(vectors.repairs.values()) == [1]
    direct = WordVectors(["a", "zero"], np.array([[1, 2], [0, 0]], dtype=np.float32))
    assert direct.lookup(["zero"]).status.tolist() == [0]


def test_from_gensim(vectors):
    KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors
    keyed = KeyedVectors(3)
    keyed.add_vectors(list(TABLE), np.array(list(TABLE.values()), dtype=np.float32))
    assert WordVectors.from_gensim(keyed).fingerprint == vectors.fingerprint
    with pytest.raises(VectorsError, match="dict is not a gensim KeyedVectors"):
        WordVectors.from_gensim({})


def test_nearest(vectors):
    assert [w for w, _ in vectors.nearest("whale", k=2)] == ["orca", "ship"]
    assert [w for w, _ in vectors.nearest([0, 1, 0], k=1)] == ["ship"]
    word, distance = vectors.nearest("ship", k=1, metric="euclidean")[0]
    assert word == "boat"
    assert distance == pytest.approx(np.sqrt(1 + 0.01))
    assert len(vectors.nearest("whale", k=99)) == 4
    for bad, message in (({"k": 0}, "k = 0"), ({"metric": "taxi"}, "neither 'cosine'")):
        with pytest.raises(OptionError, match=message):
            vectors.nearest("whale", **bad)
    with pytest.raises(VectorsError, match="3 dimensions"):
        vectors.nearest([1, 2])
    with pytest.raises(UnknownWord):
        vectors.nearest("sea")


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["cosine", "euclidean"]))
def test_nearest_equals_scipy(seed, metric):
    """Oracle: scipy.spatial.distance."""
    from scipy.spatial.distance import cdist

    rows = np.random.default_rng(seed).normal(size=(30, 4)).astype(np.float32)
    ours = distances(rows, rows[0], metric)
    np.testing.assert_allclose(
        ours, cdist(rows, rows[:1], metric)[:, 0], atol=2e-3 if metric == "euclidean" else 1e-5
    )


def test_ties_go_to_the_lower_row():
    assert nearest_rows(np.array([1, 0, 1, 1, np.inf], dtype=np.float32), 3).tolist() == [1, 0, 2]


def test_representations(vectors):
    assert repr(vectors) == "<WordVectors dict: 5 words, 3 dimensions>"
    named = WordVectors(["<b>"], np.ones((1, 2), dtype=np.float32), "x&y", repairs={"n < 1": 2})
    html = named._repr_html_()
    assert "x&amp;y" in html
    assert "&lt;b&gt;" in html
    assert "n &lt; 1: 2" in html


def test_fingerprint_is_of_the_content(vectors, tmp_path):
    mark = vectors.fingerprint
    assert WordVectors.from_dict(TABLE, name="another").fingerprint == mark
    column_major = WordVectors(list(TABLE), np.asfortranarray(vectors.matrix))
    assert column_major.fingerprint == mark
    assert WordVectors(PackedStrings.pack(list(TABLE)), vectors.matrix).fingerprint == mark
    changed = vectors.matrix.copy()
    changed[-1, -1] += 1e-6
    assert WordVectors(list(TABLE), changed).fingerprint != mark
    assert WordVectors([*list(TABLE)[:-1], "Far"], vectors.matrix).fingerprint != mark
    text = tmp_path / "t"
    text.write_text("".join(f"{w} {' '.join(map(str, v))}\n" for w, v in TABLE.items()))
    assert load_vectors(text).fingerprint == mark
    save_vectors(vectors, tmp_path / "folder")
    assert load_vectors(tmp_path / "folder").fingerprint == mark


def test_fingerprint_of_the_built_in_vectors_never_changes():
    """Corpora and indexes keep it: a change would make every saved one look foreign."""
    assert load_vectors().fingerprint == "6c41ae0481978db4"


def test_built_in_vectors():
    vectors = load_vectors()
    assert load_vectors("glove-6b-50d") is vectors
    assert len(vectors) == 400_000
    # Oracle: the first numbers of "the" in glove.6B.50d.txt.
    np.testing.assert_allclose(vectors["the"][:3], [0.418, 0.24968, -0.41242])
    few = load_vectors(limit=100, only=["the", "of", "whale"])
    assert list(few.words) == ["the", "of"]
    assert list(load_vectors(only=["whale"]).words) == ["whale"]


def test_import_is_light():
    heavy = ("pyarrow", "scipy", "numba", "pandas")
    code = f"import sys, lexicloud.vectors; print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


@settings(deadline=None)
@given(
    st.lists(st.text(st.characters(codec=None), max_size=4), max_size=12),
    st.lists(st.text(max_size=4), max_size=6),
)
def test_every_way_to_find_a_word_agrees(words, more):
    """Also words that occur twice, of which the first counts, empty ones and halves of surrogate pairs."""
    asked = [*words, *more]
    truth = [words.index(w) if w in words else -1 for w in asked]
    for index in (WordIndex(words), WordIndex(PackedStrings.pack(words))):
        assert index.find_many(asked).tolist() == truth
        assert [index.find(w) for w in asked] == truth
        assert [index.mapping.get(w, -1) for w in asked] == truth


def test_of_two_equal_words_the_first_counts():
    assert WordIndex(["a", "b", "a"]).find("a") == 0


def test_refinement_takes_out_mean_and_components():
    rng = np.random.default_rng(1)
    rows = (rng.normal(size=(400, 6)) * [10, 1, 1, 1, 1, 1] + 4).astype(np.float32)
    rows[7] = 0
    fit = Refinement.fit(rows)
    out = fit.apply(rows)
    assert out.dtype == np.float32
    assert not out[7].any()
    kept = np.delete(out, 7, axis=0)
    np.testing.assert_allclose(np.linalg.norm(kept, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(out @ fit.components.T, 0, atol=1e-5)
    np.testing.assert_allclose(fit.components @ fit.components.T, np.eye(len(fit.components)), atol=1e-5)


def test_refinement_equals_principal_components():
    """Oracle: scikit-learn's PCA."""
    from sklearn.decomposition import PCA

    rows = np.random.default_rng(2).normal(size=(300, 5)).astype(np.float32) * [5, 3, 1, 1, 1]
    fit = Refinement.fit(rows.astype(np.float32), components=2)
    oracle = PCA(2, svd_solver="full").fit(rows.astype(np.float64))
    np.testing.assert_allclose(fit.mean, oracle.mean_, atol=1e-5)
    np.testing.assert_allclose(np.abs(fit.components @ oracle.components_.T), np.eye(2), atol=1e-4)


def wordsim():
    """WordSim-353 (Finkelstein et al., 2002), the copy that gensim carries for its own tests."""
    datapath = pytest.importorskip("gensim.test.utils").datapath
    lines = Path(datapath("wordsim353.tsv")).read_text(encoding="utf-8").splitlines()
    rows = [line.lower().split("\t") for line in lines if not line.startswith("#")]
    return [(row[0], row[1], float(row[2])) for row in rows if row[0] != "word 1"]


def test_refined_distances_agree_better_with_people():
    """A pin, not a proof: the number of components was chosen with WordSim-353 in view (see `default_components`)."""
    from scipy.stats import spearmanr

    vectors, pairs = load_vectors(), wordsim()
    first, second = vectors.lookup([p[0] for p in pairs]).matrix, vectors.lookup([p[1] for p in pairs]).matrix

    def agreement(a, b):
        cosines = (a * b).sum(axis=1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
        return spearmanr(cosines, [p[2] for p in pairs]).statistic

    refine = vectors.refinement.apply
    assert agreement(first, second) == pytest.approx(0.503, abs=0.005)
    assert agreement(refine(first), refine(second)) == pytest.approx(0.630, abs=0.005)


# ---- The recovery ladder

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
