"""Who wrote each text, as far as it is said."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from lexicloud.corpus.labels import labelled_corpus, labels_in_names
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


TITLES = (
    *(
        "pride_and_prejudice",
        "sense_and_sensibility",
        "the_great_gatsby",
        "the_jungle_book",
        "a_tale_of_two_cities",
    ),
    *("a_room_with_a_view", "white_fang", "black_beauty", "tarzan_of_the_apes"),
)


@pytest.mark.parametrize("written", [str.lower, str.title], ids=["lower case", "capitals"])
@pytest.mark.parametrize("first", range(5))
def test_titles_invent_no_authors(first: int, written: Callable[[str], str]) -> None:
    assert labels_in_names([written(title) for title in TITLES[first:]]) is None
    assert labels_in_names([written(title) for title in TITLES[first : first + 4]]) is None


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["austen_emma", "austen_persuasion", "joyce_dubliners"], ["austen", "austen", "joyce"]),
        (["Austen_Emma", "Joyce_Dubliners", "Unknown_letter"], ["Austen", "Joyce", None]),
        (["FRA00301_Aimard", "FRA00302_Aimard", "FRA00501_Balzac"], ["Aimard", "Aimard", "Balzac"]),
        (
            ["CS1_1876_Svetla_X", "CS2_1868_Svetla_Y", "CS3_1890_De-Marchi_Z"],
            ["Svetla", "Svetla", "De-Marchi"],
        ),
        (
            ["Jane Austen - Emma", "Jane Austen - Persuasion", "Joyce - Dubliners"],
            ["Jane Austen"] * 2 + ["Joyce"],
        ),
        (
            ["Austen, Jane - Emma", "Austen, Jane - Persuasion", "Joyce, James - Dubliners"],
            ["Austen, Jane"] * 2 + ["Joyce, James"],
        ),
        (["a/austen-emma", "a/austen-persuasion", "b/joyce-dubliners"], ["austen", "austen", "joyce"]),
        (["A_1", "A_2", "B_1", "B_2"], ["A", "A", "B", "B"]),
        (["Poe_1", "poe_2", "Verne_1"], ["Poe", "Poe", "Verne"]),
    ],
)
def test_authors_are_read_where_they_repeat(names: list[str], labels: list[str | None]) -> None:
    found = labels_in_names(names)
    assert found is not None
    assert list(found.labels) == labels


@pytest.mark.parametrize(
    "names",
    [
        ["Austen_Emma", "Joyce_Dubliners", "Poe_Raven"],  # nothing repeats
        ["letter_1", "letter_2", "letter_3"],  # all the same
        ["DEU002", "DEU003"],
        ["1857_a", "1858_b"],
    ],
)
def test_other_names_have_none(names: list[str]) -> None:
    assert labels_in_names(names) is None


def test_ordinary_words_are_no_authors_unless_they_repeat_often() -> None:
    texts = ["The white ship and the black sea."] * 6
    two = ["White_Fang", "White_Nights", "Black_Beauty", "Black_Arrow"]
    assert labels_in_names(two) is not None
    assert labels_in_names(two, texts) is None
    three = [f"{colour}_{i}" for colour in ("white", "black") for i in range(3)]
    assert labels_in_names(three, texts) is not None


def test_headers_say_more_than_names(tmp_path: Path) -> None:
    for name, author in (("a_1", "Austen"), ("a_2", "Joyce"), ("b_1", "Joyce")):
        (tmp_path / f"{name}.xml").write_text(
            f"<TEI><teiHeader><fileDesc><titleStmt><author>{author}</author></titleStmt></fileDesc></teiHeader>"
            f"<text><body><p>Some words of {author}.</p></body></text></TEI>",
            encoding="utf-8",
        )
    corpus = labelled_corpus(tmp_path, vectors="none")
    assert corpus.labels == ("Austen", "Joyce", "Joyce")
    assert "labels from the author in the files' headers: 3 texts with 2 labels" in corpus.notes


def test_the_one_column_that_repeats_is_the_label_and_of_two_none(tmp_path: Path) -> None:
    rows = ["Klasse;Aufsatz;Punkte"]
    rows += [
        f"{'8a' if i % 2 else '8b'};Der Hund lief heute {i} Mal um das Haus herum.;{i}" for i in range(6)
    ]
    table = tmp_path / "klasse.csv"
    table.write_text("\n".join(rows), encoding="utf-16")
    corpus = labelled_corpus(table, vectors="none")
    assert set(corpus.labels or ()) == {"8a", "8b"}
    assert any("labels from the column 'Klasse'" in note for note in corpus.notes)
    more = ["Schule;" + rows[0], *(f"{'Nord' if i % 3 else 'West'};{row}" for i, row in enumerate(rows[1:]))]
    table.write_text("\n".join(more), encoding="utf-8")
    with pytest.raises(
        InputError, match="the labels may be in 'Schule' or 'Klasse': say which with --label COLUMN"
    ):
        labelled_corpus(table, vectors="none")
    assert set(labelled_corpus(table, label="Schule", vectors="none").labels or ()) == {"Nord", "West"}


@pytest.mark.shared
def test_names_of_collections_are_read_as_their_tables_say(shared: Path) -> None:
    """The oracle is the authors' column of each collection; the paper's books are named by titles."""
    with (shared / "data" / "eltec" / "eltec.csv").open(encoding="utf-8") as file:
        french = [(row["file"], row["author"]) for row in csv.DictReader(file) if row["language"] == "french"]
    found = labels_in_names([Path(name).stem for name, _ in french])
    assert found is not None
    for label, (_, author) in zip(found.labels, french, strict=True):
        assert label
        assert label[:1] == author[:1]
        assert label[-3:] == author[-3:] or label.startswith(author)
    assert labels_in_names([path.stem for path in (shared / "data" / "books").glob("*.txt")]) is None
