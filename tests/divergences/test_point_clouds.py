"""knn_divergence: closed forms → invariances → convergence → naive reference → what cannot be answered."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lexicloud.divergences import knn_divergence, knn_entropy
from lexicloud.errors import EstimateError, LexicloudWarning, OptionError
from lexicloud.neighbours.nearest import TREE_UP_TO, nearest

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")


def gaussian_kl(shift: float, scale: float, d: int) -> float:
    """Closed form of KL(N(0, 1) ‖ N(shift, scale²)) in each of d independent coordinates."""
    return d * (math.log(scale) + (1 + shift**2) / (2 * scale**2) - 0.5)


def gaussian_renyi(shift: float, scale: float, d: int, alpha: float) -> float:
    """Closed form of the Rényi divergence of the same two (Gil, Alajaji and Linder, 2013)."""
    mixed = alpha * scale**2 + (1 - alpha)
    one = math.log(scale) + math.log(scale**2 / mixed) / (2 * (alpha - 1)) + alpha * shift**2 / (2 * mixed)
    return d * one


def samples(d: int, n: int, seed: int, shift: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(shift, scale, size=(n, d))


def errors(d: int, n: int, alpha: float, repeats: int = 8) -> np.ndarray:
    """Signed errors against the closed form over several samples; per coordinate the same distance for all d."""
    shift, scale = 0.7 / math.sqrt(d), 1.1
    truth = gaussian_kl(shift, scale, d) if alpha == 1 else gaussian_renyi(shift, scale, d, alpha)
    return np.array(
        [knn_divergence(*samples(d, n, s, shift, scale), k=3, alpha=alpha) - truth for s in range(repeats)]
    )


class TestClosedForm:
    def test_three_points_by_hand(self):
        """ρ = 1, 1, 2 and υ = ½, ½, 1, so every term is 3υ/2ρ = ¾."""
        X, Y = np.array([[0.0], [1.0], [3.0]]), np.array([[0.5], [2.0], [5.0]])
        assert knn_divergence(X, Y, k=1) == pytest.approx(math.log(0.75))
        assert knn_divergence(X, Y, k=1, alpha=0.5) == pytest.approx(
            -2 * math.log((4 / 3) ** 0.5 / (math.gamma(1.5) * math.gamma(0.5)))
        )

    @pytest.mark.parametrize("alpha", [1.0, 0.8, 1.3])
    @pytest.mark.parametrize(("d", "bias"), [(1, 0.02), (2, 0.02), (5, 0.04), (10, 0.16)])
    def test_gaussians_within_the_sampling_error(self, d, bias, alpha):
        found = errors(d, 2000, alpha, 5)
        # Four standard errors of the mean, and the known bias of k-NN distances, which grows with the dimension.
        assert abs(found.mean()) < 4 * found.std(ddof=1) / math.sqrt(len(found)) + bias

    @pytest.mark.parametrize("alpha", [1.0, 0.8])
    @pytest.mark.parametrize(
        ("d", "large", "repeats"), [(1, 3200, 16), (2, 3200, 16), (5, 2000, 6), (10, 2000, 4)]
    )
    def test_error_falls_with_the_sample(self, d, large, repeats, alpha):
        small, large = errors(d, 200, alpha, 2 * repeats), errors(d, large, alpha, repeats)
        assert np.sqrt((large**2).mean()) < 0.75 * np.sqrt((small**2).mean())

    @pytest.mark.parametrize("d", [1, 3, 16])
    def test_two_samples_of_one_source_have_none(self, d):
        values = [knn_divergence(*samples(d, 1500, seed, 0.0, 1.0), k=5) for seed in range(4)]
        assert abs(np.mean(values)) < 0.08

    def test_entropy_of_a_gaussian_and_of_a_square(self):
        rng = np.random.default_rng(3)
        assert knn_entropy(rng.normal(0, 2, (4000, 3))) == pytest.approx(
            1.5 * math.log(2 * math.pi * math.e * 4), abs=0.06
        )
        assert knn_entropy(rng.uniform(0, 5, (4000, 2))) == pytest.approx(math.log(25), abs=0.06)

    def test_kl_is_cross_entropy_minus_entropy(self):
        """With the same k, D̂ = −Ĥ(X) + the mean of −log q̂: the two estimators share their parts."""
        X, Y = samples(2, 500, 1, 0.5, 1.3)
        pooled = knn_divergence(X, Y, k=4) + knn_entropy(X, k=4)
        assert pooled > knn_entropy(X, k=4)  # the cross entropy is larger than the entropy of these two


class TestInvariance:
    X, Y = samples(3, 150, 0, 0.4, 1.1)

    @pytest.mark.parametrize("alpha", [1.0, 0.6])
    @pytest.mark.parametrize("coincident", ["exclude", "count"])
    def test_permutation_translation_rotation_scale(self, alpha, coincident):
        X, Y, rng = self.X, self.Y, np.random.default_rng(5)
        rotation, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        value = knn_divergence(X, Y, 4, alpha, coincident=coincident)
        moved = {
            "permutation": (rng.permutation(X), rng.permutation(Y)),
            "translation": (X + 1000, Y + 1000),
            "rotation": (X @ rotation, Y @ rotation),
            "scale": (X * 1e-6, Y * 1e-6),
        }
        for name, pair in moved.items():
            assert knn_divergence(*pair, 4, alpha, coincident=coincident) == pytest.approx(value, abs=1e-8), (
                name
            )

    def test_limit_at_alpha_one(self):
        around = [knn_divergence(self.X, self.Y, 3, 1 + e) for e in (-1e-5, 1e-5)]
        assert knn_divergence(self.X, self.Y, 3) == pytest.approx(np.mean(around), abs=1e-6)

    def test_limit_at_alpha_one_with_counted_repeats(self):
        X, Y = np.round(self.X, 0), np.round(self.Y, 0)
        around = [knn_divergence(X, Y, 3, 1 + e, coincident="count") for e in (-1e-5, 1e-5)]
        assert knn_divergence(X, Y, 3, coincident="count") == pytest.approx(np.mean(around), abs=1e-6)

    def test_weights_are_repeats(self):
        counts_x, counts_y = np.arange(150) % 3 + 1, np.arange(150) % 2 + 1
        repeated = np.repeat(self.X, counts_x, axis=0), np.repeat(self.Y, counts_y, axis=0)
        for policy in ("exclude", "count"):
            weighted = knn_divergence(
                self.X, self.Y, 4, weights_x=counts_x, weights_y=counts_y, coincident=policy
            )
            assert weighted == pytest.approx(knn_divergence(*repeated, 4, coincident=policy), abs=1e-12)

    def test_repeating_a_whole_sample_changes_nothing(self):
        for alpha in (1.0, 0.6):
            value = knn_divergence(self.X, self.Y, 4, alpha)
            with pytest.warns(LexicloudWarning, match="points of X coincide with others"):
                assert knn_divergence(np.repeat(self.X, 3, axis=0), self.Y, 4, alpha) == pytest.approx(value)
            with pytest.warns(LexicloudWarning, match="points of Y coincide"):
                assert knn_divergence(self.X, np.repeat(self.Y, 3, axis=0), 4, alpha) == pytest.approx(value)
        with pytest.warns(LexicloudWarning, match="coincide"):
            assert knn_entropy(np.repeat(self.X, 3, axis=0)) == pytest.approx(knn_entropy(self.X))

    def test_drawing_points_again_leaves_the_estimate_where_it_was(self):
        """A bootstrap keeps 63 % of the points; before, each would have counted for itself and moved D by −0.46."""
        rng = np.random.default_rng(0)
        X, Y = rng.normal(0, 1, (3000, 2)), rng.normal(1, 1, (3000, 2))
        again = X[rng.integers(0, 3000, 3000)]
        with pytest.warns(LexicloudWarning, match="coincide"):
            assert knn_divergence(again, Y) == pytest.approx(knn_divergence(X, Y), abs=0.1)

    def test_extrapolating_removes_a_part_of_the_bias(self):
        """Gaussians in five dimensions a scale apart, closed form (d/2)(s⁻² − 1 + 2 log s); eight samples."""
        found, s = [], np.exp(0.4 / np.sqrt(5))
        truth = 5 / 2 * (s**-2 - 1 + 2 * np.log(s))
        for seed in range(8):
            rng = np.random.default_rng(seed)
            X, Y = rng.normal(size=(2000, 5)), s * rng.normal(size=(2000, 5))
            found.append([knn_divergence(X, Y, correction=c) for c in (None, "extrapolate")])
        plain, corrected = np.mean(found, axis=0)
        assert abs(corrected - truth) < 0.5 * abs(plain - truth)
        with pytest.raises(OptionError, match="correction is None or 'extrapolate'"):
            knn_divergence(X, Y, correction="half")

    def test_policies_agree_where_nothing_repeats(self):
        for alpha in (1.0, 0.7, 2.5):
            counted = knn_divergence(self.X, self.Y, 4, alpha, coincident="count")
            assert counted == pytest.approx(knn_divergence(self.X, self.Y, 4, alpha), abs=1e-10)

    def test_three_hundred_dimensions_neither_overflow_nor_vanish(self):
        rng = np.random.default_rng(0)
        X, Y = rng.normal(size=(60, 300)), rng.normal(0.05, 1, size=(60, 300))
        for factor in (1e-150, 1.0, 1e150):
            assert math.isfinite(knn_divergence(X * factor, Y * factor, 3))
        assert knn_divergence(X * 1e150, Y * 1e150, 3, 0.5) == pytest.approx(
            knn_divergence(X, Y, 3, 0.5), rel=1e-9
        )


def naive(X: np.ndarray, Y: np.ndarray, k: int, alpha: float) -> float:
    """The formula as it stands, over a full table of distances, for clouds without repeats."""
    N, M, d = len(X), len(Y), X.shape[1]
    terms = []
    for i, x in enumerate(X):
        rho = sorted(np.linalg.norm(x - z) for j, z in enumerate(X) if j != i)[k - 1]
        upsilon = sorted(np.linalg.norm(x - y) for y in Y)[k - 1]
        terms.append((N - 1) * rho**d / (M * upsilon**d))
    if alpha == 1:
        return -float(np.mean(np.log(terms)))
    B = math.gamma(k) ** 2 / (math.gamma(k - alpha + 1) * math.gamma(k + alpha - 1))
    return math.log(B * np.mean(np.power(terms, 1 - alpha))) / (alpha - 1)


class TestNaive:
    @pytest.mark.parametrize("d", [1, 4, TREE_UP_TO, TREE_UP_TO + 1, 40])
    @pytest.mark.parametrize("alpha", [1.0, 0.5, 1.9])
    def test_equals_the_formula(self, d, alpha):
        X, Y = samples(d, 40, d, 0.2, 1.1)
        assert knn_divergence(X, Y[:31], 3, alpha) == pytest.approx(naive(X, Y[:31], 3, alpha), rel=1e-9)

    def test_blocked_product_is_exact_where_rounding_hides_order(self):
        """Points a thousand times closer to one another than to the origin, in more dimensions than a tree takes."""
        rng = np.random.default_rng(0)
        cluster = 1 + 1e-7 * rng.normal(size=(80, 30))
        brute = np.sort(np.linalg.norm(cluster[:, None] - cluster[None], axis=2), axis=1)[:, :9]
        np.testing.assert_allclose(nearest(cluster, cluster, 9), brute, rtol=1e-12)


FEW = st.integers(-3, 3).map(float)


class TestRepeats:
    @settings(max_examples=150, deadline=None)
    @given(
        X=arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=FEW),
        Y=arrays(float, st.tuples(st.integers(1, 12), st.just(2)), elements=FEW),
        k=st.integers(1, 4),
        alpha=st.sampled_from([1.0, 0.5, 1.5]),
        coincident=st.sampled_from(["exclude", "count"]),
    )
    def test_never_nan_or_inf(self, X, Y, k, alpha, coincident):
        """Either a finite number, or an error that names k and how many points there are."""
        distinct = min(len(np.unique(X, axis=0)), len(np.unique(Y, axis=0)))
        if distinct > k:
            assert math.isfinite(knn_divergence(X, Y, k, alpha, coincident=coincident))
            return
        try:
            value = knn_divergence(X, Y, k, alpha, coincident=coincident)
        except EstimateError as error:
            message = str(error)
        else:
            # Fewer points do where none coincides with a point of X, or where every repeat counts.
            message, finite = "", math.isfinite(value)
            assert finite
        assert not message or f"k = {k} but only" in message

    def test_points_closer_than_a_float_can_square(self):
        X = np.array([[0.0], [1e-200], [1.0], [2.0], [4.0]])
        assert math.isfinite(knn_divergence(X, X + 0.5, 2))

    def test_a_doubled_text_is_the_same_text(self):
        X, Y = samples(2, 80, 2, 0.3, 1.0)
        once, twice = knn_divergence(X, Y, 3), knn_divergence(np.repeat(X, 2, 0), np.repeat(Y, 2, 0), 3)
        assert twice == pytest.approx(once, abs=math.log(80 / 79))  # N − 1 against M is all that changes


class TestBadInput:
    X = np.arange(20.0).reshape(10, 2)

    @pytest.mark.parametrize(
        ("call", "error", "message"),
        [
            (lambda X: knn_divergence(X, X, 100), EstimateError, "k = 100 but only 10 distinct points in X"),
            (lambda X: knn_divergence(X, X[:2], 2), EstimateError, "k = 2 but only 2 distinct points in Y"),
            (lambda X: knn_divergence(X, X[:, :1]), OptionError, "X has 2 dimensions but Y has 1"),
            (lambda X: knn_divergence(X[:, 0], X), OptionError, r"X\[:, None\]"),
            (
                lambda X: knn_divergence(X, np.where(X == 4, np.nan, X)),
                OptionError,
                "Y has nan or infinity in row 2",
            ),
            (lambda X: knn_divergence(X, X, 0), OptionError, "at least 1, not 0"),
            (lambda X: knn_divergence(X, X, 2.5), OptionError, "whole number, not 2.5"),
            (lambda X: knn_divergence(X, X, True), OptionError, "whole number, not True"),
            (lambda X: knn_divergence(X, X, 2, 3.0), OptionError, r"k > \|alpha − 1\| = 2, but k = 2"),
            (lambda X: knn_divergence(X, X, 2, math.inf), OptionError, "finite number"),
            (
                lambda X: knn_divergence(X, X, weights_x=[1, 2]),
                OptionError,
                r"10 points but weights of shape \(2,\)",
            ),
            (
                lambda X: knn_divergence(X, X, weights_x=[-1] * 10),
                OptionError,
                "whole numbers, none negative",
            ),
            (lambda X: knn_divergence(X, X, coincident="merge"), OptionError, "'exclude' or 'count'"),
            (lambda X: knn_divergence(X[:0], X), EstimateError, "X has no points"),
            (lambda X: knn_divergence([["a"]], X), OptionError, "not a table of numbers"),
            (lambda X: knn_entropy(X, 10), EstimateError, "k = 10 but only 10 distinct points"),
        ],
    )
    def test_errors_carry_both_numbers(self, call, error, message):
        with pytest.raises(error, match=message):
            call(self.X)
