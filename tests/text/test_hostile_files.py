"""Files that mean harm, or that something has happened to: one line, exit code 2, and the rest is read."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import re
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from markdown_it.parser_inline import ParserInline

from lexicloud.errors import InputError, OptionError
from lexicloud.survey import Study
from lexicloud.text import read_documents
from lexicloud.text.markup import html_to_text, markdown_to_text
from lexicloud.text.read import read_bytes
from lexicloud.vectors import load_vectors
from tests.text.test_formats import pdf_of
from tests.text.test_mail import MAIL
from tests.text.test_office import RTF, odt
from tests.text.test_tables import xlsx
from tests.text.test_tei import TEI

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and names of bytes are those of Unix")
MEGABYTE = b"a" * (1 << 20)


def zipped(**entries: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return packed.getvalue()


def _parquet() -> bytes:
    """Twenty million rows of one word, which take no room in the file."""
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(
        pa.table({"text": pa.array(["a word"]).dictionary_encode().take(pa.array([0] * 20_000_000))}), out
    )
    return out.getvalue()


def small_parquet() -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pa.table({"text": ["One.", "Two."]}), out)
    return out.getvalue()


# Small files that unpack to 20 MB.
BOMBS: dict[str, Callable[[], bytes]] = {
    "bomb.txt.gz": lambda: gzip.compress(MEGABYTE * 20),
    "bomb.docx": lambda: zipped(**{"word/document.xml": MEGABYTE * 20}),
    "bomb.epub": lambda: zipped(**{"META-INF/container.xml": MEGABYTE * 20}),
    "bomb.odt": lambda: zipped(**{"content.xml": MEGABYTE * 20}),
    "bomb.xlsx": lambda: zipped(
        **{"xl/workbook.xml": b"<a/>", "xl/sharedStrings.xml": b"<a>" + MEGABYTE * 20}
    ),
    "bomb.zip": lambda: zipped(**{"a.txt": MEGABYTE * 20}),
    "bombs.zip": lambda: zipped(**{f"{i}.txt": MEGABYTE for i in range(20)}),
    "inner.zip": lambda: zipped(**{f"{i}.txt.gz": gzip.compress(MEGABYTE * 4) for i in range(5)}),
    "shared.xlsx": lambda: xlsx(
        "".join(f'<row><c t="s"><v>{i > 0:d}</v></c></row>' for i in range(20_000)),
        f"<si><t>text</t></si><si><t>{'a ' * 1_000}</t></si>",
    ),
    "rows.parquet": _parquet,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_does_not_unpack_to_a_large_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(BOMBS[name]())
    with pytest.raises(InputError, match=r"to more than \d+ MB, as no text does: .* LEXICLOUD_UNPACK_MB"):
        read_documents(tmp_path / name)


def spine(times: int, page: bytes = b"<p>" + b"word " * 40_000) -> bytes:
    """An EPUB that names its one page several times."""
    item = '<item id="a" href="a.html" media-type="text/html"/>'
    named = '<itemref idref="a"/>' * times
    package = f"<package><manifest>{item}</manifest><spine>{named}</spine></package>"
    return zipped(
        **{
            "META-INF/container.xml": b'<c><rootfile full-path="a.opf"/></c>',
            "a.opf": package.encode(),
            "a.html": page,
        }
    )


def test_a_page_is_read_once_however_often_it_is_named() -> None:
    (once,), (often,) = read_bytes(spine(1), "a.epub"), read_bytes(spine(500), "a.epub")
    assert often.text == once.text
    assert often.left_out == {"repeated pages": 499}


@pytest.mark.parametrize("name", ["a.epub", "a.zip", "a.docx"])
def test_an_archive_that_lies_about_its_size_takes_no_memory(name: str) -> None:
    part = {"a.epub": "META-INF/container.xml", "a.zip": "a.txt", "a.docx": "word/document.xml"}[name]
    data = bytearray(zipped(**{part: bytes(64 << 20)}))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = data.index(mark) + place
        data[at : at + 4] = (1_000).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(InputError):
            read_bytes(bytes(data), name)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()


def test_an_archive_that_promises_too_much_is_refused_before_it_is_unpacked() -> None:
    data = bytearray(zipped(**{"a.txt": b"word"}))
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (1 << 31).to_bytes(4, "little")
    with pytest.raises(InputError, match="to more than 16 MB"):
        read_bytes(bytes(data), "a.zip")


def declaring(*entities: str, tag: str = "") -> bytes:
    return f"<!DOCTYPE a [{''.join(entities)}]><a{tag}>word</a>".encode()


@pytest.mark.parametrize(
    ("page", "told"),
    [
        (declaring(f'<!ENTITY x "{"w" * 4_000}">'), "stands for more than 3,000 characters"),
        (
            declaring(*(f'<!ENTITY l{i} "{f"&l{i + 1};" * 10}">' for i in range(9)), '<!ENTITY l9 "lol">'),
            "stands for more than 3,000 characters",
        ),
        (
            declaring(*(f'<!ENTITY l{i} "&l{i + 1};">' for i in range(30)), '<!ENTITY l30 "lol">'),
            "nested more than 20 deep",
        ),
        (
            declaring(f'<!ENTITY x "{"w" * 2_000}">', tag=f" b='{'&x;' * 1_000_000}'"),
            "a tag of more than 131,072 bytes",
        ),
        (b"<a>" * 20_000 + b"</a>" * 20_000, "more than 10,000 tags are open"),
    ],
    ids=["long", "laughs", "chain", "in a tag", "deep"],
)
def test_xml_that_grows_inside_the_parser_is_refused_before_it_does(page: bytes, told: str) -> None:
    with pytest.raises(InputError, match=told):
        read_bytes(page, "a.xml")


def test_entities_of_a_usual_length_are_read() -> None:
    page = declaring('<!ENTITY who "Jane &sur;">', '<!ENTITY sur "Austen">').replace(b"word", b"&who; wrote")
    assert read_bytes(page, "a.xml")[0].text == "Jane Austen wrote"


def test_a_book_that_lists_very_many_parts_is_refused() -> None:
    with pytest.raises(InputError, match="more than 100,000 tags"):
        read_bytes(spine(100_001, b"<p>word"), "a.epub")


def test_a_sheet_is_read_once_however_often_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = xlsx("<row/>", "")
    with zipfile.ZipFile(io.BytesIO(packed)) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    (sheet,) = re.findall(rb"<sheet [^>]*/>", parts["xl/workbook.xml"])
    parts["xl/workbook.xml"] = parts["xl/workbook.xml"].replace(sheet, sheet * 500)
    begun: list[object] = []
    monkeypatch.setattr("lexicloud.text.sheets._Sheet.start", lambda *given: begun.append(given))
    with pytest.raises(InputError, match="has no rows"):
        read_bytes(zipped(**parts), "a.xlsx")
    assert 0 < len(begun) < 10


@pytest.mark.parametrize("name", ["a.jsonl", "a.xlsx"])
def test_rows_of_any_table_are_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("tables", "sheets"):
        monkeypatch.setattr(f"lexicloud.text.{place}.MOST_CELLS", 1_000)
    rows = xlsx("<row><c><v>1</v></c></row>" * 600, "") if name == "a.xlsx" else b'{"text": "word"}\n' * 600
    with pytest.raises(InputError, match="cells: cut columns or rows"):
        read_bytes(rows, name)


def test_an_error_names_the_first_of_very_many_columns() -> None:
    header = ",".join(f"c{i}" for i in range(5_000))
    with pytest.raises(InputError, match="c29 and 4,970 more") as told:
        read_bytes(f"{header}\n{','.join(['a b'] * 5_000)}".encode(), "a.csv")
    assert len(str(told.value)) < 500
    with pytest.raises(InputError, match="more than 100,000 columns"):
        read_bytes(b"text" + b"," * 100_001 + b"\n", "a.csv")


def test_a_long_block_of_markdown_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one block, 2.8 MB of asterisks took 860 MB of memory."""
    read, sizes = ParserInline.parse, list[int]()
    monkeypatch.setattr("lexicloud.text.markup._LONG_BLOCK", 1_000)
    monkeypatch.setattr(ParserInline, "parse", lambda *given: (sizes.append(len(given[1])), read(*given))[1])
    assert markdown_to_text("*word* [sea][1] " * 1_000 + "\n\n[1]: a.b") == ("word sea " * 1_000).strip()
    assert len(sizes) > 10
    assert max(sizes) < 1_100


