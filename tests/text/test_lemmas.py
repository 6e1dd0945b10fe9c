"""Lemmas: forms of a word meet under one."""

from __future__ import annotations

import sys

import pytest

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.text import Lemmatizer, TokenRules

FORMS = {
    "english": [("mice", "mouse"), ("Was", "be"), ("U.S.", "u.s.")],
    "german": [("Häuser", "haus"), ("ging", "gehen")],
    "swedish": [("husen", "hus")],
}


@pytest.mark.parametrize(
    "language", ["english", *(pytest.param(n, marks=pytest.mark.slow) for n in ("german", "swedish"))]
)
def test_forms_meet_under_their_lemma(language: str) -> None:
    pytest.importorskip("simplemma")
    lemma = Lemmatizer(language)
    assert [(word, lemma(word)) for word, _ in FORMS[language]] == FORMS[language]


def test_japanese_lemmas_are_dictionary_forms() -> None:
    pytest.importorskip("sudachipy")
    assert Lemmatizer("ja")("行き") == "行く"


def test_a_language_without_lemmas_is_refused() -> None:
    pytest.importorskip("simplemma")
    with pytest.raises(OptionError, match="no lemmas for chinese"):
        Lemmatizer("chinese")


def test_without_the_package_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simplemma.strategies.dictionaries.dictionary_factory", None)
    with pytest.raises(MissingExtra, match=r"lexicloud\[lemmas\]"):
        Lemmatizer("english")


def test_rules_count_lemmas_where_they_are_asked_to() -> None:
    pytest.importorskip("simplemma")
    rules = TokenRules(lemmas=True)
    assert [rules.normalise(word) for word in ("Mice", "mouse", "was", "!")] == ["mouse", "mouse", "be", "!"]
    with pytest.raises(OptionError, match="lower case"):
        TokenRules(lemmas=True, lowercase=False)
