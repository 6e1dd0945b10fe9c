from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import InputError
from lexicloud.text import read_documents
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
