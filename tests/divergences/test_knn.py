"""method="knn": the paper's equations 4 and 5 on words, against the formula written out."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, divergence_matrix, make_method
from lexicloud.divergences.matrix import Plan, divergence_matrices
from lexicloud.errors import EstimateError, LexicloudWarning, OptionError
from lexicloud.vectors import WordVectors
from tests.divergences.corpora import corpus, texts, vectors

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")


def counts(corpus: Corpus, name: str) -> Counter[str]:
    row = corpus.tokens(corpus.position(name))
    return Counter(corpus.vocabulary[i] for i in row if corpus.content[i])


def position(corpus: Corpus, word: str) -> tuple[float, ...]:
    return tuple(float(x) for x in corpus.vectors[corpus.vocabulary.index(word)])


def kth_other(corpus: Corpus, word: str, document: Counter[str], k: int) -> float:
    """Distance to the k-th nearest distinct point of a document that is not the word's own."""
    own = position(corpus, word)
    others = {position(corpus, other) for other in document} - {own}
    return sorted(math.dist(own, other) for other in others)[k - 1]


def naive(corpus: Corpus, a: str, b: str, k: int, alpha: float) -> float:
    """Equations 4 and 5 of the paper, term by term."""
    P, Q = counts(corpus, a), counts(corpus, b)
    N, M = sum(P.values()), sum(Q.values())
    ratios = {w: (N - 1) * kth_other(corpus, w, P, k) / (M * kth_other(corpus, w, Q, k)) for w in P}
    if alpha == 1:
        return -sum(c / N * math.log(ratios[w]) for w, c in P.items())
    B = math.gamma(k) ** 2 / (math.gamma(k - alpha + 1) * math.gamma(k + alpha - 1))
    sigma = sum(c / N * ratios[w] ** (1 - alpha) for w, c in P.items()) * B
    return math.log(sigma) / (alpha - 1)


def published(corpus: Corpus, a: str, b: str, k: int) -> float:
    """What the published code computes: itself as first neighbour, squared υ, base 2, the mean of two α."""
    P, Q = counts(corpus, a), counts(corpus, b)
    N, M = sum(P.values()), sum(Q.values())
    values = []
    for alpha in (0.99, 1.01):
        B = math.gamma(k) ** 2 / (math.gamma(k - alpha + 1) * math.gamma(k + alpha - 1))
        sigma = 0.0
        for word, count in P.items():
            own = position(corpus, word)
            rho = sorted(math.dist(own, position(corpus, w)) for w in P)[k - 1]
            squared = sorted(math.dist(own, position(corpus, w)) ** 2 for w in Q)
            upsilon = squared[k - 1]
            if upsilon < 1e-4:
                upsilon = next((s for s in squared if s > 1e-4), None)
            if upsilon is not None:
                sigma += count * B * ((N - 1) * rho / (M * upsilon)) ** (1 - alpha)
        values.append(math.log2(sigma / N) / (alpha - 1))
    return float(np.mean(values))


