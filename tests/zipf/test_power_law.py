"""The power law of frequencies: published values, the `powerlaw` package, and parameters found again."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import zeta as scipy_zeta

from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf import compare_distributions, fit_power_law, goodness_of_fit
from lexicloud.zipf.goodness import semiparametric
from lexicloud.zipf.power_law import compressed
from lexicloud.zipf.power_law_numba import draw, exponent, tail, zeta

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import powerlaw


@pytest.fixture(scope="module")
def moby_dick() -> np.ndarray:
    """How often each word of Moby Dick occurs: Clauset, Shalizi and Newman's data, inside the powerlaw package."""
    file = Path(powerlaw.__file__).parent / "reference_data" / "words.txt"
    if not file.exists():
        pytest.skip("this version of powerlaw comes without its reference data")
    return np.loadtxt(file)


def power_sample(alpha: float, x_min: int, n: int, seed: int) -> np.ndarray:
    return draw(1 - np.random.default_rng(seed).random(n), alpha, float(x_min)).astype(np.int64)


def naive_fit(counts: np.ndarray) -> tuple[int, float, float]:
    """Clauset's recipe as it is written, over every whole number: the slow reference."""
    best = (0, 0.0, np.inf)
    for x_min in np.unique(counts)[:-1]:
        x = counts[counts >= x_min]
        if len(x) < 10:
            break
        alpha = exponent(float(np.log(x / x_min).mean()), float(x_min), 2.0)
        if np.isnan(alpha):
            continue
        grid = np.arange(x_min, x.max() + 1)
        model = 1 - scipy_zeta(alpha, grid + 1) / scipy_zeta(alpha, x_min)
        seen = np.searchsorted(np.sort(x), grid, side="right") / len(x)
        gap = np.abs(model - seen).max()
        if gap < best[2]:
            best = (int(x_min), float(alpha), float(gap))
    return best


@settings(deadline=None, max_examples=60)
@given(alpha=st.floats(1.01, 20), q=st.integers(1, 10_000))
def test_zeta_is_scipys(alpha: float, q: int) -> None:
    expected = scipy_zeta(alpha, q)
    if expected < 1e-290:  # below that, nothing but rounding is left
        return
    assert tail(alpha, float(q), 1.0) == pytest.approx(expected, rel=1e-11)
    assert zeta(alpha, float(q), 1.0)[0] == pytest.approx(expected, rel=1e-11)


def test_a_unit_keeps_large_counts_from_vanishing() -> None:
    assert tail(3.0, 20.0, 10.0) == pytest.approx(10**3 * scipy_zeta(3, 20))
    assert 0 < tail(90.0, 1e7, 1e7) < np.inf  # (10⁷)^−90 itself is zero in double precision
    counts = np.random.default_rng(0).integers(10**6, 10**8, 300)
    assert np.isfinite(fit_power_law(counts).alpha)


def test_derivatives_of_zeta_are_differences_of_scipys() -> None:
    h = 1e-4
    for alpha, q in ((1.5, 1.0), (2.2, 7.0), (5.0, 30.0), (2.0, 12345.0)):
        _, first, second = zeta(alpha, q, 1.0)
        low, mid, high = scipy_zeta([alpha - h, alpha, alpha + h], q)
        assert first == pytest.approx((high - low) / (2 * h), rel=1e-6)
        assert second == pytest.approx((high - 2 * mid + low) / h**2, rel=1e-5)


def test_moby_dick_has_the_published_values(moby_dick: np.ndarray) -> None:
    """Clauset, Shalizi and Newman 2009, table 6.1: α = 1.95(2), x_min = 7 ± 2, n_tail = 2958, a power law is plausible.

    The vignette of R's poweRlaw has bootstrap standard deviations of 0.03 for α and 2.1 for x_min.
    """
    law = fit_power_law(moby_dick, samples=100, seed=0)
    assert law.words == 18855
    assert law.x_min == 7
    assert law.alpha == pytest.approx(1.95, abs=0.005)
    assert law.sigma == pytest.approx(0.02, abs=0.005)
    assert law.n_tail == 2958
    assert law.alpha_interval[0] < 1.95 < law.alpha_interval[1]
    assert (law.alpha_interval[1] - law.alpha_interval[0]) / 3.92 == pytest.approx(0.03, abs=0.01)
    assert law.x_min_interval[0] <= 7 <= law.x_min_interval[1]
    assert (law.x_min_interval[1] - law.x_min_interval[0]) / 3.92 == pytest.approx(2.1, abs=1)
    assert goodness_of_fit(law, samples=100, seed=0).plausible


