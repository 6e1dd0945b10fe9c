"""Projections: exact where theory is exact, faithful where it is not, and complete as pages."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.plane.layout import landmark_mds, principal_plane, tsne
from lexicloud.zipf import project_words
from tests.zipf.themes import WORDS_PER_THEME, theme_corpus

METHODS = ["tsne", "pca", "mds"]


@pytest.fixture(scope="module")
def themes():
    return theme_corpus([60, 60, 60])


def distances(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def stress(wanted: np.ndarray, layout: np.ndarray) -> float:
    """The share of the squared distances that a layout gets wrong (Kruskal's stress-1, squared)."""
    return float(((wanted - distances(layout)) ** 2).sum() / (wanted**2).sum())


@pytest.mark.parametrize("method", METHODS)
def test_words_of_a_theme_stay_together(themes, method):
    """The contract of every method: far-off groups come out as groups."""
    projection = project_words(themes, method, tags=["noun"] * len(themes.vocabulary))
    assert len(projection) == 3 * WORDS_PER_THEME
    theme = np.array([word[5] for word in projection.words])
    apart = distances(projection.coordinates)
    np.fill_diagonal(apart, np.inf)
    assert (theme[apart.argmin(axis=1)] == theme).all()
    assert projection.method == method
    assert projection.notes


@pytest.mark.parametrize("method", METHODS)
def test_a_projection_repeats_itself(themes, method):
    tags = ["verb"] * len(themes.vocabulary)
    one, two = (project_words(themes, method, seed=3, tags=tags).coordinates for _ in range(2))
    assert one == pytest.approx(two, rel=1e-6, abs=1e-6)


def test_pca_equals_scikit_learns_up_to_sign():
    from sklearn.decomposition import PCA

    points = np.random.default_rng(0).standard_normal((200, 8)) * np.arange(1, 9)
    plane, shares = principal_plane(points)
    oracle = PCA(2).fit(points)
    assert np.abs(plane) == pytest.approx(np.abs(oracle.transform(points)), abs=1e-8)
    assert shares == pytest.approx(oracle.explained_variance_ratio_)


def test_one_dimensional_vectors_lie_on_a_line():
    plane, shares = principal_plane(np.array([[1.0], [2.0], [4.0]]))
    assert plane[:, 1].tolist() == [0, 0, 0]
    assert shares.tolist() == [1, 0]


@pytest.mark.parametrize("landmarks", [500, 40])
def test_mds_recovers_points_that_lie_in_a_plane(landmarks):
    """Whether all points are landmarks or only 40 of 200: planar distances can be kept exactly."""
    rng = np.random.default_rng(1)
    flat = rng.standard_normal((200, 2)) @ np.linalg.qr(rng.standard_normal((9, 2)))[0].T
    layout = landmark_mds(flat.astype(np.float32), landmarks=landmarks)
    assert distances(layout) == pytest.approx(distances(flat), abs=0.02)


def test_mds_keeps_distances_better_than_pca_and_as_well_as_scikit_learn():
    from sklearn.metrics import pairwise_distances

    points = np.random.default_rng(2).standard_normal((150, 10)).astype(np.float32)
    wanted = pairwise_distances(points.astype(np.float64))
    ours = stress(wanted, landmark_mds(points))
    assert ours < 0.6 * stress(wanted, principal_plane(points)[0])
    assert ours < 1.05 * stress(wanted, _smacof(wanted))


def _smacof(wanted: np.ndarray) -> np.ndarray:
    """Write scikit-learn's update (Borg and Groenen, 1997) out point by point, from a random start."""
    n = len(wanted)
    x = np.random.default_rng(0).standard_normal((n, 2))
    for _ in range(200):
        between = distances(x)
        between[between == 0] = 1e-5
        b = -wanted / between
        np.fill_diagonal(b, 0)
        np.fill_diagonal(b, -b.sum(axis=1))
        x = b @ x / n
    return x


def test_landmarks_serve_the_other_points_almost_as_well():
    points = np.random.default_rng(3).standard_normal((400, 8)).astype(np.float32)
    wanted = distances(points.astype(np.float64))
    full, few = (stress(wanted, landmark_mds(points, landmarks=m)) for m in (400, 100))
    assert full < few < 1.35 * full


def test_the_most_frequent_words_come_first_and_the_rest_is_counted():
    corpus = Corpus.from_texts(["sea sea sea ship ship sail rope, deck mast … qqzzxv"])
    projection = project_words(corpus, "pca", n=4, tags=["noun"] * len(corpus.vocabulary))
    assert projection.words[:2] == ("sea", "ship")
    assert projection.counts.tolist() == [3, 2, 1, 1]
    assert projection.n_left_out == 2  # of six words: punctuation and the word without a vector never counted
    assert set(projection.words) <= {"sea", "ship", "sail", "rope", "deck", "mast"}


def test_parts_follow_the_words():
    corpus = Corpus.from_texts(["she sees the old ship sail slowly"])
    projection = project_words(corpus, "pca")
    assert dict(zip(projection.words, projection.parts, strict=True))["she"] == "pronoun"
    assert projection.tagger == "textblob"
    partial = project_words(corpus, "pca", tags={"ship": "noun"})
    assert sorted(set(partial.parts)) == ["noun", "other"]


def test_tsne_works_from_the_exact_neighbours_of_many_words():
    """A thousand words in ten groups; nearly all keep a nearest neighbour of their own group."""
    from lexicloud.neighbours import Neighbours

    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(10), 100)
    points = (8 * rng.standard_normal((10, 20))[group] + rng.standard_normal((1000, 20))).astype(np.float32)
    table = Neighbours.build(points, 90)
    layout = tsne(points, table.ids, table.distances)
    apart = distances(layout)
    np.fill_diagonal(apart, np.inf)
    assert (group[apart.argmin(axis=1)] == group).mean() > 0.98


