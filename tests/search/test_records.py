"""Sentences as records: by id, in part, by page, counted, with alternatives, and removed with a report."""

from __future__ import annotations

import pytest

from lexicloud.errors import LexicloudWarning, OptionError
from lexicloud.search import SentenceIndex
from lexicloud.search.filters import parse_conditions

from .toy import build

ITEMS = [
    ("a", "kadan lofel", {"status": "open", "tags": ["x", "y"], "n": 1}),
    ("b", "kadan migos", {"status": "open", "tags": ["y"], "n": 2}),
    ("c", "kadan ruhin", {"status": "new", "n": 3}),
    ("d", "kadan sendan", {"n": 4}),
]


@pytest.fixture
def index() -> SentenceIndex:
    return build(ITEMS)


def test_a_record_by_its_id(index):
    assert index.get("b") == {"id": "b", "text": "kadan migos", "tokens": 2, **ITEMS[1][2]}
    with pytest.raises(OptionError, match="no sentence has the id 'z'"):
        index.get("z")


def test_some_columns_are_changed_and_the_others_stay(index):
    index.update("b", status="closed", tags=None)
    assert index.get("b") == {"id": "b", "text": "kadan migos", "tokens": 2, "status": "closed", "n": 2}
    assert len(index) == 4


def test_facets_count_values(index):
    assert index.facets("status") == {"open": 2, "new": 1}
    assert index.facets("tags") == {"y": 2, "x": 1}
    index.remove("a")
    assert index.facets("status", where={"n": {"<": 4}}) == {"open": 1, "new": 1}


def test_pages_follow_each_other(index):
    every = [s.id for s in index.search("kadan", top=4)]
    assert [s.id for s in index.search("kadan", top=2, offset=2)] == every[2:]
    with pytest.raises(OptionError, match="offset = -1"):
        index.search("kadan", offset=-1)


def test_alternatives(index):
    where = {"or": [{"status": "new"}, {"n": {"<": 2}}]}
    assert {s.id for s in index.search("kadan", where=where)} == {"a", "c"}
    assert parse_conditions(["status=new | n<2", "n>0"]) == {
        "or": [{"status": {"in": ["new"]}}, {"n": {"<": 2}}],
        "n": {">": 0},
    }
    assert {s.id for s in index.search("kadan", where=parse_conditions(["status=new | n<2"]))} == {"a", "c"}


def test_what_was_not_there_is_reported(index):
    with pytest.warns(
        LexicloudWarning, match="no sentence or document has the id y, z: the others were removed"
    ):
        assert index.remove(["a", "z", "y"], strict=False) == 1
    assert len(index) == 3


def test_an_id_is_found_by_its_number_or_its_text_where_there_is_only_one_of_them():
    index = build([("1", "kadan", {"n": 1}), (2, "lofel"), ("a b", "migos"), (3, "ruhin"), ("3", "sendan")])
    assert [index.get(name)["text"] for name in (1, "2", 2.0, "a b", 3, "3")] == [
        "kadan",
        "lofel",
        "lofel",
        "migos",
        "ruhin",
        "sendan",
    ]
    assert index.missing([1, "2", 4, "04"]) == [4, "04"]
    index.update(1, n=5)
    assert index.get("1")["n"] == 5
    index.upsert([(1, "torjat"), ("2", "torjat")])
    assert len(index) == 5
    assert index.get("1")["id"] == "1"
    assert index.remove(["2", 1]) == 2
    with pytest.raises(OptionError, match="no sentence has the id 1"):
        index.get(1)


def test_a_change_of_one_sentence_leaves_its_document_in_order():
    index = build({"a": "Kadan lofel. Migos ruhin. Sendan torjat.", "b": "Kafel lodan."}, split=True)
    index.update("a#1", seen=True)
    assert index.get("a")["text"] == "Kadan lofel. Migos ruhin. Sendan torjat."
    assert (index.get("a#1")["seen"], "seen" in index.get("a#0")) == (True, False)
    found = index.search("Migos ruhin.", context=1, top=1)[0]
    assert found.context == ("Kadan lofel.", "Migos ruhin.", "Sendan torjat.")
