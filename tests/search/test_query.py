"""Words of a query: typing errors are found, all of them, and said; the user's own synonyms find each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from lexicloud.errors import InputError, OptionError
from lexicloud.search import SentenceIndex
from lexicloud.search.query import _Spellings, corrected, read_synonyms
from lexicloud.text.stems import terms_by

from .test_syntax import TICKETS
from .toy import build


@pytest.fixture(scope="module")
def index() -> SentenceIndex:
    return SentenceIndex.build(TICKETS)


def test_a_slip_of_one_letter_is_mended_and_said(index):
    answer = index.search("pinter with empty pagse", top=1)
    assert "no text has “pinter”: searched for “printer”" in answer.notes
    assert answer[0].id == 3
    assert answer.unknown == ()


def test_a_slip_is_mended_by_a_stem_too_and_a_usual_word_is_no_slip():
    index = SentenceIndex.build(["Two printers are out of paper.", "The house is old."], dense=None)
    found = index.search("prnter")
    assert found.notes[0] == "no text has “prnter”: searched for “printer”"
    assert found[0].id == 0
    assert not any("searched for" in note for note in index.search("horse").notes)


def test_slips_are_those_that_a_look_at_every_word_finds(index):
    database = index.database
    left_out = database.stopwords | database.punctuation
    words = {word for word, out in zip(database.words, left_out, strict=True) if not out and len(word) >= 4}
    words |= {term for term in database.terms if len(term) >= 5 and term.isalpha()}
    letters = "aeiprst"
    slips = [
        word[:i] + put + word[j:]
        for word in ("printer", "crashes", "saving", "pages")
        for i in range(len(word))
        for j in (i, i + 1)
        for put in (*letters, "")
    ] + ["pirnter", "printre", "crsahes", "savign", "apges"]
    for slip in slips:
        near = {word for word in words if OSA.distance(slip, word) <= 1}
        known = any(database.term_ids.get(term, -1) >= 0 for term in terms_by(database.rules)[slip])
        expected = bool(near) and not known and len(slip) >= 5
        assert {word in near for word in corrected(database, [slip]).values()} == (
            {True} if expected else set()
        )


def test_finds_of_a_mended_word_are_not_weak():
    places = [
        "house",
        "garden",
        "river",
        "field",
        "lake",
        "hill",
        "road",
        "town",
        "door",
        "wall",
        "roof",
        "tower",
    ]
    texts = [
        f"{a} {b} the {c}"
        for a in ("tree", "wind", "rain", "snow", "hail")
        for b in ("over", "under")
        for c in places
    ]
    index = SentenceIndex.build([*texts, "the printer jams"], dense=None)
    assert not index.search("the printer jams")[0].weak
    found = index.search("Pritner jams")
    assert (found[0].text, found[0].weak) == ("the printer jams", False)
    assert not any("weak" in note for note in found.notes)


@settings(deadline=None)
@given(st.lists(st.text("abé漢", max_size=12)), st.text("abé漢", min_size=5, max_size=12))
def test_words_one_edit_away_share_a_half(words, slip):
    """The words that are looked at are all that one edit can make, whatever their letters."""
    kept = sorted(set(words), key=lambda word: word.encode())
    near = {word for word in kept if OSA.distance(slip, word) <= 1}
    assert near <= set(_Spellings(kept, None, 1).like(slip))


ITEMS = [("a", "kadan lofel"), ("b", "migos ruhin"), ("c", "torjat sendan rudan")]


def test_a_query_finds_its_synonyms_and_says_so():
    index = build(ITEMS, synonyms=[["xqzt", "migos"]])
    found = index.search("xqzt")
    assert [one.id for one in found] == ["b"]
    assert found.notes[0] == "“xqzt” also stands for “migos”"
    (reason,) = [one for one in found[0].matches if one.word == "migos"]
    assert reason.near == "xqzt"
    assert math.isclose(sum(one.adds for one in found[0].matches), found[0].score, rel_tol=1e-6)


def test_an_arrow_points_one_way():
    index = build(ITEMS, synonyms={"kadan": "torjat sendan"})
    assert [one.id for one in index.search("kadan")][:2] == ["a", "c"]
    assert "also stands for" not in " ".join(index.search("torjat sendan").notes)


def test_a_phrase_has_synonyms_too():
    index = build(ITEMS, synonyms={"torjat sendan": ["migos"]})
    found = {one.id: one for one in index.search("the torjat sendan")}
    assert "torjat sendan" in {reason.near for reason in found["b"].matches}
    assert "also stands for" not in " ".join(index.search("torjat lofel").notes)


def test_they_are_kept_with_the_index_and_can_be_changed(tmp_path):
    index = build(ITEMS)
    index.save(tmp_path / "i")
    listed = tmp_path / "synonyms.txt"
    listed.write_text("\ufeff# ours\nvvkk, xqzt, migos\n\nfoo => kadan  # one way\n", "utf-8")
    index.set_synonyms(listed)
    again = SentenceIndex.open(tmp_path / "i")
    assert again.synonyms["foo"] == ["kadan"]
    assert [one.id for one in again.search("vvkk")] == ["b"]
    assert [[one.id for one in found] for found in again.search_many(["vvkk", "foo"])] == [["b"], ["a"]]
    again.set_synonyms(None)
    assert SentenceIndex.open(tmp_path / "i").synonyms == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [("alone\n", "line 1 of .* has no synonyms"), ("a,b\n=> c\n", "line 2 of"), ("a =>\n", "line 1 of")],
)
def test_lines_that_say_nothing_are_named(tmp_path, text, said):
    (tmp_path / "s.txt").write_text(text, "utf-8")
    with pytest.raises(InputError, match=said):
        read_synonyms(tmp_path / "s.txt")


def test_bounds():
    with pytest.raises(OptionError, match="more than 20"):
        read_synonyms([[f"w{i}" for i in range(30)]])
    with pytest.raises(OptionError, match="can be no synonym"):
        read_synonyms({"a": ["b" * 101]})
    with pytest.raises(OptionError, match="synonyms are a int"):
        read_synonyms(3)


def test_a_plain_list_of_words_is_no_list_of_synonyms():
    with pytest.raises(OptionError, match="a list of lists of words"):
        read_synonyms(["laptop", "notebook"])
    assert read_synonyms([("laptop", "notebook", "Laptop")]) == {
        "laptop": ["notebook"],
        "notebook": ["laptop"],
    }
