from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from lexicloud.errors import EncodingError, InputError, LexicloudError, OptionError
from lexicloud.progress import reporting
from lexicloud.text import Document, labels_from_names, read_documents
from lexicloud.text.clean import cut_gutenberg

SENTENCE = "Call me Ishmael — naïvely, “some” years ago."


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def only(path: Path | str, **options: str) -> Document:
    (document,) = read_documents(path, **options)  # type: ignore[arg-type]
    return document


# ---- one file


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize(
    ("ending", "content"),
    [
        (".txt", SENTENCE),
        (".TXT", SENTENCE),
        (".md", f"---\ntitle: x\n---\n{SENTENCE}"),
        (".html", f"<html><head><title>t</title></head><body><p>{SENTENCE}</p></body></html>"),
        (".htm", f"<p>{SENTENCE}"),
        (".csv", f'id,text\n7,"{SENTENCE}"\n'),
        (".tsv", f"id\ttext\n7\t{SENTENCE}\n"),
        (".jsonl", f'{{"id": 7, "text": "{SENTENCE}"}}\n'),
    ],
)
def test_each_kind_gives_its_text(tmp_path: Path, ending: str, content: str, packed: bool) -> None:
    data = content.encode()
    path = write(tmp_path / f"Moby{ending}{'.gz' if packed else ''}", gzip.compress(data) if packed else data)
    document = only(path)
    assert document.text == SENTENCE
    assert document.source == str(path)
    assert document.name == ("7" if ending in {".csv", ".tsv", ".jsonl"} else "Moby")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SENTENCE.encode("utf-16"))))
    document = only("-")
    assert (document.name, document.text) == ("stdin", SENTENCE)
    assert document.notes == ("stdin: read as utf-16",)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "a.txt is empty"),
        ("a.txt", b" \n ", "a.txt is empty"),
        ("a.html", b"<p></p>", "a.html holds no text"),
        ("a.txt", b"%PDF-1.7 junk", "not text but binary"),
        ("a.txt", b"MZ\x90\x00\x03\x00\x00\x00\x04\x00", r"binary data \(byte 3 is 0x00\)"),
        ("a.txt.gz", b"not gzip", "damaged gzip"),
        ("a.txt.gz", gzip.compress(b"hello" * 99, mtime=0)[:-9], "damaged gzip"),
        ("a.csv", b"text\n", "a.csv has no rows"),
        ("a.csv", b"id,text\n1,x\n2\n", "line 3 of .*a.csv has 1 values but the header has 2"),
        ("a.csv", b'id,text\n1,"x"y\n', "line 2 of .*a.csv is malformed"),
        ("a.csv", b"text,text\n1,2\n", "two columns named 'text'"),
        ("a.csv", b"id,text\n1,\n", "'text' .*is empty in all 1 rows"),
        ("a.jsonl", b'{"text": "x"}\n{"text": \n', "line 2 of .*a.jsonl is not JSON"),
        ("a.jsonl", b"[1]\n", "line 1 of .*a.jsonl is a JSON list"),
        ("a.jsonl", b'{"text": 3}\n', "line 1 .*'text' holds a int, not text"),
        ("a.jpg", b"\xff\xd8\xff\xe0\x00", "binary.*.jpg is not a known kind"),
        ("a.epub", b"nonsense", "not a readable EPUB"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_documents(write(tmp_path / name, content))
    assert "\n" not in str(caught.value)


def test_a_missing_path_and_wrong_options(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file or folder .*nowhere"):
        read_documents(tmp_path / "nowhere")
    path = write(tmp_path / "a.txt", "x")
    with pytest.raises(OptionError, match="'strict' or 'replace'"):
        read_documents(path, errors="ignore")
    with pytest.raises(OptionError, match="'auto' or 'keep' or 'cut'"):
        read_documents(path, gutenberg="maybe")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="'@name' or '@folder'"):
        read_documents(path, label="@author")
    with pytest.raises(OptionError, match="no encoding 'utf-99'"):
        read_documents(path, encoding="utf-99")
    with pytest.raises(OptionError, match="no encoding 'uu'"):  # a codec, but none of text
        read_documents(path, encoding="uu")
    with pytest.raises(InputError, match=r"not a table.*'author'.*@name"):
        read_documents(path, label="author")


def test_a_file_of_unknown_ending_that_is_named_is_read_as_text(tmp_path: Path) -> None:
    document = only(write(tmp_path / "notes.log", "one line"))
    assert document.text == "one line"
    assert document.notes == ("notes.log: read as plain text",)


# ---- Project Gutenberg

BOOK = (
    "The Project Gutenberg eBook of Emma\r\n\r\n*** START OF THE PROJECT GUTENBERG EBOOK\r\nEMMA ***\r\n\r\n"
    "Emma Woodhouse, handsome.\r\n\r\n*** END OF THE PROJECT GUTENBERG EBOOK EMMA ***\r\nLicence"
)


def test_gutenberg_licence_is_cut_and_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "emma.txt", BOOK)
    assert only(path).text == only(path, gutenberg="cut").text == "Emma Woodhouse, handsome."
    assert "Project Gutenberg licence cut" in only(path).notes[0]
    assert "Licence" in only(path, gutenberg="keep").text
    assert only(path, gutenberg="keep").notes == ()


