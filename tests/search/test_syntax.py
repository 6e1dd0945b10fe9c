"""Signs in a query: phrases, must, not, columns, prefixes, and slips of the hand."""

from __future__ import annotations

import pytest

from lexicloud.search import SentenceIndex
from lexicloud.search.syntax import parse

from .toy import build

TICKETS = [
    (1, "The printer crashes when I save as PDF.", {"status": "open"}),
    (2, "Saving as a picture crashes the editor.", {"status": "closed"}),
    (3, "The printer prints empty pages.", {"status": "open"}),
    (4, "Printing crashed; I could not save as usual.", {"status": "new"}),
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
        ("crash OR printer", "'OR' is not understood"),
        ("colour:red printer", "there is no column 'colour'"),
        ("printer~2", "is not understood"),
        ('the "printer', "has no partner"),
    ],
)
def test_what_is_not_understood_is_said(index, query, note):
    assert note in " ".join(index.search(query).notes)


def test_a_pasted_text_is_words_alone(index):
    text = 'It crashed - when I chose "save as"\nC:\\data: +1 -v std::vector http://a.b/c'
    assert parse(text).plain == text
    assert not parse(text)
    for plain in ("std::vector", "http://a.b/c", "well-known", "a - b", "C++"):
        assert not parse(plain), plain
    assert ids(index, 'crash "save as"', syntax=False) >= {2}


def test_a_slip_of_one_letter_is_mended_and_said(index):
    answer = index.search("pinter with empty pagse", top=1)
    assert "no text has “pinter”: searched for “printer”" in answer.notes
    assert answer[0].id == 3
    assert answer.unknown == ()


def test_filters_and_signs_bind_together(index):
    assert ids(index, "+printer crash", where={"status": "new"}) <= {4}


def test_a_value_of_a_column_is_compared_as_what_it_is():
    items = [("a", "kadan", {"day": "01/Jan/22", "n": 3}), ("b", "kadan", {"day": "05/Feb/20", "n": 3.5})]
    index = build(items)
    assert [found.id for found in index.search("kadan day:2022")] == ["a"]
    assert [found.id for found in index.search("kadan n:3")] == ["a"]
    assert [found.id for found in index.search("kadan -day:2022")] == ["b"]


def test_a_slip_is_mended_by_a_stem_too_and_a_usual_word_is_no_slip():
    index = SentenceIndex.build(["Two printers are out of paper.", "The house is old."], dense=None)
    found = index.search("prnter")
    assert found.notes[0] == "no text has “prnter”: searched for “printer”"
    assert found[0].id == 0
    assert not any("searched for" in note for note in index.search("horse").notes)
