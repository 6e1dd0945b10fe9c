"""drift: a change that was put there is found there."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence, drift
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
    nearest = dict(zip(found.positions.tolist(), found.nearest(), strict=True))
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
