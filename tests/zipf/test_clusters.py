"""Cluster sizes of worlds whose themes are known, their null models, and errors."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf import cluster_sizes
from lexicloud.zipf.clusters import characteristic_words
from lexicloud.zipf.ranks import size_line
from lexicloud.zipf.sentence_means import (
    NullModel,
    gaussian_points,
    null_model,
    sentence_means,
    shuffled_points,
)
from tests.zipf.themes import WORDS_PER_THEME, theme_corpus

ZIPFIAN = [120, 60, 40, 30, 24, 20]  # 120 / rank


@pytest.fixture(scope="module")
def zipfian():
    return cluster_sizes(theme_corpus(ZIPFIAN), k=6, resamples=10, null_seeds=3)


# ---- sentence means


def test_means_equal_a_loop_over_words():
    text = "The cat sat on the mat. The dog, the dog barked at qqzzxv! Rain fell."
    corpus = Corpus.from_texts([text])
    found = sentence_means(corpus)
    sentences = corpus.sentences()
    for mean, row in zip(found.means, found.rows, strict=True):
        words = [w for w in sentences.tokens(int(row)) if corpus.embedded[w]]
        assert mean == pytest.approx(np.mean([corpus.vectors[w] for w in words], axis=0), abs=1e-5)


def test_repeated_and_unembeddable_sentences_are_counted():
    found = sentence_means(
        Corpus.from_texts({"a": "Rain fell. Snow fell. Rain fell.", "b": "Rain fell. Qqzzxv"})
    )
    assert (len(found), found.n_duplicates) == (2, 2)
    assert found.n_unembeddable == 1
    assert [found.text(i) for i in range(2)] == ["Rain fell.", "Snow fell."]


def test_of_repeated_sentences_the_first_stays_in_its_place():
    found = sentence_means(Corpus.from_texts(["Cats purr. Dogs bark. Cats purr. The rain fell. Dogs bark."]))
    assert found.n_duplicates == 2
    assert [found.text(i) for i in range(len(found))] == ["Cats purr.", "Dogs bark.", "The rain fell."]


def test_a_mask_limits_the_words_of_a_mean():
    corpus = Corpus.from_texts(["The rain fell. The snow."])
    mask = np.array([word in {"rain", "snow"} for word in corpus.vocabulary])
    found = sentence_means(corpus, mask=mask)
    assert found.means[0] == pytest.approx(corpus.vectors[corpus.vocabulary.index("rain")])


def test_refined_vectors_can_be_averaged():
    corpus = Corpus.from_texts(["Rain fell. Snow melted."])
    plain, refined = sentence_means(corpus), sentence_means(corpus, refined=True)
    row = corpus.sentences().tokens(1)
    assert refined.means[1] == pytest.approx(corpus.refined[row].mean(axis=0), abs=1e-5)
    assert not np.allclose(plain.means, refined.means)


def test_sentences_without_texts_are_told_apart_by_their_words():
    sentences = Corpus.from_texts(["Rain fell. Snow fell. Rain fell."]).sentences()
    found = sentence_means(replace(sentences, texts=None))
    assert (len(found), found.n_duplicates) == (2, 1)
    assert found.text(1) == "snow fell ."


# ---- sizes, slope, examples


def test_known_themes_give_their_sizes_and_zipfs_slope(zipfian):
    assert zipfian.sizes.tolist() == ZIPFIAN
    assert zipfian.slope == pytest.approx(-1, abs=1e-9)
    low, high = zipfian.interval
    assert low < -1 < high
    assert high - low < 1


def test_a_corpus_of_sentences_is_taken_as_it_is(zipfian):
    again = cluster_sizes(theme_corpus(ZIPFIAN).sentences(), k=6, resamples=0, null=())
    assert again.sizes.tolist() == zipfian.sizes.tolist()
    assert again.interval is None
    assert again.null == {}
    assert again.summary == "slope -1.00"


def test_labels_follow_the_rank_of_the_clusters(zipfian):
    assert np.bincount(zipfian.labels).tolist() == ZIPFIAN
    assert zipfian.labels[0] == 0
    repeated = cluster_sizes(
        Corpus.from_texts(["Rain fell. Snow fell. Rain fell. Qqzzxv"]), k=2, resamples=0, null=()
    )
    assert repeated.labels[2:].tolist() == [-1, -1]
    assert (repeated.n_sentences, repeated.n_duplicates, repeated.n_unembeddable) == (2, 1, 1)


def test_examples_are_the_nearest_and_the_farthest(zipfian):
    found = sentence_means(theme_corpus(ZIPFIAN))
    texts = [found.text(i) for i in range(len(found))]
    for rank, cluster in enumerate(zipfian.clusters):
        rows = np.flatnonzero(zipfian.labels[found.rows] == rank)
        distances = np.linalg.norm(found.means[rows] - zipfian.centres[rank], axis=1)
        of_text = {texts[i]: distance for i, distance in zip(rows, distances, strict=True)}
        assert cluster.size == len(rows)
        # Sentences of the same words lie at the same place, so distances are compared, not texts.
        assert [of_text[t] for t in cluster.nearest] == pytest.approx(np.sort(distances)[:5], abs=1e-4)
        assert [of_text[t] for t in cluster.farthest] == pytest.approx(np.sort(distances)[::-1][:5], abs=1e-4)
        assert len(cluster.nearest) == len(cluster.farthest) == 5


def test_characteristic_words_are_those_of_the_theme(zipfian):
    for rank, cluster in enumerate(zipfian.clusters):
        assert len(cluster.words) == WORDS_PER_THEME
        assert {word[:6] for word in cluster.words} == {f"theme{'abcdef'[rank]}"}


def test_characteristic_words_equal_the_formula_of_fightin_words():
    """Monroe, Colaresi and Quinn (2008), eqs. 16 and 20 to 22, written out for one word."""
    from scipy import sparse

    counts = np.array([[30, 10, 0], [5, 40, 15]], dtype=np.float32)
    ((word, z), *_) = characteristic_words(sparse.csr_array(counts), np.array([0, 1]), 2)[0]
    prior = 10 * 35 / 100  # a tenth of the 100 tokens
    here = np.log((30 + prior) / (40 + 10 - 30 - prior))
    there = np.log((5 + prior) / (60 + 10 - 5 - prior))
    assert word == 0
    assert z == pytest.approx((here - there) / np.sqrt(1 / (30 + prior) + 1 / (5 + prior)), rel=1e-5)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.7])
def test_the_line_recovers_an_exact_power_law(alpha):
    line = size_line(np.round(1e6 * np.arange(1.0, 40) ** -alpha).astype(np.int64))
    assert line.slope == pytest.approx(-alpha, abs=1e-3)
    assert line.r_squared == pytest.approx(1, abs=1e-5)
    assert line.at(np.array([1]))[0] == pytest.approx(1e6, rel=1e-2)


def test_equal_sizes_lie_on_a_level_line():
    line = size_line(np.array([10, 10, 10]))
    assert (line.slope, line.r_squared) == (0, 1)
    assert line.at(np.array([2]))[0] == pytest.approx(10)


def test_the_line_leaves_empty_clusters_out():
    assert size_line(np.array([0, 50, 100, 0])).slope == pytest.approx(-1)


# ---- null models


def test_the_gaussian_null_has_the_mean_and_covariance_of_the_data():
    found = sentence_means(theme_corpus([400, 300, 300]))
    points = np.concatenate([gaussian_points(found, np.random.default_rng(i)) for i in range(40)])
    scale = np.sqrt(np.trace(np.cov(found.means, rowvar=False)))
    assert points.mean(axis=0) == pytest.approx(found.means.mean(axis=0), abs=0.02 * scale)
    error = np.cov(points, rowvar=False) - np.cov(found.means, rowvar=False)
    assert np.abs(error).max() < 0.03 * scale**2


def test_the_shuffled_null_keeps_every_word_and_every_length(monkeypatch):
    from lexicloud.zipf import sentence_means as module

    seen = []
    original = module.mean_vectors
    monkeypatch.setattr(
        module, "mean_vectors", lambda rows, *rest: seen.append(rows) or original(rows, *rest)
    )
    found = sentence_means(
        Corpus.from_texts(["Rain fell on the old roof. Snow melted. The dog barked at me."])
    )
    shuffled_points(found, np.random.default_rng(0))
    before, after = found.counts(), seen[-1]
    assert np.array_equal(before.sum(axis=0), after.sum(axis=0))
    assert np.array_equal(before.sum(axis=1), after.sum(axis=1))
    assert not np.array_equal(before.toarray(), after.toarray())


def test_themes_vanish_in_the_null_models(zipfian):
    """The themes' slope is −1 by construction; a Gaussian or mixed-up words have no reason to give it."""
    assert sorted(zipfian.null) == ["gaussian", "shuffled"]
    for model in zipfian.null.values():
        assert len(model.slopes) == 3
        assert model.slopes.std() > 0
        assert model.spread == pytest.approx(model.slopes.std(ddof=1))
        assert model.slope > -0.8
    assert "null models: gaussian -0." in zipfian.summary


