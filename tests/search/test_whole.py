"""Segments are searched where they are: the answer is that of one segment, to the last bit."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.search import SentenceIndex
from lexicloud.search.find import METHODS
from lexicloud.search.merging import concat_segments
from lexicloud.search.methods.bm25_scores import Compiled, Plain, scorers_of
from lexicloud.search.segments import Snapshot, with_added, with_removed
from lexicloud.search.whole import Whole
from tests.search.toy import build, records, sentences

items = st.lists(st.tuples(sentences, records), min_size=3, max_size=24)
HEAVY = {"vectors", "indptr", "indices", "counts", "postings", "term_rows", "term_tf", "dense", "signs"}


def exactly(index: SentenceIndex, query: str, method: str, **options: Any) -> list[Any]:
    """Everything about an answer, nothing rounded."""
    found = index.search(query, method, **{"min_tokens": 1, "top": 6, **options})
    return [*((s.id, s.row, s.text, s.score, s.matches, s.metadata, s.weak) for s in found), found.notes]


def both(rows: list[tuple[str, dict[str, Any]]], cuts: list[int], gone: list[int], **options: Any) -> Any:
    """The same sentences as one segment and as several, with the same ones removed."""
    listed = [(i, text, record) for i, (text, record) in enumerate(rows)]
    one = build(listed, **options)._snapshot
    at = sorted({0, *(cut % len(rows) for cut in cuts), len(rows)})
    several: Snapshot = build(listed[: at[1]], **options)._snapshot
    for low, high in pairwise(at[1:]):
        several = with_added(several, listed[low:high], merge=False)
    names = sorted({i % len(rows) for i in gone})
    if names:
        one, several = with_removed_only(one, names), with_removed_only(several, names)
    return SentenceIndex(one), SentenceIndex(several)


def with_removed_only(snapshot: Snapshot, names: list[int]) -> Snapshot:
    return replace(snapshot, removed=snapshot.without(snapshot.find(names)))


@given(items, st.lists(st.integers(0, 99), max_size=4), st.lists(st.integers(0, 99), max_size=3), sentences)
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("method", METHODS)
def test_several_segments_answer_as_one_does(method, rows, cuts, gone, query):
    one, several = both(rows, cuts, gone)
    assert exactly(several, query, method) == exactly(one, query, method)


@given(items, st.lists(st.integers(0, 99), max_size=4), st.lists(st.integers(0, 99), max_size=3), sentences)
@settings(max_examples=40, deadline=None)
@pytest.mark.parametrize("scorer", [Plain, Compiled])
def test_words_and_embeddings_together_too_by_either_scorer(scorer, rows, cuts, gone, query):
    answers = []
    for index in both(rows, cuts, gone, dense="wordllama"):
        scorers = scorers_of(index._snapshot.database)
        scorers.__dict__["compiled"] = scorers.__dict__["plain"] = scorer(index._snapshot.database)
        answers.append([exactly(index, query, "related"), exactly(index, query, "related", dense=None)])
    assert answers[0] == answers[1]


@given(items, st.lists(st.integers(0, 99), max_size=4), sentences)
@settings(max_examples=25, deadline=None)
def test_filters_let_the_same_rows_through(rows, cuts, query):
    one, several = both([(t, {"kind": "a", **r}) for t, r in rows], cuts, [])
    for where in ({"kind": "a"}, {"kind": ["b", 1]}):
        assert exactly(several, query, "related", where=where) == exactly(one, query, "related", where=where)
        assert exactly(several, query, "setcover", where=where) == exactly(
            one, query, "setcover", where=where
        )


@given(items, st.lists(st.integers(0, 99), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_what_is_joined_in_blocks_is_what_one_segment_holds(rows, cuts):
    one, several = both(rows, cuts, [])
    (whole,), parts = one._snapshot.segments.values(), list(several._snapshot.segments.values())
    joined = concat_segments(parts)
    for name in ("words", "terms", "texts"):
        assert getattr(joined, name).to_list() == getattr(whole, name).to_list()
    for name in HEAVY | {"df", "term_starts", "postings_ptr", "lengths", "embedded"}:
        np.testing.assert_array_equal(getattr(joined, name), getattr(whole, name), err_msg=name)


def test_a_search_after_an_addition_joins_nothing_that_grows_with_the_texts():
    index = build([f"{word} kadan lofel" for word in ("migos", "ruhin", "senjat") * 40], dense="wordllama")
    index.add([("new", "torjat kadan migos")])
    for mode in ("related", "varied"):
        index.search("torjat kadan", mode=mode)
    whole = index._snapshot.whole
    assert isinstance(whole, Whole)
    assert HEAVY.isdisjoint(whole.__dict__)
    assert index.search("torjat")[0].id == "new"


def test_several_segments_become_one_file_without_being_joined_in_memory(tmp_path):
    index = build([f"{word} kadan lofel" for word in ("migos", "ruhin", "senjat") * 40])
    index.add([("new", "torjat kadan migos")])
    index.save(tmp_path / "index")
    assert len(index._snapshot.segments) == 1
    assert index.verify() == []
    fresh = build([*index._snapshot.whole.texts])
    assert with_removed(fresh._snapshot, [0]).count == len(index) - 1
    for name in ("words", "terms"):
        assert (
            getattr(index._snapshot.whole, name).to_list() == getattr(fresh._snapshot.whole, name).to_list()
        )
