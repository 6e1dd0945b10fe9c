"""Hits of another engine, ranked and explained."""

from __future__ import annotations

import math

import pytest

import lexicloud as lc
from lexicloud.errors import OptionError

from .toy import VECTORS

HITS = ["kadan lofel", "migos ruhin torjat", "migos kadan"]


def rerank(query, hits, **options):
    return lc.rerank(query, hits, vectors=VECTORS, dense=None, **options)


def test_hits_come_in_our_order_with_their_old_place():
    found = rerank("migos kadan", HITS)
    assert (found[0].text, found[0].metadata["hit"]) == ("migos kadan", 3)
    assert len(found) == 3
    for one in found:
        assert math.isclose(sum(reason.adds for reason in one.matches), one.score, rel_tol=1e-6)


@pytest.mark.parametrize(
    "hits",
    [
        [(f"h{i}", text) for i, text in enumerate(HITS)],
        [{"id": f"h{i}", "text": text, "_distance": 0.5, "vector": [1.0, 2.0]} for i, text in enumerate(HITS)],
        {"took": 3, "hits": {"total": 3, "hits": [
            {"_id": f"h{i}", "_score": 9 - i, "_source": {"text": text}} for i, text in enumerate(HITS)]}},
    ],
    ids=["pairs", "rows of LanceDB", "an answer of OpenSearch"],
)  # fmt: skip
def test_hits_may_come_as_engines_answer(hits):
    best = rerank("migos kadan", hits, top=1)[0]
    assert (best.id, best.metadata) == ("h2", {"hit": 3})


def test_fields_have_weights():
    hits = [{"id": 1, "title": "lofel", "body": "kadan"}, {"id": 2, "title": "kadan", "body": ""}]
    found = rerank("kadan", hits, text={"title": 3, "body": 1})
    assert [one.id for one in found] == [2, 1]
    assert found[0].matches[0].fields == ("title",)


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(OptionError, match="no hits to rank"):
        rerank("kadan", [])
    with pytest.raises(OptionError, match="more than 1,000"):
        rerank("kadan", ["kadan"] * 1_001)
    with pytest.raises(OptionError, match="hit 1 has no text: say which of a, b is"):
        rerank("kadan", [{"a": 1, "b": "kadan"}])
    with pytest.raises(OptionError, match="hits are a str"):
        rerank("kadan", "kadan")
