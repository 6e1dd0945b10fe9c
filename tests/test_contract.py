"""The public names that others rely on, each used as it is promised, and what they say to wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import lexicloud as lc
from lexicloud.errors import LexicloudWarning, OptionError
from lexicloud.neighbours import Neighbours
from tests.texts import TEXTS

WORDS = [
    *("sea", "ship", "whale", "boat", "storm", "sail", "garden", "tea", "lady", "letter"),
    *("horse", "field", "road", "house", "rain", "sun", "cake", "bread"),
]


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(0)
    return lc.WordVectors.from_dict({word: rng.normal(size=6) for word in WORDS})


@pytest.fixture(scope="module")
def corpus(vectors):
    rng = np.random.default_rng(1)
    texts = {}
    for name in ("a", "b", "c"):
        words = rng.choice(WORDS, 300, p=rng.dirichlet(np.ones(len(WORDS))))
        texts[name] = " ".join(" ".join(words[i : i + 6]).capitalize() + "." for i in range(0, 300, 6))
    return lc.Corpus.from_texts(texts, vectors=vectors)


def test_text_and_corpus(corpus):
    assert lc.text.tokenize("The sea, the ship.") == ["The", "sea", ",", "the", "ship", "."]
    assert lc.text.split_sentences("One sea. Two ships.") == ["One sea.", "Two ships."]
    assert sparse.issparse(corpus.counts)
    assert corpus.counts.format == "csr"
    assert corpus.vectors.shape == (len(corpus.vocabulary), 6)
    assert corpus.embedded.dtype == corpus.stopwords.dtype == bool
    assert corpus.sample(200, seed=0).lengths.tolist() == [200, 200, 200]
    assert len(corpus.sentences()) == 150


@pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")  # tiny samples may go below zero
def test_divergence_of_clouds_and_documents(corpus):
    rng = np.random.default_rng(2)
    X, Y = rng.normal(size=(500, 2)), rng.normal(1, 1, size=(500, 2))
    assert lc.knn_divergence(X, Y, k=3, alpha=1.0) == lc.knn_divergence(X, Y, 3, 1.0)
    found = lc.divergence(corpus, "a", "b", method="knn", k=3, alpha=1.0)
    low, high = found.interval
    assert low < found.value < high
    assert found.words[0].word in WORDS
    matrix = lc.divergence_matrix(corpus, method="smoothed")
    assert matrix.values.shape == (3, 3)
    assert tuple(matrix.to_pandas().columns) == matrix.names == corpus.names


def test_matrices_and_fits_draw_on_given_axes(corpus):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert lc.divergence_matrix(corpus).plot(ax=ax) is ax
    assert lc.rank_frequency(corpus).plot(ax=Figure().subplots()).lines


def test_classifier(corpus, vectors):
    texts = [text for text in corpus.texts for _ in range(2)]
    model = lc.DivergenceClassifier(method="smoothed", rule="nearest", vectors=vectors)
    assert model.fit(texts, list("aabbcc")).predict(texts[:1]).tolist() == ["a"]
    assert lc.leave_one_out is lc.authorship.leave_one_out
    with pytest.raises(OptionError, match="training text 1 has no label"):
        model.fit(texts, [1.0, float("nan"), 1.0, 2.0, 2.0, 2.0])
    with pytest.raises(OptionError, match="all 6 texts have the label 'a'"):
        model.fit(texts, list("aaaaaa"))


def test_zipf(corpus):
    fit = lc.fit_zipf(lc.rank_frequency(corpus).counts)
    assert fit.slope < 0
    assert {"alpha", "beta"} <= set(vars(fit))
    # All words of the table count, the full stop too.
    assert lc.fit_zipf(corpus.counts).slope == lc.fit_zipf(corpus.totals).slope
    purity = lc.part_of_speech_purity(corpus, k=(3, 5))
    assert (purity.k, len(purity.percent), 0 <= purity.chance <= 100) == ((3, 5), 2, True)
    sizes = lc.cluster_sizes(corpus, k=4)
    assert (sizes.sizes.sum() <= 150, sizes.slope <= 0, set(sizes.null) > set()) == (True, True, True)


def test_search(vectors, tmp_path):
    index = lc.SentenceIndex.build(
        [("x", "The ship and the whale in the sea."), ("y", "A lady took tea and cake.")]
    )
    found = index.search("boat on the ocean", method="setcover", top=5, r=10, rho=0.5)
    assert (found[0].id, found[0].text[:8]) == ("x", "The ship")
    assert found[0].score > 0
    assert {m.word for m in found[0].matches} >= {"ship", "sea"}
    index.save(tmp_path / "index")
    assert lc.SentenceIndex.open(tmp_path / "index").search("boat")[0].id == "x"
    assert lc.variety({"setcover": found, "bm25": index.search("the sea", method="bm25")}).queries == 1


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ({"top": 2.5}, "top must be a whole number, not 2.5"),
        ({"top": "5"}, "top must be a whole number, not '5'"),
        ({"top": True}, "top must be a whole number"),
        ({"r": 1.5}, "r must be a whole number"),
        ({"rho": "x"}, "rho must be a number, not 'x'"),
        ({"rho": float("inf")}, "rho = inf, but it must be finite"),
        ({"keep": float("nan")}, "keep = nan, but it must be at least 0"),
        ({"colour": 1}, "no option colour of a search"),
    ],
)
def test_wrong_options_of_a_search_are_named(option, says, vectors):
    index = lc.SentenceIndex.build(["the sea and the ship"], vectors=vectors)
    with pytest.raises(OptionError, match=says):
        index.search("sea", **option)


def test_what_is_no_corpus_is_refused_in_words():
    for call in (
        lambda: lc.divergence(TEXTS, "a", "b"),
        lambda: lc.divergence_matrix(TEXTS),
        lambda: lc.word_shift(TEXTS, "a", "b"),
        lambda: lc.part_of_speech_purity(TEXTS),
        lambda: lc.cluster_sizes(TEXTS),
    ):
        with pytest.raises(OptionError, match="a Corpus is needed, not a dict"):
            call()


def test_other_wrong_arguments_are_refused_in_words(corpus):
    for call, says in (
        (lambda: corpus.sample(2.5), "a whole number of tokens"),
        (lambda: corpus.sample(10, seed=-1), "seed must be a whole number"),
        (lambda: Neighbours.of(corpus, k=-1), "at least 1, not -1"),
        (lambda: Neighbours.of(corpus, k=0), "at least 1, not 0"),
        (lambda: lc.cluster_sizes(corpus, k=2.5), "a whole number, not 2.5"),
        (lambda: lc.variety([1]), "suggestions is a list"),
        (lambda: lc.SentenceIndex.build(3), "sentences is a int"),
        (lambda: lc.load_vectors({"sea": [1, 2]}), "WordVectors.from_dict"),
    ):
        with pytest.raises(OptionError, match=says):
            call()


def test_a_saved_corpus_refuses_what_was_settled_before(corpus, tmp_path):
    corpus.save(tmp_path / "saved")
    with pytest.raises(OptionError, match="label cannot be chosen"):
        lc.Corpus.from_folder(tmp_path / "saved", label="@name")
    assert lc.Corpus.from_folder(tmp_path / "saved").names == corpus.names


def test_delta_of_two_texts_alone_is_explained(corpus):
    two = corpus.subset(["a", "b"])
    assert lc.divergence(two, "a", "b", method="delta").background == "reference books of the language"
    with pytest.warns(LexicloudWarning, match="two texts alone") as warned:
        lc.divergence_matrix(two, method="delta")
    assert warned[0].filename == __file__
