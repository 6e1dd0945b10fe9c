"""Jaccard search against set arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.search.toy import build, sentences

LEFT_OUT = {"the", "of", "."}


def oracle(texts: list[str], query: str) -> list[tuple[int, float]]:
    """Every sentence's similarity by sets, best first, the lower number first among equals."""
    q = set(query.split()) - LEFT_OUT
    scores = {}
    for i, text in enumerate(texts):
        s = set(text.split()) - LEFT_OUT
        if q & s and text != query and text not in texts[:i]:
            scores[i] = len(q & s) / len(q | s)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


@settings(max_examples=80, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=25), query=sentences, top=st.integers(1, 30))
def test_equals_set_arithmetic(texts, query, top):
    found = build(texts).search(query, "jaccard", top=top)
    expected = oracle(texts, query)[:top]
    assert [s.id for s in found] == [i for i, _ in expected]
    assert [s.score for s in found] == pytest.approx([score for _, score in expected])
    for suggestion in found:
        assert sum(m.adds for m in suggestion.matches) == pytest.approx(suggestion.score)
        assert {m.word for m in suggestion.matches} == (
            set(suggestion.text.split()) & set(query.split())
        ) - LEFT_OUT


def test_words_that_no_sentence_has_still_enlarge_the_union():
    found = build(["kadan lofel", "kadan migos"]).search("kadan neverseen", "jaccard", top=1)
    assert found[0].score == pytest.approx(1 / 3)


def test_the_rock_band_comes_first_as_the_paper_says():
    from lexicloud.search import SentenceIndex
    from tests.search.methods.test_setcover import BAND, KING, QUEEN

    assert [s.text for s in SentenceIndex.build([KING, BAND]).search(QUEEN, "jaccard")] == [BAND]
