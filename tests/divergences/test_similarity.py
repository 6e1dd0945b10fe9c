"""Short texts."""

from __future__ import annotations

import pytest

import lexicloud as lc
from lexicloud.errors import EstimateError

BOAT = "A boat left the harbour."


def test_texts_that_mean_the_same_are_closer_than_others() -> None:
    near = lc.similarity(BOAT, "The ship sailed from the port.")
    far = lc.similarity(BOAT, "The judge read the verdict.")
    assert lc.similarity(BOAT, BOAT).value == pytest.approx(1, abs=1e-5)
    assert near.value > far.value


def test_it_is_the_same_both_ways() -> None:
    there, back = lc.similarity(BOAT, "Fishermen mend nets."), lc.similarity("Fishermen mend nets.", BOAT)
    assert there.value == pytest.approx(back.value)


def test_the_words_add_up_to_the_coverage() -> None:
    found = lc.similarity(BOAT, "The ship sailed from the port.")
    assert sum(word.adds for word in found.words) == pytest.approx(found.coverage)
    assert found.value == pytest.approx((found.coverage + found.means) / 2)
    assert float(found) == found.value
    assert {("boat", "ship"), ("harbour", "port")} <= {(w.word, w.by) for w in found.words}


def test_a_text_without_known_words_is_named() -> None:
    with pytest.raises(EstimateError, match="no word of the second text has a vector"):
        lc.similarity(BOAT, "?!")
