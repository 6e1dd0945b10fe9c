"""drift and segment: changes that were put there are found there, and texts by one hand have none."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lexicloud.authorship import drift
from lexicloud.authorship.drift import block_counts, block_size, contrast, limits_of, scaled_blocks, segment
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence
from lexicloud.errors import EstimateError, OptionError, UnknownDocument
from lexicloud.vectors import WordVectors
from tests.divergences.corpora import vectors

pytestmark = pytest.mark.filterwarnings("ignore::lexicloud.errors.LexicloudWarning")


def hand(seed: int, tokens: int, stretch: range) -> str:
    rng = np.random.default_rng(seed)
    return " ".join(f"w{i}" for i in rng.choice(list(stretch), tokens))


@pytest.fixture(scope="module")
def play() -> Corpus:
    """A play by two hands: the second takes over at token 700."""
    text = f"{hand(0, 700, range(40))} {hand(1, 500, range(20, 60))}"
    return Corpus.from_texts(
        {"play": text, "first": hand(2, 800, range(40)), "second": hand(3, 800, range(20, 60))},
        vectors=vectors(),
    )


@pytest.mark.parametrize("method", ["categorical", "jensen-shannon"])
def test_finds_the_change_of_hand(play, method):
    assert drift(play, "play", window=200, step=50, method=method).change == pytest.approx(700, abs=20)


def test_finds_the_change_of_theme_by_meaning():
    """The two halves share a vocabulary in part, but the words of each lie in a region of their own."""
    table = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)
    table[:, 0] += np.arange(60) / 4
    text = f"{hand(0, 600, range(35))} {hand(1, 600, range(25, 60))}"
    c = Corpus.from_texts({"play": text}, vectors=WordVectors([f"w{i}" for i in range(60)], table, "line"))
    assert drift(c, "play", window=200, step=50, method="knn", k=3).change == pytest.approx(600, abs=50)


def test_windows_are_nearest_to_the_hand_that_wrote_them(play):
    found = drift(play, "play", window=200, step=100, reference=["first", "second"], method="categorical")
    assert found.values.shape == (2, len(found.positions))
    nearest = dict(zip(found.positions.tolist(), found.labels, strict=True))
    assert {nearest[p] for p in (100, 200, 300, 400, 500)} == {"first"}
    assert {nearest[p] for p in (900, 1000, 1100)} == {"second"}


def test_values_are_divergences_of_the_windows(play):
    found = drift(play, "play", window=300, step=300, reference="first", method="jensen-shannon")
    words = play.texts[0].split()
    pieces = {str(i): " ".join(words[i : i + 300]) for i in range(0, 1200, 300)}
    c = Corpus.from_texts({**pieces, "first": play.texts[1]}, vectors=vectors())
    expected = [divergence(c, str(i), "first", method="jensen-shannon").value for i in range(0, 1200, 300)]
    np.testing.assert_allclose(found.values[0], expected, atol=1e-12)
    assert found.positions.tolist() == [150, 450, 750, 1050]


def test_rest_leaves_the_window_out_and_whole_does_not(play):
    rest, whole = (
        drift(play, "play", window=300, step=300, reference=r, method="jensen-shannon")
        for r in ("rest", "whole")
    )
    words = play.texts[0].split()
    c = Corpus.from_texts({"w": " ".join(words[:300]), "r": " ".join(words[300:])}, vectors=vectors())
    assert rest.values[0, 0] == pytest.approx(divergence(c, "w", "r", method="jensen-shannon").value)
    assert (whole.values < rest.values).all()


def test_figure_and_json(play):
    found = drift(play, "play", window=300, step=100, method="categorical")
    ax = found.plot()
    assert ax.lines[0].get_ydata().tolist() == found.values[0].tolist()
    assert json.loads(json.dumps(found.to_dict()))["change"] == found.change
    assert f"{found.change:,}" in found._repr_html_()


def test_bad_input(play):
    with pytest.raises(
        EstimateError, match="has 1,200 tokens, but two windows need 8,000: use a smaller window"
    ):
        drift(play, "play", method="categorical")
    with pytest.raises(EstimateError, match=r"a window of 5 tokens of 'play' has only \d distinct words"):
        drift(play, "play", window=5, step=5, method="knn", k=10)
    with pytest.raises(UnknownDocument, match="'third'"):
        drift(play, "play", window=100, reference="third", method="categorical")
    with pytest.raises(OptionError, match="no reference is given"):
        drift(play, "play", window=100, reference=[], method="categorical")
    with pytest.raises(OptionError, match="window must be a whole number of at least 1, not 0"):
        drift(play, "play", window=0)


def rows(*parts: tuple[int, float], columns: int = 100, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    signs = rng.choice([-1, 1], columns)
    return np.concatenate([rng.normal(size=(n, columns)) + shift * signs for n, shift in parts])


class TestSegment:
    def test_noise_has_no_change(self):
        assert sum(bool(segment(rows((80, 0.0), seed=s))) for s in range(20)) == 0

    @pytest.mark.parametrize("parts", [[(30, 0.0), (50, 1.5)], [(20, 0.0), (30, 1.5), (40, 0.0)]], ids=str)
    def test_every_change_is_found_where_it_is(self, parts):
        expected = np.cumsum([n for n, _ in parts])[:-1]
        found = [row for row, _ in segment(rows(*parts))]
        assert len(found) == len(expected)
        assert np.abs(np.array(found) - expected).max() <= 1

    def test_one_column_alone_makes_no_change(self):
        one = rows((80, 0.0))
        one[40:, 0] += 50
        assert segment(one) == ()

    def test_too_few_rows_have_none(self):
        assert segment(rows((15, 0.0))) == ()

    def test_strength_is_the_contrast_over_the_limit(self):
        """Oracle: the formula of the docstring, written out at one place for a single window."""
        r, place, window = rows((40, 0.5), (40, 0.0)), 37, 16
        before, after = r[place - window : place], r[place : place + window]
        h = window * window / (2 * window)
        x = (before.mean(axis=0) - after.mean(axis=0)) * np.sqrt(h)
        expected = np.minimum(x**2, 16).mean() / (2.0 * (h * 0.125) ** 0.3)
        places, strength = contrast(r, 0, len(r), limits=((window, 2.0),))
        assert strength[places.tolist().index(place)] == pytest.approx(expected)


def test_limits_are_lower_in_other_languages():
    """Novels by one hand vary less there."""
    english, french = limits_of("english"), limits_of("french")
    assert [rows for rows, _ in english] == [rows for rows, _ in french]
    assert all(theirs < ours for (_, ours), (_, theirs) in zip(english, french, strict=True))


class TestBlocks:
    def test_neighbours_differ_by_one_deviation(self):
        scaled = scaled_blocks(np.random.default_rng(0).poisson(20, (500, 3)).astype(float))
        assert np.sqrt((np.diff(scaled, axis=0) ** 2).mean(axis=0) / 2) == pytest.approx(1.0)

    def test_counts_are_of_the_most_frequent_words(self):
        tokens = np.array([5, 5, 7, 5, 5, 9, 7, 5, 5], dtype=np.int32)
        np.testing.assert_array_equal(block_counts(tokens, 4, frequent=2), [[3, 1], [2, 1]])

    @pytest.mark.parametrize(
        ("window", "step", "size"), [(4000, 500, 250), (2000, 500, 125), (60, 20, 2), (5, 5, 1)]
    )
    def test_block_divides_the_step(self, window, step, size):
        assert block_size(window, step) == size


@pytest.fixture(scope="module")
def books(shared) -> Corpus:
    folder = shared / "data/books"
    texts = {
        n: (folder / f"{n}.txt").read_text(encoding="utf-8")[20_000:90_000] for n in ("emma", "the_jungle")
    }
    return Corpus.from_texts({**texts, "joined": texts["emma"] + "\n" + texts["the_jungle"]})


@pytest.mark.shared
class TestBooks:
    def test_two_authors_are_told_apart_where_they_meet(self, books):
        found = drift(books, "joined", method="jensen-shannon")
        assert [seam.position for seam in found.seams] == pytest.approx([int(books.lengths[0])], abs=1000)
        assert "change" in str(found)

    @pytest.mark.parametrize("name", ["emma", "the_jungle"])
    def test_one_author_has_no_change(self, books, name):
        found = drift(books, name, method="jensen-shannon")
        assert found.seams == ()
        assert found.change is None
        assert "no change of hand" in str(found)
