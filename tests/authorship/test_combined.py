"""The three distances of the default method."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.authorship import DivergenceClassifier
from lexicloud.authorship.combined import WEIGHTS, Likelihood, NoisyDelta, Scorer, add_up, on_one_scale
from lexicloud.authorship.features import KnownPassages, Spelling, WordTable
from lexicloud.authorship.scoring import Combined
from lexicloud.divergences.categorical import Categorical
from lexicloud.divergences.standardise import membership
from lexicloud.errors import OptionError
from tests.authorship.hands import library, write

KNOWN = library()
TABLE = WordTable.of(KNOWN)


def text(author: int = 0, tokens: int = 400) -> WordTable:
    return WordTable.of_tokens([write(author, tokens, 99).split()])


def test_the_likelihood_is_the_categorical_divergence_up_to_a_constant_of_the_text() -> None:
    """The oracle is method "categorical"."""
    expected = Categorical().fit(KNOWN).between(KNOWN.counts, KNOWN.counts)
    found = Likelihood.fit(TABLE).distances(TABLE)
    difference = expected - found
    np.testing.assert_allclose(difference, difference[:, :1] * np.ones(len(KNOWN)), atol=1e-9)


@given(st.integers(0, 4), st.sampled_from([50, 300, 2000]), st.sampled_from([0.0, 0.0006]))
def test_z_scores_by_hand(author: int, tokens: int, rare: float) -> None:
    """A slow reference: feature by feature."""
    delta, new = NoisyDelta.fit(TABLE, 60, rare=rare), text(author, tokens)
    counts = dict(zip(new.words, new.counts.toarray()[0], strict=True))
    slow = []
    for feature in delta.features:
        known = [
            TABLE.counts.toarray()[i, TABLE.words.index(feature)] / TABLE.lengths[i]
            for i in range(len(TABLE))
        ]
        mean, variance = np.mean(known), np.var(known)
        z = (counts.get(feature, 0) / tokens - mean) / np.sqrt(variance + 4 * mean / tokens)
        slow.append(np.clip(z, -2, 2) * np.sqrt(mean / (mean + rare)))
    np.testing.assert_allclose(delta.z(new)[0], np.array(slow) / np.linalg.norm(slow), atol=1e-10)


def test_characters_are_counted_inside_words() -> None:
    """Worked by hand: ' the ' has two sequences, ' a ' is shorter than four characters and is one."""
    table = WordTable.of_tokens([["the", "a", "the"], ["other"]])
    spelt = Spelling.of(table.words).table(table)
    rows = [dict(zip(spelt.words, row, strict=True)) for row in spelt.counts.toarray()]
    assert {k: v for k, v in rows[0].items() if v} == {" the": 2, "the ": 2, " a ": 1}
    assert {k: v for k, v in rows[1].items() if v} == {" oth": 1, "othe": 1, "ther": 1, "her ": 1}
    assert spelt.lengths.tolist() == [5, 4]


def test_a_text_is_closest_to_its_author_by_every_distance() -> None:
    scorer = Scorer.fit(TABLE)
    for author in range(5):
        for name, D in scorer.distances(text(author, 1000)).items():
            assert KNOWN.labels is not None
            means = {c: D[0, [label == c for label in KNOWN.labels]].mean() for c in "ABCDE"}
            assert min(means, key=lambda c: means[c]) == "ABCDE"[author], name


def pieces() -> KnownPassages:
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(len(TABLE)), 3)
    return KnownPassages(TABLE.counting([rng.choice(KNOWN.tokens(int(i)), 200) for i in owners]), owners)


def test_what_varies_within_texts_is_shrunk_by_its_share_of_the_variation() -> None:
    """A slow reference: the square root of the inverse of 1 + 1000 C / trace C, direction by direction."""
    delta, parts = NoisyDelta.fit(TABLE, 60, pieces()), pieces()
    z = NoisyDelta.fit(TABLE, 60).z(parts.table)
    apart = np.concatenate(
        [z[parts.owners == i] - z[parts.owners == i].mean(axis=0) for i in range(len(TABLE))]
    )
    C = apart.T @ apart
    values, vectors = np.linalg.eigh(np.eye(len(C)) + 1000 * C / np.trace(C))
    order = np.argsort(-values)[:64]
    slow = np.eye(len(C)) + (vectors[:, order] * (values[order] ** -0.5 - 1)) @ vectors[:, order].T
    plain = NoisyDelta.fit(TABLE, 60).z(text()) @ slow
    np.testing.assert_allclose(delta.z(text()), plain / np.linalg.norm(plain), atol=1e-8)


def test_pieces_come_from_all_over_long_texts_and_never_too_many() -> None:
    table = WordTable.of_tokens([["a"] * n for n in (1999, 2500, 40_000)])
    found = KnownPassages.of(table, [np.zeros(int(n), dtype=np.int64) for n in table.lengths])
    assert np.bincount(found.owners).tolist() == [0, 3, 12]
    assert set(found.table.lengths) == {1000}
    assert found.of_texts(np.array([2])).owners.tolist() == [2] * 12
    many = [np.zeros(2000, dtype=np.int64)] * 700
    assert len(KnownPassages.of(WordTable.of_tokens([["a"]] * 700), many).owners) <= 600


def test_passages_of_short_texts_are_half_as_long_as_these() -> None:
    table = WordTable.of_tokens([["a"]] * 4)
    found = KnownPassages.of(table, [np.zeros(n, dtype=np.int64) for n in (800, 900, 1000, 300)])
    assert set(found.table.lengths) == {425.0}
    assert found.owners.tolist() == [1] * 3 + [2] * 3
    assert not len(KnownPassages.of(table, [np.zeros(500, dtype=np.int64)] * 4).owners)


@pytest.mark.parametrize("part", ["words", "delta", "characters"])
def test_contributions_add_up(part: str) -> None:
    scorer, new = Scorer.fit(TABLE, pieces=pieces()), text()
    weights = np.random.default_rng(0).normal(size=len(TABLE))
    weights -= weights.mean()
    one = scorer.spelling.table(new) if part == "characters" else new
    _, values = getattr(scorer, part).contributions(one, weights)
    assert values.sum() == pytest.approx(float(scorer.distances(new)[part][0] @ weights), abs=1e-10)


def test_every_label_weighs_the_same_on_the_common_scale() -> None:
    """Twice the texts of one label, all alike, change nothing."""
    D = np.array([[1.0, 2.0, 4.0, 7.0]])
    once, _ = on_one_scale(D, membership(list("aabb"), 4))
    twice, _ = on_one_scale(np.concatenate([D, D[:, :2]], axis=1), membership(list("aabbaa"), 6))
    np.testing.assert_allclose(once[0], twice[0, :4])


def test_a_row_does_not_depend_on_other_rows() -> None:
    scorer = Scorer.fit(TABLE)
    both = WordTable.of_tokens([write(0, 300, 9).split(), write(3, 300, 9).split()])
    groups = membership(list(KNOWN.labels or ()), len(KNOWN))
    together = add_up(scorer.distances(both), groups)
    alone = add_up(scorer.distances(WordTable.of_tokens([write(3, 300, 9).split()])), groups)
    np.testing.assert_allclose(together[1], alone[0], atol=1e-10)


def test_counts_over_other_words() -> None:
    table = WordTable.of_tokens([["a", "b", "a"], ["c", "b"]])
    assert table.over(("b", "x", "a")).toarray().tolist() == [[1, 0, 2], [1, 0, 0]]
    assert table.rows([1]).counting([np.array([0, 0, 2])]).counts.toarray().tolist() == [[2, 0, 1]]


def test_a_text_close_to_everybody_is_nearest_to_nobody_where_texts_are_as_long() -> None:
    labels = [label for label in "ABCDEF" for _ in range(2)]
    D = np.random.default_rng(0).uniform(0.9, 1.1, (12, 12))
    D[np.equal.outer(labels, labels)] -= 0.5
    D[:, 5] -= 0.8
    measured = dict.fromkeys(WEIGHTS, D)
    alike = Combined().left_out_of(measured, labels, np.full(12, 1000))
    assert [labels[i] for i in np.nanargmin(alike, axis=1)] == labels
    shorter = Combined().left_out_of(measured, labels, np.array([100] * 4 + [1000] * 8))
    assert np.nanargmin(shorter, axis=1)[:4].tolist() == [5] * 4


# With nine known texts or more of about its length, a text is also measured by what is usual of each.
@pytest.mark.parametrize("texts", [2, 3])
def test_a_classifier_explains_its_lead_and_the_parts_add_up(texts: int) -> None:
    corpus = library(authors=4, texts=texts, tokens=800)
    model = DivergenceClassifier(vectors="none").fit(list(corpus.texts or ()), list(corpus.labels or ()))
    text = write(2, 400, 9)
    scores = dict(zip(model.classes_, -model.decision_function([text])[0], strict=True))
    parts = model.explain(text, "C", "A", top=None)
    assert sum(e.adds for e in parts) == pytest.approx(scores["A"] - scores["C"])
    field = model.explain(text, top=None)  # for the predicted class against all others
    others = np.mean([scores[c] for c in "ABD"])
    assert sum(e.adds for e in field) == pytest.approx(others - scores["C"])
    with pytest.raises(OptionError, match="no class 'Z'"):
        model.explain(text, "Z")
    with pytest.raises(OptionError, match="fit with vectors='none'"):
        DivergenceClassifier("delta").fit(list(corpus.texts or ()), list(corpus.labels or ())).explain(text)


@given(st.lists(st.lists(st.integers(0, 3), max_size=12), min_size=1, max_size=4))
def test_passages_are_counted_as_if_they_were_texts(passages: list[list[int]]) -> None:
    table = WordTable.of_tokens([list("abcd")])
    found = table.counting([np.array(passage, dtype=np.int64) for passage in passages])
    slow = WordTable.of_tokens([["abcd"[i] for i in passage] for passage in passages])
    assert found.lengths.tolist() == slow.lengths.tolist() == [len(passage) for passage in passages]
    assert np.array_equal(found.counts.toarray(), slow.over(table.words).toarray())
