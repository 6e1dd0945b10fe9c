"""Signs in a query: phrases, must, not, columns, prefixes."""

from __future__ import annotations

import pytest

from lexicloud.errors import OptionError
from lexicloud.search import SentenceIndex
from lexicloud.search.syntax import parse

from .toy import build

TICKETS = [
    (1, "The printer crashes when I save as PDF.", {"status": "open", "votes": 1, "due on": "2022-01-05"}),
    (
        2,
        "Saving as a picture crashes the editor.",
        {"status": "closed", "votes": 5, "due on": "2022-02-05", "fixed?": "by us"},
    ),
    (3, "The printer prints empty pages.", {"status": "open", "votes": 2, "due on": "2022-03-05"}),
    (
        4,
        "Printing crashed; I could not save as usual.",
        {"status": "new", "votes": 3, "due on": "2022-04-05"},
    ),
]


@pytest.fixture(scope="module")
def index() -> SentenceIndex:
    return SentenceIndex.build(TICKETS)


def ids(index: SentenceIndex, query: str, **options: object) -> set[object]:
    return {s.id for s in index.search(query, top=9, **options)}


@pytest.mark.parametrize(
    ("query", "found", "note"),
    [
        ('crash "save as"', {1, 4}, "texts must have “save as”"),
        ("crash +printer", {1, 3}, "texts must have “printer”"),
        ("crash -printer", {2, 4}, "texts must not have “printer”"),
        ('printer -"save as"', {3}, "texts must not have “save as”"),
        ("crash status:open", {1, 3}, "texts must have open as status"),
        ("pictu*", {2}, "a word that begins with “pictu”"),
        ("crash !printer", {2, 4}, "texts must not have “printer”"),
        ("crash NOT printer", {2, 4}, "texts must not have “printer”"),
        ("crash votes:>2", {2, 4}, "texts must have votes > 2"),
        ("crash votes>=2", {2, 3, 4}, "texts must have votes >= 2"),
        ("crash votes=3", {4}, "texts must have 3 as votes"),
        ("crash -votes<=3", {2}, "texts must not have votes <= 3"),
        ("crash votes:2..3", {3, 4}, "texts must have 2..3 as votes"),
        ("crash votes:[3 TO *]", {2, 4}, "texts must have [3 TO *] as votes"),
        ("crash due_on:<2022-03", {1, 2}, "texts must have due on < 2022-03"),
        ("crash due_on:..2022-02", {1, 2}, "texts must have ..2022-02 as due on"),
        ("crash votes:3..", {2, 4}, "texts must have 3.. as votes"),
        ("crash status:closed,new", {2, 4}, "texts must have closed,new as status"),
        ("crash status:(closed OR new)", {2, 4}, "texts must have closed,new as status"),
        ("crash status!=open", {2, 4}, "texts must not have open as status"),
        ("crash status:clo*", {2}, "texts must have clo* as status"),
        ("crash fixed?:*", {2}, "texts must have a value as fixed?"),
        ("crash -fixed?:*", {1, 3, 4}, "texts must not have a value as fixed?"),
        ("crash fixed?:by_us", {2}, "texts must have by_us as fixed?"),
    ],
)
def test_signs_bind(index, query, found, note):
    answer = index.search(query, top=9)
    assert {s.id for s in answer} <= found
    assert answer
    assert note in " ".join(answer.notes)
    assert answer.query == query


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("colour:red printer", "there is no column 'colour'"),
        ("printer~2", "is not understood"),
        ('the "printer', "has no partner"),
        ("crash OR", "'OR' is not understood"),
        ("crash && && printer", "'&&' is not understood"),
        ("p* crash", "give two letters or more"),
        ("printer [1 TO 3]", "'[1 TO 3]' is not understood"),
        ("printer weight>=3", "there is no column 'weight'"),
        ("state:open printer", "did you mean status?"),
        ("printer -is:open", "-is:open was left out"),
        ("printer status:(open AND new)", "write status:this,that for either"),
        ("status: open printer", "write status:value"),
        ("pri?ter", "is not understood"),
        ("*rinter", "is not understood"),
        ("printer~", "is not understood"),
    ],
)
def test_what_is_not_understood_is_said(index, query, note):
    assert note in " ".join(index.search(query).notes)


