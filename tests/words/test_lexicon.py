"""A note when the vectors are of another language than the texts."""

from __future__ import annotations

import pytest

from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence
from lexicloud.errors import EstimateError
from lexicloud.text import TokenRules
from lexicloud.vectors import WordVectors, save_vectors
from lexicloud.vectors.catalogue import CATALOGUE
from lexicloud.vectors.load import cache_folder
from lexicloud.words.lexicon import vectors_of

# The opening of Kafka's "Der Prozess" (1925), public domain.
GERMAN = (
    "Jemand mußte Josef K. verleumdet haben, denn ohne daß er etwas Böses getan hätte, wurde er eines Morgens "
    "verhaftet. Die Köchin der Frau Grubach, seiner Zimmervermieterin, die ihm jeden Tag gegen acht Uhr früh das "
    "Frühstück brachte, kam diesmal nicht. Das war noch niemals geschehen. "
) * 6
ENGLISH = "It is a truth that a single man in possession of a good fortune must be in want of a wife. " * 15


def test_english_vectors_for_a_german_text_are_noted() -> None:
    german = TokenRules(language="german")
    (note,) = Corpus.from_texts({"k": GERMAN}, rules=german, vectors="glove-6b-50d").notes
    assert "vectors glove-6b-50d are of English words, but the language is german" in note
    (note,) = Corpus.from_texts({"k": GERMAN}).notes
    assert "the texts look german" in note


def test_a_text_in_a_language_without_vectors_has_none_and_is_told_how_to_get_some() -> None:
    corpus = Corpus.from_texts({"k": GERMAN}, rules=TokenRules(language="german"))
    assert corpus.lexicon.source == "none"
    assert not corpus.embedded.any()
    (note,) = corpus.notes
    assert "lexicloud vectors train" in note
    with pytest.raises(EstimateError, match=r"method 'knn' needs vectors.* lexicloud vectors train"):
        divergence(corpus, "k", "k", method="knn")


def test_the_vectors_of_a_language_are_taken_once_they_are_fetched(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("LEXICLOUD_CACHE", str(tmp_path))
    assert vectors_of("french")[0] == "none"
    assert "lexicloud vectors get french-spacy-300d" in vectors_of("french")[1][0]
    royal = WordVectors.from_dict({"roi": [1.0, 0.0], "reine": [0.0, 1.0]}, "french-spacy-300d")
    save_vectors(royal, cache_folder() / "french-spacy-300d")
    corpus = Corpus.from_texts({"k": "Le roi et la reine."}, rules=TokenRules(language="french"))
    assert corpus.lexicon.source == "french-spacy-300d"
    assert int(corpus.embedded.sum()) == 2


def test_the_catalogue_knows_the_language_of_its_vectors_and_sixty_words_are_enough() -> None:
    short = " ".join(GERMAN.split()[:64])
    for name, source in CATALOGUE.items():
        words = {word: [1.0, float(i)] for i, word in enumerate(GERMAN.lower().split())}
        (note,) = Corpus.from_texts({"k": short}, vectors=WordVectors.from_dict(words, name)).notes
        language = source.language.title().replace("-", " ")
        assert f"the texts look german, but the vectors {name} are of {language} words" in note


def test_vectors_of_the_texts_own_language_are_not() -> None:
    """Whether the language was said or not."""
    french = "Le roi et la reine sont dans le château, mais ils ne se parlent pas depuis la guerre. " * 10
    words = {word: [1.0, float(i)] for i, word in enumerate(french.lower().replace(",", "").split())}
    vectors = WordVectors.from_dict(words, "french-spacy-300d")
    for rules in (TokenRules(), TokenRules(language="french")):
        notes = Corpus.from_texts({"k": french}, vectors=vectors, rules=rules).notes
        assert not any("French words" in note for note in notes)


def test_an_english_text_is_not() -> None:
    assert Corpus.from_texts({"a": ENGLISH}).notes == ()


def test_words_without_vectors_are_counted() -> None:
    (note,) = Corpus.from_texts({"a": "xqzt vvkk the " * 100}).notes
    assert "only 33% of the words have a vector" in note


def test_coverage_says_first_what_the_methods_miss() -> None:
    whole = Corpus.from_texts({"a": "The ship sank in the storm."}).coverage
    assert (
        whole.blocks()[0].text
        == "Every word has a vector: nothing is lost to the methods that work on meaning."
    )
    part = Corpus.from_texts({"a": "The ship zzqxv sank in the zzqxv storm."}).coverage
    assert part.blocks()[0].text == (
        "The methods that work on meaning see 77.8 % of the tokens; they miss “zzqxv” most."
    )
