"""The two measures of variety: worked examples, and the paper's own suggestions."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex, Suggestion, evaluate_methods, variety
from tests.search.toy import KNOWN, build

NAMES = {
    "setcover": "set_cover",
    "average": "embedding_average",
    "wmd": "word_movers_distance",
    "jaccard": "jaccard",
    "levenshtein": "edit_distance",
}


def test_worked_example():
    """Query 1: one of two is shared; query 2: none is. Words of the pairs: 2 of 4 shared, and 0 of 5."""
    found = variety(
        {
            "a": [["The cat sat", "The cat ran"], ["Dogs bark", "It rains now"]],
            "b": [["The cat sat", "Birds sing"], ["Fish swim", "Cows moo"]],
        }
    )
    assert found.unique == {"a": 75.0, "b": 75.0}
    assert found.jaccard["a"] == pytest.approx((2 / 4 + 0) / 2)
    assert found.jaccard_content["a"] == pytest.approx((1 / 3 + 0) / 2)
    assert (found.queries, found.top) == (2, 2)


def test_one_query_texts_or_suggestions():
    texts = {"a": ["The cat sat.", "A dog ran.", "It rains."], "b": ["The cat sat.", "The cat sat!"]}
    dressed = {m: [Suggestion(i, t, 1.0) for i, t in enumerate(found)] for m, found in texts.items()}
    assert variety(texts).to_dict() == variety(dressed).to_dict()
    assert variety(texts).unique == pytest.approx({"a": 200 / 3, "b": 100 / 3})


def test_two_texts_without_content_words_are_the_same():
    assert variety({"a": ["It is.", "So be it!"]}).jaccard_content["a"] == 1.0


@given(
    st.lists(st.lists(st.sampled_from(KNOWN), min_size=1, max_size=5).map(" ".join), min_size=2, max_size=6)
)
def test_jaccard_equals_set_arithmetic(texts):
    sets = [set(t.split()) for t in texts]
    pairs = list(combinations(sets, 2))
    expected = sum(len(a & b) / len(a | b) for a, b in pairs) / len(pairs)
    assert variety({"a": texts}).jaccard["a"] == pytest.approx(expected)


def test_lists_must_match():
    with pytest.raises(OptionError, match="one list of suggestions per query"):
        variety({"a": [["x"], ["y"]], "b": [["x"]]})
    with pytest.raises(OptionError, match="nothing to measure"):
        variety({"a": [[]]})


def test_tables():
    found = variety({"a": ["x y", "y z"], "b": ["x y", "q"]})
    assert list(found.to_pandas().index) == ["a", "b"]
    assert "least alike, over 1 query, 2 each" in found._repr_html_()


def test_the_papers_own_suggestions(shared):
    """published.json: uniqueness of set cover, average and WMD to the digit, the others within 2 points;
    Jaccard as published.
    """
    data = json.loads((shared / "data/survey/suggestions.json").read_text(encoding="utf-8"))
    published = json.loads((shared / "paper/published.json").read_text(encoding="utf-8"))
    found = variety({m: [list(q[name].values()) for q in data.values()] for m, name in NAMES.items()})
    unique = dict(zip(NAMES, published["unique_suggestions_percent"]["100"], strict=True))
    for method in ("setcover", "average", "wmd"):
        assert found.unique[method] == pytest.approx(unique[method], abs=1e-9)
    for method in ("jaccard", "levenshtein"):
        assert found.unique[method] == pytest.approx(unique[method], abs=2)
    kept = published["pairwise_jaccard"]["stopwords_kept"]["100"]
    removed = published["pairwise_jaccard"]["stopwords_removed"]["100"]
    assert [found.jaccard[m] for m in NAMES] == pytest.approx(kept, abs=5e-4)
    assert [found.jaccard_content[m] for m in NAMES] == pytest.approx(removed, rel=0.07)


def test_evaluating_an_index_draws_its_own_sentences():
    texts = [f"{a} {b} {c} {a}{i} {b}{i}" for i, (a, b, c) in enumerate(combinations(KNOWN[:8], 3))]
    index = build(texts)
    found = evaluate_methods(index, 10, seed=1, methods=("setcover", "jaccard"))
    assert found.variety.queries == 10
    assert found.to_dict() == evaluate_methods(index, 10, seed=1, methods=("setcover", "jaccard")).to_dict()
    assert found.to_dict()["unique_percent"].keys() == {"setcover", "jaccard"}


def test_nothing_to_draw_from_says_so():
    with pytest.raises(OptionError, match="none of the 1 sentences has 5 tokens"):
        evaluate_methods(SentenceIndex.build(["Too short."]), 3)
