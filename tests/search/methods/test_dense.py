"""Embeddings beside the words: the z-scored sum, exactly, explained, kept with the index."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex
from lexicloud.search.methods.bm25_scores import TOPIC, query_topic, scorer_of, whole_weights
from lexicloud.search.methods.dense import DENSE, EMBEDDING
from lexicloud.search.methods.related import wanted_terms
from tests.search.toy import VECTORS, build

POOL = ["kadan lofel", "kadan migos", "ruhin sendan", "tordan lofel"]


def letters(texts):
    """An embedding of our own: how often each of a few letters comes."""
    return np.array([[text.count(c) + 0.1 for c in "adeilmnors"] for text in texts])


def expected_scores(index: SentenceIndex, query: str) -> np.ndarray:
    database = index.database
    wanted = wanted_terms(database, index.query(query))
    whole, unit = whole_weights(wanted.weights)
    lexical = scorer_of(database).all_scores(wanted.terms, whole) / unit
    asked = query_topic(database, index.query(query))
    own = np.array([query_topic(database, index.query(text)) @ asked for text in POOL])
    lexical += np.where(lexical > 0, TOPIC * np.maximum(own, 0), 0)
    vectors, asked = letters(POOL), letters([query])[0]
    cosines = vectors @ asked / np.linalg.norm(vectors, axis=1) / np.linalg.norm(asked)
    return lexical + DENSE * lexical.std() * (cosines - cosines.mean()) / cosines.std()


@pytest.mark.parametrize("kept", [True, False])
def test_the_score_is_the_sum_of_z_scores_in_lexical_units(kept):
    index = build(POOL, dense=letters if kept else None)
    found = index.search("kadan lofel rum", dense=letters, top=4)
    scores = expected_scores(index, "kadan lofel rum")
    assert [s.id for s in found] == np.argsort(-scores).tolist()
    assert [s.score for s in found] == pytest.approx(sorted(scores, reverse=True), abs=1e-5)


def test_reasons_add_up_and_name_the_embedding():
    for found in build(POOL).search("kadan", dense=letters):
        assert sum(m.adds for m in found.matches) == pytest.approx(found.score)
        assert found.matches[-1].near == EMBEDDING


def test_a_vector_a_matrix_and_a_model_answer_alike():
    query, vector = "kadan lofel rum", letters(["kadan lofel rum"])[0]
    kept = build(POOL, dense=letters(POOL))
    ways = [
        kept.search(query, dense=vector),
        build(POOL).search(query, dense=(letters(POOL), vector)),
        build(POOL).search(query, dense=letters),
    ]
    assert len({tuple(s.id for s in found) for found in ways}) == 1
    assert kept.search(query, dense=None).to_dict() == build(POOL).search(query).to_dict()


def test_embeddings_are_saved_added_and_removed_with_their_texts(tmp_path):
    index = build(POOL[:2], dense=letters)
    index.save(tmp_path / "i")
    index = SentenceIndex.open(tmp_path / "i", vectors=VECTORS)
    index.add(POOL[2:], dense=letters)
    index.remove(0)
    index.compact()
    assert index.database.dense == pytest.approx(build(POOL[1:], dense=letters).database.dense)


@pytest.mark.parametrize(
    ("dense", "complaint"),
    [
        (np.ones(3), "has the shape"),
        (lambda texts: np.ones((1 + len(texts), 4)), "give a row for each"),
        (lambda texts: np.full((len(texts), 4), np.nan), "nan or infinity"),
        ("no such model", "no embeddings"),
        (3, "give a callable"),
    ],
)
def test_what_does_not_fit_is_refused(dense, complaint):
    with pytest.raises(OptionError, match=complaint):
        build(POOL).search("kadan", dense=dense)


def test_embeddings_without_their_model_need_one():
    with pytest.raises(OptionError, match="give the model as dense="):
        build(POOL, dense=letters).search("kadan")
    with pytest.raises(OptionError, match="dense goes with mode 'related'"):
        build(POOL).search("kadan", mode="varied", dense=letters)