def test_old_gutenberg_markers(tmp_path: Path) -> None:
    marker = "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*"
    text = f"head\n{marker}\nBody.\nEnd of Project Gutenberg's Emma\n"
    assert only(write(tmp_path / "a.txt", text)).text == "Body."


def test_without_markers_nothing_is_cut(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "On Project Gutenberg one finds books.")
    assert only(path).notes == ()
    assert only(path, gutenberg="cut").notes == ("a.txt: no Project Gutenberg marker lines found",)


START, END = "*** START OF THE PROJECT GUTENBERG EBOOK X ***", "*** END OF THE PROJECT GUTENBERG EBOOK X ***"
LICENCE = "Terms of use. " * 900 + "subscribe to our email newsletter to hear about new eBooks.\n"


@pytest.mark.parametrize(
    "pieces",
    [
        [START, "Body 0.", END, LICENCE, "Header.", START, "Body 1.", END, LICENCE, START, "Body 2.", END, LICENCE],
        ["Header.", START, "Body 0.", "The Project Gutenberg EBook of Y", START, "Body 1.", START, "Body 2."],
        ["Body 0.", END, LICENCE, "Body 1.", END, LICENCE, "Body 2.", END, "Terms."],
        [START, "Body 0.", "Body 1.", END, LICENCE, "Body 2."],
    ],
    ids=["whole books", "without ends", "without headers", "a text of one's own after a book"],
)  # fmt: skip
def test_books_that_follow_each_other_are_all_kept(pieces: list[str]) -> None:
    text, (note,) = cut_gutenberg("\n".join(pieces))
    assert text.split() == ["Body", "0.", "Body", "1.", "Body", "2."]
    assert "Project Gutenberg licence" in note


def test_a_long_text_after_a_book_is_not_taken_for_a_licence() -> None:
    text, _ = cut_gutenberg(f"{START}\nBody.\n{END}\n" + "Another book. " * 9_000)
    assert text.startswith("Body.")
    assert text.count("Another book.") == 9_000


# ---- tables

TABLE = "who,body,year\nAnn,One cat.,1901\nBob,,1902\nCid,Two dogs.,1903\n"


def test_columns_are_guessed_and_said_so(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", TABLE)
    documents = read_documents(path)
    assert [(d.name, d.text, d.label) for d in documents] == [
        ("t:1", "One cat.", None),
        ("t:3", "Two dogs.", None),
    ]
    assert documents[0].fields == {"who": "Ann", "year": "1901"}
    assert "its column 'body'" in documents[0].notes[0]
    assert "1 of 3 rows" in documents[0].notes[1]


def test_columns_can_be_chosen(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", TABLE.replace(",", ";"))
    documents = read_documents(path, text="body", name="who", label="year")
    assert [(d.name, d.label, dict(d.fields)) for d in documents] == [
        ("Ann", "1901", {}),
        ("Cid", "1903", {}),
    ]
    with pytest.raises(InputError, match="no column 'author' for the label; its columns are who, body, year"):
        read_documents(path, label="author")


def test_without_a_usual_name_the_longest_column_is_the_text(tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", "k\tquip\nx\tA long remark indeed.\n")
    assert only(path).text == "A long remark indeed."
    lines = write(tmp_path / "t.jsonl", '"One string."\n\n"Another."\n')
    assert [d.text for d in read_documents(lines)] == ["One string.", "Another."]


def test_a_cell_may_hold_a_whole_book_with_line_ends(tmp_path: Path) -> None:
    book = "word\n" * 60_000  # the csv module refuses cells over 131,072 characters unless told
    path = write(tmp_path / "t.csv", f'id,text\n1,"{book}"\n2,x,3\n')
    with pytest.raises(InputError, match="line 60,003 of"):
        read_documents(path)
    path = write(tmp_path / "t.csv", f'id,text\n1,"{book}"\n')
    assert only(path).text == book


def test_repeated_names_are_told_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "id,text\na,One\na,Two\nb,Three\n")
    names = [d.name for d in read_documents(path, name="id")]
    assert names == ["a", "a (2)", "b"]


# ---- encodings


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings_are_detected(tmp_path: Path, encoding: str) -> None:
    document = only(write(tmp_path / "a.txt", SENTENCE.encode(encoding)))
    assert document.text == SENTENCE


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        (
            "cp1251",
            "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. ",
        ),
        (
            "cp1252",
            "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux. ",
        ),
        ("cp1253", "Η Ιθάκη σ’ έδωσε τ’ ωραίο ταξείδι. Χωρίς αυτήν δεν θάβγαινες στον δρόμο. "),
        ("shift_jis", "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
    ],
)
def test_longer_texts_in_one_byte_encodings(tmp_path: Path, encoding: str, text: str) -> None:
    document = only(write(tmp_path / "a.txt", (text * 20).encode(encoding)))
    assert document.text == text * 20
    assert document.notes[0].startswith("a.txt: read as")


def test_undecodable_bytes_are_named_or_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "déjà vu à la plage é".encode() + b"\xff end")
    with pytest.raises(EncodingError, match=r"a.txt is not utf-8: byte 24 is 0xff.*errors='replace'"):
        read_documents(path)
    document = only(path, errors="replace")
    assert document.text == "déjà vu à la plage é\ufffd end"
    assert document.notes == ("a.txt: 1 undecodable place replaced (utf-8)",)
    with pytest.raises(EncodingError, match="byte 1 is 0xc3"):
        read_documents(path, encoding="ascii")


