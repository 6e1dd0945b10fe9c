"""Texts that have no answer for something: the study explains, and never fails."""

from __future__ import annotations

import pytest

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError, LexicloudError, LexicloudWarning, OptionError
from lexicloud.report import Missing, study, write_report
from tests.report.stories import library, story
from tests.texts import TEXTS

SHORT = "The ship sank. The cook wept."


def page_of(texts, **options):
    found = study(Corpus.from_texts(texts, **options))
    return found, found.page().render()


def test_a_single_document_has_no_map_and_no_attribution():
    found, page = page_of({"alone": story("Salt", 1)})
    assert isinstance(found.divergence_map, Missing)
    assert "at least two documents" in found.divergence_map.reason
    assert isinstance(found.attribution, Missing)
    assert "Not here" in page
    assert not isinstance(found.zipf, Missing)
    assert not isinstance(found.search, Missing)


def test_two_documents_are_compared_both_ways():
    found, page = page_of({"one": story("Salt", 1, 12), "two": story("Gavel", 1, 12)})
    there, back = found.divergence_map.matrix.values[0, 1], found.divergence_map.matrix.values[1, 0]
    assert (
        found.divergence_map.finding
        == f"one diverges from two by {there:.3g}, and the other way round by {back:.3g}."
    )
    near = found.divergence_map.neighbours["one"][0]
    assert near.gain == pytest.approx(there, abs=1e-6)
    assert "Heat map" not in page


def test_texts_without_labels_are_told_how_to_give_some():
    found, page = page_of(TEXTS)
    assert isinstance(found.attribution, Missing)
    assert "--label" in found.attribution.reason
    assert "standardised" not in page.split("How to read it")[1]


@pytest.mark.slow
def test_labels_with_one_member_each_are_explained():
    found, _ = page_of(TEXTS, labels=list(TEXTS))
    assert isinstance(found.attribution, Missing)
    assert "one text" in found.attribution.reason


def test_one_label_with_a_single_member_is_named():
    texts = library(3, 12) | {"Lonely_1": TEXTS["harbour"] * 3}
    found, page = page_of(texts)
    assert found.attribution.single == ("Lonely",)
    assert "Lonely" not in found.attribution.main.labels
    assert f"of {len(found.attribution.main.labels)} texts that could be found" in page
    assert "1 author with a single text (Lonely)" in page


def test_underscores_that_are_not_authors_give_no_labels():
    found, _ = page_of({"my_text": SHORT, "my_other": TEXTS["sea"], "my_third": TEXTS["court"]})
    assert found.reading.labels == {}


def test_another_language_is_doubted_but_still_studied():
    german = (
        "Der Kapitän stand auf dem Deck und sah den Wellen zu. Ein Matrose zog am Seil, und das Schiff drehte sich "
        "langsam zum Hafen. Möwen schrien über dem Mast. Der Sturm war vorüber, aber die See blieb rau."
    )
    with pytest.warns(LexicloudWarning, match="the texts look german"):
        found, page = page_of({"eins": german, "zwei": german.replace("Kapitän", "Steuermann")})
    assert "if the texts are in another language" in found.reading.doubts[0]
    assert "Kapitän" in page or "kapitän" in page


def test_tiny_texts_have_explained_gaps():
    found, page = page_of({"a": "Ship.", "b": "The cook."})
    assert found.zipf.clusters is None
    assert isinstance(found.search, Missing)
    assert "--query" in found.search.reason
    assert "Clusters of sentences" in page


def test_texts_without_any_vector():
    found, page = page_of({"a": "zzqx qqzx zzqx", "b": "xxqz zxqq"})
    assert found.reading.coverage.share == 0
    assert "0 %" in found.reading.finding
    assert page.endswith("</html>\n")


@pytest.mark.slow
def test_an_empty_text_among_others_is_named():
    found, page = page_of({**TEXTS, "blank leaf": "…"})
    assert len(found.reading.documents) == 5
    assert "blank leaf" in page


def test_an_empty_folder_is_an_error_and_no_page(tmp_path):
    (tmp_path / "texts").mkdir()
    with pytest.raises(InputError, match="holds no file that can be read"):
        write_report(tmp_path / "texts", tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_where_no_page_can_be_written_is_found_out_before_the_work(tmp_path):
    (tmp_path / "file").write_text("here", encoding="utf-8")
    with pytest.raises(InputError, match="cannot write"):
        write_report(tmp_path / "no texts here", tmp_path / "file" / "report.html")
    with pytest.raises(InputError, match="is a folder"):
        write_report(tmp_path / "no texts here", tmp_path)


def test_a_sample_leaves_short_texts_out_and_names_them():
    texts = library(3, 12) | {"Salt_9": SHORT}
    found = study(Corpus.from_texts(texts), sample=60)
    assert "Salt_9" not in found.divergence_map.names
    assert found.attribution.sample == 60
    assert "Salt_9" in found.page().render()


@pytest.mark.slow
def test_a_saved_corpus_is_reported_on_like_its_texts(tmp_path):
    Corpus.from_texts(TEXTS).save(tmp_path / "saved")
    found = write_report(tmp_path / "saved", tmp_path / "report.html")
    assert [d.name for d in found.reading.documents] == list(TEXTS)
    assert found.search.answers
    assert (tmp_path / "report.html").read_text(encoding="utf-8").endswith("</html>\n")


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"queries": ["  "]}, "has no words"),
        ({"queries": "ship"}, "one string"),
        ({"method": "x"}, "no method"),
    ],
)
def test_wishes_that_no_text_could_fulfil_are_errors(wish, message):
    corpus = Corpus.from_texts({"a": "The ship."})
    with pytest.raises(OptionError, match=message):
        study(corpus, **wish)


def test_texts_that_are_no_corpus_are_an_error():
    with pytest.raises(LexicloudError, match="Corpus"):
        study(TEXTS)
