"""Ranked search: equal to the formula written out, explained to the last point, and without the old blind spots."""

from __future__ import annotations

from collections import Counter
from copy import copy
from math import log1p, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex
from lexicloud.search.methods import related, related_numba
from lexicloud.search.methods.bm25_scores import (
    K1,
    TOPIC,
    B,
    Compiled,
    Plain,
    query_topic,
    scorers_of,
)
from lexicloud.search.methods.related import ALL_WORDS
from lexicloud.search.postings import class_lengths, length_classes
from lexicloud.text.stems import stop_terms, terms_by
from tests.search.toy import answers, build, sentences

TITLES = [
    "Add dark mode",
    "Time-sharing systems",
    "the gear-server",
    "the server",
    "parseJSON fails in src/net/http.py",
]


WEEK = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def reference(index: SentenceIndex, query: str, top: int) -> list[tuple[int, float]]:
    """The formula of the module's docstring for every text, one term after the other; no word is new to the index."""
    database = index.database
    terms = terms_by(database.rules)
    bags = [Counter(terms.of(text)) for text in database.texts]
    classes = length_classes([sum(bag.values()) for bag in bags])
    mean = class_lengths()[classes].mean() or 1e-9
    stop = stop_terms(database.rules.language)
    asked = {t: n for t, n in Counter(terms.of(query)).items() if any(t in bag for bag in bags)}
    topic = query_topic(database, index.query(query))
    scored = []
    for row, bag in enumerate(bags):
        score = 0.0
        for term, count in asked.items():
            df = sum(term in bag for bag in bags)
            tf = bag[term]
            impact = tf / (tf + K1 * (1 - B + B * class_lengths()[classes[row]] / mean)) if tf else 0.0
            worth = sqrt(count) * log1p((len(bags) - df + 0.5) / (df + 0.5))
            score += worth * (related.STOP if term in stop else 1) * np.rint(255 * impact) / 255
        if score > 0:
            own = query_topic(database, index.query(database.texts[row]))
            scored.append((row, score + TOPIC * max(0.0, float(own @ topic))))
    return sorted(scored, key=lambda pair: (-round(pair[1], 5), pair[0]))[:top]


@pytest.mark.parametrize("scorer", [Plain, Compiled])
@settings(max_examples=60, deadline=None)
@given(pool=st.lists(sentences, min_size=1, max_size=12), pick=st.randoms(use_true_random=False))
def test_both_scorers_equal_the_formula(scorer, pool, pick):
    index = build(pool)
    known = sorted({word for text in pool for word in text.split()})
    query = " ".join(pick.choices(known, k=pick.randint(1, 4)))
    if not index.query(query).tokens:
        return
    scorers_of(index.database).__dict__.update(plain=scorer(index.database), compiled=scorer(index.database))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(related, "_neighbours", lambda *_: iter(()))  # stand-ins have a test of their own
        found = index.search(query, top=5, near_copy=0)
    expected = reference(index, query, 5)
    # A text that is the query comes first whatever its score, also where no word of it is ranked by.
    found = [s for s in found if s.matches or not s.same]
    assert sorted((round(s.score, 3) for s in found), reverse=True) == pytest.approx(
        [round(score, 3) for _, score in expected], abs=2e-3
    )
    assert {s.id for s in found} <= {row for row, score in reference(index, query, 12)}


@settings(max_examples=40, deadline=None)
@given(pool=st.lists(sentences, min_size=1, max_size=12), query=sentences)
def test_reasons_add_up_to_the_score_and_scores_fall(pool, query):
    found = build(pool).search(query, top=5)
    assert [s.score for s in found] == sorted((s.score for s in found), reverse=True)
    for suggestion in found:
        assert sum(match.adds for match in suggestion.matches) == pytest.approx(suggestion.score)


@settings(max_examples=25, deadline=None)
@given(
    first=st.lists(sentences, min_size=1, max_size=6),
    more=st.lists(sentences, min_size=1, max_size=6),
    query=sentences,
)
def test_what_was_added_ranks_as_in_a_fresh_index(first, more, query):
    grown = build([(f"a{i}", text) for i, text in enumerate(first)])
    grown.add([(f"b{i}", text) for i, text in enumerate(more)])
    whole = [(f"a{i}", text) for i, text in enumerate(first)] + [
        (f"b{i}", text) for i, text in enumerate(more)
    ]
    assert answers(grown, query, "related") == answers(build(whole), query, "related")


