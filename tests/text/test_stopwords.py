from __future__ import annotations

from pathlib import Path

import pytest

from lexicloud.errors import OptionError
from lexicloud.text import (
    DEFAULT_RULES,
    LANGUAGES,
    TokenRules,
    is_punctuation,
    is_stopword,
    stopwords,
    tokenize,
)

SENTENCES = {
    "english": ("Don’t you think it’s what THEY'D have done with the whale?", {"think", "whale", "done"}),
    "french": ("L’homme n’est pas ce qu’il croit être dans la forêt.", {"homme", "croit", "forêt"}),
    "german": ("Ich habe den Wald gesehen, aber er war nicht so groß.", {"wald", "gesehen", "groß"}),
    "spanish": ("Yo no sé qué es lo que está en el bosque.", {"sé", "bosque"}),
    "italian": (
        "Non è vero che l’amico dell’arte sia qui nella foresta.",
        {"vero", "amico", "arte", "qui", "foresta"},
    ),
    "portuguese": ("Eu não sei o que está na floresta, mas é dele.", {"sei", "floresta"}),
    "russian": ("Я не знаю, что это было, но он видел лес.", {"знаю", "видел", "лес"}),
}


@pytest.mark.parametrize("language", LANGUAGES.values())
def test_what_remains_of_a_sentence(language: str) -> None:
    text, content = SENTENCES[language]
    rules = TokenRules(language=language)
    words = {rules.normalise(t) for t in tokenize(text, rules)}
    assert {w for w in words if w not in stopwords(language) and not is_punctuation(w)} == content


@pytest.mark.parametrize("language", LANGUAGES.values())
def test_lists_are_normalised_and_of_a_sensible_size(language: str) -> None:
    rules = TokenRules(language=language)
    assert {rules.normalise(w) for w in stopwords(language)} == stopwords(language)
    assert 100 < len(stopwords(language)) < 450


def test_codes_and_unknown_languages() -> None:
    assert stopwords("en") == stopwords("English") == stopwords()
    with pytest.raises(OptionError, match=r"'xx'.*german \(de\)"):
        stopwords("xx")


def test_contractions_in_every_spelling_and_in_nltk_pieces() -> None:
    assert all(map(is_stopword, ["don't", "Don’t", "DON'T", "n't", "'s", "’s", "The"]))
    assert {DEFAULT_RULES.normalise(t) for t in ["do", "n’t", "’ll"]} <= stopwords()
    assert not is_stopword("whale")
    assert is_stopword("Qu’", TokenRules(language="fr", lowercase=False))


def test_punctuation() -> None:
    assert all(map(is_punctuation, ["--", "…", "“", "👍", "%"]))
    assert not any(map(is_punctuation, ["e.g.", "3.5", "n't", "é"]))


@pytest.mark.shared
def test_english_agrees_with_the_list_nltk_ships(shared: Path) -> None:
    listed = (shared / "data/nltk_data/corpora/stopwords/english").read_text("utf-8").split()
    assert set(listed) <= stopwords("english")
    assert len(stopwords("english")) < 1.4 * len(listed)
