"""The experiments on data whose answers are known by construction."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from lexicloud.errors import OptionError
from lexicloud.paper import PaperOptions, run_paper
from lexicloud.paper.experiments.other_vectors import purities
from lexicloud.paper.experiments.sentence_search import shown_lists
from lexicloud.paper.experiments.survey import interval, p_values, undone_at
from lexicloud.paper.runner import check_tables
from lexicloud.paper.workbench import Workbench
from lexicloud.search.variety import variety
from tests.paper.data_folder import SHARED, THEMES


@pytest.fixture(scope="module")
def other_vectors(tmp_path_factory) -> Path:
    """Vectors of our own with 12 dimensions: the words of a theme lie together, and some words are missing."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("vectors") / "themes-12d.txt"
    themes = {**THEMES, "shared": SHARED}
    centres = {theme: 3 * rng.normal(size=12) for theme in themes}
    lines = [
        f"{word} {' '.join(f'{x:.4f}' for x in centres[theme] + rng.normal(size=12))}"
        for theme, words in themes.items()
        for word in words.split()
        if word != "whale"
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def result(data, tmp_path_factory):
    tables = ("datasets", "kl", "trial", "survey", "unique", "clusters", "pos")
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
    # Each made-up sentence has twelve words and two marks, all with a vector: The a of the x was in the b , a y c .
    assert found["brown", "total_tokens"].ours == found["brown", "all tokens"].ours == 40 * 14
    assert found["brown", "unique_tokens"].ours + found["brown", "unembedded_tokens"].ours == (
        found["brown", "all distinct tokens"].ours
    )
    assert found["reuters", "total_tokens"].ours is None
    assert found["reuters", "total_tokens"].published == 1712123


def test_the_survey_is_recomputed_from_counts(result):
    chosen = entries(result, "survey-choose-3")
    assert chosen["chosen", "setcover"].ours == 30
    assert chosen["chosen", "levenshtein"].ours == 50
    heads = entries(result, "survey-head-to-head")
    assert heads["preferred", "all"].ours == 75
    assert heads["preferred", "all"].low < 75 < heads["preferred", "all"].high


def test_a_share_is_undone_by_answers_that_hang_together():
    """The oracle is the design effect: at the correlation found the widened interval ends at chance."""
    won, n, each = 333, 757, 31
    correlation = undone_at(won, n, 0.5, each)
    error = (won / n * (1 - won / n) / n * (1 + (each - 1) * correlation)) ** 0.5
    assert won / n + 1.96 * error == pytest.approx(0.5)
    assert undone_at(500, 1000, 0.5, each) == 0  # nothing there to be undone


def test_p_values_are_scipys_with_holms_correction():
    """The oracle is SciPy's binomial test; the smallest of two is doubled."""
    from scipy.stats import binomtest

    found = p_values({"a": (30, 100), "b": (49, 100)}, 0.5)
    assert found["a"] == pytest.approx(2 * binomtest(30, 100).pvalue)
    assert found["b"] == pytest.approx(binomtest(49, 100).pvalue)


def test_the_trial_treats_the_baseline_as_it_treats_k_nn(result):
    found = entries(result, "trial-cells")
    assert {key[5] for key in found} == {"as published", "standardised"}
    forms = {key[2] for key in entries(result, "trial")}
    assert forms == {"as published", "symmetric", "standardised", "symmetric, standardised"}
    for key, entry in found.items():
        if key[-1] == "best k":
            assert entry.ours >= found[*key[:-1], "k=3"].ours
    lead = entries(result, "trial")["equations", "glove-6b-50d", "as published", "all books", "3,000"]
    tasks = ("author", "genre", "reading_level")
    cells = [(task, 3000, "all books", "equations", "glove-6b-50d", "as published") for task in tasks]
    ahead = [
        100 * (found[*c, "k=3"].ours - found[*c, "baseline"].ours) / found[*c, "k=3"].ours_of for c in cells
    ]
    assert lead.ours == pytest.approx(sum(ahead) / 3)


def test_other_vectors_are_measured_on_the_same_words(data, tmp_path, other_vectors):
    bench = Workbench(PaperOptions(data, tmp_path, quick=True, beside=(str(other_vectors),)))
    found = purities(bench, "gatsby", [3, 5])
    # Gatsby has the words of the sea and everybody's; little words and the whale have no vector of our own.
    shared = len(set((THEMES["marine"] + " " + SHARED).split())) - 1
    assert found["shared"] == found["known"]["themes-12d"]["words"] == shared
    assert found["known"]["glove-6b-50d"]["words"] > shared
    # Tags and words are the same, whatever the vectors: so is chance.
    assert found["purity"]["themes-12d"]["chance"] == found["purity"]["glove-6b-50d"]["chance"]


def test_parts_of_speech_are_counted_over_words_with_a_vector(result):
    found = entries(result, "pos-unique")
    assert sum(e.ours for key, e in found.items() if key[0] == "brown") == pytest.approx(100)


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
