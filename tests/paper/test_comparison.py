"""The published numbers are what the paper says about itself; ours beside them give difference and ratio."""

from __future__ import annotations

from collections import Counter

import pytest

from lexicloud.paper import book_labels, published
from lexicloud.paper.comparison import DATASETS, METHODS, QUERIES, TASKS, ComparisonTable, Entry


def test_there_are_79_books_in_the_papers_categories():
    labels = book_labels()
    assert len(labels) == 79
    authors = Counter(book.author for book in labels.values())
    # "18 authors with more than one entry, giving us 19 categories … plus a 'unique' category with 34 entries"
    assert authors.pop("unique") == 34
    assert len(authors) == 18
    assert min(authors.values()) >= 2
    assert {book.genre for book in labels.values()} == {"fiction", "non-fiction", "poetry", "plays"}
    assert {book.reading_level for book in labels.values()} == {"middle", "high", "college"}


def test_the_labelling_table_is_whole():
    table = published()["kl_books_labelled_correctly"]
    assert len(table["rows"]) == len(TASKS) * len(table["books_per_size"]) == 12
    for row in table["rows"]:
        assert row["task"] in TASKS
        assert len(row["values"]) == len(table["columns"]) == 7
        assert max(row["values"]) <= table["books_per_size"][str(row["size"])]


@pytest.mark.parametrize("table", ["pos_total_tokens_percent", "pos_unique_tokens_percent"])
@pytest.mark.parametrize("dataset", DATASETS)
def test_shares_of_parts_of_speech_add_up(table, dataset):
    assert sum(published()[table][dataset]) == pytest.approx(100, abs=0.05)


def test_every_dataset_has_its_numbers():
    for table in ("datasets", "same_pos_neighbours_percent", "kmeans_k"):
        assert set(DATASETS) <= set(published()[table])


def test_methods_stand_in_the_published_order():
    assert published()["unique_suggestions_percent"]["columns"] == list(METHODS)
    assert published()["pairwise_jaccard"]["columns"] == list(METHODS)
    # The paper's text: choose three of five, so chance is 60 %.
    assert published()["survey"]["choose_3_chosen_percent"]["chance"] == 60


def test_the_appendix_has_five_suggestions_of_each_method_for_its_four_queries():
    found = published()["example_suggestions"]
    assert tuple(found) == QUERIES
    assert all(tuple(lists) == METHODS for lists in found.values())
    assert all(len(texts) == 5 for lists in found.values() for texts in lists.values())


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
    table = ComparisonTable(
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
