"""Every language's file is complete, and every other language has the plain default."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import FrozenInstanceError, asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lexicloud.text.language as language_module
from lexicloud.errors import LexicloudWarning, OptionError
from lexicloud.text import (
    DEFAULT_RULES,
    LANGUAGES,
    TokenRules,
    is_punctuation,
    is_stopword,
    split_sentences,
    stopwords,
    tokenize,
)
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


# ---- stopwords

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
    "dutch": ("Ik weet niet wat het is, maar hij was in het bos.", {"weet", "bos"}),
    "polish": ("Nie wiem, co to było, ale on widział las.", {"wiem", "widział", "las"}),
    "ukrainian": ("Я не знаю, що це було, але він бачив ліс.", {"знаю", "бачив", "ліс"}),
    "czech": ("Nevím, co to bylo, ale on viděl les.", {"nevím", "viděl", "les"}),
    "hungarian": ("Nem tudom, mi volt az, de ő látta az erdőt.", {"tudom", "látta", "erdőt"}),
    "slovene": ("Ne vem, kaj je to bilo, a on je videl gozd.", {"vem", "videl", "gozd"}),
    "greek": ("Δεν είδα τον άνθρωπο στο δάσος.", {"είδα", "άνθρωπο", "δάσος"}),
    "ancient-greek": ("ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν.", {"ἀρχῇ", "λόγος", "θεόν"}),
    "latin": ("Gallia est omnis divisa in partes tres.", {"gallia", "divisa", "partes", "tres"}),
    "finnish": ("En tiedä, mikä se oli, mutta hän näki metsän.", {"tiedä", "näki", "metsän"}),
    "swedish": ("Jag vet inte vad det var, men han såg skogen.", {"vet", "såg", "skogen"}),
    "danish": ("Jeg ved ikke, hvad det var, men han så skoven.", {"skoven"}),
    "norwegian": ("Jeg vet ikke hva det var, men han så skogen.", {"vet", "skogen"}),
    "romanian": ("Nu știu ce era, dar el a văzut pădurea.", {"știu", "văzut", "pădurea"}),
    "turkish": ("Bu ne bilmiyorum ama o ormanı gördü.", {"bilmiyorum", "ormanı", "gördü"}),
    "arabic": ("هذا هو الكتاب الذي كان في البيت.", {"الكتاب", "البيت"}),
    "hebrew": ("אני לא ראיתי את היער הזה.", {"ראיתי", "היער"}),
    "chinese": ("我不知道森林的路。", {"知道", "森林", "路"}),
    "japanese": ("私は森を見ました。", {"森", "見"}),
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
    # Those of the package stopwordsiso are longer: Greek and Finnish lists hold every form.
    assert (
        100 < len(stopwords(language)) < (900 if "stopwordsiso" in read_language(language).sources else 450)
    )


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


# ---- rules


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
