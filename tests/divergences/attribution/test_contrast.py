"""What sets two groups apart."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import contrast
from lexicloud.errors import EstimateError, OptionError
from tests.divergences.attribution.hands import VECTORS, library, write


def groups() -> Corpus:
    texts = {
        "a1": "ship " * 30 + "sea " * 70,
        "a2": "ship " * 30 + "sea " * 70,
        "b1": "ship " * 10 + "land " * 90,
        "b2": "ship " * 10 + "sea " * 10 + "land " * 80,
    }
    return Corpus.from_texts(texts, labels=["a", "a", "b", "b"])


def test_effect_sizes_by_hand() -> None:
    found = {w.word: w for w in contrast(groups(), "a", "b", segment=100, top=None).words}
    # 60.5 of 201 against 20.5 of 201; every segment has the word.
    assert found["ship"].log_ratio == pytest.approx(np.log2(60.5 / 20.5))
    assert (found["ship"].zeta, found["ship"].eder) == (0, 0)
    # In both segments of a, in one of two of b.
    assert found["sea"].zeta == pytest.approx(0.5)
    assert found["sea"].eder == pytest.approx(0.5 / 1.5)
    assert found["land"].zeta == -1
    assert found["land"].counts == (0, 170)
    assert found["ship"].rates == (300_000, 100_000)


def test_the_groups_mirror_each_other() -> None:
    there = {w.word: w for w in contrast(groups(), "a", "b", segment=100).words}
    back = {w.word: w for w in contrast(groups(), "b", "a", segment=100).words}
    for word, found in there.items():
        assert back[word].log_ratio == pytest.approx(-found.log_ratio)
        assert back[word].interval == pytest.approx((-found.interval[1], -found.interval[0]))


def test_intervals_of_one_hand_cover_zero() -> None:
    """Two groups by one hand: the log ratio is truly zero, and 95 % of the intervals hold it."""
    texts = {f"{g}{i}": write(7, 4000, 10 * i + (g == "b")) for g in "ab" for i in range(5)}
    corpus = Corpus.from_texts(texts, labels=[name[0] for name in texts], vectors=VECTORS)
    found = contrast(corpus, "a", "b", order="zeta", top=None, segment=500)
    frequent = [w for w in found.words if sum(w.counts) > 60]
    covered = np.mean([w.interval[0] <= 0 <= w.interval[1] for w in frequent])
    assert 0.9 <= covered <= 1


def test_the_words_of_an_author_come_first() -> None:
    corpus = library(authors=2)
    assert {w.log_ratio > 0 for w in contrast(corpus, "A", "B", segment=500).of("A")} == {True}
    with pytest.raises(OptionError, match="no group 'C'"):
        contrast(corpus, "A", "B", segment=500).of("C")


def test_near_words_are_one_theme() -> None:
    texts = {"x": "boat ship boat ship harbour port " * 40, "y": "judge court verdict jury " * 60}
    corpus = Corpus.from_texts(texts)
    found = contrast(corpus, "x", "y", segment=60)
    themes = {w.word: w.theme for w in found.words}
    assert themes["boat"] == themes["ship"]
    assert themes["boat"] != themes["judge"]
    assert sum(map(len, found.themes("x").values())) == len(found.of("x"))


def test_contexts_are_one_step_away() -> None:
    found = contrast(groups(), "a", "b", segment=100)
    assert found.contexts("land", n=2)["a"] == ()
    assert all("land" in line.split() for line in found.contexts("land", n=2)["b"])


def test_mistakes_are_named() -> None:
    with pytest.raises(OptionError, match="no label and no text is called 'c'"):
        contrast(groups(), "a", "c")
    with pytest.raises(OptionError, match="share a text"):
        contrast(groups(), "a", "a1")
    with pytest.raises(OptionError, match="no order 'chi2'"):
        contrast(groups(), "a", "b", order="chi2")
    with pytest.raises(EstimateError, match="a group has 1 segments"):
        contrast(groups(), "a1", "b1")
