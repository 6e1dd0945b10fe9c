"""Records of tables, JSON, SQLite and of trackers' exports, with one text field or several."""

from __future__ import annotations

import json
import sqlite3

import pytest

from lexicloud.errors import InputError
from lexicloud.text.records import MARK, cell_text, read_records

from . import exports


def parts(document):
    return document.text.split(MARK)


@pytest.mark.parametrize("name", exports.TRACKERS)
def test_an_export_is_recognised_with_ids_dates_states_and_labels(tmp_path, name):
    path = tmp_path / name
    path.write_text(exports.TRACKERS[name](), "utf-8-sig" if name == "jira.csv" else "utf-8")
    found = read_records(path)
    assert found.weights == {"title": 3, "body": 1}
    assert found.export.lower() in {name.split(".")[0], "github"}
    assert len(found.documents) == 3, "a ticket without a body stays"
    prefix = "APP-" if "jira" in name else ""
    assert [document.name for document in found.documents] == [f"{prefix}{n}" for n in (1, 2, 3)]
    assert [parts(document)[0] for document in found.documents] == [t["title"] for t in exports.TICKETS]
    assert parts(found.documents[1])[1].split() == exports.TICKETS[1]["body"].split()
    first = found.documents[0].fields
    assert first["labels"] == ["bug", "images"]
    assert first["state"] == ("To Do" if "jira" in name else "open")
    assert first["author"] == "jo"
    assert first["created"].startswith(("2022-01-05", "05/Jan/22"))
    assert "labels" not in found.documents[2].fields
    assert any("is an export of" in note for note in found.documents[0].notes)


@pytest.mark.parametrize("make", [exports.confluence_xml, exports.confluence_html], ids=["xml", "html"])
def test_pages_of_a_wiki_are_recognised(tmp_path, make):
    found = read_records(make(tmp_path / "export.zip"))
    assert found.export == "Confluence"
    page = found.documents[0]
    assert page.name == "100"
    assert parts(page)[0] == "Printer does not answer"
    assert parts(page)[1].startswith("Restart the spooler.")
    assert "Attachments" not in page.text
    assert page.fields["updated"] in {"2022-02-05 10:00:00.000", "Feb 05, 2022"}
    if make is exports.confluence_xml:
        assert [document.name for document in found.documents] == ["100", "200"], "no draft, no old version"
        assert "systemctl restart cups" in page.text
        assert "bash" not in page.text
        assert (page.fields["labels"], page.fields["space"]) == (["howto"], "OPS")


def test_a_folder_of_other_pages_is_no_wiki(tmp_path):
    (tmp_path / "index.html").write_text('<div id="main-content">One text.</div>')
    (tmp_path / "a.html").write_text('<div id="main-content">Another text.</div>')
    found = read_records(tmp_path)
    assert (found.export, len(found.documents)) == ("", 2)


def test_issues_of_several_repositories_are_told_apart(tmp_path):
    issues = json.loads(exports.github_api())
    issues[1] |= {"number": 1, "html_url": "https://github.com/b/lib/issues/1"}
    (tmp_path / "i.json").write_text(json.dumps(issues))
    assert [d.name for d in read_records(tmp_path / "i.json").documents] == ["a/app/1", "b/lib/1", "a/app/3"]


def test_an_export_can_be_read_as_the_table_that_it_is(tmp_path):
    (tmp_path / "j.csv").write_text(exports.jira_csv())
    found = read_records(tmp_path / "j.csv", text=["Summary^2", "Comment"], name="Issue key")
    assert found.weights == {"Summary": 2, "Comment": 1}
    assert parts(found.documents[0])[1] == "05/Jan/22 4:00 PM;ann;Me too"
    assert found.documents[0].fields["Labels"] == ["bug", "images"]
    assert found.export == ""


def test_a_query_to_a_database_gives_records(tmp_path):
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as database:
        database.execute("create table issues (id integer, title text, body blob)")
        database.executemany("insert into issues values (?, ?, ?)", [(1, "one", None), (2, None, b"zwei")])
    database.close()
    found = read_records(path, text=["title", "body"], name="id")
    assert [parts(document) for document in found.documents] == [["one", ""], ["", "zwei"]]
    asked = read_records(path, text="body", sql="select * from issues where id = 2")
    assert [document.text for document in asked.documents] == ["zwei"]
    for sql, said in (
        ("delete from issues", "readonly|asks for no rows"),
        ("select * from nowhere", "no such table"),
        ("select id, id from issues", "names a column twice"),
    ):
        with pytest.raises(InputError, match=said):
            read_records(path, sql=sql)
    with pytest.raises(InputError, match="there is no file"):
        read_records(tmp_path / "none.db")
    (tmp_path / "bad.db").write_text("this is no database at all" * 50)
    with pytest.raises(InputError, match="cannot be asked"):
        read_records(tmp_path / "bad.db")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("id,title,body\n1,a b,c\n1,d,e\n", "the id 1 stands in lines 2 and 3"),
        ("id,title,body\n,a b,c\n", "line 2 of .* has no id"),
        ("id,title\n1,a b\n", "no column 'body' for the text"),
    ],
    ids=["twice", "blank", "missing"],
)
def test_what_cannot_be_kept_apart_is_refused(tmp_path, rows, said):
    (tmp_path / "t.csv").write_text(rows)
    with pytest.raises(InputError, match=said):
        read_records(tmp_path / "t.csv", text=["title", "body"], name="id")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[1, 2]", "holds no list of objects"),
        ("{", "is not JSON"),
        ("[" * 100_000, "nested too deeply|is not JSON"),
    ],
)
def test_json_that_holds_no_records_is_refused(tmp_path, text, said):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(InputError, match=said):
        read_records(tmp_path / "t.json")


def test_nested_json_is_followed(tmp_path):
    (tmp_path / "t.json").write_text(json.dumps([{"a": {"t": "one", "k": 5}, "b": ["two", "three"]}]))
    (found,) = read_records(tmp_path / "t.json", text=["a.t^2", "b"], name="a.k").documents
    assert (found.name, parts(found)) == ("5", ["one", "two\nthree"])


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<p>It <b>crashes</b> &amp; burns.</p>", "It crashes & burns."),
        ("The <div></div> is not closed.", "The <div></div> is not closed."),
        ("<T> is a type", "<T> is a type"),
        (float("nan"), ""),
        ({"type": "doc", "content": [{"type": "mention", "attrs": {"text": "@jo"}}]}, "@jo"),
        (f"a{MARK}b", f"a{MARK}b"),
    ],
)
def test_a_cell_is_read_as_what_somebody_wrote(cell, text):
    assert cell_text(cell) == text


def test_texts_stay_texts(tmp_path):
    (tmp_path / "a.txt").write_text("One sentence. Two sentences.")
    assert read_records(tmp_path / "a.txt").weights == {}
    with pytest.raises(InputError, match="is not a table, so it has no columns title, body"):
        read_records(tmp_path / "a.txt", text=["title", "body"])