def test_the_verdict_compares_with_each_null_model():
    model = NullModel("gaussian", np.array([-0.5, -0.3]), np.array([[3, 2], [3, 2]]))  # −0.4 ± 0.14
    found = cluster_sizes(theme_corpus([20, 10]), k=2, resamples=0, null=())
    assert "no null model" in found.verdict
    steep = replace(found, line=replace(found.line, slope=-1.0), null={"gaussian": model})
    assert steep.verdict == "steeper than the gaussian null model's"
    flat = replace(steep, line=replace(found.line, slope=0.0), null={"gaussian": model, "shuffled": model})
    assert flat.verdict == "flatter than the gaussian null model's and flatter than the shuffled null model's"
    wide = replace(steep, interval=(-2.0, 0.0))  # a standard error of 0.51
    assert wide.verdict == "no different from the gaussian null model's"


def test_a_single_seed_has_no_spread():
    assert null_model(sentence_means(theme_corpus([20, 10])), "gaussian", 3, seeds=1).spread == 0


def test_the_seed_decides_everything():
    corpus = theme_corpus([30, 20, 10])
    one, two = (cluster_sizes(corpus, k=5, seed=7, resamples=3, null_seeds=2) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    assert cluster_sizes(corpus, k=5, seed=8, resamples=3, null_seeds=2).to_dict() != one.to_dict()


# ---- bad input


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 1}, OptionError, "choose k ≥ 2"),
        (
            {"k": 99},
            EstimateError,
            "k = 99 clusters but only 30 distinct sentences with a vector: choose k ≤ 30",
        ),
        ({"k": 3, "resamples": 1}, OptionError, "at least 2"),
        ({"k": 3, "null": ("uniform",)}, OptionError, "unknown null model 'uniform': choose from gaussian"),
        ({"k": 3, "null_seeds": 0}, OptionError, "at least one seed"),
    ],
)
def test_impossible_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        cluster_sizes(theme_corpus([20, 10]), **options)


