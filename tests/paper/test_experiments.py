"""The experiments on data whose answers are known by construction."""

from __future__ import annotations

import json

import pytest

from lexicloud.errors import OptionError
from lexicloud.paper import PaperOptions, run_paper
from lexicloud.paper.experiments.survey import interval
from lexicloud.paper.experiments.variety import shown_lists
from lexicloud.paper.runner import check_tables
from lexicloud.search.variety import variety


@pytest.fixture(scope="module")
def result(data, tmp_path_factory):
    tables = ("datasets", "kl", "survey", "unique", "clusters")
    return run_paper(PaperOptions(data, tmp_path_factory.mktemp("out"), tables, quick=True))


def entries(result, table):
    tables = {t.name: t for report in result.reports.values() for t in report.tables}
    return {(*e.row, e.column): e for e in tables[table].entries}


def test_books_that_share_their_words_are_labelled_right(result):
    """Three authors with two books each (Gatsby is a third of the sea): smoothed and default find them all."""
    found = entries(result, "kl-stronger")
    for column in ("smoothed", "default, running"):
        for task in ("genre", "reading_level"):
            assert found[task, 3000, column].ours_of == 7
        known = found["author, unique left out", 3000, column]
        assert known.ours_of in {6, 7}
        assert known.ours == 6


def test_published_counts_stand_beside_ours_as_shares(result):
    entry = entries(result, "kl")["author", 3000, "baseline"]
    assert (entry.published, entry.published_of) == (28, 76)
    assert entry.difference == pytest.approx(100 * (entry.ours / entry.ours_of - 28 / 76))
    assert entry.explanation


def test_statistics_count_what_is_there(result):
    found = entries(result, "datasets")
    assert found["brown", "unique_sentences"].ours == 40  # of the sample, one text of forty sentences
    # Each made-up sentence has twelve words and two marks: The a of the x was in the b , a y c .
    assert found["brown", "total_tokens"].ours == 40 * 14
    assert found["reuters", "total_tokens"].ours is None
    assert found["reuters", "total_tokens"].published == 1712123


def test_the_survey_is_recomputed_from_counts(result):
    chosen = entries(result, "survey-choose-3")
    assert chosen["chosen", "setcover"].ours == 30
    assert chosen["chosen", "levenshtein"].ours == 50
    heads = entries(result, "survey-head-to-head")
    assert heads["preferred", "all"].ours == 75
    assert heads["preferred", "all"].low < 75 < heads["preferred", "all"].high


def test_uniqueness_of_the_shown_suggestions(result):
    found = entries(result, "unique")
    shown = {key[2]: e.ours for key, e in found.items() if key[1] == "shown in the questionnaire"}
    # One of set cover's two suggestions is the average's too.
    assert shown["setcover"] == shown["average"] == 50
    assert shown["wmd"] == shown["jaccard"] == shown["levenshtein"] == 100


def test_null_models_stand_beside_every_slope(result):
    found = entries(result, "clusters")
    names = {key[:2] for key in found}
    assert {name for name, _ in names} == {"gatsby", "brown", "gutenberg", "race"}
    for row in names:
        assert {"slope", "gaussian null", "shuffled null"} <= {key[2] for key in found if key[:2] == row}


def test_a_sample_says_so_in_every_table(result):
    tables = [t for name, report in result.reports.items() for t in report.tables if name != "survey"]
    assert tables
    assert all("sample" in table.sample for table in tables)


def test_wilsons_interval_is_scipys():
    """The oracle is SciPy's binomial test."""
    from scipy.stats import binomtest

    expected = binomtest(37, 90).proportion_ci(method="wilson")
    assert interval(37, 90) == pytest.approx((100 * expected.low, 100 * expected.high), abs=0.01)


def test_tables_run_in_the_papers_order_and_unknown_ones_are_refused():
    assert check_tables(("survey", "kl")) == ("kl", "survey")
    with pytest.raises(OptionError, match=r"no table 'kL': choose from datasets, kl,"):
        check_tables(("kL",))


def test_the_questionnaires_suggestions_have_the_published_uniqueness(shared):
    """A check of the measure that needs no vectors: the paper's table, from the suggestions that were shown."""
    shown = json.loads((shared / "data" / "survey" / "suggestions.json").read_text(encoding="utf-8"))
    found = variety(shown_lists(shown)).unique
    assert found["setcover"] == pytest.approx(89.6, abs=1e-9)
    assert found["average"] == pytest.approx(72.0, abs=1e-9)
    assert found["wmd"] == pytest.approx(42.2, abs=1e-9)
