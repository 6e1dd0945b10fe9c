"""The five datasets are read from their own layouts; what is missing says where it was looked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lexicloud.errors import InputError, OptionError
from lexicloud.paper import MissingData, read_passages
from lexicloud.paper.data import (
    dataset_files,
    fingerprint,
    labels_of_books,
    nltk_data,
    race_article,
    race_files,
)
from tests.paper.data_folder import THEMES, sentences


def test_books_are_read_with_their_labels(data):
    found = read_passages("gutenberg", data)
    assert set(found.names) == {f"{theme}_{i}" for theme in THEMES for i in range(2)} | {"the_great_gatsby"}
    assert any("unlabelled" in note for note in found.notes)
    assert any("72" in note or "78" in note for note in found.notes)  # of the paper's 79 only Gatsby is here
    labels = labels_of_books(data)
    assert labels["marine_0"].author == "marine"
    assert labels["emma"].author == "austen"  # the paper's own stay


def test_gatsby_is_one_book(data):
    found = read_passages("gatsby", data)
    assert found.names == ("the_great_gatsby",)
    assert found.texts[0].startswith("The ")


def test_race_takes_the_article_alone_in_the_order_of_the_archive(data):
    found = read_passages("race", data)
    assert len(found) == 130
    assert found.names[:2] == ("train/middle/0", "train/middle/1")
    assert found.names[-1] == "test/middle/4"
    assert "Where was the judge?" not in found.texts[0]
    # The authors' code puts a space after each full stop.
    assert found.texts[0] == " ".join(sentences("legal", 1000, 6)).replace(".", ". ")
    assert "130 of the 27,933 passages" in found.notes[0]
    assert [path.stem for path in race_files(data / "RACE")][:11] == [str(i) for i in range(11)]  # 10 after 9


def test_a_quick_race_is_a_sample(data):
    assert len(read_passages("race", data, quick=True)) == 3


def test_a_broken_passage_is_named(tmp_path):
    path = tmp_path / "1.txt"
    path.write_text(json.dumps({"questions": []}), encoding="utf-8")
    with pytest.raises(InputError, match=r"1\.txt is no RACE passage.*article"):
        race_article(path)
    path.write_text("no json", encoding="utf-8")
    with pytest.raises(InputError, match="no RACE passage"):
        race_article(path)


def test_brown_loses_its_tags_and_keeps_its_sentences(data):
    found = read_passages("brown", data)
    assert found.names == ("ca01", "cb02")
    expected = sentences("legal", 7, 40)[0].replace(",", " ,").replace(".", " .").split()
    assert list(found.sentences[0][0]) == expected
    assert len(found.sentences[0]) == 40


@pytest.mark.parametrize("name", ["gatsby", "gutenberg", "race"])
def test_what_is_missing_says_where_it_should_be(name, tmp_path):
    with pytest.raises(MissingData, match=f"{name}: there .* in the data folder|the data folder's"):
        read_passages(name, tmp_path)
    with pytest.raises(MissingData, match=name):
        dataset_files(name, tmp_path)


def test_missing_brown_names_the_command(tmp_path, monkeypatch):
    import nltk

    monkeypatch.setattr(nltk.data, "path", [])
    with pytest.raises(MissingData, match=r"nltk\.downloader brown"):
        read_passages("brown", tmp_path)


def test_an_unknown_dataset_lists_the_known(tmp_path):
    with pytest.raises(OptionError, match="gatsby, reuters, brown, gutenberg, race"):
        read_passages("wikipedia", tmp_path)


def test_the_fingerprint_follows_the_contents(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one", encoding="utf-8")
    before = fingerprint([path])
    assert fingerprint([path]) == before
    path.write_text("two", encoding="utf-8")
    assert fingerprint([path]) != before


def test_nltks_paths_are_put_back(data):
    import nltk

    before = list(nltk.data.path)
    with nltk_data(data):
        assert nltk.data.path[0] == str(Path(data) / "nltk_data")
    assert nltk.data.path == before


def test_reuters_is_read_as_nltks_own_reader_reads_it(shared):
    """The oracle is NLTK's reader for the corpus, which splits with punkt and takes words and marks apart."""
    from nltk.corpus.reader import CategorizedPlaintextCorpusReader

    from lexicloud.paper.data import reuters_sentences

    with nltk_data(shared / "data"):
        name, read = reuters_sentences()[0]
        root = str(shared / "data" / "nltk_data" / "corpora" / "reuters")
        reader = CategorizedPlaintextCorpusReader(
            root, r"(training|test).*", cat_file="cats.txt", encoding="ISO-8859-2"
        )
        assert read() == [list(s) for s in reader.sents(name)]