def test_moby_dick_rules_out_the_exponential(moby_dick: np.ndarray) -> None:
    """The same article, tables 6.2: exponential LR 9.09, p = 0.00; lognormal LR 0.395, p = 0.69."""
    lognormal, exponential = compare_distributions(fit_power_law(moby_dick), ["lognormal", "exponential"])
    assert exponential.ratio == pytest.approx(9.09, abs=0.1)
    assert exponential.favoured == "power law"
    assert lognormal.favoured == "undecided"
    assert lognormal.p_value == pytest.approx(0.69, abs=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_alpha_and_x_min_agree_with_powerlaw(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = np.concatenate([rng.integers(1, 8, 300), power_sample(2.0 + seed / 5, 8, 700, seed)])
    law = fit_power_law(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = powerlaw.Fit(counts, discrete=True, xmin=law.x_min, estimate_discrete=False, verbose=0)
        own = powerlaw.Fit(counts, discrete=True, xmin=(1, 60), estimate_discrete=False, verbose=0)
        assert law.alpha == pytest.approx(peer.power_law.alpha, abs=1e-3)
        assert law.log_likelihood == pytest.approx(peer.power_law.loglikelihood, rel=1e-6)
        # powerlaw looks at observed values, we at every whole number (as the article does): neighbours are possible.
        assert law.alpha == pytest.approx(own.power_law.alpha, abs=2 * law.sigma)


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 10_000), st.floats(1.8, 3.5), st.integers(40, 300))
def test_the_fast_search_is_the_naive_one(seed: int, alpha: float, n: int) -> None:
    counts = np.minimum(power_sample(alpha, 1, n, seed), 3000)
    if len(np.unique(counts)) < 3:
        return
    x_min, expected, gap = naive_fit(counts)
    law = fit_power_law(counts)
    assert law.distance == pytest.approx(gap, rel=1e-6)  # α itself is found to about 1e-8
    assert (law.x_min, law.alpha) == (x_min, pytest.approx(expected))


@pytest.mark.parametrize(("alpha", "x_min"), [(1.6, 1), (2.0, 1), (2.5, 5), (3.0, 10)])
def test_parameters_of_synthetic_samples_are_found_again(alpha: float, x_min: int) -> None:
    fits = [fit_power_law(power_sample(alpha, x_min, 3000, seed), x_min=x_min) for seed in range(20)]
    assert sum(fit.alpha_interval[0] < alpha < fit.alpha_interval[1] for fit in fits) >= 16
    free = [fit_power_law(power_sample(alpha, x_min, 3000, seed)) for seed in range(5)]
    assert all(abs(fit.alpha - alpha) < 4 * fit.sigma for fit in free)


def test_a_bootstrap_interval_lets_x_min_vary() -> None:
    counts = np.concatenate([np.random.default_rng(0).integers(1, 10, 2000), power_sample(2.3, 10, 2000, 0)])
    law = fit_power_law(counts, samples=60, seed=1)
    assert law.alpha_interval[0] < 2.3 < law.alpha_interval[1]
    assert law.x_min_interval[0] <= law.x_min <= law.x_min_interval[1]
    assert law.alpha_interval[1] - law.alpha_interval[0] > 2 * law.sigma


# ---- draws


def test_draws_follow_the_law() -> None:
    for alpha, x_min in ((1.5, 1), (2.5, 7)):
        draws = power_sample(alpha, x_min, 200_000, 0)
        assert draws.min() == x_min
        for x in (
            x_min,
            x_min + 1,
            2 * x_min + 3,
            10_000,
        ):  # the last is past the table: doubling and bisection
            share = scipy_zeta(alpha, x) / scipy_zeta(alpha, x_min)
            assert (draws >= x).mean() == pytest.approx(
                share, abs=4 * np.sqrt(share * (1 - share) / 200_000) + 1e-12
            )


@settings(deadline=None, max_examples=50)
@given(st.floats(1e-9, 1), st.floats(1.8, 4), st.integers(1, 50))
def test_a_draw_inverts_the_survival_function(u: float, alpha: float, x_min: int) -> None:
    x = float(draw(np.array([u]), alpha, float(x_min))[0])
    whole = scipy_zeta(alpha, x_min)
    slack = 1e-9
    assert scipy_zeta(alpha, x + 1) / whole <= u * (1 + slack) + 1e-12
    assert scipy_zeta(alpha, x) / whole >= u * (1 - slack) - 1e-12


def test_bootstrap_data_keep_the_body_and_replace_the_tail() -> None:
    counts = np.concatenate([np.full(500, 3), power_sample(2.5, 20, 500, 1)])
    law = fit_power_law(counts, x_min=20)
    drawn = semiparametric(law, counts[counts < 20].astype(float), np.random.default_rng(0))
    assert len(drawn) == 1000
    below = drawn[drawn < 20]
    assert set(below) == {3.0}
    assert len(below) == pytest.approx(500, abs=80)


# ---- the test


def test_a_law_with_a_given_x_min_is_tested_as_its_counts_are() -> None:
    """Its samples once had their x_min found anew, whose distances are smaller: true laws were ruled out."""
    counts = power_sample(2.4, 1, 2000, 3)
    law, found = fit_power_law(counts, x_min=4), goodness_of_fit(counts, x_min=4, samples=40, seed=0)
    assert goodness_of_fit(law, samples=40, seed=0).p_value == found.p_value > 0.1
    assert law.x_min == 4
    with pytest.raises(OptionError, match="fitted from x_min = 4"):
        goodness_of_fit(law, x_min=2, samples=5)


def test_a_power_law_passes_and_a_poisson_fails() -> None:
    true = goodness_of_fit(power_sample(2.4, 1, 2000, 3), samples=60, seed=0)
    false = goodness_of_fit(np.random.default_rng(0).poisson(20, 3000) + 1, samples=60, seed=0, x_min=1)
    assert true.plausible
    assert false.p_value == 0
    assert not false.plausible
    assert "ruled out" in str(false)
    assert false.error > 0


def test_the_answer_depends_on_the_seed_and_not_on_the_workers() -> None:
    counts = power_sample(2.2, 1, 800, 5)
    one, three = (goodness_of_fit(counts, samples=30, seed=7, workers=w) for w in (1, 3))
    assert one == three
    law = fit_power_law(counts, samples=30, seed=7, workers=1)
    assert law.alpha_interval == fit_power_law(counts, samples=30, seed=7, workers=3).alpha_interval
    assert law.alpha_interval != fit_power_law(counts, samples=30, seed=8, workers=3).alpha_interval


def test_p_values_of_true_power_laws_are_spread_evenly() -> None:
    values = [
        goodness_of_fit(power_sample(2.5, 1, 300, seed), samples=40, seed=seed).p_value for seed in range(30)
    ]
    # Uniform values have mean ½ with a standard error of 0.053, and below 0.1 in one case of ten.
    assert np.mean(values) == pytest.approx(0.5, abs=0.2)
    assert np.mean(np.array(values) < 0.1) < 0.3


# ---- what has no answer


def test_questions_without_an_answer_carry_both_numbers() -> None:
    counts = [1] * 20 + [2] * 5 + [9]
    with pytest.raises(EstimateError, match="x_min = 9 leaves no spread: the largest count is 9"):
        fit_power_law(counts, x_min=9)
    with pytest.raises(EstimateError, match="needs 3 distinct counts, and there are 2"):
        fit_power_law([1] * 20 + [2] * 5)
    with pytest.raises(OptionError, match="at least 1, not 0"):
        fit_power_law(counts, x_min=0)
    with pytest.raises(OptionError, match="at least one sample, not 0"):
        goodness_of_fit(counts, samples=0)
    with pytest.raises(OptionError, match="no alternative named 'gamma'"):
        compare_distributions(counts, ["gamma"])


def test_a_test_that_failed_says_why_and_gives_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise FloatingPointError("optimiser lost")

    monkeypatch.setattr(powerlaw.Fit, "distribution_compare", broken)
    (test,) = compare_distributions(power_sample(2.2, 1, 300, 0), ["lognormal"])
    assert np.isnan([test.ratio, test.p_value]).all()
    assert test.failure == "FloatingPointError: optimiser lost"
    assert test.favoured == "undecided"
    assert "not tested" in str(test)


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    compare_distributions(power_sample(2.2, 1, 300, 0), ["exponential", "lognormal"])
    assert capfd.readouterr() == ("", "")


def test_compression_keeps_every_word() -> None:
    values, multiplicities = compressed(np.array([9, 4, 4, 1, 1, 1]))
    assert values.tolist() == [1, 4, 9]
    assert multiplicities.tolist() == [3, 2, 1]
