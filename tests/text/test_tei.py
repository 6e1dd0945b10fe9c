"""TEI and other XML: the running text, the header's fields, and what is left out."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from lexicloud.errors import InputError, OptionError
from lexicloud.text import read_documents
from lexicloud.text.read import ReadReport, read_bytes

HEADER = """<teiHeader><fileDesc>
<titleStmt><title>Krejčí Fortunat</title><author ref="viaf:1"> Pravda,
 <forename>František</forename> (1817-1904)</author></titleStmt>
<publicationStmt><date when="2021-04-09"/></publicationStmt>
<sourceDesc><bibl type="digitalSource"><date>2010</date></bibl>
<bibl type="firstEdition"><date>1857</date></bibl></sourceDesc></fileDesc>
<profileDesc><langUsage><language ident="de">German</language></langUsage></profileDesc></teiHeader>"""
BODY = """<front><div><p>Title page.</p></div></front><body><div type="chapter"><head>Chapter <hi>I</hi></head>
<p>It was <choice><sic>teh</sic><corr>the</corr></choice> <choice><orig>olde</orig><reg>old</reg></choice> ship.<note>A
barque.</note> Un<lb break="no"/>believable<pb n="3"/>, he&#160;said<del>e</del> &mdash; twice.</p>
<sp who="#h"><speaker>HAMLET</speaker><stage>Enter.</stage><l>To be,</l><l>or not.</l></sp>
<p>See <app><lem>this</lem><rdg>that</rdg></app> and the sic transit.</p></div></body><back><p>Index.</p></back>"""
TEI = f'<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0" xml:lang="cs">{HEADER}<text>{BODY}</text></TEI>'


def test_the_body_is_read_and_the_header_says_whose_it_is() -> None:
    (found,) = read_bytes(TEI.encode(), "a.xml")
    assert found.text == (
        "It was the olde ship. Unbelievable, he said — twice.\n\nTo be,\nor not.\n\nSee this and the sic transit."
    )
    assert found.fields == {
        "author": "Pravda, František",
        "title": "Krejčí Fortunat",
        "date": 1857,
        "language": "cs",
    }
    assert found.left_out == {"front": 1, "headings": 1, "notes": 1, "speakers": 1, "stage": 1, "back": 1}
    assert (found.name, found.kind, found.encoding) == ("a", "TEI", "utf-8")


@pytest.mark.parametrize(
    ("keep", "said"),
    [
        ("headings", "Chapter I"),
        ("notes", "ship.A barque."),
        ("speakers", "HAMLET"),
        ("stage", "Enter."),
        ("front", "Title page."),
        ("back", "Index."),
    ],
)
def test_parts_are_read_when_they_are_asked_for(keep: str, said: str) -> None:
    (found,) = read_bytes(TEI.encode(), "a.xml", keep=keep)
    assert said in found.text
    assert keep not in found.left_out
    (both,) = read_bytes(TEI.encode(), "a.xml", keep=[keep, "headings"])
    assert {keep, "headings"}.isdisjoint(both.left_out)


def test_an_unknown_part_is_refused() -> None:
    with pytest.raises(OptionError, match="keep='footers' is not known; choose from headings, notes"):
        read_bytes(TEI.encode(), "a.xml", keep="footers")


def test_a_corpus_file_is_split_into_its_texts() -> None:
    header = "<teiHeader><fileDesc><titleStmt><author>{}</author></titleStmt></fileDesc></teiHeader>"
    one = f"<TEI xml:id='{{}}'>{header}{{}}</TEI>"
    text = "<text><body><p>{}</p></body></text>"
    shared = "<teiHeader><fileDesc><titleStmt><title>All</title><author>X</author></titleStmt></fileDesc></teiHeader>"
    texts = one.format("a", "Ann", text.format("One.")) + one.format("b", "Bob", text.format("Two."))
    empty = one.format("c", "Cid", "<text><body/></text>")
    found = read_bytes(f"<teiCorpus>{shared}{texts}{empty}</teiCorpus>".encode(), "all.xml", label="author")
    assert [(d.name, d.text, d.label, d.fields["title"]) for d in found] == [
        ("all:a", "One.", "Ann", "All"),
        ("all:b", "Two.", "Bob", "All"),
    ]


def test_words_that_are_marked_one_by_one_stay_apart() -> None:
    words = "<w>Call</w><w>me</w> <w>Ish</w><w part='F'>mael</w><pc>.</pc>"
    (found,) = read_bytes(f"<TEI><text><body><p>{words}</p></body></text></TEI>".encode(), "a.xml")
    assert found.text == "Call me Ishmael."


def test_encodings_are_those_that_files_declare_or_have() -> None:
    for encoding in ("iso-8859-2", "utf-16", "cp1250"):
        page = TEI.replace('version="1.0"', f'version="1.0" encoding="{encoding}"').replace("—", "-")
        (found,) = read_bytes(page.replace("&mdash;", "-").encode(encoding), "a.xml")
        assert found.fields["author"] == "Pravda, František"


def test_other_xml_is_stripped_and_says_so() -> None:
    page = "<book><title>Whales</title><p>Call <b>me</b> Ish<i>mael</i>.</p><p>Some years ago.</p></book>"
    (found,) = read_bytes(page.encode(), "a.xml")
    assert found.text == "Whales\n\nCall me Ishmael.\n\nSome years ago."
    assert found.notes == (
        "a.xml: XML of another kind than TEI (<book>): its 6 tags were stripped, and all text between them is read",
    )


def test_xml_that_is_a_page_is_read_as_one() -> None:
    (found,) = read_bytes(b"<html><head><title>t</title></head><body><p>One</p></body></html>", "a.xml")
    assert (found.text, found.kind) == ("One", "HTML")


def test_damage_is_named_with_its_place() -> None:
    with pytest.raises(
        InputError, match=r"a\.xml is not well-formed XML: line 2, column 9: mismatched tag; correct it"
    ):
        read_bytes(b"<TEI>\n<p>one</q></TEI>", "a.xml")
    with pytest.raises(InputError, match=r"holds no text but headings, which are left out"):
        read_bytes(b"<TEI><text><body><head>One</head></body></text></TEI>", "a.xml")


def test_nothing_is_fetched_and_entities_cannot_explode(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    page = f'<!DOCTYPE TEI [<!ENTITY x SYSTEM "file://{secret}">]><TEI><text><body><p>a&x;b</p></body></text></TEI>'
    assert read_bytes(page.encode(), "a.xml")[0].text == "ab"
    levels = "".join(f"<!ENTITY l{i} '{f'&l{i - 1};' * 10}'>" for i in range(1, 12))
    bomb = f"<!DOCTYPE TEI [<!ENTITY l0 'lol'>{levels}]><TEI><text><body><p>&l11;</p></body></text></TEI>"
    with pytest.raises(InputError, match="an entity stands for more than 3,000 characters"):
        read_bytes(bomb.encode(), "a.xml")


@pytest.mark.shared
@pytest.mark.parametrize("language", ["cze", "ukr", "ita"])
def test_novels_give_their_authors(shared: Path, language: str) -> None:
    folder = shared / "data" / "tei"
    with (folder / "tei.csv").open(encoding="utf-8") as file:
        authors = {Path(row["file"]).stem: row["author"] for row in csv.DictReader(file)}
    found = read_documents(folder / language)
    assert {d.name: d.fields["author"] for d in found} == {d.name: authors[d.name] for d in found}
    assert all(1840 < d.fields["date"] < 1925 and d.fields["language"] for d in found)
    assert len(str(ReadReport.of(found)).splitlines()) == 14
