"""Bright and dark words; syllables, grades and levels."""

from __future__ import annotations

import pytest

from lexicloud.words.readability import grade, moods, reading_level, syllables

BRIGHT = ["The happy children laughed in the sunny garden.", "A joyful feast with friends and music."]
DARK = ["The bloody war left misery and death.", "He wept over the grave of his murdered son."]


def test_bright_sentences_are_above_and_dark_ones_below_zero():
    found = moods([*BRIGHT, *DARK])
    assert min(found[:2]) > 1
    assert max(found[2:]) < -1


def test_what_has_no_content_word_with_a_vector_has_no_mood():
    assert moods(["and the of", "qzxqzx wvwvw", "..."]) == [0.0, 0.0, 0.0]
    assert moods([]) == []


def test_the_mood_does_not_depend_on_the_company_order_or_case():
    alone = moods([BRIGHT[0]])[0]
    assert moods([DARK[0], BRIGHT[0].upper()])[1] == pytest.approx(alone)
    assert moods([" ".join(reversed(BRIGHT[0].rstrip(".").split()))])[0] == pytest.approx(alone)


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