def test_an_archive_of_very_many_entries_is_refused() -> None:
    with pytest.raises(InputError, match="more than 100,000 entries: unpack it"):
        read_bytes(b"PK\x03\x04" + b"PK\x01\x02" * 100_001, "a.zip")


def test_a_program_of_a_page_that_draws_itself_again_and_again_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXICLOUD_UNPACK_MB", "1")
    program = b"/X Do " * 9
    head = b"<< /Type /XObject /Subtype /Form /Resources << /XObject << /X %d 0 R >> >> /Length %d >>"
    forms = [head % (i + 7, len(program)) + b"\nstream\n" + program + b"\nendstream" for i in range(12)]
    with pytest.raises(InputError, match="to more than 1 MB"):
        read_bytes(pdf_of(forms), "a.pdf")


def test_a_table_of_too_many_cells_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexicloud.text.tables.MOST_CELLS", 1_000)
    with pytest.raises(InputError, match="more than 1,000 cells: cut columns or rows"):
        read_bytes(b"a,b,text\n" + b"1,2,x\n" * 400, "a.csv")


def test_the_limit_can_be_lifted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt.gz").write_bytes(BOMBS["bomb.txt.gz"]())
    monkeypatch.setenv("LEXICLOUD_UNPACK_MB", "64")
    assert len(read_documents(tmp_path / "a.txt.gz")[0].text) == 20 << 20
    monkeypatch.setenv("LEXICLOUD_UNPACK_MB", "much")
    with pytest.raises(OptionError, match="'much' is not a number of megabytes"):
        read_documents(tmp_path / "a.txt.gz")


