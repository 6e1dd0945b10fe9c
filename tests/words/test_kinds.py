"""Kinds of words: names by their capitals, function words, punctuation, and the rest."""

from __future__ import annotations

import pytest

from lexicloud.corpus import Corpus
from lexicloud.corpus.cut import without_kinds
from lexicloud.divergences import divergence
from lexicloud.errors import LexicloudError, OptionError
from lexicloud.text import TokenRules
from lexicloud.words.kinds import KINDS, word_kinds

TEXT = 'The ship met Ahab near Nantucket. "Ships," said Ahab, "are near." CHAPTER II. Then the ship left.'


def kinds_of(corpus: Corpus) -> dict[str, str]:
    return {word: KINDS[k] for word, k in zip(corpus.vocabulary, word_kinds(corpus), strict=True)}


def test_names_have_capitals_inside_sentences():
    found = kinds_of(Corpus.from_texts({"a": TEXT}))
    assert {word for word, kind in found.items() if kind == "name"} == {"ahab", "nantucket"}
    assert (found["ship"], found["the"], found["."]) == ("content", "function", "punctuation")


def test_a_word_at_the_start_of_sentences_or_in_a_heading_is_no_name():
    found = kinds_of(Corpus.from_texts({"a": TEXT}))
    assert (found["ships"], found["chapter"]) == ("content", "content")


def test_a_name_after_a_title_is_a_name():
    found = kinds_of(
        Corpus.from_texts(
            {"a": "Mr. Knightley left. Kindness is rare. Mrs. Goddard stayed with Mr. Knightley."}
        )
    )
    assert {word for word, kind in found.items() if kind == "name"} >= {"knightley", "goddard"}
    assert found["kindness"] == "content"


def test_german_nouns_are_no_names():
    c = Corpus.from_texts({"a": "Das Schiff traf den Wal."}, rules=TokenRules(language="german"))
    assert "name" not in kinds_of(c).values()


def test_words_of_a_kind_can_be_left_out():
    c = Corpus.from_texts({"a": TEXT, "b": "A ship and a sea."})
    left = without_kinds(c, ("name", "punctuation"))
    assert left.count("a", "ahab") == left.count("a", ".") == 0
    assert left.count("a", "ship") == c.count("a", "ship")
    assert left.lengths.tolist() == [int(n) for n in left.counts.sum(axis=1)]
    with pytest.raises(
        OptionError, match="no kind of words 'verbs': choose from content, name, function, punctuation"
    ):
        without_kinds(c, ("verbs",))


def test_the_parts_of_a_divergence_add_up_and_content_words_lead():
    c = Corpus.from_texts(
        {"a": TEXT * 5, "b": "A ship and a sea, and the sea was near the ship. Then Ishmael left it. " * 5}
    )
    found = divergence(c, "a", "b", "categorical")
    assert [part.kind for part in found.kinds] == list(KINDS)
    assert sum(part.value for part in found.kinds) == pytest.approx(found.value)
    assert found.words == found.kinds[0].words
    assert "ahab" in {w.word for w in found.kinds[1].words}
    bare = divergence(c, "a", "b", "categorical", without=("name", "function", "punctuation"))
    assert bare.kinds[1].words == bare.kinds[3].words == ()
    assert bare.value == pytest.approx(bare.kinds[0].value)


def test_the_possessive_of_a_name_is_a_name():
    found = kinds_of(Corpus.from_texts({"a": "I met Weston here. Mrs. Weston's house is the ship's house."}))
    assert (found["weston's"], found["ship's"]) == ("name", "content")


def test_a_text_without_words_has_no_kinds_and_is_refused_in_words():
    c = Corpus.from_texts({"a": TEXT, "b": "   "})
    assert kinds_of(c)["ahab"] == "name"
    with pytest.raises(LexicloudError, match="b"):
        divergence(c, "a", "b", "categorical")
