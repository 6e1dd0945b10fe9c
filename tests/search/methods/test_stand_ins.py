"""Words of a text that stand in for query words that it lacks: what they add, what they never do, and what is kept."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.arrays import idf
from lexicloud.search.methods import hybrid, stand_ins
from lexicloud.search.methods.bm25_scores import STEPS, saturation, term_idf
from lexicloud.text.stems import terms_by
from lexicloud.vectors.static_embeddings import load_static_embeddings

TEXTS = [
    "The king ruled France for seventy years.",
    "The rock band played all night long.",
    "A ship sailed into the harbour at dawn.",
    "He repaired the vessel at the dock.",
    "Taxes are due at the end of the quarter.",
    "Phones connect quickly to the network.",
    "Phones disconnect quickly from the network.",
    "Our boat leaves the port tonight, captain.",
]


def plainly(index: SentenceIndex, words: list[str], row: int) -> dict[str, float]:
    """Return what the words of a text add in place of each of some query words, by the formula."""
    database, model, terms = index.database, load_static_embeddings(), terms_by(index.database.rules)
    own = [database.words[int(i)] for i in database.counted(row)[0]]
    once = saturation(database)[database.parts[0].segment.term_lengths[row], 1] / STEPS
    rarest = np.log1p((database.n + 0.5) / 0.5)
    found = {}
    for word in words:
        if set(terms[word]) & {term for other in own for term in terms[other]}:
            continue  # the text has the word, in some form
        term = database.term_ids.get(terms[word][0], -1)
        weight = rarest if term < 0 else float(term_idf(database, np.array([term], np.int32))[0])
        adds = [0.0]
        for other in own:
            a, b = model.word_vectors([word, other], np.ones(2, bool))[0]
            cosine = float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
            rarity = float(idf(database)[database.ids[other]])
            adds.append(stand_ins.NEAREST * min(weight, rarity) * max(0, cosine - stand_ins.LEAST) * once)
        found[word] = max(adds)
    return found


def added(found):
    return {reason.near: reason.adds for reason in found.matches if reason.kind == stand_ins.KIND}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("boats in the harbor", ["boats", "harbor"]),
        ("a queen and a musician", ["queen", "musician"]),
        ("the ship of kings", ["ship", "kings"]),
    ],
)
def test_the_nearest_words_add_what_the_formula_says(query, words):
    index = SentenceIndex.build(TEXTS)
    some = False
    for found in index.search(query, top=8):
        expected = {word: adds for word, adds in plainly(index, words, found.id).items() if adds > 0}
        # vectors are in whole numbers up to 127
        assert added(found) == pytest.approx(expected, abs=0.02)
        assert sum(reason.adds for reason in found.matches) == pytest.approx(found.score)
        some = some or bool(expected)
    assert some


def test_a_word_that_the_text_has_in_any_form_needs_none():
    found = {s.id: added(s) for s in SentenceIndex.build(TEXTS).search("sailing kings", top=8)}
    assert "sailing" not in found[2]
    assert "kings" not in found[0]


def test_an_opposite_never_stands_in(monkeypatch):
    index, query = SentenceIndex.build(TEXTS), "phones connect quickly"
    found = {s.id: added(s) for s in index.search(query, top=8)}
    assert "connect" not in found[6]
    monkeypatch.setattr(stand_ins, "_opposites", lambda _: {})
    found = {s.id: added(s) for s in index.search(query, top=8)}
    assert found[6]["connect"] > 0  # it would, if it were not for the list


def test_words_alone_have_none():
    answers = SentenceIndex.build(TEXTS).search("boats in the harbor", dense=None, top=8)
    assert not any(added(found) for found in answers)


def test_the_first_texts_are_the_same_however_many_are_asked_for(monkeypatch):
    monkeypatch.setattr(hybrid, "DEPTH", 4)
    index = SentenceIndex.build(TEXTS)
    long = index.search("boats and music in the harbor at night", top=8)
    assert sum(bool(added(found)) for found in long) <= 4
    for top in range(1, 8):
        short = index.search("boats and music in the harbor at night", top=top)
        assert [s.to_dict() for s in short] == [s.to_dict() for s in long[:top]]


def test_vectors_that_are_begun_anew_are_the_same(monkeypatch):
    index, model = SentenceIndex.build(TEXTS), load_static_embeddings()
    numbers = np.arange(len(index.database.words), dtype=np.int32)
    whole, lengths = stand_ins._Vectors(index.database).of(numbers, ["whale"], model)
    monkeypatch.setattr(stand_ins, "_MET", 3)
    kept = stand_ins._Vectors(index.database)
    for start in range(0, len(numbers), 2):
        some = numbers[start : start + 2]
        found, own = kept.of(some, [], model)
        assert np.array_equal(found, whole[some])
        assert np.array_equal(own, lengths[some])
        assert len(kept.vectors) <= 3
    assert np.array_equal(kept.of(numbers, [], model)[0], whole[:-1])


def test_a_query_in_capitals_is_embedded_in_lower_case():
    index = SentenceIndex.build(TEXTS)
    lower = index.search("a boat in the harbour", top=3)
    assert [s.id for s in index.search("A BOAT IN THE HARBOUR", top=3)] == [s.id for s in lower]
    loud = index.search("A BOAT IN THE HARBOUR", top=1)[0]
    assert loud.score == pytest.approx(lower[0].score)
