"""Questions that make no sense are refused in words, with what to do instead."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from lexicloud.errors import OptionError
from lexicloud.operations.asked import NamedText, refuse_senseless
from lexicloud.operations.authorship import Attribute, Verify
from lexicloud.operations.compare import Compare
from lexicloud.words.contexts import contexts
from tests.report.stories import story

HANDS = ("Salt", "Pepper")
GERMAN = (
    "Der Kapitän sah lange auf das Meer hinaus, und niemand sprach ein Wort. Am Morgen kam der Sturm zurück, und "
    "das Schiff lag noch immer im Hafen, weil die Segel zerrissen waren und keiner sie nähen konnte."
)


def shelf(*texts):
    """A shelf with one collection."""
    found = SimpleNamespace(whole_texts=lambda: list(texts))
    return SimpleNamespace(get=lambda _=None: found)


@pytest.mark.parametrize(
    "texts",
    [
        (story("Salt", 1, 9), story("Pepper", 1, 9)),
        ("然而，这样的处理也衍生了一些问题。" * 9, "杜鹃花为温带植物，台北虽然在亚热带。" * 9),
    ],
    ids=["English", "no spaces between words"],
)
def test_texts_of_one_language_that_differ_are_compared(texts):
    refuse_senseless([NamedText(name, text) for name, text in zip("ab", texts, strict=True)])


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ("Hello", story("Salt", 1, 9), "a has 1 word"),
        (
            story("Salt", 1, 9),
            f" {story('Salt', 1, 9).upper()}\n",
            "a and b are the same text, word for word",
        ),
        (story("Salt", 1, 9), GERMAN, "a is in English and b is in German"),
    ],
    ids=["two words", "one text twice", "two languages"],
)
def test_what_no_comparison_makes_sense_of_is_refused(a, b, told):
    with pytest.raises(OptionError, match=told):
        refuse_senseless([NamedText("a", a), NamedText("b", b)])


def test_nobody_is_named_as_the_author_of_two_words():
    known = [
        {"name": f"{hand} {i}", "author": hand, "text": story(hand, i, 9)} for hand in HANDS for i in range(2)
    ]
    asked = Attribute(known=known, unknown=[{"name": "note", "text": "two words"}])
    with pytest.raises(OptionError, match="the unknown text has 2 words: that says nothing about a text"):
        asked.run(shelf())


@pytest.mark.parametrize(
    ("names", "told"),
    [([], "no text is chosen"), (["a"], "1 text is chosen"), (["a", "a"], "1 text is chosen")],
)
def test_a_text_alone_is_compared_with_nothing(names, told):
    with pytest.raises(OptionError, match=f"{told}: choose at least two different texts"):
        Compare(source="novels", names=names).check(shelf())


def test_one_hand_is_not_asked_of_several_authors():
    texts = [NamedText(f"{i}", story("Salt", i, 9), f"author {i % 3}") for i in range(6)]
    with pytest.raises(OptionError, match="by 3 authors, so one hand did not write them all"):
        Verify(source="novels", unknown=story("Salt", 9, 9)).check(shelf(*texts))
    Verify(source="novels", author="author 1", unknown=story("Salt", 9, 9)).check(shelf(*texts))


def test_the_unknown_text_is_no_known_one():
    only = NamedText("a", story("Salt", 1, 9), "Salt")
    with pytest.raises(OptionError, match="no other text by Salt"):
        Verify(source="novels", author="Salt", unknown=only.text).run(shelf(only))


def test_a_wildcard_alone_would_find_everything():
    with pytest.raises(OptionError, match="every word"):
        contexts(SimpleNamespace(texts=["a b"]), "**")
