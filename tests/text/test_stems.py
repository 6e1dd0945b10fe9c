"""Terms: word forms meet, compounds are there whole and in parts, common words are not there at all."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import MissingExtra, OptionError
from lexicloud.text import Lemmatizer, TokenRules, tokenize
from lexicloud.text.stems import Terms, pieces, stemmer


@pytest.fixture
def terms():
    return Terms(TokenRules())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("connections", "connected"),
        ("e-mail", "email"),
        ("getUserName", "get_user_name"),
        ("Time-sharing", "timesharing"),
        ("UTF-8", "utf8"),
        ("3.11.2", "3.11.9"),
        ("the company's", "companies"),
    ],
)
def test_forms_of_one_thing_share_a_term(terms, one, other):
    assert set(terms.of(one)) & set(terms.of(other))


@pytest.mark.parametrize(
    ("text", "part"), [("parseJSON", "pars"), ("src/net/http.py", "net"), ("ERR_TIMED_OUT", "time")]
)
def test_parts_of_names_are_terms(terms, text, part):
    assert part in terms.of(text)


def test_numbers_and_initials_stay_whole(terms):
    assert terms.of("1,000.50 at 10:30 in the U.S.") == ["1,000.50", "10:30", "u.s."]
    assert pieces("don't") == []


def test_common_words_are_left_out_and_pronouns_are_not(terms):
    assert terms.of("it was the best of him") == ["best", "him"]


def test_languages_have_their_own_stems_and_common_words():
    german = Terms(TokenRules(language="german"))
    assert german.of("die Häuser") == german.of("der Hauses") or stemmer("german")("häuser") == "haus"
    assert Terms(TokenRules(language="french")).of("l'homme et la mer") == [stemmer("french")("homme"), "mer"]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("turkish", "ILIK", "ılık"),
        ("polish", "lasach", "lasami"),
        ("czech", "hradech", "hradu"),
        ("greek", "άνθρωπος", "άνθρωποι"),
    ],
)
def test_forms_meet_in_other_languages(language, one, other):
    terms = Terms(TokenRules(language=language))
    assert terms.of(one) == terms.of(other)
    assert terms.words_and_terms(one)[1] == terms.words_and_terms(other)[1]


def test_what_is_remembered_is_what_is_read(terms):
    assert terms["parseJSON,"] == terms.read("parseJSON,") == terms["parseJSON,"]


LETTERS = st.text(alphabet="aB'’‘.,-—“”_!?:;…é1", min_size=1, max_size=9)


@settings(max_examples=300, deadline=None)
@given(run=LETTERS, language=st.sampled_from(["english", "french"]))
def test_words_and_terms_read_together_are_those_read_apart(run, language):
    terms = Terms(TokenRules(language=language))
    words = tuple(map(terms.rules.normalise, tokenize(run, terms.rules)))
    assert terms.words_and_terms(run) == (words, terms.read(run))


# ---- Lemmas: forms of a word meet under one

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
