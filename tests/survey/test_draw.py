"""A study drawn from an index: queries of the right length, within their group, and enough of them."""

from __future__ import annotations

import pytest

from lexicloud.errors import OptionError, SurveyError
from lexicloud.search import SentenceIndex
from lexicloud.survey import arms_of, make_study
from lexicloud.survey.panel import readable, same_text
from lexicloud.text import tokenize

WHO = ["the captain", "an old sailor", "her brother", "the doctor", "a young clerk", "my aunt", "the judge"]
WHAT = [
    "watched the grey sea",
    "read a long letter",
    "lost his way home",
    "sang in the dark kitchen",
    "sold a horse",
]
WHEN = ["before the storm", "after dinner", "in the spring", "at night"]
TEXTS = [f"{a.capitalize()} {b} {c}." for a in WHO for b in WHAT for c in WHEN]

ODD = [
    "Chapter one begins in the garden here.",
    "* * * 12 34 * * *",
    "No!",
    "A " + "very " * 30 + "long one.",
]


@pytest.fixture(scope="module")
def index():
    levels = ["high", "middle"]
    rows = [(i, text, {"level": levels[i % 2]}) for i, text in enumerate([*TEXTS, *ODD])]
    return SentenceIndex.build(rows)


@pytest.fixture(scope="module")
def study(index):
    return make_study(index, 9, by="level", seed=3)


def test_groups_share_the_queries_and_the_last_gets_what_is_left(study):
    assert [q.group for q in study.queries] == ["high"] * 4 + ["middle"] * 5


def test_everything_shown_is_of_the_group_of_the_right_length_and_readable(study):
    level = {same_text(text): ["high", "middle"][i % 2] for i, text in enumerate([*TEXTS, *ODD])}
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
