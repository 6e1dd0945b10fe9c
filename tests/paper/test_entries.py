"""A number beside a published one: difference and ratio."""

from __future__ import annotations

import pytest

from lexicloud.paper.entries import Entry, Table


def test_plain_numbers_are_subtracted_and_divided():
    entry = Entry(("gatsby",), "k=3", 60.0, 80.0)
    assert entry.difference == -20
    assert entry.ratio == 0.75


def test_counts_out_of_different_totals_are_compared_as_shares():
    entry = Entry(("author", 3000), "k=3", 35, 19, ours_of=70, published_of=76)
    assert entry.difference == pytest.approx(25.0)  # 50 % against 25 %
    assert entry.ratio == pytest.approx(2.0)


@pytest.mark.parametrize(("ours", "theirs"), [(None, 1.0), (1.0, None), (None, None)])
def test_nothing_is_compared_with_nothing(ours, theirs):
    entry = Entry(("a",), "b", ours, theirs)
    assert entry.difference is None
    assert entry.ratio is None


def test_no_ratio_to_zero():
    assert Entry(("a",), "b", 1.0, 0.0).ratio is None


def test_records_name_the_parts_of_a_row_and_the_vectors():
    table = Table(
        "t", "T", ("dataset",), [Entry(("gatsby",), "x", 1.0, 2.0, explanation="why")], "%", "glove"
    )
    (record,) = table.records()
    assert record["dataset"] == "gatsby"
    assert (record["published"], record["ours"], record["difference"], record["ratio"]) == (
        2.0,
        1.0,
        -1.0,
        0.5,
    )
    assert (record["vectors"], record["explanation"]) == ("glove", "why")
