"""A note when the vectors are of another language than the texts."""

from __future__ import annotations

from lexicloud.corpus import Corpus
from lexicloud.text import TokenRules
from lexicloud.vectors import WordVectors
from lexicloud.vectors.catalogue import CATALOGUE

# The opening of Kafka's "Der Prozess" (1925), public domain.
GERMAN = (
    "Jemand mußte Josef K. verleumdet haben, denn ohne daß er etwas Böses getan hätte, wurde er eines Morgens "
    "verhaftet. Die Köchin der Frau Grubach, seiner Zimmervermieterin, die ihm jeden Tag gegen acht Uhr früh das "
    "Frühstück brachte, kam diesmal nicht. Das war noch niemals geschehen. "
) * 6
ENGLISH = "It is a truth that a single man in possession of a good fortune must be in want of a wife. " * 15


def test_english_vectors_for_a_german_text_are_noted() -> None:
    (note,) = Corpus.from_texts({"k": GERMAN}, rules=TokenRules(language="german")).notes
    assert "vectors glove-6b-50d are of English words, but the language is german" in note
    (note,) = Corpus.from_texts({"k": GERMAN}).notes
    assert "the texts look german" in note


def test_every_vectors_of_the_catalogue_are_english_and_sixty_words_are_enough() -> None:
    short = " ".join(GERMAN.split()[:64])
    for name in CATALOGUE:
        words = {word: [1.0, float(i)] for i, word in enumerate(GERMAN.lower().split())}
        (note,) = Corpus.from_texts({"k": short}, vectors=WordVectors.from_dict(words, name)).notes
        assert f"the texts look german, but the vectors {name} are of English words" in note


def test_an_english_text_is_not() -> None:
    assert Corpus.from_texts({"a": ENGLISH}).notes == ()


def test_words_without_vectors_are_counted() -> None:
    (note,) = Corpus.from_texts({"a": "xqzt vvkk the " * 100}).notes
    assert "only 33% of the words have a vector" in note
