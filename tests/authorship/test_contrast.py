"""What sets two groups apart."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.authorship import contrast
from lexicloud.corpus import Corpus
from lexicloud.errors import EstimateError, OptionError
from lexicloud.say.blocks import as_data
from tests.authorship.hands import VECTORS, library, write


def groups() -> Corpus:
    texts = {
        "a1": "ship " * 30 + "sea " * 70,
        "a2": "ship " * 30 + "sea " * 70,
        "b1": "ship " * 10 + "land " * 90,
        "b2": "ship " * 10 + "sea " * 10 + "land " * 80,
    }
    return Corpus.from_texts(texts, labels=["a", "a", "b", "b"])


def test_effect_sizes_by_hand() -> None:
    result = contrast(groups(), "a", "b", segment=100, top=None)
    found = {w.word: w for w in result.words}
    zeta, eder = (dict(zip(found, values, strict=True)) for values in (result.zeta, result.eder))
    # 60.5 of 201 against 20.5 of 201; every segment has the word.
    assert found["ship"].adds == pytest.approx(np.log2(60.5 / 20.5))
    assert (zeta["ship"], eder["ship"]) == (0, 0)
    # In both segments of a, in one of two of b.
    assert zeta["sea"] == pytest.approx(0.5)
    assert eder["sea"] == pytest.approx(0.5 / 1.5)
    assert zeta["land"] == -1
    assert found["land"].counts == (0, 170)
    assert found["ship"].rates == (300_000, 100_000)


def test_the_groups_mirror_each_other() -> None:
    there = {w.word: w for w in contrast(groups(), "a", "b", segment=100).words}
    back = {w.word: w for w in contrast(groups(), "b", "a", segment=100).words}
    for word, found in there.items():
        assert back[word].adds == pytest.approx(-found.adds)
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
    assert {w.adds > 0 for w in contrast(corpus, "A", "B", segment=500).of("A")} == {True}
    with pytest.raises(OptionError, match="no group 'C'"):
        contrast(corpus, "A", "B", segment=500).of("C")


def test_near_words_are_one_theme() -> None:
    texts = {"x": "boat ship boat ship harbour port " * 40, "y": "judge court verdict jury " * 60}
    corpus = Corpus.from_texts(texts)
    found = contrast(corpus, "x", "y", segment=60)
    themes = {w.word: w.near or w.word for w in found.words}
    assert themes["boat"] == themes["ship"]
    assert themes["boat"] != themes["judge"]
    assert sum(map(len, found.themes("x").values())) == len(found.of("x"))


def test_zeta_puts_a_word_under_the_group_it_is_large_for() -> None:
    """One segment of b repeats a word that every segment of a has once: b has more of it, a has it everywhere."""
    texts = {f"a{i}": "chapter " + "ship " * 99 for i in range(10)}
    texts |= {f"b{i}": "ship " * 100 for i in range(9)} | {"b9": "chapter " * 50 + "ship " * 50}
    corpus = Corpus.from_texts(texts, labels=[name[0] for name in texts], vectors=VECTORS)
    found = contrast(corpus, "a", "b", order="zeta", segment=100)
    (word,) = found.of("a")
    assert (word.word, word.adds < 0) == ("chapter", True)
    assert found.zeta[0] == pytest.approx(0.9)
    assert "a has more of chapter" in found.blocks()[0].text


def test_more_than_two_groups_are_each_compared_with_the_others() -> None:
    corpus = library(authors=3)
    found = contrast(corpus, "A", "B", "C", segment=500)
    assert set(found.owners) == {"A", "B", "C"}
    first = found.of("B")[0]
    assert len(first.counts) == 3
    assert first.rates[1] > max(first.rates[0], first.rates[2])


def test_words_that_come_steadily_are_trends() -> None:
    """One word doubles from period to period and another halves; the rest stays."""
    rng = np.random.default_rng(0)
    texts = {}
    for period in range(4):
        p = np.array([0.01 * 2**period, 0.08 / 2**period, 0.3])
        for i in range(4):
            drawn = rng.choice(["new", "old", "sea", "ship"], 2000, p=[*p, 1 - p.sum()])
            texts[f"{period} {i}"] = " ".join(drawn)
    corpus = Corpus.from_texts(texts, labels=[name[0] for name in texts], vectors=VECTORS)
    found = contrast(corpus, *"0123", segment=500, periods=True)
    trends = {word.word: word.adds for word in found.trends}
    assert trends["new"] == pytest.approx(1, abs=0.2)
    assert trends["old"] == pytest.approx(-1, abs=0.2)
    assert "sea" not in trends


def test_contexts_are_one_step_away() -> None:
    found = contrast(groups(), "a", "b", segment=100)
    assert found.contexts("land", n=2)["a"] == ()
    assert all("land" in line.split() for line in found.contexts("land", n=2)["b"])


def test_names_function_words_and_marks_stand_apart() -> None:
    ours = "Then the old sailor told Ahab that the ship was lost at sea. " * 40
    theirs = "We know, my friend, how Emma would laugh in such a garden! " * 40
    corpus = Corpus.from_texts({"sea": ours, "land": theirs}, labels=["a", "b"])
    result = contrast(corpus, "a", "b", segment=100)
    kinds = {word.word: word.kind for word in result.words}
    assert (kinds["ahab"], kinds["the"], kinds["!"], kinds["sailor"]) == (
        "name", "function", "punctuation", "content",
    )  # fmt: skip
    said, *tables = as_data(result.blocks())[:5]
    assert "ahab" not in said["text"]
    shown = [(block["title"], {row[0] for row in block["rows"]}) for block in tables]
    assert [title for title, _ in shown] == [
        "more in a", "names, function words and punctuation more in a",
        "more in b", "names, function words and punctuation more in b",
    ]  # fmt: skip
    assert "sailor" in shown[0][1]
    assert {"ahab", "the"} <= shown[1][1]
    assert "!" in shown[3][1]


def test_mistakes_are_named() -> None:
    with pytest.raises(OptionError, match="no label and no text is called 'c'"):
        contrast(groups(), "a", "c")
    with pytest.raises(OptionError, match="share a text: choose different groups"):
        contrast(groups(), "a", "a1")
    with pytest.raises(OptionError, match="no order 'chi2'"):
        contrast(groups(), "a", "b", order="chi2")
    with pytest.raises(EstimateError, match="a group has 1 segment of"):
        contrast(groups(), "a1", "b1")