@posix
def test_pipes_and_broken_links_in_a_folder_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("A word.", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nothing")
    (document,) = read_documents(tmp_path)
    assert document.text == "A word."
    assert document.notes == ("2 files are no regular file and ignored: gone.txt, pipe.txt",)


@posix
def test_a_device_that_never_ends_is_refused() -> None:
    with pytest.raises(InputError, match="/dev/zero is a device, not a file"):
        read_documents("/dev/zero")


@posix
@pytest.mark.parametrize("read", [read_documents, load_vectors, Study.open], ids=["text", "vectors", "study"])
def test_a_pipe_that_is_named_is_refused_before_it_is_opened(
    tmp_path: Path, read: Callable[..., Any]
) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InputError, match=r"pipe\.txt is a pipe, not a file: give a file, or -"):
        read(tmp_path / "pipe.txt")


@posix
def test_names_that_are_no_text_are_carried_as_well_as_can_be(tmp_path: Path) -> None:
    for name in (b"caf\xe9.txt", b"a\x1b[2J.txt"):
        try:
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("A word.", encoding="utf-8")
        except OSError:
            pytest.skip("this file system wants names in UTF-8")
    found = read_documents(tmp_path)
    assert sorted(d.name for d in found) == ["a\ufffd[2J", "caf\ufffd"]
    "".join(d.name + d.source for d in found).encode("utf-8")


def test_one_bad_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("A word.", encoding="utf-8")
    (tmp_path / "bad.docx").write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(InputError, match=r"bad\.docx is not a readable \.docx file.*--skip-bad"):
        read_documents(tmp_path)
    (document,) = read_documents(tmp_path, skip_bad=True)
    assert document.name == "good"
    assert document.notes[0] == "1 file is not readable and left out: bad.docx"
    assert "not a readable .docx file" in document.notes[1]


@pytest.mark.parametrize("depth", [300, 5_000])
def test_deep_pages_lose_no_text(depth: int) -> None:
    page = "<div>" * depth + "inside" + "</div>" * depth + "<script>no()</script><p>after &amp; on</p>"
    assert html_to_text(page) == "inside\n\nafter & on"


def test_a_huge_paragraph_loses_no_text() -> None:
    assert html_to_text(f"<p>{'word ' * 2_100_000}</p><p>after</p>").endswith("word\n\nafter")


def test_nothing_after_the_end_of_a_page_is_lost() -> None:
    two = (
        "<html><body><p>one</body></html>\n<html><head><style>x</style></head><body><p>two</body></html>three"
    )
    assert html_to_text(two) == "one\n\ntwo\n\nthree"