def test_signs_that_are_not_understood_are_not_searched_for(index):
    assert index.search("printer^3 OR crash").unknown == ()
    assert [s.id for s in index.search("printer~2")] == [s.id for s in index.search("printer")]


@pytest.mark.parametrize(
    "query", ["10.0.0.3:5432 printer", "C:\\new printer", "/usr/bin/printer", "why printer?"]
)
def test_addresses_and_questions_are_words(index, query):
    assert not any("column" in note or "understood" in note for note in index.search(query).notes)


def test_stop_words_bind_too(index):
    assert ids(index, "crash -the") == {4}
    assert ids(index, "crash +the") == {1, 2}
    assert ids(index, '"i could not"') == {4}
    assert ids(index, '"the editor"') == {2}
    assert ids(index, '"when i"') == {1}
    assert ids(index, '"as a"') == {2}
    assert "no words to rank by: 1 text" in " ".join(index.search('"as a"').notes)


def test_a_query_of_which_nothing_is_left_is_refused(index):
    with pytest.raises(OptionError, match="-is:open was left out"):
        index.search("-is:open")


def test_what_no_date_is_like_is_refused(index):
    with pytest.raises(OptionError, match="due on holds dates"):
        index.search("printer due_on:banana")


def test_a_prefix_and_alternatives_bind_in_a_text_field():
    records = [{"title": "Printer crash", "body": "login"}, {"title": "Login crash", "body": "printing"}]
    index = SentenceIndex.build(
        [*records, {"title": "Editor crash", "body": ""}], text={"title": 3, "body": 1}
    )
    assert ids(index, "title:prin*") == {0}
    assert ids(index, "title:printer,login") == ids(index, "title:(printer login)") == {0, 1}
    assert ids(index, "crash -body:*") == {2}


def test_a_query_in_capitals_has_no_operators(index):
    found = index.search("PRINTER DOES NOT PRINT")
    assert found.notes == index.search("printer does not print").notes
    assert [s.id for s in found] == [s.id for s in index.search("printer does not print")]


def test_what_cannot_be_compared_is_refused_in_a_query(index):
    with pytest.raises(OptionError, match="votes holds numbers: > many"):
        index.search("crash votes:>many")


def test_the_text_itself_is_the_first_answer_whatever_signs_it_has():
    titles = [
        'Rename "save as" -draft +1',
        "Save as a draft: rename:it",
        "login AND logout fail",
        "Rename drafts",
    ]
    plain = SentenceIndex.build(titles)
    fields = SentenceIndex.build(
        [{"title": title, "body": "drafts"} for title in titles], text={"title": 3, "body": 1}
    )
    for index in (plain, fields):
        for number, title in enumerate(titles):
            found = index.search(title)
            assert (found[0].id, found[0].same) == (number, True)
            assert not any("must" in note or "understood" in note for note in found.notes)


def test_the_one_text_column_can_be_named(index):
    records = [{"Summary": "Printer crash", "n": 1}, {"Summary": "Editor crash", "n": 2}]
    named = SentenceIndex.build(records, text="Summary")
    found = named.search("crash summary:printer")
    assert [one.id for one in found] == [0]
    assert found.notes[0] == "texts must have “printer” in Summary"
    assert "there is no column 'summary'" in index.search("summary:printer").notes[0]


def test_a_pasted_text_is_words_alone(index):
    text = 'It crashed - when I chose "save as"\nC:\\data: +1 -v std::vector http://a.b/c'
    assert parse(text).plain == text
    assert not parse(text)
    for plain in ("std::vector", "http://a.b/c", "well-known", "a - b", "C++"):
        assert not parse(plain), plain
    assert ids(index, 'crash "save as"', syntax=False) >= {2}


