"""A word in its contexts."""

from __future__ import annotations

import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError, OptionError
from lexicloud.words.contexts import contexts
from tests.texts import TEXTS


@pytest.fixture(scope="module")
def corpus():
    return Corpus.from_texts(TEXTS)


def test_every_place_is_counted_and_quoted_as_it_stands(corpus):
    found = contexts(corpus, "the", width=20, top=1000)
    everything = " ".join(" ".join(TEXTS.values()).split())
    assert found.total == len(found.lines) == sum(corpus.count(name, "the") for name in corpus.names)
    for line in found.lines:
        assert line.word.lower() == "the"
        assert TEXTS[line.name][line.start :].startswith(line.word)
        assert f"{line.before} {line.word} {line.after}".strip() in everything


def test_parts_of_words_are_not_the_word():
    found = contexts(Corpus.from_texts({"a": "The sea-side seasons. Overseas, sea."}), "sea")
    assert found.total == 2


def test_a_sample_of_the_places_comes_from_all_of_the_texts(corpus):
    found = contexts(corpus, "the", top=8)
    assert len(found.lines) == 8
    assert found.total > 8
    assert {line.name for line in found.lines} == set(TEXTS)


def test_what_looks_like_a_pattern_is_a_word(corpus):
    assert contexts(corpus, ".*").total == 0
    assert contexts(Corpus.from_texts({"a": "C++ (sic) is C."}), "(sic)").total == 1


def test_an_empty_word_and_a_corpus_without_order_are_refused(corpus):
    with pytest.raises(OptionError, match="the word is empty"):
        contexts(corpus, "  ")
    with pytest.raises(CorpusError, match="look before sampling"):
        contexts(corpus.sample(5), "sea")


def test_a_wildcard_finds_all_its_words_and_counts_them():
    corpus = Corpus.from_texts({"a": "Freedom is free. They freely gave freedom, but no refreezing."})
    found = contexts(corpus, "free*")
    assert found.total == 4
    assert dict(found.forms) == {"freedom": 2, "free": 1, "freely": 1}
    assert contexts(corpus, "th?y").total == 1


def test_a_word_that_does_not_occur_is_remarked_with_words_that_are_spelt_alike():
    corpus = Corpus.from_texts({"a": "The captain watched the harbour."})
    found = contexts(corpus, "captian")
    assert found.total == 0
    assert "captain" in found.alike
    assert "captain" in found.blocks()[0].text
