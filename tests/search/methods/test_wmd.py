"""Word Mover's Distance: the pruned search against solving every sentence, and POT's own answer."""

from __future__ import annotations

import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.search import SearchOptions
from lexicloud.search.find import find
from lexicloud.search.methods import wmd as module
from lexicloud.search.methods.wmd import distances_between, query_cloud, sentence_cloud
from tests.search.toy import KNOWN, build, sentences


def exhaustive(index, query: str) -> list[tuple[int, float]]:
    """POT's emd2 on every sentence, nearest first."""
    db, found = index.database, {}
    P = query_cloud(db, index.query(query))
    for i in range(len(db)):
        Q = sentence_cloud(db, i)
        if len(Q.mass) and db.texts[i] != query and (db.firsts is None or db.firsts[i]):
            found[i] = float(ot.emd2(P.mass, Q.mass, distances_between(P.vectors, Q.vectors)))
    return sorted(found.items(), key=lambda item: (item[1], item[0]))


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=40), query=sentences, top=st.integers(1, 5))
def test_pruned_equals_exhaustive(texts, query, top):
    index = build(texts)
    if not len(query_cloud(index.database, index.query(query)).mass):
        assert index.search(query, "wmd") == []
        return
    found, oracle = index.search(query, "wmd", top=top), exhaustive(index, query)
    assert [s.score for s in found] == pytest.approx([d for _, d in oracle[:top]], abs=1e-9)
    exact = dict(oracle)
    assert all(s.score == pytest.approx(exact[s.row], abs=1e-9) for s in found)


def test_pruned_equals_exhaustive_on_many_sentences_and_spares_most_of_them(monkeypatch):
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(KNOWN, size=rng.integers(1, 12))) for _ in range(3000)]
    index = build(texts)
    solved = []
    original = module.solve
    monkeypatch.setattr(module, "solve", lambda *a: solved.append(1) or original(*a))
    for query in (" ".join(rng.choice(KNOWN, size=7)) for _ in range(3)):
        found = index.search(query, "wmd", top=5)
        assert [(s.row, s.score) for s in found] == [
            (row, pytest.approx(d, abs=1e-9)) for row, d in exhaustive(index, query)[:5]
        ]
    assert len(solved) < 3 * 300


@settings(max_examples=40, deadline=None)
@given(texts=st.lists(sentences, min_size=1, max_size=20), query=sentences)
def test_no_bound_exceeds_the_distance(texts, query):
    index = build(texts)
    db, q = index.database, index.query(query)
    cloud = query_cloud(db, q)
    if not len(cloud.mass):
        return
    search = module._Nearest(db, q, SearchOptions(method="wmd"), cloud)
    rows = np.flatnonzero(np.isfinite(search.bounds))
    tight = search.kernel.tighten(*search.clouds, rows, cloud.mass, search.table, search.bounds, np.inf)
    exact = dict(exhaustive(index, query))
    assert set(exact) <= set(rows.tolist())
    for row, bound, gap in zip(rows.tolist(), tight, search.gaps(rows), strict=True):
        if row in exact:
            assert search.bounds[row] <= exact[row] + 1e-9
            assert bound * (1 - 1e-5) <= exact[row] + 1e-9
            assert gap <= exact[row] + 1e-9


def test_the_transport_adds_up_and_respects_the_mass():
    found = build(["kadan kadan lofel migos", "torjat torhin"]).search("kadan senjat", "wmd", top=2)
    for suggestion in found:
        assert sum(m.adds for m in suggestion.matches) == pytest.approx(suggestion.score)
        moved = sum(m.adds / m.distance for m in suggestion.matches if m.distance)
        assert moved <= 1 + 1e-9
    assert ("kadan", "kadan") in {(m.near, m.word) for m in found[0].matches}


def test_a_query_too_long_to_move_says_so(monkeypatch):
    monkeypatch.setattr(module, "_WORDS", 3)
    index = build(["kadan lofel migos"])
    with pytest.raises(OptionError, match="4 distinct words"):
        find(index.database, index.query("kadan lofel migos ruhin"), SearchOptions(method="wmd"))
