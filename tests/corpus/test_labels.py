"""Who wrote each text, as far as it is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexicloud.corpus.labels import labelled_corpus
from lexicloud.errors import InputError


def write(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"some words of {name}", encoding="utf-8")
    return folder


def test_labels_come_from_names(tmp_path: Path) -> None:
    corpus = labelled_corpus(
        write(tmp_path, "Austen_Emma.txt", "Austen_Persuasion.txt", "Joyce_Dubliners.txt")
    )
    assert corpus.labels == ("Austen", "Austen", "Joyce")
    assert "labels from names: 3 texts with 2 labels" in corpus.notes


def test_labels_come_from_folders_where_names_say_nothing(tmp_path: Path) -> None:
    corpus = labelled_corpus(
        write(tmp_path, "austen/emma.txt", "austen/persuasion.txt", "joyce/dubliners.txt")
    )
    assert corpus.labels == ("austen", "austen", "joyce")
    assert any("labels from folders" in note for note in corpus.notes)


def test_a_table_beside_the_texts_is_asked_first(tmp_path: Path) -> None:
    write(tmp_path, "x_1.txt", "x_2.txt", "x_3.txt")
    rows = ["file,author,year", "x_1.txt,Austen,1815", "x_2.txt,Joyce,1914", "x_3.txt,Joyce,1916"]
    (tmp_path / "about.csv").write_text("\n".join(rows), encoding="utf-8")
    corpus = labelled_corpus(tmp_path)
    assert corpus.labels == ("Austen", "Joyce", "Joyce")
    assert any("the column 'author' beside the texts" in note for note in corpus.notes)
    assert labelled_corpus(tmp_path, label="year").labels == ("1815", "1914", "1916")


def test_a_table_of_labels_is_believed_before_everything(tmp_path: Path) -> None:
    folder = write(tmp_path / "texts", "Austen_Emma.txt", "Joyce_Dubliners.txt")
    table = tmp_path / "labels.csv"
    table.write_text("file,label\nAusten_Emma.txt,early\nJoyce_Dubliners.txt,late", encoding="utf-8")
    assert labelled_corpus(folder, labels=table).labels == ("early", "late")


def test_texts_of_nobody_have_no_label(tmp_path: Path) -> None:
    corpus = labelled_corpus(write(tmp_path, "Austen_Emma.txt", "Joyce_Dubliners.txt", "Unknown_letter.txt"))
    assert corpus.labels == ("Austen", "Joyce", None)
    assert "labels from names: 2 texts with 2 labels, 1 without" in corpus.notes


def test_texts_without_any_label_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the 2 texts have no labels: name them like"):
        labelled_corpus(write(tmp_path, "emma.txt", "dubliners.txt"))
