"""The published numbers and labels are what the paper says about itself."""

from __future__ import annotations

from collections import Counter

import pytest

from lexicloud.paper import book_labels, published
from lexicloud.paper.published_numbers import DATASETS, METHODS, QUERIES, TASKS


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
    assert len(QUERIES) == 4
