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
from lexicloud.text.language import read_language

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
