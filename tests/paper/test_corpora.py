"""Passages become the same corpora that lexicloud would build from their texts."""

from __future__ import annotations

import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import CorpusError
from lexicloud.paper.corpora import documents_of, lower_cased, paper_rules, sentences_of, surface_of
from lexicloud.paper.data import DatasetPassages
from lexicloud.text import TokenRules
from lexicloud.vectors import load_vectors
from tests.texts import TEXTS

RULES = paper_rules(nltk=False)


@pytest.fixture(scope="module")
def built() -> Corpus:
    return sentences_of(DatasetPassages("own", tuple(TEXTS), tuple(TEXTS.values())), load_vectors(), RULES)


def test_sentences_are_those_of_the_corpus(built):
    expected = Corpus.from_texts(TEXTS, rules=RULES).sentences()
    assert built.names == expected.names
    assert list(built.texts) == list(expected.texts)
    assert [built.vocabulary[w] for w in built.stream] == [expected.vocabulary[w] for w in expected.stream]
    assert built.parents.tolist() == expected.parents.tolist()


def test_lower_case_is_what_lower_case_rules_give(built):
    lower = documents_of(lower_cased(built, load_vectors()))
    expected = Corpus.from_texts(TEXTS, rules=TokenRules())
    assert tuple(lower.vocabulary) == tuple(expected.vocabulary)
    assert lower.names == expected.names
    assert (lower.counts != expected.counts).nnz == 0
    assert lower.embedded.tolist() == expected.embedded.tolist()


def test_a_word_is_written_as_it_is_most_often():
    text = "Anna saw Anna. The cat saw the cat and the anna."
    corpus = sentences_of(DatasetPassages("own", ("a",), (text,)), load_vectors(), RULES)
    surface = surface_of(corpus)
    assert surface["anna"] == "Anna"
    assert surface["the"] == "the"


def test_own_tokens_are_kept_as_they_are():
    tokens = ((("Mr.", "O'Neil", "can't"), ("He", "left", ".")),)
    corpus = sentences_of(DatasetPassages("own", ("a",), sentences=tokens), load_vectors(), RULES)
    assert [corpus.vocabulary[w] for w in corpus.tokens(0)] == ["Mr.", "O'Neil", "can't"]
    assert corpus.texts == ("Mr. O'Neil can't", "He left .")


def test_no_word_at_all_is_an_error():
    with pytest.raises(CorpusError, match="no word in its 1 documents"):
        sentences_of(DatasetPassages("own", ("a",), ("",)), load_vectors(), RULES)
