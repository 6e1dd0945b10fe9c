"""DivergenceMatrix: what it keeps, adding documents, clustering, maps and figures."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster

from lexicloud.corpus import Corpus
from lexicloud.divergences import DivergenceMatrix, divergence_matrix, standardise
from lexicloud.divergences.matrix import divergence_matrices
from lexicloud.errors import CorpusError, EstimateError, OptionError, UnknownDocument
from tests.divergences.corpora import corpus, texts, vectors

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")


def plane(points: np.ndarray) -> DivergenceMatrix:
    """A matrix of true distances between points, whose map must give the points back."""
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    return DivergenceMatrix(distances, tuple(f"d{i}" for i in range(len(points))), "knn")


class TestGeometry:
    def test_map_recovers_points_of_the_plane(self):
        points = np.random.default_rng(0).normal(size=(9, 2))
        found = plane(points).coordinates(raw=True)
        distances = np.linalg.norm(found[:, None] - found[None], axis=2)
        np.testing.assert_allclose(distances, plane(points).values, atol=1e-9)

    def test_tree_separates_two_groups(self):
        points = np.concatenate([np.zeros((4, 2)), np.full((3, 2), 9.0)]) + np.random.default_rng(0).normal(
            size=(7, 2)
        )
        groups = fcluster(plane(points).linkage(), 2, "maxclust")
        assert len(set(groups[:4])) == len(set(groups[4:])) == 1
        assert groups[0] != groups[-1]

    def test_distances_are_symmetric_and_never_negative(self):
        matrix = DivergenceMatrix(
            np.array([[0.3, -0.2, 1.0], [0.4, 0.1, 0.2], [0.0, -0.9, 0.5]]), ("a", "b", "c"), "knn"
        )
        distances = matrix.distances()
        np.testing.assert_array_equal(distances, distances.T)
        assert (distances >= 0).all()
        assert (np.diag(distances) == 0).all()

    def test_nearest(self):
        matrix = DivergenceMatrix(np.array([[0, 3.0, 1], [2, 0, 5], [1, 1, 0]]), ("a", "b", "c"), "knn")
        assert matrix.nearest("a", 2, raw=True) == (("c", 1.0), ("b", 3.0))
        assert matrix.nearest("c", raw=True) == (
            ("a", 1.0),
            ("b", 1.0),
        )  # equals stand in the order of the documents
        with pytest.raises(UnknownDocument, match="no document named 'd'"):
            matrix.nearest("d")

    def test_ranking_is_standardised_unless_raw_is_asked_for(self):
        """The last text is near to everybody in nats, and so not especially near to anybody."""
        nats = np.random.default_rng(0).uniform(3, 6, (9, 9))
        nats[:, 8] -= 2.9
        matrix = DivergenceMatrix(nats, (*"abcdefgh", "hub"), "knn")
        assert matrix.nearest("a", 1, raw=True)[0][0] == "hub"
        assert matrix.nearest("a", 1)[0][0] != "hub"
        assert matrix.nearest("a", 1)[0][1] == pytest.approx(standardise(nats)[0, 1:].min())
        np.testing.assert_allclose(matrix.standardise().values, standardise(nats))
        assert matrix.standardise().nearest("a") == matrix.nearest("a")

    def test_few_texts_stay_raw(self):
        matrix = DivergenceMatrix(np.array([[0, 3.0], [1.0, 0]]), ("a", "b"), "knn")
        assert matrix.nearest("a") == (("b", 3.0),)

    def test_heat_map_says_which_it_shows(self):
        matrix = divergence_matrix(corpus(8), method="knn")
        labels = [matrix.plot(raw=raw).images[0].colorbar.ax.get_ylabel() for raw in (False, True)]
        assert labels[0].startswith("standardised")
        assert labels[1].startswith("raw")

    def test_the_colours_of_a_standardised_heat_map_are_even_around_the_usual(self):
        image = divergence_matrix(corpus(8), method="knn").plot().images[0]
        assert image.norm.vmin == -image.norm.vmax

    def test_a_small_heat_map_has_its_values_written_in(self):
        matrix = divergence_matrix(corpus(3), method="knn")
        written = sorted(t.get_text() for t in matrix.plot().texts)
        off = ~np.eye(3, dtype=bool)
        assert written == sorted(f"{v:.2f}" for v in matrix.values[off])

    def test_the_scale_of_the_tree_is_that_of_the_values(self):
        """Distances start at zero, values of the closest pair below it: what is written is the value."""
        matrix = divergence_matrix(corpus(9), method="knn").standardise()
        ax = matrix.dendrogram()
        last = max(float(line[:, 0].max()) for line in ax.collections[-1].get_segments())
        places, texts = ax.get_xticks(), [t.get_text() for t in ax.get_xticklabels()]
        slope, start = np.polyfit(places, [float(text) for text in texts], 1)
        assert slope == pytest.approx(1)
        assert start + last == pytest.approx(matrix.moved() + matrix.linkage()[:, 2].max(), abs=1e-6)


class TestOut:
    def test_csv_pandas_and_json(self, tmp_path):
        matrix = divergence_matrix(corpus(3), method="knn")
        matrix.to_csv(tmp_path / "m.csv")
        with (tmp_path / "m.csv").open() as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["document", "a", "b", "c"]
        assert [float(v) for v in rows[2][1:]] == matrix.values[1].tolist()
        assert matrix.to_pandas().loc["b", "c"] == matrix.values[1, 2]
        plain = json.loads(json.dumps(matrix.to_dict()))
        assert plain["values"] == matrix.values.tolist()
        assert plain["options"]["k"] == 3
        assert "source" not in plain

    def test_heat_map_dendrogram_and_map_show_every_document_once(self):
        c = corpus(5)
        matrix = divergence_matrix(c, method="knn", symmetric=True)
        heat = matrix.plot(raw=True)
        names = [t.get_text() for t in heat.get_yticklabels()]
        assert sorted(names) == sorted(c.names)
        order = [c.names.index(n) for n in names]
        shown = np.asarray(heat.images[0].get_array().filled(np.nan))
        expected = matrix.values[np.ix_(order, order)]
        off = ~np.eye(5, dtype=bool)
        np.testing.assert_allclose(shown[off], expected[off])
        assert sorted(t.get_text() for t in matrix.dendrogram().get_yticklabels()) == sorted(c.names)
        assert sorted(t.get_text() for t in matrix.map().texts) == sorted(c.names)

    def test_axes_that_are_given_are_used(self):
        from matplotlib.figure import Figure

        ax = Figure().subplots()
        assert divergence_matrix(corpus(3), method="knn").map(ax=ax) is ax

    def test_html_escapes_and_summarises(self):
        small = DivergenceMatrix(np.zeros((2, 2)), ("<x>", "b"), "knn")
        assert "&lt;x&gt;" in small._repr_html_()
        assert "<x>" not in small._repr_html_()
        assert "nats" in small._repr_html_()
        large = DivergenceMatrix(np.zeros((200, 200)), tuple(map(str, range(200))), "knn")
        assert "… and 160 more" in large._repr_html_()
        assert "<img" not in large._repr_html_()


class TestBad:
    def test_out_of_vocabulary_documents(self):
        c = Corpus.from_texts({**texts(2), "alien": "zzq qqz zqz the", "one": "w1"}, vectors=vectors())
        with pytest.raises(
            EstimateError, match="none of the 4 tokens of document 'alien' can be used by method 'knn'"
        ):
            divergence_matrix(c, method="knn")
        kept = divergence_matrix(c, method="knn", skip_bad=True)
        assert kept.names == ("a", "b")
        assert {s.name: s.reason.split(":")[0] for s in kept.skipped}["one"] == (
            "k = 3 but document 'one' has only 1 distinct words"
        )
        with pytest.raises(CorpusError, match="at least two documents, but only 1"):
            divergence_matrix(c.subset(["a", "alien"]), method="knn", skip_bad=True)

    def test_a_sample_names_what_was_too_short(self):
        c = Corpus.from_texts({**texts(2, tokens=200), "short": "w1 w2 w3 w4 w5"}, vectors=vectors())
        matrix = divergence_matrix(c, method="knn", sample=100)
        assert [(s.name, s.reason) for s in matrix.skipped] == [("short", "shorter than the sample")]

    def test_no_k_at_all_is_a_mistake(self):
        with pytest.raises(OptionError, match="no k is given"):
            divergence_matrices(corpus(2), ())
