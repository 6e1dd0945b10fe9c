"""Words and static embeddings together: exact where it looks, explained word by word, and one option away."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.methods import hybrid
from lexicloud.search.methods.bm25_scores import TOPIC, query_topic, scorer_of, whole_weights
from lexicloud.search.methods.related import wanted_terms
from lexicloud.vectors.static_embeddings import load_static_embeddings
from tests.search.test_stand_ins import plainly

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