@pytest.mark.parametrize(
    ("page", "text", "note"),
    [
        ("<p>a<!-- never ends <p>b", "a<!-- never ends\n\nb", "leaves a tag, a comment or a menu open"),
        ('<p>a<a href="x>b</a> c', "ab c", "leaves a tag, a comment or a menu open"),
        ("<p>a<nav>menu<p>b", "amenu\n\nb", "leaves a tag, a comment or a menu open"),
        ("<p>a<script>f() <p>b", "a", "ends inside a script"),
        ("<p>a<script>f()</script>b&#99999999999;", "ab\ufffd", ""),
    ],
)
def test_what_a_page_leaves_open_is_read_or_said(tmp_path: Path, page: str, text: str, note: str) -> None:
    file = tmp_path / "a.html"
    file.write_text(page, encoding="utf-8")
    (document,) = read_documents(file)
    assert document.text == text
    assert note in " ".join(document.notes)


def test_code_that_never_ends_does_not_hide_the_rest_of_a_file() -> None:
    assert markdown_to_text("one\n\n```\ncode\n```\n\ntwo") == "one\n\ntwo"
    assert markdown_to_text("one\n\n```\ntwo\n\nthree") == "one\n\ntwo\n\nthree"


def test_a_word_file_is_read_in_all_its_corners(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx")
    from docx.oxml import parse_xml

    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    said = "<w:r><w:t>{}</w:t></w:r>"
    boxed = f"<w:txbxContent><w:p>{said.format('boxed')}</w:p></w:txbxContent>"
    pieces = (
        f"<w:p {word}><w:ins>{said.format('inserted')}</w:ins><w:r><w:delText>deleted</w:delText></w:r></w:p>",
        f"<w:sdt {word}><w:sdtContent><w:p>{said.format('filled in')}</w:p></w:sdtContent></w:sdt>",
        f"<w:p {word}>{said.format('before')}<w:r><w:pict>{boxed}</w:pict></w:r></w:p>",
    )
    made = docx.Document()
    for piece in pieces:
        made.element.body.insert(0, parse_xml(piece))
    cell = made.add_table(1, 1).cell(0, 0)
    cell.text = "outer"
    cell.add_table(1, 2).cell(0, 1).text = "inner"
    made.save(str(tmp_path / "a.docx"))
    assert read_documents(tmp_path / "a.docx")[0].text.split() == [
        *("before", "boxed", "filled", "in", "inserted", "outer", "inner")
    ]  # fmt: skip


def test_half_characters_and_deep_json_are_read_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "half \\ud83d of a smile"}\n', encoding="utf-8")
    assert read_documents(file)[0].text == "half ? of a smile"
    file.write_text('{"text": ' + "[" * 100_000 + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 of .* is not JSON"):
        read_documents(file)


@pytest.mark.parametrize(
    "ending",
    [".docx", ".epub", ".pdf", ".jsonl", ".csv", ".html", ".txt.gz", ".md", ".xml", ".odt", ".rtf", ".xlsx", ".parquet",
     ".zip", ".eml", ".mbox"],
)  # fmt: skip
def test_damaged_files_are_the_users_mistake(tmp_path: Path, ending: str) -> None:
    pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]/Count 1>>endobj\nxref\n0 3\n"
    whole = {
        ".docx": zipped(**{"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w/>"}),
        ".epub": zipped(
            **{"META-INF/container.xml": b'<c><rootfile full-path="a.opf"/></c>', "a.opf": b"<p/>"}
        ),
        ".pdf": pdf + b"trailer<</Root 1 0 R/Size 3>>startxref 9 %%EOF",
        ".txt.gz": gzip.compress(b"Some words. " * 20),
        ".xml": TEI.encode(),
        ".odt": odt("<text:p>One<text:s text:c='3'/></text:p>"),
        ".rtf": RTF,
        ".xlsx": xlsx("<row><c><v>text</v></c></row><row><c><v>words</v></c></row>"),
        ".parquet": small_parquet(),
        ".zip": zipped(**{"a.txt": b"One.", "b.csv": b"text\nTwo\n"}),
        ".eml": MAIL,
        ".mbox": b"From ann Thu Jan  1 10:00:00 1998\n" + MAIL,
    }.get(ending, b'{"text": "a, b"}\n"c",d\n<p>e</p>\n')
    chance = random.Random(ending)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        file = tmp_path / f"a{ending}"
        file.write_bytes(bytes(data[: chance.randint(1, len(data))]))
        with contextlib.suppress(InputError):  # any other error fails the test
            assert read_documents(file)
