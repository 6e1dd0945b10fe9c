"""Published numbers that need no vectors, checked against each other."""

from __future__ import annotations

import pytest

from lexicloud.paper.experiments.checks import _agreed, _by_length, _sizes, _sums, jaccard_lists


def cells(table):
    return {(*entry.row, entry.column): entry for entry in table.entries}


def test_the_authors_sizes_fall_exponentially_with_rank():
    """The slope is the one that their notebook prints; the fits are least squares on the sizes it prints."""
    found = cells(_sizes())
    whole = "RACE, all 95 clusters"
    assert found[whole, "slope"].ours == pytest.approx(found[whole, "slope"].published, abs=1e-9)
    assert found[whole, "R², power law"].ours == pytest.approx(0.68, abs=0.005)
    assert found[whole, "R², exponential"].ours == pytest.approx(0.93, abs=0.005)
    assert found["without the 20 smallest", "slope"].ours == pytest.approx(-0.49, abs=0.005)
    swept = [e.published for e in found.values() if e.row[0].startswith("their sweep")]
    assert (round(min(swept), 2), round(max(swept), 2)) == (-1.11, -0.94)


def test_the_papers_tables_disagree_where_they_do():
    gaps = {(name, column): entry.difference for (name, column), entry in cells(_sums()).items()}
    totals = {name: gap for (name, column), gap in gaps.items() if column == "total tokens"}
    assert totals == {"gatsby": 0, "reuters": 302, "brown": 8490, "gutenberg": 0, "race": -2979}


def query(text: str, average: str, others: str) -> dict[str, object]:
    names = ("set_cover", "word_movers_distance", "jaccard", "edit_distance")
    return {"query": text, "embedding_average": {"0": average}, **{n: {"0": others} for n in names}}


def test_suggestions_are_counted_by_the_length_of_the_query():
    shown = {"0": query("a b c", "x", "x"), "1": query(" ".join("abcdefghijklmnopq"), "own", "x")}
    found = cells(_by_length(shown))
    assert found["up to 8 words", 1, "average"].ours == 0
    assert found["16 and more", 1, "average"].ours == 100
    assert found["up to 15", 1, "setcover"].ours == 0


def test_nltks_pieces_count_as_words_in_common_only_where_they_are_no_stop_words():
    texts = ["I didn't see a ship.", "The machine stood there.", "They weren't well."]
    asked = ["A machine? Well, I don't mind."]
    ours = jaccard_lists(texts, asked, nltk=True, pieces=True, case=False)
    theirs = jaccard_lists(texts, asked, nltk=True, pieces=False, case=False)
    assert texts[0] not in ours[0]
    assert texts[0] in theirs[0]


def test_agreement_is_counted_among_sentences_that_are_there():
    asked = [{"jaccard": {"0": "A ship.", "1": "A cart.", "2": "Not in the books."}}]
    found = _agreed(asked, "jaccard", [["a ship", "a dog"]], {"aship", "acart", "adog"})
    assert found == {"shown": 3, "in our database": 2, "ours too": 1}