def test_a_page_that_lies_about_its_encoding(tmp_path: Path) -> None:
    page = '<meta charset="ascii"><p>naïve</p>'
    assert only(write(tmp_path / "a.html", page)).text == "naïve"
    honest = '<meta charset="iso-8859-5"><p>Привет</p>'.encode("iso-8859-5")
    assert only(write(tmp_path / "b.html", honest)).text == "Привет"


# ---- folders


def test_a_folder_is_read_in_order_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    write(tmp_path / "b" / "Poe_Raven.txt", "Once upon a midnight.")
    write(tmp_path / "Austen_Emma.txt", "Emma.")
    write(tmp_path / "Austen_Emma.md", "# Emma")
    write(tmp_path / "empty.txt", "  ")
    write(tmp_path / "cover.jpg", b"\xff\xd8")
    write(tmp_path / ".hidden.txt", "no")
    write(tmp_path / ".git" / "x.txt", "no")
    documents = read_documents(tmp_path, label="@name")
    assert [(d.name, d.label) for d in documents] == [
        ("Austen_Emma.md", "Austen"),
        ("Austen_Emma.txt", "Austen"),
        ("b/Poe_Raven", "Poe"),
    ]
    assert documents[0].notes == (
        "1 file is of unknown kind and ignored: cover.jpg",
        "1 file is empty and left out: empty.txt",
    )
    assert [d.label for d in read_documents(tmp_path, label="@folder")] == [None, None, "b"]


def test_a_table_beside_texts_describes_them(tmp_path: Path) -> None:
    write(tmp_path / "emma.txt", "Emma.")
    write(tmp_path / "moby.txt", "Moby.")
    write(tmp_path / "books.csv", "slug,author\nemma,Austen\nmoby.txt,Melville\n")
    documents = read_documents(tmp_path, label="author")
    assert [(d.name, d.label, d.fields["author"]) for d in documents] == [
        ("emma", "Austen", "Austen"),
        ("moby", "Melville", "Melville"),
    ]
    assert "describes 2 of 2 documents by its column 'slug'" in documents[0].notes[0]


def test_tables_of_texts_in_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "A.")
    write(tmp_path / "more.csv", "text,label\nB.,x\nC.,y\n")
    write(tmp_path / "odd.csv", "x,y\n1,2\n")
    documents = read_documents(tmp_path)
    assert [(d.name, d.text, d.label) for d in documents] == [
        ("a", "A.", None),
        ("more:1", "B.", "x"),
        ("more:2", "C.", "y"),
    ]
    assert any("odd.csv holds no column of texts" in note for note in documents[0].notes)


@pytest.mark.parametrize("files", [{}, {"a.jpg": b"x"}, {"a.txt": b" "}])
def test_folders_without_text(tmp_path: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        write(tmp_path / name, content)
    with pytest.raises(InputError, match=r"no file that can be read|no text: all 1 files are empty"):
        read_documents(tmp_path)


def test_one_bad_file_in_a_folder_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "fine")
    write(tmp_path / "b.txt", b"\x00\x01\x02\x03")
    with pytest.raises(LexicloudError, match=r"b.txt is not text"):
        read_documents(tmp_path)


def test_reading_a_folder_reports_progress(tmp_path: Path) -> None:
    class Bars:
        steps = 0

        def start(self, description: str, total: int | None) -> int:
            assert (description, total) == ("reading files", 3)
            return 0

        def advance(self, bar: int, steps: int) -> None:
            self.steps += steps

        def finish(self, bar: int) -> None:
            pass

    for name in "abc":
        write(tmp_path / f"{name}.txt", name)
    bars = Bars()
    with reporting(bars):
        read_documents(tmp_path)
    assert bars.steps == 3


def test_labels_from_names() -> None:
    assert labels_from_names(["Poe_Raven.txt", "x/Poe_The_Bells", "_x", "beowulf"]) == [
        "Poe",
        "Poe",
        None,
        None,
    ]


def test_a_document_can_be_written_as_json() -> None:
    document = Document("a", "b", fields={"year": 1})
    assert document.to_dict()["fields"] == {"year": 1}
    assert hash(document) == hash(Document("a", "b", fields={"year": 2}))