def test_nothing_embedded_is_an_error():
    with pytest.raises(EstimateError, match="none of the 2 sentences has a word with a vector"):
        cluster_sizes(Corpus.from_texts(["Qqzzxv zzqqvx. Xxvvqz qqzzxv"], vectors=_unrelated()), k=2)


def test_an_unknown_null_model_is_named():
    with pytest.raises(OptionError, match="gaussian or shuffled"):
        null_model(sentence_means(theme_corpus([20, 10])), "uniform", 3)


def test_one_size_has_no_slope():
    with pytest.raises(EstimateError, match="one cluster"):
        size_line(np.array([10, 0]))


def _unrelated():
    from tests.zipf.themes import theme_vectors

    return theme_vectors(2)


# ---- showing and keeping


def test_results_can_be_drawn_and_kept(zipfian):
    from matplotlib.figure import Figure

    ax = zipfian.plot(ax=Figure().subplots())
    assert ax.lines[0].get_ydata().tolist() == ZIPFIAN
    labels = " ".join(text.get_text() for text in ax.get_legend().get_texts())
    assert "slope -1.00" in labels
    assert "Gaussian null" in labels
    assert "shuffled-words null" in labels
    kept = json.loads(json.dumps(zipfian.to_dict()))
    assert kept["sizes"] == ZIPFIAN
    assert len(kept["null"]["gaussian"]["slopes"]) == 3
    assert len(kept["clusters"][0]["nearest"]) == 5
    table = zipfian.to_pandas()
    assert table["size"].tolist() == ZIPFIAN
    assert "themeaword" in table["words"][0]
    assert zipfian.conclusion in zipfian._repr_html_()
