"""The language of a text, how sure that is, and what is said where it cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexicloud.errors import LexicloudWarning
from lexicloud.text import TokenRules, detect_language, detect_languages
from lexicloud.text.detection import SURE_ENOUGH

SENTENCES = {
    "english": "It was a quiet evening and everybody had gone to bed.",
    "french": "C’était une soirée tranquille et tout le monde dormait.",
    "german": "Es war ein ruhiger Abend, und alle schliefen schon.",
    "spanish": "Era una noche tranquila y todos se habían acostado.",
    "italian": "Era una serata tranquilla e tutti erano già a letto.",
    "portuguese": "Era uma noite calma e todos já tinham ido dormir.",
    "dutch": "Het was een rustige avond en iedereen was naar bed gegaan.",
    "polish": "Był to spokojny wieczór i wszyscy poszli już spać.",
    "russian": "Был тихий вечер, и все уже легли спать.",
    "ukrainian": "Був тихий вечір, і всі вже полягали спати.",
    "czech": "Byl to klidný večer a všichni už šli spát.",
    "hungarian": "Csendes este volt, és már mindenki lefeküdt aludni.",
    "slovene": "Bil je miren večer in vsi so že šli spat.",
    "greek": "Ήταν ένα ήσυχο βράδυ και όλοι είχαν πάει για ύπνο.",
    "ancient-greek": "ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν.",
    "latin": "Gallia est omnis divisa in partes tres, quarum unam incolunt Belgae.",
    "finnish": "Oli hiljainen ilta, ja kaikki olivat jo menneet nukkumaan.",
    "swedish": "Det var en lugn kväll och alla hade redan gått och lagt sig.",
    "danish": "Det var en stille aften, og alle var allerede gået i seng.",
    "norwegian": "Det var en stille kveld, og alle hadde allerede lagt seg.",
    "romanian": "Era o seară liniștită și toți se culcaseră deja.",
    "turkish": "Sakin bir akşamdı ve herkes çoktan yatmıştı.",
    "arabic": "كان مساءً هادئًا وكان الجميع قد ناموا.",
    "hebrew": "היה ערב שקט וכולם כבר הלכו לישון.",
    "chinese": "那是一个安静的夜晚，大家都已经睡了。",
    "japanese": "静かな夜で、みんなもう寝ていました。",
    "catalan": "Era una nit tranquil·la i tothom ja se n’havia anat al llit.",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_sentence_is_enough(language: str) -> None:
    found = detect_language(SENTENCES[language])
    assert found.language == language
    assert SURE_ENOUGH <= found.sureness <= 1
    assert language not in found.alternatives


@pytest.mark.parametrize("text", ["", "123 456 !!!", "OK", "la", "🙂"])
def test_too_little_text_is_unknown(text: str) -> None:
    found = detect_language(text)
    assert found.language == "unknown"
    assert found.sureness < SURE_ENOUGH


def test_modern_greek_in_old_accents_is_not_ancient() -> None:
    text = "Ἦτο νὺξ βαθεῖα καὶ ἡ γραῖα δὲν ἤθελε νὰ κοιμηθῇ, διὰ νὰ ἰδῇ τὸν υἱόν της."
    assert detect_language(text).language == "greek"


def test_of_a_long_text_beginning_middle_and_end_are_read() -> None:
    polish = SENTENCES["polish"] + " "
    assert detect_language(polish * 2_000).language == "polish"
    header = "Produced by volunteers of the project. " * 20
    assert detect_language(header + polish * 2_000).language == "polish"


def test_a_mixed_folder_is_reported() -> None:
    texts = {"a": SENTENCES["polish"] * 3, "b": SENTENCES["german"], "c": "OK"}
    found = detect_languages(texts)
    assert found.languages == {"polish": 1, "german": 1, "unknown": 1}
    assert found.main == "polish"
    assert list(found.to_pandas().columns[:3]) == ["name", "language", "sureness"]
    with pytest.warns(LexicloudWarning, match=r"several languages.*polish.*such as 1"):
        assert TokenRules(language="detect").settled(texts.values()).language == "polish"


def test_a_page_of_english_is_told_by_its_small_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexicloud.text.detection._ranked", None)  # the model is not asked
    page = "The man who came from the house by the lake said that they would not have been there. " * 10
    assert detect_language(page).language == "english"


def test_texts_of_one_language_say_nothing() -> None:
    found = detect_languages([SENTENCES["czech"], SENTENCES["czech"], "OK"])
    assert (found.main, found.notes) == ("czech", ())


def test_no_text_at_all() -> None:
    assert detect_languages([]).main == "unknown"
    assert str(detect_languages([])) == "no text"


@pytest.mark.shared
def test_novels_are_recognised(shared: Path) -> None:
    wanted = {"deu": "german", "fra": "french", "spa": "spanish"}
    files = sorted((shared / "data/eltec").glob("*/*.txt"))[::12]
    assert files
    assert all(detect_language(f.read_text("utf-8")).language == wanted[f.parent.name] for f in files)


def test_one_short_row_among_many_is_no_second_language_but_a_long_text_is() -> None:
    english = "The committee met in the morning and talked about the bridge over the river."
    french = "Le conseil a parlé du pont sur la rivière."
    assert detect_languages([english] * 60 + [french]).notes == ()
    assert detect_languages([english] * 60 + [french * 6]).notes
    assert detect_languages([english] * 6 + [french]).notes
