"""Heaps' law: the curve counted naively, the law found again, and figures."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf import fit_power_law, fit_zipf, heaps, rank_frequency
from lexicloud.zipf.heaps_law import growth


def test_the_curve_is_the_naive_count() -> None:
    stream = np.random.default_rng(0).zipf(1.7, 2000)
    tokens, vocabulary = growth(stream)
    assert tokens[-1] == 2000
    assert vocabulary.tolist() == [len(set(stream[:n].tolist())) for n in tokens]


def test_the_exponent_of_a_built_stream_is_found_again() -> None:
    """A stream whose vocabulary is made to grow as 5 · N^0.6, new words where the law asks for them."""
    stream, words = [], 0
    for n in range(1, 40_001):
        if 5 * n**0.6 >= words + 1:
            words += 1
            stream.append(words)
        else:
            stream.append(1 + n % words)
    found = heaps(stream)
    assert found.beta == pytest.approx(0.6, abs=0.01)
    assert pytest.approx(5, rel=0.1) == found.K
    assert found.r_squared > 0.999


def test_intervals_are_as_wide_as_estimates_are_spread() -> None:
    """Words drawn from a Zipf law of exponent 2: β is near 1/2, and jackknife intervals match the spread over seeds."""
    fits = [heaps(np.random.default_rng(seed).zipf(2.0, 10_000)) for seed in range(30)]
    betas = np.array([fit.beta for fit in fits])
    assert betas.mean() == pytest.approx(0.5, abs=0.03)
    errors = np.array(
        [(fit.beta_interval[1] - fit.beta_interval[0]) / 2 / 2.093 for fit in fits]
    )  # t with 19 degrees
    assert errors.mean() == pytest.approx(betas.std(ddof=1), rel=0.4)
    assert sum(abs(fit.beta - betas.mean()) < (fit.beta_interval[1] - fit.beta) for fit in fits) >= 24


def test_a_corpus_is_read_in_order_without_punctuation() -> None:
    rng = np.random.default_rng(1)
    text = ", ".join(f"w{n}" for n in rng.zipf(1.8, 600))
    corpus = Corpus.from_texts({"a": text, "b": text})
    whole, first = heaps(corpus), heaps(corpus, "a")
    assert whole.tokens[-1] == 1200
    assert whole.vocabulary[-1] == first.vocabulary[-1]  # the second document brings nothing new
    assert heaps(corpus, "a", punctuation=True).tokens[-1] == 1199
    assert whole.to_pandas()["vocabulary"].tolist() == whole.vocabulary.tolist()


def test_texts_without_growth_or_order_are_refused() -> None:
    with pytest.raises(EstimateError, match="at least 200 tokens; there are 3 in tokens"):
        heaps(["a", "b", "c"])
    with pytest.raises(EstimateError, match="no new word after the first 100 tokens"):
        heaps([1, 2] * 500)
    corpus = Corpus.from_texts(["the cat sat on the mat " * 50])
    with pytest.raises(OptionError, match="lost their order"):
        heaps(corpus.sample(20))
    with pytest.raises(OptionError, match="between 0 and 1"):
        heaps(corpus, level=2)


def test_figures_draw_what_the_results_say() -> None:
    from matplotlib.figure import Figure

    counts = np.random.default_rng(0).zipf(1.9, 2000)
    ranks, fit, law, curve = rank_frequency(counts), fit_zipf(counts), fit_power_law(counts), heaps(counts)
    for result, lines in ((fit, 2), (law, 2), (curve, 2), (ranks, 1)):
        ax = Figure().subplots()
        assert result.plot(ax=ax) is ax
        assert len(ax.lines) == lines
        assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    ax = ranks.plot(ax=Figure().subplots(), fit=fit)
    x, y = ax.lines[0].get_data()
    assert all(ranks.counts[int(r) - 1] == c for r, c in zip(x, y, strict=True))
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert f"least squares, slope {fit.slope:.2f}" in labels
