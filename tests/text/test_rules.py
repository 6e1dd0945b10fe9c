from __future__ import annotations

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import LexicloudWarning, OptionError
from lexicloud.text import DEFAULT_RULES, LANGUAGES, TokenRules, tokenize


def test_rules_travel_as_plain_values() -> None:
    rules = TokenRules(language="FR", lowercase=False, tokenizer="nltk", sentences="punkt")
    assert rules.language == "french"
    assert TokenRules(**asdict(rules)) == rules
    assert {rules: 1}[TokenRules(**asdict(rules))] == 1
    with pytest.raises(FrozenInstanceError):
        rules.language = "english"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"language": "klingon"}, "klingon.*english .en.*russian"),
        ({"tokenizer": "spacy"}, "spacy.*'rules' or 'nltk' or 'characters'"),
        ({"sentences": "nltk"}, "'rules' or 'punkt'"),
        ({"lowercase": "yes"}, "yes"),
    ],
)
def test_wrong_values_are_refused_with_the_choices(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(OptionError, match=named):
        TokenRules(**wrong)  # type: ignore[arg-type]


def test_codes_and_names_are_one() -> None:
    assert all(TokenRules(language=code) == TokenRules(language=name) for code, name in LANGUAGES.items())
    assert TokenRules(language="pt-BR").language == "portuguese"


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("Don’t", "don't"),
        ("DON'T", "don't"),
        ("cafe\u0301", "café"),
        ("co\u00adop", "coop"),
        ("Non‑Stop", "non-stop"),
        ("ÉTÉ", "été"),
        ("§", "§"),
    ],
)
def test_normal_forms(token: str, expected: str) -> None:
    assert DEFAULT_RULES.normalise(token) == expected


def test_case_can_be_kept() -> None:
    assert TokenRules(lowercase=False).normalise("Don’t") == "Don't"


@pytest.mark.parametrize(
    ("language", "token", "expected"),
    [
        ("turkish", "ILIK", "ılık"),
        ("turkish", "İYİ", "iyi"),
        ("english", "ILIK", "ilik"),
        ("ancient-greek", "καὶ", "καί"),
        ("greek", "καὶ", "καὶ"),
        ("greek", "ΟΔΟΣ", "οδος"),
        ("hebrew", "צה״ל", 'צה"ל'),
        ("arabic", "كتـــاب", "كتاب"),
        ("ancient-greek", "ἀλλ᾽", "ἀλλ'"),
    ],
)
def test_normal_forms_of_other_languages(language: str, token: str, expected: str) -> None:
    assert TokenRules(language=language).normalise(token) == expected


def test_a_language_to_be_detected_is_settled_by_the_text() -> None:
    rules = TokenRules(language="detect", lowercase=False)
    assert TokenRules(language=None) == TokenRules(language="detect")  # type: ignore[arg-type]
    settled = rules.settled("Byl to velmi klidný večer a všichni šli spát.")
    assert settled == TokenRules(language="czech", lowercase=False)
    assert settled.settled("Good morning to all of you.") is settled
    assert tokenize("Qu’est-ce que l’homme veut dans la forêt ?", TokenRules(language="detect"))[0] == "Qu’"


def test_what_cannot_be_told_is_said_aloud() -> None:
    with pytest.warns(LexicloudWarning, match="not recognised.*read as English"):
        assert TokenRules(language="detect").settled("OK 123").language == "english"


@given(st.text(min_size=1), st.booleans(), st.sampled_from(["english", "turkish", "ancient-greek"]))
def test_normalising_twice_changes_nothing_and_never_empties(
    token: str, lowercase: bool, language: str
) -> None:
    rules = TokenRules(language=language, lowercase=lowercase)
    once = rules.normalise(token)
    assert once
    assert rules.normalise(once) == once


@pytest.mark.parametrize(
    ("variants", "expected"),
    [('“”"„«»', '"'), (("--", "—", "–", "---"), "--"), (("...", "…"), "..."), ("'‘’", "'")],
    ids=["quotes", "dashes", "ellipses", "single quotes"],
)
def test_marks_that_only_editions_differ_in_are_one(variants: Sequence[str], expected: str) -> None:
    assert {DEFAULT_RULES.normalise(token) for token in variants} == {expected}