def test_filters_and_signs_bind_together(index):
    assert ids(index, "+printer crash", where={"status": "new"}) <= {4}


def test_a_value_of_a_column_is_compared_as_what_it_is():
    items = [("a", "kadan", {"day": "01/Jan/22", "n": 3}), ("b", "kadan", {"day": "05/Feb/20", "n": 3.5})]
    index = build(items)
    assert [found.id for found in index.search("kadan day:2022")] == ["a"]
    assert [found.id for found in index.search("kadan n:3")] == ["a"]
    assert [found.id for found in index.search("kadan -day:2022")] == ["b"]


def test_a_phrase_of_stop_words_is_found_among_many_texts_too(monkeypatch):
    said = [
        "What was it?",
        "what  WAS it",
        "Whatever it was.",
        "\u017fo it wa\u017f",
        "so it was",
        "a what",
        "was it",
    ]
    index = SentenceIndex.build([*said, *(f"number {i}" for i in range(50))])
    found = [ids(index, query) for query in ('"what was"', '"it was" whatever', '"so it was"')]
    monkeypatch.setattr("lexicloud.search.syntax._MANY", 0)
    monkeypatch.setattr("lexicloud.search.syntax._BLOCK", 4)
    assert [ids(index, query) for query in ('"what was"', '"it was" whatever', '"so it was"')] == found
    assert found == [{0, 1}, {2, 3, 4}, {4}]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("status:closed OR votes>=3", {2, 4}),
        ("(status:closed OR votes:1)", {1, 2}),
        ("(status:closed OR status:new) AND votes>3", {2}),
        ("status:open AND votes:1 OR status:new", {1, 4}),  # AND binds closer
        ("status:open AND (votes:1 OR status:new)", {1}),
        ("printer AND pages", {3}),
        ("printer && pages", {3}),
        ("picture OR pages", {2, 3}),
        ("picture || pages", {2, 3}),
        ('"save as" OR pages', {1, 3, 4}),
        ("-(printer OR picture)", {4}),
        ("NOT (printer OR picture)", {4}),
        ("-(printer pages) status:open", set()),
        ("crash -(status:open OR status:new)", {2}),
        ("(picture OR (pages AND status:open)) -status:closed", {3}),
        ("status:(open OR new) OR votes:5", {1, 2, 3, 4}),
        ("id:3", {3}),
        ("id:1,4 -printer", {4}),
        ("status:*en", {1, 3}),
        ("status:n*w", {4}),
        ("*", {1, 2, 3, 4}),
        ("*:*", {1, 2, 3, 4}),
        ("-printer", {2, 4}),
    ],
)
def test_operators_and_brackets_say_what_texts_must_meet(index, query, found):
    answer = index.search(query, top=9)
    assert {one.id for one in answer} == found
    assert "understood" not in " ".join(answer.notes)


def test_what_operators_demand_is_said(index):
    assert index.search("picture OR pages").notes[0] == "texts must have “picture” or have “pages”"
    assert index.search("-(printer OR status:new)").notes[0] == (
        "texts must not (have “printer” or have new as status)"
    )


@pytest.mark.parametrize(
    "query", ["(" * 5000 + "a OR b" + ")" * 5000, "a OR (b", "(a) OR", "a OR OR b", "(a OR b)c"]
)
def test_brackets_that_are_amiss_are_words(index, query):
    assert index.search(query) is not None


def test_a_word_in_another_form_is_known():
    """*crashs* is in no text and has no vector, but its stem is that of *crashes*."""
    index = build([f"lodan kafel{i}" for i in range(40)] + ["crashes kadan"])
    found = index.search("crashs kadan", top=1)
    assert [one.id for one in found] == [40]
    assert not found.unknown
    assert not any("in none of the texts" in note for note in found.notes)
