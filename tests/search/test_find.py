"""Answers by a column: sorted finds, lists without words, and what has no order."""

from __future__ import annotations

import pytest

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex

from .toy import build

ITEMS = [
    ("a", "kadan lofel", {"day": "2022-03-01", "n": 2, "tags": ["x"]}),
    ("b", "kadan migos", {"day": "2021-03-01", "n": 10}),
    ("c", "kadan ruhin", {"day": "2023-03-01", "n": 1}),
    ("d", "kadan sendan", {}),
    ("e", "torjat", {"n": 5}),
]


@pytest.fixture
def index() -> SentenceIndex:
    return build(ITEMS)


def ids(found):
    return [one.id for one in found]


def test_finds_are_sorted_by_what_a_column_holds(index):
    assert ids(index.search("kadan", sort="n")) == ["c", "a", "b", "d"]
    assert ids(index.search("kadan", sort="-n")) == ["b", "a", "c", "d"]
    assert ids(index.search("kadan", sort="-day")) == ["c", "a", "b", "d"]
    assert ids(index.search("kadan", sort="-day", top=1, offset=1)) == ["a"]


def test_how_they_are_sorted_is_said(index):
    found = index.search("kadan", sort="-day")
    assert "the 4 best finds, sorted by day, the highest first" in found.notes
    assert "the best first" not in found.blocks()[0].text


def test_a_query_without_words_lists_what_filters_let_through(index):
    assert ids(index.search("", where={"n": {">": 1}})) == ["a", "b", "e"]
    assert ids(index.search("", where={"n": {">": 1}}, sort="-n", top=2)) == ["b", "e"]
    assert ids(index.search("n:5")) == ["e"]
    assert ids(index.search("", sort="n", top=2, offset=1)) == ["a", "e"]
    with pytest.raises(OptionError, match="the query has no words in it"):
        index.search("")


def test_what_has_no_order_is_refused(index):
    with pytest.raises(OptionError, match="tags holds lists of text, which have no order"):
        index.search("kadan", sort="tags")
    with pytest.raises(OptionError, match="no metadata 'dai'; did you mean 'day'"):
        index.search("kadan", sort="dai")
    with pytest.raises(OptionError, match="sort = '-': give a column"):
        index.search("kadan", sort="-")


def test_null_and_nan_come_last_as_rows_without_the_column_do():
    nothing = [None, float("nan")]
    items = [(i, "kadan", {"n": n}) for i, n in enumerate([3, *nothing, 1])]
    index = build(items)
    assert ids(index.search("", sort="n")) == [3, 0, 1, 2]
    assert ids(index.search("", sort="-n")) == [0, 3, 1, 2]


def test_a_page_beyond_the_end_says_how_many_finds_there_are(index):
    found = index.search("torjat", dense=None, where={"n": 5}, offset=3)
    assert not found
    assert found.notes == ("1 find in all",)
