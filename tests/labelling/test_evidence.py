"""The kinds of evidence against slow, obvious references."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from lexicloud.labelling.evidence import (
    KINDS,
    PRIOR,
    PRIOR_WITH_ROWS,
    Joint,
    alike_folds,
    folds,
    prior_weights,
    softmax,
    temper,
)
from lexicloud.labelling.labeller import choose
from lexicloud.labelling.linear import (
    StandardMeans,
    held_out_by_gram,
    held_out_by_lines,
    logistic_lines,
    ridge_lines,
)
from lexicloud.labelling.smoothed_words import (
    MU,
    SmoothedWords,
    Smoothing,
    WordBackground,
    WordSource,
    count_terms,
    word_pairs,
)
from lexicloud.vectors import WordVectors

WORDS = ["ship", "boat", "soup", "salt", "the", "xyzzy"]
TABLE = {"the": [1, 1, 1], "ship": [1, 0, 0], "boat": [0.9, 0.1, 0], "soup": [0, 1, 0], "salt": [0, 0.8, 0.3]}


@pytest.fixture(scope="module")
def source() -> WordSource:
    return WordSource(WordVectors.from_dict(TABLE))


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6).filter(any), min_size=2, max_size=3))
@settings(max_examples=25, deadline=None)
def test_smoothed_weights_are_those_of_the_formula(rows):
    source = WordSource(WordVectors.from_dict(TABLE))
    known = source.of(WORDS)
    counts = np.array(rows, dtype=float)
    background = WordBackground.of(known, counts.sum(axis=0))
    words = source.of([*WORDS, "boats", "unheard"])
    smoothings = Smoothing(50.0, 3), Smoothing(900.0, 5)
    found = SmoothedWords(source, known, background).weights(counts, words, smoothings)
    for weights, smoothing in zip(found, smoothings, strict=True):
        slow = _slow_weights(source, known, words, counts, background, smoothing.kappa, 0.6 / smoothing.power)
        assert np.allclose(weights, slow, rtol=1e-4, atol=1e-5)  # kernels are of single precision


def _slow_weights(source, known, words, counts, background, kappa, temperature):
    """log of (c/b + κ Σ_v q(v) k(v, w) + μ) / (M + κ + μ), one word and one label at a time."""
    reference, shares = source.reference
    b = background.shares(words)
    out = np.zeros((len(words), len(counts)))
    for c, row in enumerate(counts):
        M = row.sum()
        for w, word in enumerate(words.words):
            latent = 0.0
            for v, count in enumerate(row):
                k = 1.0
                if known.embedded[v] and words.embedded[w]:
                    Z = np.exp(reference @ known.vectors[v] / temperature) @ shares
                    k = np.exp(known.vectors[v] @ words.vectors[w] / temperature) / Z
                latent += count / M * k
            own = row[WORDS.index(word)] if word in WORDS else 0.0
            out[w, c] = np.log((own / b[w] + kappa * latent + MU) / (M + kappa + MU))
    return out


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_ridge_lines_are_those_of_scikit_learn(make):
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 12)), np.eye(3)[rng.integers(0, 3, 30)]
    lines, constants = ridge_lines(make(X), Y, 0.5)
    oracle = Ridge(alpha=0.5).fit(X, Y)
    assert np.allclose(lines.T, oracle.coef_, atol=1e-5)
    assert np.allclose(constants, oracle.intercept_, atol=1e-5)


@pytest.mark.parametrize("labels", [2, 4])
def test_standardised_means_are_what_scikit_learn_makes_of_them(source, labels):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 6)), rng.permutation(np.arange(40) % labels)
    kind = StandardMeans(source.of(WORDS), WordBackground.of(source.of(WORDS), np.ones(len(WORDS))))
    lines, constants = kind.lines(X, np.eye(labels)[y])
    oracle = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=300)).fit(X, y)
    assert np.allclose(softmax(X @ lines + constants), oracle.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("labels", [2, 3])
def test_logistic_lines_of_more_features_than_texts_are_those_of_scikit_learn(make, labels):
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 50)) / 7, np.arange(20) % labels
    lines, constants = logistic_lines(make(X), np.eye(labels)[y], 10.0)
    oracle = LogisticRegression(C=10.0, max_iter=300).fit(X, y)
    assert np.allclose(softmax(X @ lines + constants), oracle.predict_proba(X), atol=1e-2)


def test_the_prior_is_the_one_that_was_fitted():
    """`python -m benchmarks.make.meaning_tuning` writes it."""
    file = Path(__file__).parents[2] / "benchmarks" / "results" / "meaning_tuning.json"
    found = json.loads(file.read_text(encoding="utf-8"))["results"]
    assert found["kinds"] == list(KINDS)
    assert found["examples alone"]["prior"] == PRIOR.tolist()
    assert found["with rows"]["prior"] == PRIOR_WITH_ROWS.tolist()


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=20, deadline=None)
def test_scores_of_texts_held_out_are_the_same_by_both_ways(seed, dense):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 8)) * (rng.random((20, 8)) < 0.4)
    targets, part = np.eye(3)[rng.integers(0, 3, 20)], rng.permutation(np.arange(20) % 4)
    features = X if dense else sparse.csr_array(X)
    fast, slow = (way(features, targets, 0.3, part) for way in (held_out_by_gram, held_out_by_lines))
    assert np.allclose(fast, slow, atol=1e-5)


def test_kinds_that_know_nothing_lose_weight_and_those_that_know_gain_it():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 200)
    good = 2 * np.eye(3)[y] + rng.normal(size=(200, 3))
    noise = [rng.normal(size=(200, 3)) for _ in range(3)]
    prior = np.array([1.0, 2.0, 2.0, 2.0])
    joint = Joint.fit([good, *noise], np.eye(3)[y], prior)
    assert (joint.weights[1:] < prior[1:] / 2).all()
    assert joint.weights[0] > 2 * joint.weights[1:].max()


def test_probabilities_are_calibrated_on_scores_of_the_fitted_kind():
    """Labels drawn from the softmax of known scores: the weights found give those probabilities back."""
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(len(KINDS), 4000, 3))
    prior = prior_weights(labels=3, examples=8, words=70)
    P = softmax(np.tensordot(prior, scores, 1))
    y = np.array([rng.choice(3, p=p) for p in P])
    found = softmax(Joint.fit(list(scores), np.eye(3)[y], prior).held_out)
    assert found.max(axis=1).mean() == pytest.approx((found.argmax(axis=1) == y).mean(), abs=0.02)


def test_tempered_scores_give_about_the_mean_over_scales_and_keep_the_order():
    rng = np.random.default_rng(5)
    scores = 3 * rng.normal(size=(50, 4))
    spread = 0.4
    scales = np.exp(spread * rng.normal(size=4000))
    slow = np.mean([softmax(scale * scores) for scale in scales], axis=0)
    found = softmax(temper(scores, spread))
    assert np.abs(found.max(axis=1) - slow.max(axis=1)).max() < 0.05
    assert (found.argmax(axis=1) == scores.argmax(axis=1)).all()
    assert np.array_equal(temper(scores, 0.0), scores)


def test_folds_spread_each_label_evenly():
    y = np.repeat([0, 1, 2], [3, 7, 11])
    part = folds(y, 5, seed=0)
    assert part.max() + 1 == 3  # as many as the smallest label has
    for label in range(3):
        sizes = np.bincount(part[y == label], minlength=3)
        assert sizes.max() - sizes.min() <= 1


def test_few_texts_move_the_weights_less_than_many():
    rng = np.random.default_rng(3)
    prior = prior_weights(labels=2, examples=2, words=10)
    scores, y = rng.normal(size=(len(KINDS), 4, 2)), np.array([0, 0, 1, 1])
    few = Joint.fit(list(scores), np.eye(2)[y], prior)
    many = Joint.fit(list(np.tile(scores, (1, 50, 1))), np.eye(2)[np.tile(y, 50)], prior)
    moved = [np.abs(np.log(joint.weights / prior)).max() for joint in (few, many)]
    assert moved[0] < moved[1] / 2


@pytest.mark.parametrize(("inside", "beyond"), [((15, 20, 100), (500, 900, 9000)), ((2, 3, 10), (2, 2, 1))])
def test_beyond_what_was_measured_the_prior_is_that_of_the_nearest_measured_size(inside, beyond):
    assert np.array_equal(prior_weights(*inside), prior_weights(*beyond))


def test_texts_that_are_alike_are_held_out_together_and_every_fold_has_its_share():
    sources = np.repeat(np.eye(5), 4, axis=0)  # five sources of four texts each
    features = sparse.csr_array(np.vstack([sources, np.eye(20)[:, :5]]))
    y = np.repeat([0, 1], 20)
    part = alike_folds(features, y, 5)
    for source in range(5):
        assert len(np.unique(part[4 * source : 4 * source + 4])) == 1
    for label in (0, 1):
        assert np.bincount(part[y == label]).tolist() == [4] * 5


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=6, max_size=30), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_texts_of_one_group_share_a_fold_and_no_fold_takes_a_whole_label(pairs, seed):
    pairs = [
        *pairs,
        *((label, 10 + label) for label in range(3)),
        *((label, 20 + label) for label in range(3)),
    ]
    y, groups = np.array([label for label, _ in pairs]), [f"{label} {group}" for label, group in pairs]
    part = folds(y, 5, seed, groups)
    for group in set(groups):
        assert len({int(part[i]) for i, name in enumerate(groups) if name == group}) == 1
    for label in range(3):
        assert len(np.unique(part[y == label])) > 1


def test_the_only_group_of_a_label_is_broken_up():
    y = np.repeat([0, 1], 4)
    part = folds(y, 4, 0, ["a"] * 4 + ["b", "b", "c", "c"])
    assert len(np.unique(part[:4])) == 4
    assert part[4] == part[5] != part[6] == part[7]


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_the_texts_chosen_are_those_of_a_plain_greedy_cover(seed):
    rng = np.random.default_rng(seed)
    P = softmax(rng.normal(size=(9, 3)))
    X, examples = (rng.normal(size=(rows, 4)) for rows in (9, 2))
    X, examples = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (X, examples))
    order, covers = choose(P, X, 4, examples)
    covered, taken = [max(0.0, *(x @ e for e in examples)) ** 2 for x in X], []
    for place, gain in zip(order, covers, strict=True):
        worth = {}
        for i in set(range(9)) - set(taken):
            like = [1.0 if i == j else max(0.0, X[i] @ X[j]) ** 2 for j in range(9)]
            worth[i] = sum(
                max(0.0, s - c) * (1 - P[j].max()) for j, (s, c) in enumerate(zip(like, covered, strict=True))
            )
        assert worth[place] == pytest.approx(max(worth.values()), abs=2e-6)
        assert gain == pytest.approx(worth[place], abs=2e-6)
        taken.append(place)
        covered = np.maximum(
            covered, [1.0 if place == j else max(0.0, X[place] @ X[j]) ** 2 for j in range(9)]
        )


def test_every_term_of_every_text_is_counted():
    rows = [["the", "ship", ",", "the", "ship"], []]
    words, counts = count_terms(rows)
    assert words == ["the", "ship", ","]
    assert counts.toarray().tolist() == [[2, 2, 1], [0, 0, 0]]
    pairs, counts = count_terms([word_pairs(row) for row in rows])
    assert pairs == ["^ the", "the ship", "ship ,", ", the"]
    assert counts.toarray().tolist() == [[1, 2, 1, 1], [0, 0, 0, 0]]


def test_words_are_the_same_whether_remembered_or_looked_up(source):
    asked = ["soup", "unheard", "ship", "soup"]
    first, again = source.of(asked), source.of(asked)
    alone = WordSource(source.vectors).of(asked)
    for field in ("vectors", "raw", "embedded", "content", "general"):
        assert np.array_equal(getattr(first, field), getattr(again, field))
        assert np.array_equal(getattr(first, field), getattr(alone, field))
