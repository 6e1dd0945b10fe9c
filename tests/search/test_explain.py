"""What every method must hold to: one contract over all of them."""

from __future__ import annotations

import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.search import METHODS, SearchOptions, Suggestion, Suggestions
from lexicloud.search.items import DISTANCES, _whole_words, match, snippet
from tests.search.toy import build

TEXTS = [
    "kadan lofel migos ruhin senjat",
    "kadan lofel torjat torhin tordan",
    "kadan migos the of senfel sendan",
    "migos ruhin kadan kagos kahin xqzt",
    "lofel lofel logos lohin lojat vvkk",
    "senjat the of the of rudan",
]
QUERY = "kadan lofel migos ruhin lodan"


@pytest.fixture(scope="module")
def index():
    return build(TEXTS)


@pytest.fixture(params=METHODS)
def method(request) -> str:
    return str(request.param)


def test_reasons_add_up_to_the_score(index, method):
    found = index.search(QUERY, method, top=4)
    assert found
    for suggestion in found:
        assert sum(m.adds for m in suggestion.matches) == pytest.approx(suggestion.score, abs=1e-6)
        assert suggestion.method == method


def test_best_first(index, method):
    scores = [s.score for s in index.search(QUERY, method, top=6)]
    assert len(scores) > 1
    if method != "interleaved":  # whose scores are of two kinds
        assert scores == sorted(scores, reverse=method not in DISTANCES)


def test_the_same_answer_every_time_and_in_many_threads(index, method):
    expected = index.search(QUERY, method).to_dict()
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(index.search(QUERY, method).to_dict()))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [expected] * 4


def test_the_query_itself_is_an_answer_of_a_ranking_alone(index, method):
    found = [s.text for s in index.search(TEXTS[0], method, top=6)]
    assert (TEXTS[0] in found) == (method == "related")


def test_top_beyond_the_database_gives_what_there_is_and_says_so(index, method):
    found = index.search(QUERY, method, top=100)
    assert 0 < len(found) <= len(TEXTS)
    assert "of the 100 texts asked for" in found.notes[-1]


def test_lengths_are_respected(index, method):
    assert {len(s.text.split()) for s in index.search(QUERY, method, top=6, max_tokens=5)} == {5}
    assert index.search(QUERY, method, min_tokens=7) == []


def test_an_empty_query_is_an_error(index, method):
    with pytest.raises(OptionError, match="no words"):
        index.search("  ", method)


def test_control_characters_do_no_harm(index, method):
    found = index.search("kadan\x00lofel \x1b[31m migos\ud800", method)
    assert found
    assert {s.text for s in found} <= set(TEXTS)


@pytest.mark.parametrize("name", [m for m in METHODS if m != "wmd"])
def test_a_whole_document_may_be_the_query(index, name):
    assert len(index.search(" ".join(TEXTS * 200), name, top=3)) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "set-cover"}, "did you mean setcover"),
        ({"weighting": "tfidf"}, "choose one of idf, uniform"),
        ({"top": 0}, "top = 0, but it must be at least 1"),
        ({"r": -1}, "at least 0"),
        ({"method": "setcover", "max_tokens": 3}, "below min_tokens = 5"),
        ({"rho": float("nan")}, "rho = nan"),
    ],
)
def test_wrong_options_name_the_remedy(options, message):
    with pytest.raises(OptionError, match=message):
        SearchOptions(**options)


def test_html_highlights_the_matched_words_and_escapes_the_rest():
    one = Suggestion(
        1,
        "The King’s <cat> isn’t here",
        1.0,
        (match("queen", "king's", 0.5, 0.7), match("is", "isn't", 0.2, 0.3, new=False)),
    )
    page = Suggestions([one], query="<q>", notes=["a & b"])._repr_html_()
    assert ">King’s</mark>" in page
    assert "queen → king&#x27;s" in page
    assert ">isn’t</mark>" in page
    assert "is → isn&#x27;t (covered before)" in page
    assert "&lt;cat&gt;" in page
    assert "<cat>" not in page
    assert "&lt;q&gt;" in page
    assert "a &amp; b" in page


@given(st.text("abAB '_-.İ", max_size=30), st.lists(st.text("ab'-", min_size=1, max_size=4), max_size=4))
def test_words_are_found_as_a_pattern_of_all_of_them_would(text, words):
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    naive = re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text, re.IGNORECASE) if words else []
    assert _whole_words(text, words) == [found.span() for found in naive]


def test_highlights_are_whole_words():
    assert Suggestion(1, "Cart, art and ART.", 1.0, (match("a", "art", 0, 1),)).highlights == [
        (6, 9),
        (14, 17),
    ]


def test_values_are_plain():
    import json

    found = build(TEXTS).search(QUERY)
    assert json.loads(json.dumps(found.to_dict()))["suggestions"][0]["matches"][0]["near"]


def test_an_answer_is_said_once_with_what_adds_up_to_each_score():
    found = build(TEXTS).search(QUERY, top=2)
    head, passages = found.blocks()[0], found.blocks()[-1]
    assert head.role == "answer"
    assert QUERY in head.text
    assert [p.text for p in passages.items] == [s.text for s in found]
    assert all(p.marks == tuple(s.highlights) for p, s in zip(passages.items, found, strict=True))
    bars = found.explained().blocks()[-1]
    assert len(bars.bars) == len(found[-1].matches)


@given(st.text("abc \n", max_size=300), st.integers(20, 120))
def test_a_snippet_is_short_and_keeps_its_marks(text, most):
    marks = tuple(found.span() for found in re.finditer(r"a+", text))
    short, inside = snippet(text, marks, most)
    assert len(short) <= max(most, 20)
    assert "\n" not in short
    assert all(set(short[a:b]) == {"a"} for a, b in inside)
    assert len(text) > most or len(inside) == len(marks)


def test_the_most_telling_words_come_first_each_with_what_answers_it():
    reasons = (
        match("sea", "sea", 0.0, 1.0),
        match("ship", "boat", 0.4, 3.0),
        match("ship", "vessel", 0.2, 2.0),
        match("(overall meaning)", "(overall meaning)", 0.0, 9.0),
    )
    by_score = Suggestion(1, "A boat, a vessel, the sea.", 15.0, reasons, "related")
    assert by_score.because == (("ship", ("boat", "vessel")), ("sea", ("sea",)))
    by_distance = Suggestion(1, "A boat, a vessel, the sea.", 0.6, reasons, "wmd")
    assert by_distance.because == (("sea", ("sea",)), ("ship", ("vessel", "boat")))
