"""The reading level of a sentence: its formula, and that longer words and sentences are harder."""

from __future__ import annotations

import pytest

from lexicloud.words.reading_level import grade, reading_level, syllables

EASY = "The dog ran to the old barn."
HARD = (
    "Constitutional interpretation necessarily presupposes considerable familiarity with the historical "
    "circumstances in which particular provisions originated."
)


def test_the_grade_is_the_one_of_flesch_and_kincaid():
    # 7 words of one syllable each: 0.39 * 7 + 11.8 * 1 - 15.59
    assert grade(EASY) == pytest.approx(0.39 * 7 + 11.8 - 15.59)


def test_long_words_and_long_sentences_are_harder():
    assert reading_level(EASY) == "pre-high school"
    assert reading_level(HARD) == "college"
    assert grade(f"{EASY[:-1]} and {EASY}") > grade(EASY)


@pytest.mark.parametrize(
    ("word", "n"), [("the", 1), ("people", 2), ("moved", 1), ("ended", 2), ("idea", 2), ("xyz", 1)]
)
def test_syllables_are_groups_of_vowels_that_are_said(word, n):
    assert syllables(word) == n


def test_no_words_have_no_grade():
    assert grade("… 42!") == 0.0
