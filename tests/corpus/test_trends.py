"""Words along the years and along a text."""

from __future__ import annotations

import pytest

from lexicloud.corpus import Corpus
from lexicloud.corpus.trends import trends_along, trends_by_year
from lexicloud.errors import CorpusError, OptionError
from tests.texts import TEXTS

YEARS = {"sea": 1900, "harbour": 1900, "kitchen": 1850}


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(TEXTS)


def test_the_counts_of_a_year_are_those_of_its_texts(corpus):
    found = trends_by_year(corpus, ["the", "Captain", "nonesuch"], YEARS)
    assert found.places == (1850.0, 1900.0)
    expected = {
        word: tuple(
            sum(corpus.count(name, word) for name, year in YEARS.items() if year == place)
            for place in (1850, 1900)
        )
        for word in ("the", "Captain", "nonesuch")
    }
    assert found.counts == expected
    assert found.counts["nonesuch"] == (0, 0)


def test_a_rate_is_a_count_in_ten_thousand_words_without_punctuation():
    corpus = Corpus.from_texts({"a": "sea, sea; land!"})
    found = trends_by_year(corpus, ["sea"], {"a": 1900})
    assert found.tokens == (3,)
    assert found.rates["sea"] == (pytest.approx(20_000 / 3),)


def test_the_stretches_of_a_text_add_up_to_it(corpus):
    found = trends_along(corpus, "sea", ["the"], bins=7)
    assert sum(found.counts["the"]) == corpus.count("sea", "the")
    assert max(found.tokens) - min(found.tokens) <= 8
    assert list(found.to_pandas().columns) == ["the"]


def test_more_stretches_than_words_are_as_many_as_words():
    corpus = Corpus.from_texts({"a": "one two"})
    assert trends_along(corpus, "a", ["one"], bins=50).counts["one"] == (1, 0)


def test_texts_without_a_year_and_no_words_are_refused(corpus):
    with pytest.raises(CorpusError, match="none of the texts has a year"):
        trends_by_year(corpus, ["the"], {})
    with pytest.raises(OptionError, match="no word is given"):
        trends_along(corpus, "sea", [" "])
