"""Keywords: the log-odds of Monroe, Colaresi and Quinn, word by word."""

from __future__ import annotations

from math import log, sqrt

import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import OptionError
from lexicloud.words.keyness import keywords
from tests.texts import TEXTS


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(TEXTS)


def naive_z(corpus, word, inside, outside):
    """The published formula, for one word, with the pooled counts scaled to a tenth of the tokens as prior."""
    words = [w for w, dot in zip(corpus.vocabulary, corpus.punctuation, strict=True) if not dot]

    def count(w, names):
        return sum(corpus.count(name, w) for name in names)

    n1, n2 = (sum(count(w, names) for w in words) for names in (inside, outside))
    y1, y2 = count(word, inside), count(word, outside)
    mass = min(500.0, (n1 + n2) / 10)
    a = mass * (y1 + y2) / (n1 + n2)
    delta = log((y1 + a) / (n1 + mass - y1 - a)) - log((y2 + a) / (n2 + mass - y2 - a))
    return delta / sqrt(1 / (y1 + a) + 1 / (y2 + a))


def test_z_is_the_published_one(corpus):
    inside, outside = ["sea", "harbour"], ["kitchen", "court"]
    found = keywords(corpus, inside, outside, top=8)
    for one in (*found.over, *found.under):
        assert one.adds == pytest.approx(naive_z(corpus, one.word, inside, outside))
        assert one.counts[0] == sum(corpus.count(name, one.word) for name in inside)


def test_the_words_of_the_sea_set_the_sea_apart(corpus):
    found = keywords(corpus, ["sea", "harbour"])
    assert "captain" in [one.word for one in found.over[:6]]
    assert all(one.adds > 0 for one in found.over)
    assert all(one.adds < 0 for one in found.under)


def test_turned_round_the_signs_change(corpus):
    there = keywords(corpus, ["sea"], ["court"], top=1000)
    back = keywords(corpus, ["court"], ["sea"], top=1000)
    assert {k.word: k.adds for k in there.over} == {k.word: pytest.approx(-k.adds) for k in back.under}


def test_a_side_without_texts_is_refused(corpus):
    with pytest.raises(OptionError, match="4 texts inside and 0 outside"):
        keywords(corpus, list(TEXTS))


def test_names_and_function_words_are_told_apart_from_content_words():
    inside = "We saw Ahab at sea. The whale followed Ahab, and a whale is large. " * 5
    corpus = Corpus.from_texts(
        {"a": inside, "b": "They made a soup of onions. It was good soup, they said. " * 5}
    )
    found = keywords(corpus, ["a"])
    assert {word.word: word.kind for word in found.over}["ahab"] == "name"
    assert "ahab" not in found.blocks()[0].text
    assert any("Names said more often: ahab" in getattr(block, "text", "") for block in found.blocks())
