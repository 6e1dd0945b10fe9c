"""Tables in which many words share one row, as spaCy's do: distances of zero must not break or bend anything."""

from __future__ import annotations

import numpy as np
import pytest

import lexicloud as lc
from lexicloud.neighbours import Neighbours
from lexicloud.vectors import WordVectors

SEA = ["ship", "boat", "vessel", "ferry", "yacht", "barge", "sail", "mast", "anchor", "harbour"]
FOOD = ["soup", "bread", "butter", "salt", "sauce", "stew", "onion", "garlic", "pepper", "cheese"]
LAW = ["judge", "court", "trial", "jury", "lawyer", "witness", "verdict", "appeal", "crime", "prison"]


@pytest.fixture(scope="module")
def shared() -> WordVectors:
    """Thirty words on six rows: the halves of each theme share one."""
    rng = np.random.default_rng(0)
    rows = {}
    for place, theme in enumerate((SEA, FOOD, LAW)):
        centre = 3 * np.eye(3)[place]
        for half in (theme[:5], theme[5:]):
            rows |= dict.fromkeys(half, centre + rng.normal(size=3) / 2)
    return WordVectors.from_dict(rows)


@pytest.fixture(scope="module")
def corpus(shared):
    rng = np.random.default_rng(1)
    texts = {
        name: " ".join(rng.choice(words, 60))
        for name, words in {
            "sea": SEA + FOOD[:3] + LAW,
            "food": FOOD + SEA[:3] + LAW,
            "law": LAW + SEA + FOOD[5:],
        }.items()
    }
    return lc.Corpus.from_texts(texts, vectors=shared)


@pytest.mark.parametrize("method", ["knn", "smoothed"])
def test_divergences_are_finite(corpus, method):
    values = lc.divergence_matrix(corpus, method=method, **({"k": 1} if method == "knn" else {})).values
    assert np.isfinite(values).all()


def test_words_on_one_row_are_one_point_for_the_nearest_neighbour_estimator(corpus, shared):
    """Replacing each word by the first word of its row leaves the estimate as it was."""
    first = {}
    for word in shared.words:
        first.setdefault(shared[word].tobytes(), word)
    merged = {
        name: " ".join(
            first[shared[word].tobytes()]
            for word, count in zip(corpus.vocabulary, corpus.counts[[i]].toarray()[0], strict=True)
            for _ in range(int(count))
        )
        for i, name in enumerate(corpus.names)
    }
    again = lc.Corpus.from_texts(merged, vectors=shared)
    ours = lc.divergence(corpus, "sea", "food", method="knn", k=1).value
    assert ours == pytest.approx(lc.divergence(again, "sea", "food", method="knn", k=1).value)


def test_the_table_of_neighbours_lists_equal_distances_by_number_and_never_the_word_itself(shared):
    points = np.asarray(shared.matrix)
    table = Neighbours.build(points, 8)
    for i, (row, distances) in enumerate(zip(table.ids, table.distances, strict=True)):
        assert i not in row
        assert sorted(zip(distances.round(6), row, strict=True)) == list(
            zip(distances.round(6), row, strict=True)
        )
        assert (distances[:4] == 0).all()  # the four others of its row


def test_search_finds_sentences_by_words_of_the_same_row(shared):
    sentences = ["ship boat sail mast anchor", "soup bread salt stew onion", "judge court trial jury prison"]
    index = lc.SentenceIndex.build(sentences, vectors=shared)
    found = index.search("ferry yacht", top=3, r=10)
    assert found[0].text == sentences[0]
    assert all(np.isfinite(s.score) for s in found)
    assert [s.text for s in index.search("ferry yacht", top=3, r=10)] == [s.text for s in found]


def test_the_labeller_takes_words_of_one_row_for_each_other(shared):
    texts = [" ".join(words[i : i + 2]) for words in (SEA[:4], FOOD[:4], LAW[:4]) for i in (0, 2)]
    labeller = lc.Labeller(shared).fit(texts, ["sea", "sea", "food", "food", "law", "law"])
    new = [words[4] for words in (SEA, FOOD, LAW)]
    assert labeller.predict(new).tolist() == ["sea", "food", "law"]
    assert np.isfinite(labeller.predict_proba([*new, *SEA, "unheard"])).all()
    near = labeller.explain(SEA[4]).words[0].near
    assert near in SEA[:4]
    assert near


@pytest.mark.parametrize("method", ["related", "setcover", "average", "wmd"])
def test_every_search_method_ranks_and_the_lower_number_wins_a_tie(shared, method):
    """Sentences of other words on the same rows are at the same place; they come in the order of their numbers."""
    sentences = [
        "ship boat vessel ferry bread",
        "boat vessel ferry ship butter",
        "judge court trial jury soup",
    ]
    index = lc.SentenceIndex.build(sentences, vectors=shared)
    found = index.search(
        "yacht barge sail salt", method=method, top=3, **({"r": 10} if method == "setcover" else {})
    )
    scores = [s.score for s in found]
    assert np.isfinite(scores).all()
    if method in {"average", "wmd"}:
        assert [s.text for s in found[:2]] == sentences[:2]
        assert scores[0] == scores[1]


def test_texts_of_words_on_one_row_are_alike(shared):
    assert lc.similarity("ship boat", "vessel ferry", vectors=shared).value == pytest.approx(1)
