"""Lemmas: forms of a word meet under one, and the forms as written are kept to show."""

from __future__ import annotations

import sys

import pytest

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.text import Lemmatizer

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


def test_forms_are_kept_to_be_shown() -> None:
    pytest.importorskip("simplemma")
    groups = Lemmatizer("en").groups({"houses": 3, "house": 1, "ran": 2, "running": 2, "!": 9})
    assert [(g.lemma, g.forms, g.count, g.shown) for g in groups] == [
        ("!", ("!",), 9, "!"),
        ("house", ("houses", "house"), 4, "house"),
        ("run", ("ran", "running"), 4, "ran"),
    ]


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
