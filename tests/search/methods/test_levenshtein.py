"""Levenshtein search against rapidfuzz over every sentence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from lexicloud.search.methods.baselines import edits
from tests.search.toy import build, sentences

free_text = st.text(st.sampled_from("abcdé “”.,"), min_size=1, max_size=30).filter(lambda t: t.strip())


@settings(max_examples=80, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=40), query=sentences, top=st.integers(1, 8))
def test_equals_rapidfuzz(texts, query, top):
    every = {
        i: Levenshtein.distance(query, t) for i, t in enumerate(texts) if t != query and t not in texts[:i]
    }
    oracle = sorted(every.items(), key=lambda item: (item[1], item[0]))[:top]
    found = build(texts).search(query, "levenshtein", top=top)
    assert [(s.id, s.score) for s in found] == oracle


def test_the_window_of_lengths_grows_until_nothing_nearer_can_follow():
    """Far more sentences than the first portion, all of nearly the query's length, the best one much shorter."""
    texts = [f"zzzz{i:04d}zzzzzzzzzzzz" for i in range(1500)] + ["abcdefghijk", "abcdefghijklm"]
    found = build(texts).search("abcdefghijklmnopqrst", "levenshtein", top=2)
    assert [s.text for s in found] == ["abcdefghijklm", "abcdefghijk"]


@given(a=free_text, b=free_text)
def test_edits_add_up_and_turn_the_query_into_the_sentence(a, b):
    found = edits(a, b)
    assert sum(m.adds for m in found) == Levenshtein.distance(a, b)
    at, rebuilt = 0, ""
    for op in Levenshtein.opcodes(a, b):
        rebuilt += a[op.src_start : op.src_end] if op.tag == "equal" else found[at].word
        at += op.tag != "equal"
    assert rebuilt == b


def test_stop_words_count_here():
    assert build(["the of the", "kadan lofel"]).search("the of", "levenshtein", top=1)[0].id == 0


def test_min_tokens_and_filters_hold_here_too():
    index = build(
        [("a", "kadan", {"k": 1}), ("b", "kadan lofel migos", {"k": 2}), ("c", "kadan lofel mi", {"k": 1})]
    )
    assert [s.id for s in index.search("kadan lofel", "levenshtein", where={"k": 1})] == ["c", "a"]
    assert [s.id for s in index.search("kadan lofel", "levenshtein", min_tokens=3, top=1)] == ["c"]
    assert index.search("kadan lofel", "levenshtein", where={"k": 2})[0].score == pytest.approx(6)
