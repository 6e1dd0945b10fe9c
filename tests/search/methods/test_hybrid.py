"""Words and static embeddings together: exact where it looks, explained word by word, and one option away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.search import SentenceIndex
from lexicloud.search.methods import bm25_scores, hybrid, hybrid_numba
from lexicloud.search.methods.bm25_scores import (
    TOPIC,
    Compiled,
    Plain,
    query_topic,
    scorer_of,
    whole_weights,
)
from lexicloud.search.methods.related import wanted_terms
from lexicloud.search.segments import with_added
from lexicloud.vectors.static_embeddings import load_static_embeddings
from tests.search.methods.test_stand_ins import plainly

STOP = {"a", "and", "at", "in", "of", "the"}
TEXTS = [
    "The king ruled France for seventy years.",
    "The rock band played all night long.",
    "A ship sailed into the harbour at dawn.",
    "He repaired the vessel at the dock.",
    "Taxes are due at the end of the quarter.",
    "The cat slept on the warm roof.",
    "Our boat leaves the port tonight.",
]

PLACES = ("harbour", "garden", "river", "field", "lake", "hill", "road", "town", "door", "wall")


def expected(index: SentenceIndex, query: str) -> np.ndarray:
    """The obvious score of every text, from floats."""
    database, model = index.database, load_static_embeddings()
    wanted = wanted_terms(database, index.query(query))
    whole, unit = whole_weights(wanted.weights)
    lexical = scorer_of(database).all_scores(wanted.terms, whole) / unit
    topic = query_topic(database, index.query(query))
    texts = [query_topic(database, index.query(text)) @ topic for text in TEXTS]
    cosines = model.encode(TEXTS) @ model.encode([query])[0]
    weight = hybrid.DENSE * len(TEXTS) / (len(TEXTS) + hybrid.FEW)
    impacts = scorer_of(database).impacts(np.arange(len(TEXTS), dtype=np.int32), wanted.terms)
    spread = np.sqrt(
        (whole / unit) ** 2 @ impacts.astype(float).var(axis=0)
    )  # as if terms came independently
    lift = weight * spread * (cosines - cosines.mean()) / cosines.std()
    words = [word for word in query.split() if word not in STOP]
    more = [sum(plainly(index, words, row).values()) for row in range(len(TEXTS))]
    return lexical + np.where(lexical > 0, TOPIC * np.maximum(texts, 0), 0) + lift + more


@pytest.mark.parametrize(
    "query", ["a boat in the harbour", "the royal king of France", "cats and music at night"]
)
def test_the_score_is_the_sum_of_words_and_embedding(query):
    index = SentenceIndex.build(TEXTS)
    scores = expected(index, query)
    for found in index.search(query, top=7):
        # A byte a coordinate costs less than a hundredth of a spread, in embeddings of texts and of words.
        assert found.score == pytest.approx(scores[found.id], abs=0.03)
        assert sum(reason.adds for reason in found.matches) == pytest.approx(found.score)
    ranked = [s.id for s in index.search(query, top=2)]
    assert ranked[0] == int(np.argmax(scores))


def test_reasons_name_the_words_that_bring_a_text_near():
    found = SentenceIndex.build(TEXTS).search("a vessel in the port", top=3)
    said = {(r.near, r.word) for s in found for r in s.matches if r.kind == hybrid.KIND}
    assert {("port", "port"), ("vessel", "vessel")} <= said
    assert all(r.near for s in found for r in s.matches)


def test_words_alone_are_one_option_away(tmp_path):
    index = SentenceIndex.build(TEXTS)
    assert index.info.dense == "wordllama"
    alone = SentenceIndex.build(TEXTS, dense=None)
    assert alone.info.dense is None
    query = "the boat in the port"
    assert index.search(query, dense=None).to_dict() == alone.search(query).to_dict()
    index.save(tmp_path / "i")
    opened = SentenceIndex.open(tmp_path / "i")
    assert opened.search(query).to_dict() == index.search(query).to_dict()
    opened.add(["The ferry left the quay."])
    assert opened.database.dense.shape == (8, 256)
    assert opened.database.dense.dtype == np.int8


def test_the_coarse_pass_finds_what_a_full_scan_does(monkeypatch):
    rng = np.random.default_rng(0)
    names = [
        "ship",
        "boat",
        "king",
        "queen",
        "tax",
        "song",
        "cat",
        "roof",
        "dock",
        "harbour",
        "band",
        "night",
    ]
    pool = [" ".join(rng.choice(names, 6)) + f" t{i}" for i in range(600)]
    index = SentenceIndex.build(pool)
    queries = [" ".join(rng.choice(names, 3)) for _ in range(8)]
    full = [[s.id for s in index.search(query, top=10)] for query in queries]
    monkeypatch.setattr(hybrid, "EVERY", 100)
    monkeypatch.setattr(hybrid, "COARSE", 200)
    index = SentenceIndex.build(pool)
    index.search("warm")  # the first query of a process looks at all
    coarse = [[s.id for s in index.search(query, top=10)] for query in queries]
    kept = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(full, coarse, strict=True)])
    assert kept > 0.9


def test_a_query_of_nothing_known_finds_nothing():
    assert not SentenceIndex.build(TEXTS).search("xqzvt wwkjq", top=3)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 64), min_size=1, max_size=3_000), st.integers(1, 60), st.integers(0, 3))
def test_the_nearest_by_signs_are_those_of_a_full_count(differing, count, barred):
    own = np.zeros(1, np.uint64)
    signs = np.array([[2**bits - 1] for bits in differing], np.uint64)
    far = np.array(differing)
    allowed = np.arange(len(far)) >= barred
    counts = np.cumsum(np.bincount(far[allowed], minlength=65))
    limit = int(np.searchsorted(counts, min(count, counts[-1])))
    for cut in (0, len(far) // 2):  # as one segment, and as two
        seen, reach, found, found_far = np.zeros(65, np.int64), 64, [], []
        for some in (slice(0, cut), slice(cut, None)):
            rows, differ, reach = hybrid_numba.near_signs(signs[some], own, allowed[some], seen, reach, count)
            found, found_far = [*found, *(rows + some.start)], [*found_far, *differ]
        near = np.array(found)[np.array(found_far) <= reach] if found else np.zeros(0)
        assert near.tolist() == np.flatnonzero((far <= limit) & allowed).tolist()
    fixed, _, reach = hybrid_numba.near_signs(signs, own, np.zeros(0, bool), np.zeros(65, np.int64), 7, 0)
    assert (fixed.tolist(), reach) == (np.flatnonzero(far <= 7).tolist(), 7)


def test_cosines_of_bytes_are_alike_in_both_loops():
    rng = np.random.default_rng(2)
    table, asked = rng.integers(-127, 128, (50, 64)).astype(np.int8), rng.normal(size=64)
    table[3] = 0
    asked /= np.linalg.norm(asked)
    rows = np.array([0, 3, 7, 49, 7], np.int32)
    wide = table[rows].astype(float)
    expected = wide @ asked / np.maximum(np.linalg.norm(wide, axis=1), 1e-9)
    for found in (hybrid._cosines(table, rows, asked), hybrid_numba.byte_cosines(rows, table, asked)):
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_scores_are_the_same_before_and_after_loops_are_loaded(monkeypatch):
    monkeypatch.setattr(hybrid, "EVERY", 20)
    monkeypatch.setattr(hybrid, "COARSE", 30)
    pool = [
        f"{a} {b} in the {c}" for a in ("ship", "storm", "whale") for b in ("rests", "turns") for c in PLACES
    ]
    index, queries = SentenceIndex.build(pool), ("a ship in the harbour", "whales turning", "storm unheard")
    index.prepare()
    loaded, told = bm25_scores.loaded_loop("best_of_both"), []
    assert loaded is not None
    for scorer, loops in (
        (Plain(index.database), lambda _: None),
        (Compiled(index.database), bm25_scores.loaded_loop),
    ):
        monkeypatch.setattr(hybrid, "scorer_of", lambda _, scorer=scorer: scorer)
        monkeypatch.setattr(hybrid, "loaded_loop", loops)
        told.append([index.search(query, top=8).to_dict() for query in queries])
    assert told[0] == told[1]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 30))
def test_texts_found_both_ways_count_once_and_of_equal_ones_the_first(seed, texts, most):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 8, texts).astype(np.int32)
    limit = np.sort(scores)[::-1][min(most, texts) - 1]
    found = np.flatnonzero(scores >= max(limit, 1)).astype(np.int32)
    near = np.flatnonzero(rng.random(texts) < 0.3).astype(np.int32)
    rows, own = hybrid_numba.united(found, scores[found], 2 * most, near, scores[near])
    first = found[np.lexsort((found, -scores[found]))[: 2 * most]]
    assert rows.tolist() == sorted({*first.tolist(), *near.tolist()})
    assert own.tolist() == scores[rows].tolist()


@pytest.mark.parametrize("width", [3, 4])
def test_signs_are_counted_in_any_width_and_the_nearest_found_in_any_number_of_segments(width, monkeypatch):
    rng = np.random.default_rng(width)
    signs = rng.integers(0, 2**64, (300, width), dtype=np.uint64)
    bits = np.unpackbits(signs.view(np.uint8), axis=1)
    far = np.count_nonzero(bits != bits[7], axis=1)
    assert hybrid_numba.signs_apart(signs, signs[7]).tolist() == far.tolist()
    texts = [f"The {a} {b} {c}." for a in PLACES for b in PLACES for c in ("rests", "sleeps")]
    one, several = SentenceIndex.build(texts), SentenceIndex.build(texts[:120])
    for low, high in ((120, 150), (150, len(texts))):
        added = with_added(several.snapshot, list(enumerate(texts))[low:high], merge=False)
        several = SentenceIndex(added)
    monkeypatch.setattr(hybrid, "EVERY", 20)
    monkeypatch.setattr(hybrid, "COARSE", 30)
    assert len(several.snapshot.segments) > 1
    for index in (one, several):
        index.prepare()
    told = [
        [(s.id, s.score) for s in index.search("a garden by the lake", top=8)] for index in (one, several)
    ]
    assert told[0] == told[1]


def test_reasons_name_only_content_words_that_are_near_one_of_the_query():
    index = SentenceIndex.build(
        [
            "The patients, who were ill , saw a nurse - and the nurse helped them .",
            "A doctor is in the house!",
            "My aunt sold the blue car & the bicycle.",
            "It rained all day, and then it snowed.",
        ]
    )
    query = "the doctor, is he - in?"
    for found in index.search(query, top=4):
        own = [reason for reason in found.matches if reason.kind == hybrid.KIND]
        named = [reason for reason in own if reason.word != "(overall meaning)"]
        assert {reason.near for reason in named} <= {"doctor"}
        assert all(reason.word.isalpha() and reason.word not in {"the", "a", "is", "in"} for reason in named)
        assert all(reason.distance <= hybrid.FAR and reason.adds > 0 for reason in named)
        assert sum(reason.adds for reason in found.matches) == pytest.approx(found.score)
    first, second = index.search(query, top=2)
    assert "doctor" in {reason.word for reason in first.matches if reason.kind == hybrid.KIND}
    assert "patients" in {reason.word for reason in second.matches if reason.kind == hybrid.KIND}
