"""How the mix of labels moved, and the words of a new kind of text."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.labelling import Labeller
from lexicloud.labelling.text_labels import compare_mixes, wilson
from tests.labelling.test_labeller import COURT, FOOD, LABELS, SEA, TEXTS


def test_wilsons_interval_is_that_of_statsmodels_worked_example():
    """8 of 10: 0.4902 to 0.9433, as `proportion_confint(8, 10, method="wilson")` of statsmodels has it."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-3)


def test_intervals_of_a_mix_that_did_not_move_leave_out_no_difference_in_one_of_twenty():
    rng = np.random.default_rng(0)
    shares, wrong = [0.5, 0.3, 0.15, 0.05], 0
    for _ in range(400):
        before, now = (rng.multinomial(n, shares).tolist() for n in (300, 200))
        found = compare_mixes(["a", "b", "c"], [*before, 300], [*now, 200])
        wrong += any(share.moved for share in found)
    assert wrong / 400 < 0.07


def test_a_mix_that_moved_is_told():
    found = compare_mixes(["a", "b"], [60, 30, 10, 100], [30, 60, 10, 100])
    assert [share.moved for share in found] == [True, True, False]


def test_a_new_kind_of_text_is_noticed_and_its_words_named():
    before = (SEA + FOOD + COURT) * 12
    labeller = Labeller(refuse=0.2).fit(TEXTS * 2, LABELS * 2, unlabelled=before)
    strange = [f"qxarvz tzolmq 0x{i:04x} zzt kfj" for i in range(60)]
    found = labeller.change([*before[:60], *strange])
    none = found.shares[-1]
    assert none.label == "none of these"
    assert none.moved
    assert none.now > none.before
    assert {word.word for word in found.new_words} & {"qxarvz", "tzolmq", "zzt", "kfj"}
    assert "new kind of text" in " ".join(str(block) for block in found.blocks())
