"""Word processors' files, made by hand or by python-docx, read in their order."""

from __future__ import annotations

import io
import zipfile

import pytest

from lexicloud.errors import InputError
from lexicloud.text.read import read_bytes

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
OPEN = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "text", "table", "draw")
)


def zipped(entries: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return packed.getvalue()


def docx(body: str, **others: str) -> bytes:
    parts = {f"word/{name}.xml": f"<w:{name} {WORD}>{content}</w:{name}>" for name, content in others.items()}
    return zipped({"word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>", **parts})


def odt(body: str) -> bytes:
    content = f"<office:document-content {OPEN}><office:body><office:text>{body}"
    return zipped({"content.xml": f"{content}</office:text></office:body></office:document-content>"})


def said(text: str) -> str:
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def test_a_word_file_keeps_its_order_and_counts_its_notes() -> None:
    table = f"<w:tbl><w:tr><w:tc>{said('a')}{said('b')}</w:tc><w:tc>{said('c')}</w:tc></w:tr></w:tbl>"
    notes = f"<w:footnote><w:p/></w:footnote><w:footnote>{said('A note')}{said('goes on.')}</w:footnote>"
    deleted = "<w:p><w:del><w:r><w:t>no</w:t></w:r></w:del></w:p>"
    file = docx(f"{said('One')}{table}{said('<w:br/>')}{said('Two')}{deleted}", footnotes=notes)
    (found,) = read_bytes(file, "a.docx")
    assert found.text == "One\n\na\nb c\n\nTwo"
    assert found.left_out == {"notes": 1}
    (kept,) = read_bytes(file, "a.docx", keep="notes")
    assert kept.text.endswith("Two\n\nA note\ngoes on.")
    assert kept.left_out == {}


def test_a_text_box_follows_its_paragraph_also_inside_a_cell() -> None:
    box = f"<w:r><w:pict><w:txbxContent>{said('boxed')}</w:txbxContent></w:pict></w:r>"
    around = f"<w:p>{box}<w:r><w:t>around</w:t></w:r></w:p>"
    (found,) = read_bytes(docx(f"{around}<w:tbl><w:tr><w:tc>{around}</w:tc></w:tr></w:tbl>"), "a.docx")
    assert found.text == "around\n\nboxed\n\naround\nboxed"


def test_an_opendocument_text_is_read_without_deletions_and_comments() -> None:
    body = (
        "<text:tracked-changes><text:deletion><text:p>gone</text:p></text:deletion></text:tracked-changes>"
        "<text:h>Title</text:h><text:p>One<text:s text:c='3'/>two<text:tab/>three<text:line-break/>four"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body>"
        "</text:note><office:annotation><text:p>remark</text:p></office:annotation>.</text:p>"
        "<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell>"
        "<table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>"
    )
    (found,) = read_bytes(odt(body), "a.odt")
    assert found.text == "Title\n\nOne   two\tthree\nfour.\n\na b"
    assert found.left_out == {"comments": 1, "notes": 1}
    assert read_bytes(odt(body), "a.odt", keep="notes")[0].text.endswith("a b\n\nA note.")


def test_a_run_of_spaces_is_no_bomb() -> None:
    (found,) = read_bytes(odt("<text:p>a<text:s text:c='999999999999'/>b</text:p>"), "a.odt")
    assert len(found.text) == 102


RTF = (
    rb"{\rtf1\ansi\ansicpg1250{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial CYR;}}{\info{\author X}}"
    rb"\f0 Krej\'e8\'ed \u8212?\uc2\u268 xx{\b bold}\par {\*\generator Word;}{\pict 00ff}"
    rb"{\f1 \'cf\'f0\'e8}\line next{\footnote A note.}\emdash\uc1\u-10179?\u-8704?\{x\}\par}"
)


def test_rich_text_in_its_code_pages() -> None:
    (found,) = read_bytes(RTF, "a.rtf")
    assert found.text == "Krejčí —Čbold\n\nПри\nnext —\U0001f600{x}"
    assert found.left_out == {"notes": 1}
    assert "A note." in read_bytes(RTF, "a.rtf", keep="notes")[0].text


@pytest.mark.parametrize("name", ["a.docx", "a.odt", "a.rtf", "a.xlsx", "a.parquet", "a.zip"])
def test_what_is_something_else_is_refused(name: str) -> None:
    for data in (
        b"nonsense",
        zipped({"other.xml": "<a/>"}),
        zipped({"word/document.xml": "<w", "content.xml": "<"}),
    ):
        with pytest.raises(InputError, match=rf"{name}"):
            read_bytes(data, name)