class TestFormula:
    @pytest.mark.parametrize("alpha", [1.0, 0.5, 1.7])
    @pytest.mark.parametrize("k", [2, 5])
    def test_every_pair_equals_the_formula(self, k, alpha):
        c = corpus()
        values = divergence_matrix(c, method="knn", k=k, alpha=alpha).values
        for i, a in enumerate(c.names):
            for j, b in enumerate(c.names):
                if i != j:
                    assert values[i, j] == pytest.approx(naive(c, a, b, k, alpha), abs=2e-6)

    def test_compat_equals_the_published_code(self):
        c = corpus(3)
        values = divergence_matrix(c, method="knn", k=3, compat="authors").values
        for i, a in enumerate(c.names):
            for j, b in enumerate(c.names):
                if i != j:
                    assert values[i, j] == pytest.approx(published(c, a, b, 3), abs=1e-4)

    def test_compat_looks_farther_past_very_near_words(self):
        """w1 stands 0.001 from w0: its square is below 1e-4, so the published code takes the next word."""
        rng = np.random.default_rng(1)
        table = {f"w{i}": rng.normal(size=3) for i in range(12)}
        table["w1"] = table["w0"] + [0.001, 0, 0]
        words = {"a": "w0 w2 w3 w4 w5 w0", "b": "w1 w0 w6 w7 w8 w9"}
        c = Corpus.from_texts(words, vectors=WordVectors.from_dict(table))
        assert divergence(c, "a", "b", method="knn", k=2, compat="authors").value == pytest.approx(
            published(c, "a", "b", 2), abs=1e-4
        )

    def test_alpha_one_is_the_mean_of_its_neighbours(self):
        c = corpus()
        near = [divergence_matrix(c, method="knn", k=3, alpha=1 + e).values for e in (-1e-5, 1e-5)]
        # Distances are 32-bit floats; 1e-7 divided by α − 1 = 1e-5 leaves two digits less.
        np.testing.assert_allclose(
            divergence_matrix(c, method="knn", k=3).values, np.mean(near, axis=0), atol=2e-3
        )

    def test_symmetric_is_jeffreys(self):
        c = corpus()
        one, both = (divergence_matrix(c, method="knn", k=3, symmetric=s).values for s in (False, True))
        np.testing.assert_allclose(both, one + one.T)
        assert divergence(c, "a", "c", method="knn", symmetric=True).value == pytest.approx(
            both[0, 2], abs=1e-7
        )

    def test_many_ks_in_one_pass_equal_one_by_one(self):
        c = corpus()
        together = divergence_matrices(c, (5, 2, 3, 2))
        assert list(together) == [5, 2, 3]
        for k, matrix in together.items():
            np.testing.assert_array_equal(matrix.values, divergence_matrix(c, method="knn", k=k).values)
        with pytest.raises(OptionError, match="no matrix for k = 4: the ks are 5, 2, 3"):
            together[4]
        assert 5 in together
        assert 4 not in together


class TestInvariance:
    def test_turning_moving_and_scaling_the_vectors_changes_nothing(self):
        base, words = vectors(), texts()
        turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))
        moved = WordVectors(base.words, ((base.matrix @ turn) * 3 + 0.5).astype(np.float32), "moved")
        one, two = (
            divergence_matrix(Corpus.from_texts(words, vectors=v), method="knn").values for v in (base, moved)
        )
        np.testing.assert_allclose(one, two, atol=1e-5)

    def test_order_of_tokens_and_of_documents_does_not_matter(self):
        words = texts()
        shuffled = {
            name: " ".join(np.random.default_rng(1).permutation(words[name].split())) for name in "dcba"
        }
        one = divergence_matrix(Corpus.from_texts(words, vectors=vectors()), method="knn").to_pandas()
        two = divergence_matrix(Corpus.from_texts(shuffled, vectors=vectors()), method="knn").to_pandas()
        np.testing.assert_allclose(one, two.loc[one.index, one.columns], atol=1e-7)

    def test_stop_words_punctuation_and_unknown_words_do_not_matter(self):
        words = texts()
        noisy = {name: text.replace(" ", " the qqqqqqx , ") for name, text in words.items()}
        one, two = (
            divergence_matrix(Corpus.from_texts(t, vectors=vectors()), method="knn") for t in (words, noisy)
        )
        np.testing.assert_allclose(one.values, two.values, atol=1e-7)
        assert two.lost == tuple(3 * (n - 1) for n in one.tokens)

    def test_texts_of_one_source_diverge_less_than_texts_of_two(self):
        rng = np.random.default_rng(0)
        names = np.array([f"w{i}" for i in range(400)])
        table = rng.normal(size=(400, 5)).astype(np.float32)
        left = names[table[:, 0] < 0.3]
        sea = [" ".join(rng.choice(left, 600)) for _ in range(2)]
        land = " ".join(rng.choice(names[table[:, 0] > -0.3], 600))
        c = Corpus.from_texts(
            {"a": sea[0], "b": sea[1], "c": land}, vectors=WordVectors(list(names), table, "r")
        )
        values = divergence_matrix(c, method="knn", k=3).values
        assert abs(values[0, 1]) < 0.05 < values[0, 2]


