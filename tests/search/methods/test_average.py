"""Average search against numpy on every sentence."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.search.toy import VECTORS, build, sentences

LEFT_OUT = {"the", "of", "."}


def mean(text: str) -> np.ndarray | None:
    found = [VECTORS[w].astype(np.float64) for w in text.split() if w in VECTORS and w not in LEFT_OUT]
    return np.mean(found, axis=0) if found else None


@settings(max_examples=80, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=25), query=sentences)
def test_equals_numpy(texts, query):
    found = build(texts).search(query, "average", top=30)
    if mean(query) is None:
        assert found == []
        return
    oracle = {
        i: float(np.linalg.norm(mean(t) - mean(query)))
        for i, t in enumerate(texts)
        if mean(t) is not None and t != query and t not in texts[:i]
    }
    assert {s.id: s.score for s in found} == pytest.approx(oracle, abs=1e-6)
    assert [s.score for s in found] == sorted(s.score for s in found)


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=10), query=sentences)
def test_pairs_add_up_to_the_distance(texts, query):
    for suggestion in build(texts).search(query, "average"):
        assert sum(m.adds for m in suggestion.matches) == pytest.approx(suggestion.score, abs=1e-6)


def test_unknown_words_with_a_vector_take_part():
    index = build(["kadan lofel migos", "torjat torhin tordan"])
    near = index.search("unseen", "average")
    gaps = [
        np.linalg.norm(mean(t) - VECTORS["unseen"]) for t in ("kadan lofel migos", "torjat torhin tordan")
    ]
    assert [s.score for s in near] == pytest.approx(sorted(gaps), rel=1e-5)
    assert near[0].matches[0].near == "unseen"
