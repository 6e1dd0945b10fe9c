"""Every language's file is complete, and every other language has the plain default."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import lexicloud.text.language as language_module
from lexicloud.errors import OptionError
from lexicloud.text import LANGUAGES, TokenRules, split_sentences, stopwords, tokenize
from lexicloud.text.language import language_code, language_name, read_language
from lexicloud.vectors.catalogue import CATALOGUE
from tests.text.conftest import language_cases

NAMED = sorted(LANGUAGES.values())
CASES = [
    pytest.param(*case, id=f"{kind}-{case[0]}-{i}")
    for kind, cases in language_cases().items()
    for i, case in enumerate(cases)
    if kind != "known failures"
]
EXTRAS = {"chinese": "rjieba", "japanese": "sudachipy"}


def sentences_and_tokens(language: str, text: str) -> list[list[str]]:
    rules = TokenRules(language=language)
    return [tokenize(sentence, rules) for sentence in split_sentences(text, rules)]


@pytest.mark.parametrize(("language", "text", "right"), CASES)
def test_cases(language: str, text: str, right: list[list[str]]) -> None:
    if language in EXTRAS:
        pytest.importorskip(EXTRAS[language])
    assert sentences_and_tokens(language, text) == right
    assert [token for sentence in right for token in sentence] == tokenize(
        text, TokenRules(language=language)
    )


@pytest.mark.parametrize(("language", "text", "right"), language_cases()["known failures"])
@pytest.mark.xfail(strict=True, reason="needs a dictionary, or brackets that are counted")
def test_known_failures(language: str, text: str, right: list[list[str]]) -> None:
    if language in EXTRAS:
        pytest.importorskip(EXTRAS[language])
    assert sentences_and_tokens(language, text) == right


@pytest.mark.parametrize("name", NAMED)
def test_every_file_says_where_its_lists_come_from(name: str) -> None:
    known = read_language(name)
    assert known.code == language_code(name)
    assert "stop words:" in known.sources
    assert known.stop_words
    assert known.direction in {"ltr", "rtl"}
    assert not known.vectors or known.vectors in CATALOGUE


def test_there_is_a_line_for_every_file() -> None:
    folder = Path(language_module.__file__).parent / "languages"
    assert {path.stem for path in folder.glob("*.toml")} - {"plain", "others"} == set(NAMED)
    assert len(NAMED) >= 26


def test_stemmers_are_rules_of_snowball() -> None:
    import Stemmer

    named = {read_language(name).stemmer for name in NAMED} - {""}
    assert named <= set(Stemmer.algorithms())
    without = {name for name in NAMED if not read_language(name).stemmer}
    assert without == {"ukrainian", "slovene", "ancient-greek", "latin", "hebrew", "chinese", "japanese"}


def test_names_and_codes_of_every_kind() -> None:
    for asked in ("pl", "POL", "Polish", "pl-PL", "pl_PL"):
        assert language_name(asked) == "polish"
    assert language_name("Ancient Greek") == language_name("grc") == "ancient-greek"
    assert language_name("nb") == language_name("nn") == language_name("no") == "norwegian"
    assert language_name("sl") == language_name("slovenian") == "slovene"
    assert language_name("und") == "unknown"


def test_other_languages_have_the_plain_default() -> None:
    croatian = read_language("hr")
    assert (croatian.name, croatian.code, croatian.stemmer) == ("croatian", "hr", "serbian")
    assert "jest" in stopwords("hr") or "je" in stopwords("hr")
    assert stopwords("unknown") == frozenset()
    names = language_module._others()
    assert all(language_code(name) for name in names.values())
    assert not set(names) & set(LANGUAGES)


def test_a_language_that_is_none_is_refused() -> None:
    with pytest.raises(OptionError, match=r"'klingon'.*polish \(pl\).*'unknown'"):
        language_name("klingon")
    with pytest.raises(OptionError, match="to be detected"):
        read_language("detect")


@pytest.mark.parametrize("name", NAMED)
def test_patterns_match_something_short(name: str) -> None:
    known = read_language(name)
    for pattern in (known.elided, known.clipped, known.final_apostrophe, known.proclitics, known.enclitics):
        re.compile(pattern)
        assert not pattern or not re.fullmatch(pattern, "")