def test_removed_texts_count_no_more():
    index = build(["kadan lofel", "kadan migos", "kadan ruhin"])
    index.remove([1, 2])
    fresh = build(["kadan lofel"])
    assert [(s.id, s.score) for s in index.search("kadan")] == [
        (s.id, s.score) for s in fresh.search("kadan")
    ]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("dark mode", "Add dark mode"),  # titles of fewer than five words are found
        ("time sharing", "Time-sharing systems"),  # the parts of a compound
        ("timesharing", "Time-sharing systems"),  # and the whole
        ("server", "the server"),  # before a compound that only has it as a part
        ("json parser", "parseJSON fails in src/net/http.py"),  # humps, and another form of the word
        ("http.py", "parseJSON fails in src/net/http.py"),
        ("systems that share time", "Time-sharing systems"),
    ],
)
def test_titles_compounds_and_identifiers_are_found(query, first):
    assert SentenceIndex.build(TITLES).search(query, top=1)[0].text == first


def test_a_borrowed_vector_is_no_exact_match_for_set_cover_either():
    found = SentenceIndex.build(TITLES).search("server", mode="varied", min_tokens=1, near_copy=0)
    assert found[0].text == "the server"


def test_a_word_said_twice_counts_more():
    index = build(["kadan", "lofel", "migos"])
    once, twice = (index.search(q, top=1)[0] for q in ("kadan lofel", "lofel kadan lofel"))
    assert (once.text, twice.text) == ("kadan", "lofel")


def test_the_text_itself_is_the_first_answer_and_says_so():
    ticket = "The printer prints nothing but empty pages."
    index = SentenceIndex.build([("b", "The printer is out of paper today."), ("a", ticket), ("c", ticket)])
    found = index.search(ticket, top=3)
    assert [(s.id, s.same) for s in found] == [("a", True), ("c", True), ("b", False)]
    assert found[0].weak is not True
    assert "the same text" in found.blocks()[-1].items[0].remark
    assert [s.id for s in index.search(ticket, top=2, distinct=True)] == ["a", "b"]
    assert [s.id for s in index.search(ticket, top=2, near_copy=1)] == ["b"]
    assert [s.id for s in index.search(ticket, top=1, mode="varied")] == ["b"]


def test_neighbours_stand_in_for_words_that_no_text_has():
    index = SentenceIndex.build(["The king ruled France.", "The cook peeled onions."])
    (found,) = index.search("the queen", top=1)
    assert found.text == "The king ruled France."
    assert ("queen", "king") in {(m.near, m.word) for m in found.matches}
    assert index.search("the queen", top=1)[0].matches[0].distance > 0


def test_filters_and_lengths_bind():
    index = build(
        [("a", "kadan lofel", {"k": 1}), ("b", "kadan", {"k": 2}), ("c", "kadan lofel migos", {"k": 2})]
    )
    assert {s.id for s in index.search("kadan", where={"k": 2})} == {"b", "c"}
    assert {s.id for s in index.search("kadan", min_tokens=2, max_tokens=2)} == {"a"}


def test_modes_and_methods_name_each_other():
    index = build(["kadan lofel migos ruhin sendan", "tordan torfel kadan lofel kagos"])
    assert index.search("kadan").method == "related"
    assert index.search("kadan", mode="varied").method == "setcover"
    assert index.search("kadan", "setcover") == index.search("kadan", mode="varied")
    assert index.search("kadan", weighting="uniform").method == "setcover"
    both = index.search("kadan lofel", mode="interleaved", top=2)
    assert {s.id for s in both} == {0, 1}
    with pytest.raises(OptionError, match="mode 'varied' is method 'setcover'"):
        index.search("kadan", "bm25", mode="varied")
    with pytest.raises(OptionError, match="did you mean varied"):
        index.search("kadan", mode="variedd")


def test_the_topic_is_named_and_bounded():
    (found,) = SentenceIndex.build(["A ship sailed.", "Soup boils."]).search("the ships", top=1)
    topic = [match for match in found.matches if match.near == ALL_WORDS]
    assert 0 < topic[0].adds <= TOPIC


