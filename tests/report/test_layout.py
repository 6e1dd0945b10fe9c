"""Choices about what a page shows: grouping, ranks, example queries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.corpus import Corpus
from lexicloud.corpus.cut import group_by, merged_by_label
from lexicloud.report.charts import corners
from lexicloud.search.variety import choose_queries
from tests.report.stories import library


@pytest.mark.parametrize(
    ("texts", "labels", "by", "expected"),
    [
        (61, 3, "auto", "label"),
        (60, 3, "auto", "text"),
        (61, 2, "auto", "text"),
        (70, 61, "auto", "text"),
        (5, 3, "label", "label"),
        (5, 0, "label", "text"),
        (61, 3, "text", "text"),
    ],
)
def test_labels_are_shown_where_texts_are_too_many_to_read(texts, labels, by, expected):
    given_labels = [f"L{i % labels}" for i in range(texts)] if labels else None
    corpus = Corpus.from_texts([f"word{i} sea" for i in range(texts)], labels=given_labels)
    assert group_by(corpus, by) == expected


def test_merging_keeps_every_token_and_leaves_the_unlabelled_out():
    corpus = Corpus.from_texts(["a b", "c", "a"], labels=["x", None, "x"])
    merged = merged_by_label(corpus)
    assert merged.names == ("x",)
    assert merged.count("x", "a") == 2
    assert merged.lengths.tolist() == [3]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=60))
def test_thinned_ranks_lose_no_step(counts):
    ordered = np.sort(np.array(counts))[::-1]
    kept = corners(ordered)
    assert np.array_equal(np.interp(np.arange(len(ordered)), kept, ordered[kept]).round(), ordered)


def test_queries_come_from_different_parts_of_the_corpus():
    sentences = Corpus.from_texts(library(1, 30)).sentences()
    queries = choose_queries(sentences, 3)
    assert len(queries) == 3
    rows = [list(sentences.texts).index(q) for q in queries]
    assert sorted(sentences.parents[rows].tolist()) == [0, 1, 2]
    assert choose_queries(sentences, 3) == queries


def test_a_corpus_without_sentences_has_no_queries():
    assert choose_queries(Corpus.from_texts(["sea sea"]), 3) == ()
