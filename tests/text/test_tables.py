"""Tables as people have them: columns called anything, Excel's encodings and marks, sheets and Parquet files."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from lexicloud.errors import InputError
from lexicloud.text.read import read_bytes
from tests.text.test_office import zipped

ROWS = (
    "Klasse;Aufsatz;Name\n8a;Der Hund lief über die Straße.;Ann\n8b;Die Katze schlief den ganzen Tag.;Bob\n"
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("mark", [";", ",", "\t", "|"])
def test_a_teachers_table_needs_no_words_of_ours(encoding: str, mark: str) -> None:
    found = read_bytes(ROWS.replace(";", mark).encode(encoding), "klasse.csv")
    assert [d.text for d in found] == ["Der Hund lief über die Straße.", "Die Katze schlief den ganzen Tag."]
    assert [(d.name, dict(d.fields)) for d in found] == [("Ann", {"Klasse": "8a"}), ("Bob", {"Klasse": "8b"})]
    assert any("taken from its column 'Aufsatz'" in note for note in found[0].notes)


def test_excels_own_first_line_and_empty_columns() -> None:
    found = read_bytes(
        b"sep=;\r\nid;Antwort;;\r\n1;Ja, gerne doch.;;\r\n2;Nein, danke schoen.;;x\r\n", "a.csv"
    )
    assert [d.text for d in found] == ["Ja, gerne doch.", "Nein, danke schoen."]
    assert found[1].fields == {"column 4": "x"}
    quoted = read_bytes(b'"a, b; c";text\n1;One\n', "a.csv")
    assert quoted[0].fields == {"a, b; c": "1"}


def test_a_column_is_not_guessed_where_two_may_be_meant() -> None:
    table = b"question,answer,who\nWhy is it so?,Because it is so.,Ann\nWhere is it?,It is over there.,Bob\n"
    with pytest.raises(
        InputError, match=r"text in 'answer' or in 'question': say which .*question, answer, who"
    ):
        read_bytes(table, "a.csv")
    assert [d.text for d in read_bytes(table, "a.csv", text="answer")] == [
        "Because it is so.",
        "It is over there.",
    ]


def test_long_codes_are_no_texts() -> None:
    table = b"uuid,remark\n123e4567-e89b-12d3-a456-426614174000,I cannot log in\n"
    assert read_bytes(table, "a.csv")[0].text == "I cannot log in"


def xlsx(rows: str, strings: str = "", sheets: int = 1) -> bytes:
    """A workbook written by hand."""
    named = "".join(f'<sheet name="s{i}" r:id="r{i}"/>' for i in range(sheets))
    links = "".join(f'<Relationship Id="r{i}" Target="worksheets/sheet{i}.xml"/>' for i in range(sheets))
    space = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    files = {f"xl/worksheets/sheet{i}.xml": "<worksheet><sheetData/></worksheet>" for i in range(sheets - 1)}
    return zipped(
        {
            "xl/workbook.xml": f"<workbook {space}><sheets>{named}</sheets></workbook>",
            "xl/_rels/workbook.xml.rels": f"<Relationships>{links}</Relationships>",
            "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
            **files,
            f"xl/worksheets/sheet{sheets - 1}.xml": f"<worksheet><sheetData>{rows}</sheetData></worksheet>",
        }
    )


def test_a_sheet_gives_its_rows() -> None:
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>text</t></is></c></row><row r="2"/>'
        '<row r="3"><c r="A3"><v>7</v></c><c r="C3" t="s"><v>1</v></c></row>'
        '<row r="5"><c r="C5" t="s"><v>9</v></c></row>'
    )
    strings = "<si><t>id</t></si><si><r><t>One </t></r><r><t>remark.</t></r><rPh><t>x</t></rPh></si>"
    found = read_bytes(xlsx(rows, strings, sheets=2), "a.xlsx")
    assert [(d.name, d.text, d.kind) for d in found] == [("7", "One remark.", "Excel")]
    assert found[0].left_out == {"other sheets": 1}


def test_a_sheet_as_another_library_writes_it() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in (["label", "text"], ["x", "Call me Ishmael."], ["y", "Some years ago."]):
        book.active.append(row)
    book.save(out)
    found = read_bytes(out.getvalue(), "a.xlsx")
    assert [(d.text, d.label) for d in found] == [("Call me Ishmael.", "x"), ("Some years ago.", "y")]


def test_dates_and_truth_values_of_a_sheet_are_what_they_show() -> None:
    import datetime as dt

    openpyxl = pytest.importorskip("openpyxl")
    book, out = openpyxl.Workbook(), io.BytesIO()
    at = dt.datetime.combine(dt.date(2022, 1, 5), dt.time(15, 45))
    book.active.append(["text", "day", "at", "flag", "count", "share"])
    book.active.append(["One.", dt.date(2022, 1, 5), at, True, 44_566, 0.5])
    book.active.append(["Two.", dt.date(1999, 12, 31), at, False, 2, 0.25])
    book.active["F2"].number_format = '0.0 "days"'  # a d that is said, not shown
    book.active["B3"].number_format = "[$-409]d-mmm-yy;@"
    book.save(out)
    first, second = (found.fields for found in read_bytes(out.getvalue(), "a.xlsx"))
    assert first == {
        "day": "2022-01-05",
        "at": "2022-01-05T15:45:00",
        "flag": "true",
        "count": "44566",
        "share": "0.5",
    }
    assert (second["day"], second["flag"]) == ("1999-12-31", "false")


def test_a_parquet_file_gives_its_rows(tmp_path: Path) -> None:
    import datetime as dt

    import pyarrow as pa
    from pyarrow import parquet

    table = pa.table(
        {"body": ["One.", "Two."], "day": [dt.date(1998, 1, 1)] * 2, "label": ["x", None], "n": [1, 2]}
    )
    parquet.write_table(table, tmp_path / "a.parquet")
    found = read_bytes((tmp_path / "a.parquet").read_bytes(), "a.parquet")
    assert [(d.text, d.label, d.fields) for d in found] == [
        ("One.", "x", {"day": "1998-01-01", "n": 1}),
        ("Two.", None, {"day": "1998-01-01", "n": 2}),
    ]
