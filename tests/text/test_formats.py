""""""

from __future__ import annotations

import gzip
import io
import re
import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import EncodingError, InputError, LexicloudError, OptionError
from lexicloud.progress import reporting
from lexicloud.text import Document, labels_from_names, read_documents
from lexicloud.text.clean import cut_gutenberg
from lexicloud.text.markup import html_to_text, markdown_to_text

# ---- HTML


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<div>a <b>b</b><i>c</i></div>", "a bc"),
        ("Hyde<br>Jekyll<br/>Utterson", "Hyde\nJekyll\nUtterson"),
        ("<nav>Home</nav><script>x=1</script><style>p{}</style>Body<!-- note --> tail", "Body tail"),
        ("<ul><li>one</li><li>two</li></ul>", "one\n\ntwo"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\n\nc"),
        ("<p>caf&eacute; &amp; &#8220;tea&#8221;&nbsp;now", "café & “tea” now"),
        ("<p>wrapped\n   over\tlines</p>", "wrapped over lines"),
        ("<p>un<em>believ</em>able</p>", "unbelievable"),
        ('<?xml version="1.0" encoding="utf-8"?><html><body><p>x</p></body></html>', "x"),
        ("", ""),
        ("<!-- only -->", ""),
    ],
)
def test_html(page: str, text: str) -> None:
    assert html_to_text(page) == text


def test_pages_nest_deeper_than_recursion_goes() -> None:
    assert "core" in html_to_text("<i>" * 200 + "core" + "</i>" * 200)


# ---- Markdown


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "# Title #\nBody *one* **two** __three__ _four_ ~~five~~.",
            "Title\n\nBody one two three four five.",
        ),
        ("Title\n=====\nBody", "Title\n\nBody"),
        ("---\ntitle: x\n---\nBody", "Body"),
        ("a\n\n```python\ncode()\n```\n\nb", "a\n\nb"),
        ('See [the page](http://x.y/z_(a) "t") and [that][1].\n\n[1]: http://a.b', "See the page and that."),
        ("![A whale](w.png) rises", "A whale rises"),
        ("- one\n* two\n3. three\n- [x] four", "one\ntwo\nthree\nfour"),
        ("> quoted\n> again", "quoted\nagain"),
        ("Use `x_y` and snake_case_names.", "Use x_y and snake_case_names."),
        ("5 \\* 3 &amp; <b>bold</b>", "5 * 3 & bold"),
        ("| a | b |\n|---|---|\n| c | d |", "a b\nc d"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("    An indented paragraph is *prose*.", "An indented paragraph is prose."),
        ("a\n\n* * *\n\nb", "a\n\nb"),
        ("- one\n\n  more of it\n- > quoted", "one\n\nmore of it\nquoted"),
        ("said so[^1].\n\n[^1]: Ahab", "said so.\n\nAhab"),
        ("a <script>x()</script> b <!-- c --> d", "a  b  d".replace("  ", " ")),
        ("<div>\none <b>two</b>\n</div>\n\nthree", "one two\n\nthree"),
        ("<!-- never closed\nwords", "<!-- never closed words"),
        ("```\nnever closed", "never closed"),
        ("see <https://a.b/c>", "see https://a.b/c"),
    ],
)
def test_markdown(source: str, text: str) -> None:
    assert markdown_to_text(source) == text


@given(
    st.lists(
        st.sampled_from(
            ["whale", "sea", "> ", "- ", "* ", "1. ", "# ", "\n", "\n\n", "  ", "*", "_", "|", "["]
        )
    )
)
def test_markdown_keeps_every_plain_word_in_order(pieces: list[str]) -> None:
    plain = re.findall("whale|sea", "".join(pieces))
    assert re.findall("whale|sea", markdown_to_text("".join(pieces))) == plain


