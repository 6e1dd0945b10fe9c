"""The shelf of a browser: what is brought, edited, chosen, removed and put back."""

from __future__ import annotations

import io
import zipfile

import pytest
from starlette.testclient import TestClient

from tests.report.stories import story
from tests.web.conftest import BASE
from tests.web.test_security import error_of

GRADES = "nr;answer;grade\n" + "".join(
    f"s{i};The plant needs light and water to grow, number {i} says.;{i % 10}\n" for i in range(1, 21)
)


@pytest.fixture
def mine(client):
    """A browser of its own, whose shelf is empty."""
    with_cookies = TestClient(client.app, base_url=BASE)
    yield with_cookies
    with_cookies.post("/api/v1/shelf/remove", json={})


def bring(client, name, data, **columns):
    data = data if isinstance(data, bytes) else data.encode()
    answer = client.post(
        "/api/v1/shelf/files",
        params={"name": name, **columns},
        content=data,
        headers={"content-type": "application/octet-stream"},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def look(client):
    return client.get("/api/v1/shelf").json()


def word_file(text):
    """A Word file as small as one can be."""
    made = io.BytesIO()
    body = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
        packed.writestr(
            "word/document.xml", f'<w:document xmlns:w="{space}"><w:body>{body}</w:body></w:document>'
        )
    return made.getvalue()


def test_a_folder_named_after_authors_has_them_and_one_of_titles_has_none(mine):
    for name in ("Salt_one", "Salt_two", "Pepper_one"):
        bring(mine, f"letters/{name}.txt", story(name.split("_")[0], 1, 5))
    assert [one["author"] for one in look(mine)["texts"]] == ["Salt", "Salt", "Pepper"]
    mine.post("/api/v1/shelf/remove", json={})
    for name in ("the_great_ship", "the_harbour", "a_white_sail", "white_fang"):
        bring(mine, f"novels/{name}.txt", story("Salt", 1, 5))
    assert {one["author"] for one in look(mine)["texts"]} == {None}


def test_word_files_and_archives_are_read(mine):
    bring(mine, "essay.docx", word_file("The captain wrote a long letter home."))
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        packed.writestr("one.txt", "A first text about ships.")
        packed.writestr("two.md", "# Two\n\nA second text about cooks.")
    bring(mine, "both.zip", made.getvalue())
    assert (look(mine)["texts"][0]["name"], look(mine)["texts"][0]["language"]) == ("essay", "english")
    assert {one["name"] for one in look(mine)["texts"]} == {"essay", "one", "two"}


@pytest.mark.parametrize("route", ["shelf/files", "read"])
@pytest.mark.parametrize("data", [b"", b" \n"], ids=["no bytes", "blanks"])
def test_an_empty_file_is_called_empty(mine, route, data):
    octets = {"content-type": "application/octet-stream"}
    answer = mine.post(f"/api/v1/{route}", params={"name": "notes.txt"}, content=data, headers=octets)
    assert answer.status_code == 422
    told = error_of(answer)
    assert (told["message"], told["remedy"]) == ("'notes.txt' is empty", "bring a file with text in it")


def test_the_columns_of_a_teachers_table_are_chosen_and_nothing_is_lost(mine):
    found = bring(mine, "grades.csv", GRADES)
    assert found["table"]["text"] == "answer"
    assert look(mine)["texts"][0]["author"] is None  # numbers are not taken for labels unasked
    given = {"file": "grades.csv", "text": "answer", "label": "grade", "name": "nr"}
    after = mine.post("/api/v1/shelf/columns", json=given).json()
    assert len({one["author"] for one in after["texts"]}) == 10
    assert after["texts"][0]["name"] == "s1"
    rows = mine.post("/api/v1/shelf/rows", json={"file": "grades.csv"}).json()["rows"]
    assert (rows[0]["name"], rows[0]["row"]) == ("s1", {"grade": "1"})
    wrong = mine.post("/api/v1/shelf/columns", json={**given, "label": "marks"})
    assert "nr, answer, grade" in error_of(wrong)["remedy"]


def test_a_table_whose_text_is_not_clear_asks_which_column_it_is(mine):
    table = "one,two\n" + "The ship sailed home at night.,The cook made a soup at noon.\n" * 3
    asked = bring(mine, "t.csv", table)
    assert [column["name"] for column in asked["choose"]["columns"]] == ["one", "two"]
    assert look(mine)["texts"] == []
    bring(mine, "t.csv", table, text="two")
    assert len(look(mine)["texts"]) == 3


def test_a_table_beside_texts_describes_them(mine):
    for name in ("one", "two"):
        bring(mine, f"letters/{name}.txt", story("Salt", 1, 5))
    told = bring(mine, "letters/list.csv", "file,author,year\none.txt,Anne,1916\ntwo.txt,Bert,1917\n")
    assert told["notes"] == ["describes 2 texts by its column 'file'"]
    assert [(one["author"], one["year"]) for one in look(mine)["texts"]] == [("Anne", 1916), ("Bert", 1917)]


def test_texts_are_edited_chosen_removed_and_put_back(mine):
    ids = [bring(mine, f"{name}.txt", story(name, 1, 5))["ids"][0] for name in ("Salt", "Pepper")]
    shelf = mine.post("/api/v1/shelf/change", json={"ids": ids[:1], "author": "Anne", "year": 1916}).json()
    assert (shelf["texts"][0]["author"], shelf["texts"][0]["year"]) == ("Anne", 1916)
    mine.post("/api/v1/shelf/change", json={"ids": ids[1:], "chosen": False})
    listed = [s for s in mine.get("/api/v1/sources").json()["sources"] if s["kind"] == "shelf"]
    assert listed[0]["texts"] == ["Salt"]
    bring(mine, "Third.txt", story("Salt", 2, 5))
    assert look(mine)["texts"][0]["author"] == "Anne"  # what a person said stays
    assert len(mine.post("/api/v1/shelf/remove", json={"ids": ids}).json()["texts"]) == 1
    assert [one["id"] for one in mine.post("/api/v1/shelf/undo").json()["texts"]][:2] == ids
    assert mine.post("/api/v1/shelf/remove", json={"ids": [999]}).status_code == 404


def test_a_shelf_is_searched_once_it_is_prepared_and_explored_at_once(mine):
    bring(mine, "ship.txt", story("Salt", 1, 20))
    explored = mine.post("/api/v1/explore/contexts", json={"source": "shelf", "word": "the"})
    assert explored.status_code == 200, explored.text
    search = {"query": "a ship on the sea", "source": "shelf"}
    assert mine.post("/api/v1/search", json=search).status_code == 503
    assert mine.post("/api/v1/shelf/prepare").json()["state"] == "ready"
    assert mine.post("/api/v1/search", json=search).status_code == 200
    bring(mine, "more.txt", story("Pepper", 1, 20))
    assert look(mine)["state"] == "changed"


def test_a_shelf_belongs_to_its_browser(client, mine):
    ids = bring(mine, "secret.txt", "A secret letter that nobody else may read.")["ids"]
    stranger = TestClient(client.app, base_url=BASE)
    assert look(stranger)["texts"] == []
    assert stranger.post("/api/v1/shelf/rows", json={"ids": ids}).status_code == 404
    assert "secret" not in str(stranger.get("/api/v1/sources").json())
    answer = stranger.post("/api/v1/search", json={"query": "a secret letter", "source": look(mine)["id"]})
    assert answer.status_code == 404


def test_a_shelf_has_a_bound(mine):
    texts = [{"name": "a", "text": "x" * 3_900_000} for _ in range(7)]
    assert mine.post("/api/v1/shelf/texts", json={"texts": texts}).status_code == 200
    full = mine.post("/api/v1/shelf/texts", json={"texts": texts})
    assert full.status_code == 413
    assert "remove" in error_of(full)["remedy"]