def test_an_unknown_projection_is_named(themes):
    with pytest.raises(OptionError, match="unknown projection 'umap': choose from tsne, pca, mds"):
        project_words(themes, "umap")


def test_too_few_words_are_an_error(themes):
    with pytest.raises(EstimateError, match="only 3 words with a vector"):
        project_words(Corpus.from_texts(["cats chase mice, qqzzxv!"]), "pca")
    with pytest.raises(OptionError, match="n = 2: a projection needs at least 4 words"):
        project_words(themes, "pca", n=2)


def test_the_page_holds_every_word_and_needs_nothing_else(themes, tmp_path):
    projection = project_words(
        themes, "pca", tags=["noun", "verb"] * (len(themes.vocabulary) // 2) + ["other"]
    )
    page = projection.page(tmp_path / "words.html").read_text(encoding="utf-8")
    assert all(word in page for word in projection.words)
    assert page.count("window.lexicloudMap = ") == 1
    assert 'src="http' not in page
    assert len(page) < 1_000_000


def test_the_figure_is_coloured_by_part(themes):
    from matplotlib.colors import to_hex
    from matplotlib.figure import Figure

    from lexicloud.say.figures import PARTS_OF_SPEECH

    tags = {word: "noun" if word.startswith("themea") else "verb" for word in themes.vocabulary}
    ax = project_words(themes, "pca", tags=tags).plot(ax=Figure().subplots())
    drawn = {to_hex(c.get_facecolor()[0]): len(c.get_offsets()) for c in ax.collections}
    assert drawn == {
        PARTS_OF_SPEECH["noun"].lower(): WORDS_PER_THEME,
        PARTS_OF_SPEECH["verb"].lower(): 2 * WORDS_PER_THEME,
    }


def test_results_can_be_kept(themes):
    projection = project_words(themes, "pca", tags=["noun"] * len(themes.vocabulary))
    kept = json.loads(json.dumps(projection.to_dict()))
    assert kept["words"] == list(projection.words)
    assert kept["coordinates"] == pytest.approx(projection.coordinates, abs=1e-3)
    assert projection.to_pandas()["x"].tolist() == projection.coordinates[:, 0].tolist()
    assert "24 most frequent words on a plane" in projection._repr_html_()
