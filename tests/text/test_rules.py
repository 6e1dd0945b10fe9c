from __future__ import annotations

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import OptionError
from lexicloud.text import DEFAULT_RULES, LANGUAGES, TokenRules


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
        ({"tokenizer": "spacy"}, "spacy.*'rules' or 'nltk'"),
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


@given(st.text(min_size=1), st.booleans())
def test_normalising_twice_changes_nothing_and_never_empties(token: str, lowercase: bool) -> None:
    rules = TokenRules(lowercase=lowercase)
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
