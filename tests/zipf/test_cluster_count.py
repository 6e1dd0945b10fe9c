"""The sweep over k, and the automatic choice of k."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf import choose_k, cluster_sizes, sweep_clusters
from lexicloud.zipf.cluster_count import first_level
from tests.zipf.themes import theme_corpus


@pytest.fixture(scope="module")
def corpus():
    return theme_corpus([40, 30, 20, 10])


def test_a_sweep_holds_the_slopes_that_single_runs_give(corpus):
    sweep = sweep_clusters(corpus, k=6, spread=2, step=2, seeds=(0, 5), null_seeds=(0,))
    assert sweep.ks == (4, 6, 8)
    assert sweep.slopes.shape == (3, 2)
    for row, k in enumerate(sweep.ks):
        for column, seed in enumerate(sweep.seeds):
            single = cluster_sizes(corpus, k=k, seed=seed, resamples=0, null=())
            assert sweep.slopes[row, column] == single.slope
    assert {name: slopes.shape for name, slopes in sweep.null.items()} == {
        "gaussian": (3, 1),
        "shuffled": (3, 1),
    }
    assert sweep.spread == pytest.approx(sweep.slopes.std(axis=1, ddof=1))


def test_the_papers_range_is_the_default(corpus):
    sweep = sweep_clusters(corpus, k=35, seeds=(0,), null=())
    assert sweep.ks == (15, 20, 25, 30, 35, 40, 45, 50, 55)
    assert sweep.spread.tolist() == [0] * 9
    assert sweep.null == {}


def test_impossible_numbers_of_clusters_are_skipped_and_named(corpus):
    sweep = sweep_clusters(corpus, k=4, spread=6, step=2, seeds=(0,), null=())
    assert sweep.ks == (2, 4, 6, 8, 10)
    assert sweep.skipped == (-2, 0)
    assert sweep_clusters(corpus, k=99, spread=2, step=1, seeds=(0,), null=()).skipped == (101,)


def test_a_sweep_can_be_drawn_and_kept(corpus):
    from matplotlib.figure import Figure

    sweep = sweep_clusters(corpus, k=4, spread=1, step=1, seeds=(0, 1), null_seeds=(0,))
    ax = sweep.plot(ax=Figure().subplots())
    assert ax.lines[0].get_ydata().tolist() == sweep.mean.tolist()
    assert "Zipf's law" in {line.get_label() for line in ax.lines}
    assert json.loads(json.dumps(sweep.to_dict()))["ks"] == [3, 4, 5]
    assert sweep.to_pandas().loc[4, "gaussian"] == sweep.null["gaussian"][1].mean()
    assert "shuffled" in sweep._repr_html_()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"step": 0}, OptionError, "step at least 1"),
        ({"spread": -1}, OptionError, "spread is at least 0"),
        ({"seeds": ()}, OptionError, "at least one seed"),
        ({"null_seeds": ()}, OptionError, "at least one seed"),
        ({"null": ("uniform",)}, OptionError, "choose from gaussian, shuffled"),
        ({"k": 1}, OptionError, "choose k ≥ 2"),
        ({"k": 200}, EstimateError, "k = 200 clusters but only 100"),
    ],
)
def test_impossible_sweeps_are_refused(corpus, options, error, message):
    with pytest.raises(error, match=message):
        sweep_clusters(corpus, **{"k": 5, **options})


def test_the_gap_finds_four_themes_far_apart(corpus):
    choice = choose_k(corpus, candidates=range(2, 9))
    assert choice.k == 4
    assert "gap to the Gaussian" in choice.reason


def test_candidates_are_made_up_where_none_are_given(corpus):
    choice = choose_k(corpus)
    assert min(choice.ks) == 5
    assert max(choice.ks) <= 100 // 10
    assert choice.n_sentences == choice.n_used == 100


def test_a_sample_is_enough(corpus):
    choice = choose_k(corpus, candidates=(2, 3, 4, 5, 6), sample=60)
    assert (choice.n_sentences, choice.n_used, choice.k) == (100, 60, 4)


def test_the_gap_rule_says_when_nothing_stands_out():
    best, why = first_level(np.array([0.1, 0.5, 0.9]), np.full(3, 0.01))
    assert best == 2
    assert "none stands out" in why


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"candidates": (2, 3)}, OptionError, "at least 3"),
        ({"candidates": (1, 2, 3)}, OptionError, "choose k ≥ 2"),
        ({"candidates": (2, 3, 500)}, EstimateError, "k = 500 but only 100 sentences"),
    ],
)
def test_impossible_choices_are_refused(corpus, options, error, message):
    with pytest.raises(error, match=message):
        choose_k(corpus, **options)


def test_a_choice_can_be_drawn_and_kept(corpus):
    from matplotlib.figure import Figure

    choice = choose_k(corpus, candidates=(2, 3, 4))
    ax = choice.plot(ax=Figure().subplots())
    assert ax.get_legend().get_texts()[0].get_text() == f"k = {choice.k}"
    assert json.loads(json.dumps(choice.to_dict()))["k"] == choice.k
    assert choice.to_pandas().index.tolist() == [2, 3, 4]
    assert choice.reason in choice._repr_html_()