def test_markdown_nested_deeper_than_a_parser_goes_loses_no_word() -> None:
    assert markdown_to_text("> " * 5000 + "- " * 5000 + "core") == "core"
    steps = "\n".join("  " * depth + f"- step{depth}" for depth in range(300))
    assert markdown_to_text(steps).split() == [f"step{depth}" for depth in range(300)]


# ---- EPUB

CONTAINER = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><manifest>
<item id="two" href="ch%202.xhtml" media-type="application/xhtml+xml"/>
<item id="one" href="ch1.xhtml" media-type="application/xhtml+xml"/>
<item id="toc" href="toc.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="css" href="a.css" media-type="text/css"/>
</manifest><spine><itemref idref="toc"/><itemref idref="one"/><itemref idref="two"/></spine></package>"""


def epub(changed: dict[str, str | None]) -> bytes:
    files = {
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/ch1.xhtml": "<html><body><p>First — chapter.</p></body></html>",
        "OEBPS/ch 2.xhtml": "<html><body><p>Second.</p></body></html>",
        "OEBPS/toc.xhtml": "<html><body><p>Contents</p></body></html>",
        **changed,
    }
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            if content is not None:
                archive.writestr(name, content)
    return buffer.getvalue()


def test_epub_follows_its_spine(tmp_path: Path) -> None:
    path = tmp_path / "book.epub"
    path.write_bytes(epub({}))
    (document,) = read_documents(path)
    assert document.text == "First — chapter.\n\nSecond."


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"META-INF/container.xml": None}, "container.xml"),
        ({"META-INF/container.xml": "<container/>"}, "names no package"),
        ({"OEBPS/book.opf": "<package/>"}, "spine lists no pages"),
        ({"OEBPS/book.opf": ""}, "damaged XML"),
        ({"OEBPS/ch1.xhtml": None}, "ch1.xhtml"),
    ],
)
def test_broken_epubs_are_named(tmp_path: Path, changed: dict[str, str | None], message: str) -> None:
    path = tmp_path / "book.epub"
    path.write_bytes(epub(changed))
    with pytest.raises(InputError, match=f"book.epub is not a readable EPUB: .*{message}"):
        read_documents(path)


def test_epub_entities_are_not_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("OEBPS/book.opf")
    trick = f'<!DOCTYPE c [<!ENTITY x SYSTEM "file://{secret}">]><container><rootfile full-path="&x;"/></container>'
    path = tmp_path / "book.epub"
    path.write_bytes(epub({"META-INF/container.xml": trick}))
    with pytest.raises(InputError):
        read_documents(path)


# ---- PDF and Word


def pdf(text: str) -> bytes:
    """A one-page PDF written by hand."""
    return pdf_of([], f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b"")


def pdf_of(forms: list[bytes], stream: bytes = b"/X Do") -> bytes:
    """A one-page PDF with forms that its page, or one of them, may draw."""
    resources = b"<< /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 612 792] >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources %s >>" % resources,
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *forms,
    ]
    body, offsets = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        body
        + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
        + table
        + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    )


def test_pdf(tmp_path: Path) -> None:
    path = tmp_path / "whale.pdf"
    path.write_bytes(pdf("Call me Ishmael."))
    (document,) = read_documents(path)
    assert document.text == "Call me Ishmael."
    path.write_bytes(pdf(""))
    with pytest.raises(InputError, match=r"1 pages but no text.*OCR"):
        read_documents(path)
    path.write_bytes(b"%PDF-1.4 nonsense")
    with pytest.raises(InputError, match="not a readable PDF"):
        read_documents(path)


def test_docx(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    written = docx.Document()
    written.add_paragraph("Call me Ishmael.")
    table = written.add_table(rows=1, cols=2)
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    written.add_paragraph("The end.")
    path = tmp_path / "whale.docx"
    written.save(str(path))
    (document,) = read_documents(path)
    assert document.text == "Call me Ishmael.\n\nleft right\n\nThe end."
    path.write_bytes(b"PK nonsense")
    with pytest.raises(InputError, match=r"not a readable .docx"):
        read_documents(path)


# ---- readers

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