@pytest.mark.parametrize(("top", "slack", "least"), [(7, 0, 0), (7, 300, 0), (2_000, 0, 0), (5, 90, 800)])
def test_pruning_loses_nothing_among_many_texts(top, slack, least):
    rng, texts = np.random.default_rng(top), 150_000  # three stretches
    share = np.array([0.3, 0.2, 0.05, 0.01, 0.001, 0.0])
    held = [np.flatnonzero(rng.random(texts) < part).astype(np.int32) for part in share]
    starts, rows = np.cumsum([0, *map(len, held)]), np.concatenate(held)
    tf, classes = rng.integers(1, 4, len(rows)).astype(np.uint8), rng.integers(0, 9, texts).astype(np.uint8)
    saturation = rng.integers(1, 256, (9, 4)).astype(np.uint8)
    slots = np.array([0, 1, -1, -1, -1, -1], np.int32)
    dense, filled = np.zeros((2, texts), np.uint8), np.zeros(len(share), bool)
    lists = (starts, rows, tf, classes, saturation, np.empty_like(tf), slots, dense, filled)
    terms, weights = np.array([4, 0, 2, -1, 3, 1, 5], np.int32), np.array([9, 1, 3, 7, 5, 2, 4], np.int32)
    allowed, also = rng.random(texts) < 0.7, np.sort(rng.choice(texts, 20, replace=False)).astype(np.int32)
    of_terms = np.repeat(weights[np.argsort(terms)][1:], np.diff(starts))
    scores = np.bincount(rows, of_terms * saturation[classes[rows], tf], texts) * allowed
    floor = max(np.sort(scores)[-top] - slack, least, 1)
    expected = np.flatnonzero(scores >= floor)
    found, values, more = related_numba.near_the_best(
        lists, terms, weights, texts, allowed, top, slack, least, also
    )
    assert found.tolist() == expected.tolist()
    assert values.tolist() == scores[expected].tolist()
    assert more.tolist() == scores[also].tolist()


@settings(max_examples=20, deadline=None)
@given(
    pool=st.lists(sentences, min_size=1, max_size=12),
    asked=st.lists(sentences, min_size=1, max_size=9),
    workers=st.integers(1, 3),
)
def test_many_queries_are_answered_as_one_by_one(pool, asked, workers):
    index = build(pool)
    asked = [*asked, "unseen", *pool[:2]]
    index.search("kadan")  # the first query of a process may be answered without compiled loops
    many = index.search_many(asked, top=3, workers=workers)
    assert [found.to_dict() for found in many] == [index.search(query, top=3).to_dict() for query in asked]


def test_reasons_are_worked_out_when_looked_at_and_travel_with_a_copy():
    found = SentenceIndex.build(TITLES).search("dark mode", top=1)[0]
    assert "matches" not in found.__dict__
    copied = copy(found)
    assert copied == found
    assert {m.word for m in found.matches} >= {"dark", "mode"}
    with pytest.raises(AttributeError, match="no attribute 'reason'"):
        found.reason  # noqa: B018


def test_opposites_of_the_query_are_weighed_down_and_named():
    others = [f"She met him on {day} in {month}." for day in WEEK for month in ("March", "May", "June")]
    texts = ["Inflation slows in March.", "Inflation gathers pace in March.", *others]
    found = SentenceIndex.build(texts).search("inflation accelerates", top=5)
    assert found[0].text == texts[1]
    (slows,) = [s for s in found if s.id == 0]  # found all the same, since it is about inflation
    (against,) = (match for match in slows.matches if match.adds < 0 and match.kind == "content")
    assert (against.near, against.word) == ("accelerates", "slows")
    assert sum(match.adds for match in slows.matches) == pytest.approx(slows.score)


def test_an_opposite_stands_in_for_nothing():
    found = SentenceIndex.build(["It was cold.", "It was warm.", "He read a book."]).search("hot", top=3)
    assert [s.text for s in found] == ["It was warm."]


def test_opposites_work_in_both_directions():
    stems = related.opposite_stems("english")
    assert {("acceler", "slow"), ("slow", "acceler")} & stems
    assert not related.opposite_stems("finnish")


def test_among_few_texts_neither_compounds_nor_opposites_lead():
    index = SentenceIndex.build(
        [
            "Time-sharing of the gear-server fails",
            "Server crashes with an error",
            "The server is slow",
            "Inflation slows in June",
            "Inflation picks up speed in June",
        ]
    )
    assert index.search("server")[0].id == 2
    assert index.search("inflation accelerates")[0].id == 4
