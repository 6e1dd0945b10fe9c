"""Bright and dark words."""

from __future__ import annotations

import pytest

from lexicloud.words.mood import moods

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
