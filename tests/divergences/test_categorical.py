"""categorical, jensen-shannon and entropy, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import jensenshannon

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, divergence_matrix, entropy
from lexicloud.errors import EstimateError, OptionError
from tests.divergences.corpora import corpus, vectors


def dense(c: Corpus) -> np.ndarray:
    return c.counts.toarray().astype(float)


def dirichlet(c: Corpus, j: int, mu: float) -> np.ndarray:
    counts = dense(c)
    return (counts[j] + mu * counts.sum(axis=0) / counts.sum()) / (counts[j].sum() + mu)


class TestClosedForm:
    def test_two_words_by_hand(self):
        """p = (3/4, 1/4), q = (1/4, 3/4): KL = ½ log 3."""
        c = Corpus.from_texts({"a": "x x x y", "b": "x y y y"})
        assert divergence(c, "a", "b", method="categorical", support="intersection").value == pytest.approx(
            0.5 * np.log(3)
        )

    def test_entropy_is_scipys(self):
        c = corpus()
        p = dense(c)[0]
        assert entropy(c, "a") == pytest.approx(stats.entropy(p))
        bias = (np.count_nonzero(p) - 1) / (2 * p.sum())
        assert entropy(c, "a", correction="miller-madow") == pytest.approx(stats.entropy(p) + bias)

    def test_miller_madow_is_closer_to_the_source(self):
        rng = np.random.default_rng(0)
        texts = {str(i): " ".join(f"x{w}" for w in rng.integers(0, 50, 150)) for i in range(10)}
        c = Corpus.from_texts(texts)
        plain = np.mean([entropy(c, n) for n in c.names])
        better = np.mean([entropy(c, n, correction="miller-madow") for n in c.names])
        assert abs(better - np.log(50)) < 0.4 * abs(plain - np.log(50))


class TestAgainstScipy:
    c = corpus(4)

    def test_dirichlet_kl(self):
        values = divergence_matrix(self.c, method="categorical", mu=25.0).values
        expected = [[stats.entropy(p, dirichlet(self.c, j, 25.0)) for j in range(4)] for p in dense(self.c)]
        np.testing.assert_allclose(values, expected, rtol=1e-10)

    @pytest.mark.parametrize("alpha", [1.0, 0.5, 2.0])
    def test_intersection_over_shared_words(self, alpha):
        values = divergence_matrix(self.c, method="categorical", support="intersection", alpha=alpha).values
        counts = dense(self.c)
        for i in range(4):
            for j in range(4):
                shared = (counts[i] > 0) & (counts[j] > 0)
                p, q = (
                    counts[i][shared] / counts[i][shared].sum(),
                    counts[j][shared] / counts[j][shared].sum(),
                )
                want = (
                    stats.entropy(p, q)
                    if alpha == 1
                    else np.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1)
                )
                assert values[i, j] == pytest.approx(want, abs=1e-12)

    def test_compat_is_the_intersection_in_bits(self):
        bits = divergence_matrix(self.c, method="categorical", compat="authors").values
        nats = divergence_matrix(self.c, method="categorical", support="intersection", words="content").values
        np.testing.assert_allclose(bits, nats / np.log(2))

    @pytest.mark.parametrize("alpha", [0.3, 2.0])
    def test_dirichlet_renyi(self, alpha):
        values = divergence_matrix(self.c, method="categorical", mu=7.0, alpha=alpha).values
        counts = dense(self.c)
        for i in range(4):
            p, q = counts[i] / counts[i].sum(), dirichlet(self.c, 2, 7.0)
            assert values[i, 2] == pytest.approx(np.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1))

    def test_renyi_tends_to_kl(self):
        one, near = (divergence_matrix(self.c, method="categorical", alpha=a).values for a in (1.0, 1 + 1e-6))
        np.testing.assert_allclose(near, one, atol=1e-5)

    def test_jensen_shannon(self):
        values = divergence_matrix(self.c, method="jensen-shannon").values
        expected = [[jensenshannon(p, q) ** 2 for q in dense(self.c)] for p in dense(self.c)]
        np.testing.assert_allclose(values, expected, atol=1e-12)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=30), min_size=2, max_size=4))
    def test_random_documents(self, documents):
        c = Corpus.from_texts([" ".join(f"w{w}" for w in words) for words in documents], vectors=vectors(8))
        counts = dense(c)
        found = divergence_matrix(c, method="categorical", mu=3.0).values
        shannon = divergence_matrix(c, method="jensen-shannon").values
        for i, p in enumerate(counts):
            for j, q in enumerate(counts):
                assert found[i, j] == pytest.approx(stats.entropy(p, dirichlet(c, j, 3.0)), abs=1e-10)
                # jensenshannon is a root: near zero its square is off by the rounding of a root.
                assert shannon[i, j] == pytest.approx(jensenshannon(p, q) ** 2, abs=1e-9)
        assert (shannon <= np.log(2) + 1e-12).all()


class TestWords:
    def test_words_without_a_vector_count_by_default(self):
        c = Corpus.from_texts({"a": "zqx zqx zqx rain", "b": "rain rain rain zqx"})
        assert not c.embedded[c.vocabulary.index("zqx")]
        assert divergence(c, "a", "b", method="categorical").value > 0.01
        assert divergence(c, "a", "b", method="categorical", words="content").value == pytest.approx(
            0.0, abs=1e-12
        )

    def test_background_comes_from_the_reference_documents_alone(self):
        from lexicloud.divergences import make_method

        c = corpus(3)
        first = make_method("categorical", mu=5.0).fit(c, [0, 1])
        again = make_method("categorical", mu=5.0).fit(c.subset(["a", "b"]))
        two = c.subset(["a", "b"]).counts
        np.testing.assert_allclose(first.between(two, two), again.between(two, two))
        assert np.isfinite(first.between(c.counts, c.counts)).all()


class TestBadInput:
    def test_options(self):
        c = corpus(2)
        for options, message in (
            ({"mu": 0}, "mu must be a positive number, not 0"),
            ({"support": "union"}, "support is one of 'background', 'intersection', not 'union'"),
            ({"words": "some"}, "words is one of"),
            ({"alpha": float("nan")}, "alpha must be a finite number"),
            ({"k": 3}, "method 'categorical' has no option 'k'"),
        ):
            with pytest.raises(OptionError, match=message):
                divergence(c, "a", "b", method="categorical", **options)

    def test_nothing_in_common(self):
        c = Corpus.from_texts({"a": "red blue", "b": "one two"})
        with pytest.raises(EstimateError, match="'a' and 'b' have no word in common"):
            divergence(c, "a", "b", method="categorical", support="intersection")
        assert divergence(c, "a", "b", method="jensen-shannon").value == pytest.approx(np.log(2))

    def test_entropy_of_nothing(self):
        c = Corpus.from_texts({"a": "red blue", "b": "the of"})
        with pytest.raises(EstimateError, match="document 'b' has no content words"):
            entropy(c, "b", words="content")