WORDS = st.lists(st.integers(0, 13), min_size=1, max_size=40)


class TestHypothesis:
    @settings(max_examples=80, deadline=None)
    @given(a=WORDS, b=WORDS, k=st.integers(1, 4), alpha=st.sampled_from([1.0, 0.5]), seed=st.integers(0, 3))
    def test_fast_equals_naive_or_both_have_no_answer(self, a, b, k, alpha, seed):
        """Words 0 and 13 share a vector, so that distinct words are not always distinct points."""
        table = np.random.default_rng(seed).normal(size=(14, 3)).astype(np.float32)
        table[13] = table[0]
        made = WordVectors([f"w{i}" for i in range(14)], table, "r")
        c = Corpus.from_texts(
            {n: " ".join(f"w{i}" for i in t) for n, t in (("a", a), ("b", b))}, vectors=made
        )
        points = {n: len({position(c, w) for w in counts(c, n)}) for n in "ab"}
        if min(points.values()) <= k:
            with pytest.raises(
                EstimateError, match=f"k = {k} but document '[ab]' has only {min(points.values())}"
            ):
                divergence(c, *sorted(points, key=points.get), method="knn", k=k, alpha=alpha)
            return
        found = divergence(c, "a", "b", method="knn", k=k, alpha=alpha)
        assert found.value == pytest.approx(naive(c, "a", "b", k, alpha), abs=1e-5)


class TestExplanation:
    @pytest.mark.parametrize("options", [{}, {"alpha": 0.5}, {"compat": "authors"}], ids=str)
    def test_neighbours_that_carry_are_words_of_the_other_text(self, options):
        c = corpus()
        found = divergence(c, "a", "b", method="knn", k=2, top=50, **options)
        assert found.words
        assert {w.near for w in found.words} <= set(counts(c, "b"))
        assert all(w.near != w.word for w in found.words)

    def test_carrier_stands_at_the_distance_that_counts(self):
        c = corpus()
        words = divergence(c, "a", "b", method="knn", k=3, top=10).words
        assert words
        for share in words:
            reach = math.dist(position(c, share.word), position(c, share.near))
            assert reach == pytest.approx(kth_other(c, share.word, counts(c, "b"), 3), rel=1e-5)


class TestBadInput:
    def test_options(self):
        for options, message in (
            ({"k": 0}, "at least 1, not 0"),
            ({"k": 2.0}, "whole number, not 2.0"),
            ({"k": 2, "alpha": 3.5}, "needs k >"),
            ({"compat": "paper"}, "None or 'authors'"),
            ({"k": 1, "compat": "authors"}, "k of at least 2"),
            ({"mu": 3}, "method 'knn' has no option 'mu'; its options are k, alpha, compat"),
        ):
            with pytest.raises(OptionError, match=message):
                make_method("knn", **options)

    def test_k_larger_than_a_vocabulary_names_the_document_and_the_remedy(self):
        c = Corpus.from_texts({**texts(2), "short": "w1 w2 w3 w2"}, vectors=vectors())
        with pytest.raises(
            EstimateError, match="k = 10 but document 'short' has only 3 distinct words: use a smaller k"
        ):
            divergence_matrix(c, method="knn", k=10)
        kept = divergence_matrices(c, (3, 10), plan=Plan(skip_bad=True))
        assert kept[10].names == kept[3].names == ("a", "b")
        assert [s.name for s in kept[3].skipped] == ["short"]

    def test_sizes_that_differ_are_warned_about(self):
        words = texts(2)
        words["b"] = " ".join(words["b"].split()[:30])
        c = Corpus.from_texts(words, vectors=vectors())
        with pytest.warns(LexicloudWarning, match=r"30 to 120 tokens.*sample=30"):
            divergence(c, "a", "b", method="knn", k=2)

    def test_a_negative_estimate_is_explained(self):
        c = Corpus.from_texts(
            {"a": texts()["a"], "b": " ".join(f"w{i}" for i in range(60))}, vectors=vectors()
        )
        with pytest.warns(LexicloudWarning, match="below zero, which no divergence is"):
            assert divergence(c, "a", "b", method="knn", k=2).value < 0
