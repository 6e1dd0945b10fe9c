"""The user's own synonyms: read from files and dicts, kept in the index, said in the answer."""

from __future__ import annotations

import math

import pytest

from lexicloud.errors import InputError, OptionError
from lexicloud.search import SentenceIndex
from lexicloud.search.synonyms import read_synonyms

from .toy import build

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
