"""BM25 against bm25s, and its reasons against its score."""

from __future__ import annotations

import numpy as np
import pytest

from tests.search.toy import WORDS, build

bm25s = pytest.importorskip("bm25s")
LEFT_OUT = {"the", "of", "."}


def words(text: str) -> list[str]:
    return [w for w in text.split() if w not in LEFT_OUT]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(WORDS, size=rng.integers(3, 20))) for _ in range(300)]


@pytest.mark.parametrize("seed", range(5))
def test_equals_bm25s(texts, seed):
    """bm25s, method="lucene", k1 = 1.5, b = 0.75, on the same words."""
    index = build(texts)
    oracle = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    oracle.index([words(t) for t in texts], show_progress=False)
    query = " ".join(np.random.default_rng(seed + 10).choice(WORDS, size=6))
    scores = oracle.get_scores(words(query))
    found = index.search(query, "bm25", top=300, distinct=False)
    assert len(found) == np.count_nonzero(scores)
    assert [s.score for s in found] == pytest.approx([scores[s.row] for s in found], rel=1e-5)
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)


def test_reasons_add_up(texts):
    found = build(texts).search(" ".join(WORDS[:5]), "bm25", top=20)
    assert len(found) == 20
    for suggestion in found:
        assert sum(m.adds for m in suggestion.matches) == pytest.approx(suggestion.score)
        assert all(m.word == m.near and m.word in suggestion.text.split() for m in suggestion.matches)


def test_removed_sentences_leave_the_statistics(texts):
    index, fresh = build(texts), build(texts[100:])
    index.remove(list(range(100)))
    found, oracle = (i.search(" ".join(WORDS[:4]), "bm25", top=50) for i in (index, fresh))
    assert [s.text for s in found] == [s.text for s in oracle]
    assert [s.score for s in found] == pytest.approx([s.score for s in oracle])
