"""What is fit to be shown, who stands for a method; suggestions from files and from an index."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from lexicloud.errors import InputError, OptionError, SurveyError
from lexicloud.search import SentenceIndex
from lexicloud.survey import arms_of, import_suggestions, make_study
from lexicloud.survey.suggestions import Candidate, prepared, readable, same_text
from lexicloud.text import tokenize
from tests.survey.studies import SENTENCES


@pytest.mark.parametrize(
    ("text", "fit"),
    [
        ("“Was it too much?” I asked, a little faltering.", True),
        ("Il y avait déjà longtemps qu'elle était là.", True),
        ("Он был дома.", True),
        ("No!", True),
        ("", False),
        ("* * * * *", False),
        ("14 … 22 … 36 … 48", False),
        ("see http://example.org for more", False),
        ("a broken � sign", False),
        ("THE FIRST CHAPTER OF THE BOOK", False),
        ("_Italics_ of a transcriber", False),
        ("CONTENTS.......... 3", False),
    ],
)
def test_readable(text, fit):
    assert readable(text) is fit


def test_the_same_text_is_known_in_another_dress():
    assert same_text("“Come along,” she said.") == same_text("Come  along, SHE said!")
    assert same_text("Come along") != same_text("Come along, she said")


def candidate(**lists):
    return Candidate("1", "A query.", lists)


def test_copies_of_the_query_repetitions_and_rubbish_go():
    found = prepared(
        candidate(a=["A query!", "One.", "ONE", "* * *", "Two."], b=["Three.", "Four."]), random.Random(0), 2
    )
    assert found.lists == {"a": ("One.", "Two."), "b": ("Three.", "Four.")}


@pytest.mark.parametrize(
    ("lists", "says"),
    [
        ({"a": ["One."], "b": ["Two.", "Three."]}, "too few suggestions"),
        ({"a": ["One.", "Two."], "b": ["Two.", "One."]}, "two methods suggest the same list"),
    ],
)
def test_why_a_query_cannot_be_shown(lists, says):
    assert prepared(candidate(**lists), random.Random(0), 2) == says


def test_no_sentence_is_shown_twice_and_no_method_always_gives_way():
    given_way = Counter()
    for seed in range(300):
        found = prepared(
            candidate(a=["Same.", "Alpha."], b=["Same.", "Beta."], c=["Same.", "Gamma."]),
            random.Random(seed),
            2,
        )
        shown = [found.lists[m][place] for m, place in found.panel.items()]
        assert len(set(shown)) == 3
        given_way.update(m for m, place in found.panel.items() if place)
    assert sum(given_way.values()) == 600
    assert all(
        160 < count < 240 for count in given_way.values()
    )  # a third each; 4 standard deviations are 33


def write(tmp_path, content) -> str:
    path = tmp_path / "suggestions.json"
    path.write_text(json.dumps(content))
    return str(path)


def test_suggestions_of_others_become_a_study(tmp_path):
    entry = {
        "query": "A query.",
        "group": "easy",
        "ours": {str(i): f"Sentence {i} of ours." for i in range(11)},
        "theirs": [f"Sentence {i} of theirs." for i in range(5)],
    }
    study = import_suggestions(write(tmp_path, {"7": entry}), arms=arms_of("head-to-head"))
    (query,) = study.queries
    assert (query.id, query.group, list(study.methods)) == ("7", "easy", ["ours", "theirs"])
    assert query.lists["ours"] == tuple(
        f"Sentence {i} of ours." for i in range(5)
    )  # 10 does not come after 1
    assert study.pairs == (("ours", "theirs"),)


@pytest.mark.parametrize(
    ("content", "error", "says"),
    [
        ("text", InputError, "holds a str"),
        ({"0": {"a": ["x"]}}, InputError, "query 0 of .* has no text"),
        (
            {"0": {"query": "Q.", "a": ["x"], "b": ["y"]}},
            SurveyError,
            r"no query .* can be shown: too few suggestions \(1\)",
        ),
    ],
)
def test_files_that_cannot_be_used_are_explained(tmp_path, content, error, says):
    with pytest.raises(error, match=says):
        import_suggestions(write(tmp_path, content), arms=arms_of("head-to-head"))


def test_an_unknown_method_is_named(tmp_path):
    with pytest.raises(OptionError, match=r"no method 'c' in .*: it has a, b"):
        import_suggestions(
            write(tmp_path, {"0": {"query": "Q.", "a": ["x"], "b": ["y"]}}), methods=["a", "c"]
        )


def test_the_papers_suggestions(shared):
    study = import_suggestions(shared / "data" / "survey" / "suggestions.json")
    assert list(study.methods) == [
        *("set_cover", "embedding_average", "word_movers_distance", "jaccard", "edit_distance"),
    ]
    assert len(study.queries) + sum(study.source["left_out"].values()) == 100
    assert len(study.queries) >= 95
    assert Counter(q.group for q in study.queries).keys() == {"middle", "high", "college"}
    for query in study.queries:
        shown = [same_text(query.lists[m][place]) for m, place in query.panel.items()]
        assert len(set(shown)) == 5


ODD = [
    "Chapter one begins in the garden here.",
    "* * * 12 34 * * *",
    "No!",
    "A " + "very " * 30 + "long one.",
]


@pytest.fixture(scope="module")
def index():
    levels = ["high", "middle"]
    rows = [(i, text, {"level": levels[i % 2]}) for i, text in enumerate([*SENTENCES, *ODD])]
    return SentenceIndex.build(rows)


@pytest.fixture(scope="module")
def study(index):
    return make_study(index, 9, by="level", seed=3)


def test_groups_share_the_queries_and_the_last_gets_what_is_left(study):
    assert [q.group for q in study.queries] == ["high"] * 4 + ["middle"] * 5


def test_everything_shown_is_of_the_group_of_the_right_length_and_readable(study):
    level = {same_text(text): ["high", "middle"][i % 2] for i, text in enumerate([*SENTENCES, *ODD])}
    for query in study.queries:
        assert 5 <= len(tokenize(query.text)) <= 15
        assert "Chapter" not in query.text
        for found in query.lists.values():
            assert len({same_text(text) for text in found} - {same_text(query.text)}) == 5
            assert all(level[same_text(text)] == query.group and readable(text) for text in found)


def test_a_study_can_be_made_again(index, study):
    assert make_study(index, 9, by="level", seed=3).checksum == study.checksum
    assert make_study(index, 9, by="level", seed=4).checksum != study.checksum
    assert study.source["sentences"] == len(index)
    assert study.methods["setcover"] == {"method": "setcover", "weighting": "uniform"}


def test_an_index_without_sentences_of_a_query_s_length_is_told():
    index = SentenceIndex.build([f"The ship {i} sailed." for i in range(20)])
    with pytest.raises(OptionError, match="none of the 20 sentences of the index has 40 to 50 tokens"):
        make_study(index, 2, tokens=(40, 50))


def test_any_method_can_take_part_under_any_name(index):
    mine = {"wide": {"method": "setcover", "r": 30}, "plain": {"method": "bm25"}}
    study = make_study(index, 3, methods=mine, arms=arms_of("head-to-head"), against="plain")
    assert study.pairs == (("plain", "wide"),)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"queries": 0}, OptionError, "at least one"),
        ({"queries": 1, "by": "level"}, OptionError, "1 queries for 2 values of level"),
        (
            {"queries": 4, "by": "century"},
            OptionError,
            "no sentence of the index has 'century'",
        ),
        ({"queries": 500}, SurveyError, "of the 500 queries asked for can be shown"),
        ({"methods": ["setcover", "lucene"]}, OptionError, "no method 'lucene': choose among setcover"),
    ],
)
def test_what_cannot_be_drawn_is_explained(index, options, error, says):
    with pytest.raises(error, match=says):
        make_study(index, **options)
