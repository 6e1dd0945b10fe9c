"""Files that are sent: every kind that lexicloud reads, bounded, never a path."""

from __future__ import annotations

import gzip
from getpass import getuser
from pathlib import Path
from tempfile import gettempdir

import pytest
from starlette.testclient import TestClient

from lexicloud.web.api.texts import read_upload
from lexicloud.web.faults import Fault
from lexicloud.web.settings import ServerLimits
from lexicloud.web.sources import Source
from tests.web.conftest import BASE
from tests.web.test_security import error_of

LIMITS = ServerLimits(upload=10_000, text=5_000, rows=10)


def read(name, data, limits=LIMITS):
    return read_upload(name, data, limits)["documents"]


def test_a_text_is_read_with_its_name_and_year():
    found = read("letters 1916.txt", "Liebe Mutter, früh am Morgen.".encode("latin-1"))
    assert found == [
        {"name": "letters 1916", "text": "Liebe Mutter, früh am Morgen.", "author": None, "year": 1916}
    ]


def test_a_table_gives_one_text_a_row():
    found = read("answers.csv", b"text,label\nThe bill is wrong,billing\nI cannot log in,login\n")
    assert [(one["text"], one["author"]) for one in found] == [
        ("The bill is wrong", "billing"),
        ("I cannot log in", "login"),
    ]


@pytest.mark.parametrize("name", ["a.exe", "a.doc", "a", "..", "a.png"])
def test_what_is_not_text_is_refused(name):
    with pytest.raises(Fault) as caught:
        read(name, b"some bytes")
    assert caught.value.status == 415


@pytest.mark.parametrize("name", ["a.epub", "a.docx", "a.pdf", "a.txt.gz", "a.zip"])
def test_a_file_that_is_not_what_it_is_called_is_refused_in_one_line(client, name):
    answer = client.post(
        f"/api/v1/read?name={name}",
        content=b"some bytes",
        headers={"content-type": "application/octet-stream"},
    )
    assert answer.status_code == 422
    assert name in error_of(answer)["message"]


def test_binary_data_under_a_text_name_is_refused(client):
    bomb = gzip.compress(b"x" * 1_000_000)
    answer = client.post(
        "/api/v1/read?name=a.txt", content=bomb, headers={"content-type": "application/octet-stream"}
    )
    assert answer.status_code == 422
    error_of(answer)


def test_large_files_long_texts_and_many_rows_are_refused():
    for name, data in (
        ("a.txt", b"word " * 1_200),
        ("a.csv", b"text\n" + b"row\n" * 20),
    ):
        with pytest.raises(Fault) as caught:
            read(name, data)
        assert caught.value.status == 413
        assert caught.value.remedy


def test_a_name_never_becomes_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("../../evil.txt", "/etc/cron.d/evil.txt", "..\\..\\evil.txt", "a\x00b.txt"):
        assert read(name, b"plain text here")[0]["text"] == "plain text here"
    assert list(tmp_path.iterdir()) == []


def take(client, name="letter"):
    texts = [{"name": name, "text": "The captain wrote a long letter home. The storm was over."}]
    answer = client.post("/api/v1/sources", json={"title": name, "texts": texts})
    assert answer.status_code == 200, answer.text
    return answer.json()["id"]


def another(client):
    """Another browser at the same server."""
    return TestClient(client.app, base_url=BASE)


def test_dropped_texts_belong_to_the_browser_that_brought_them(client):
    mine = take(client)
    cookie = next(one for one in client.cookies.jar if one.name == "lexicloud_browser")
    assert cookie.has_nonstandard_attr("HttpOnly")
    stranger = another(client)
    assert mine in str(client.get("/api/v1/sources").json())
    assert mine not in str(stranger.get("/api/v1/sources").json())
    search = {"query": "a letter", "source": mine}
    assert client.post("/api/v1/search", json=search).status_code == 200
    for answer in (
        stranger.post("/api/v1/search", json=search),
        stranger.post("/api/v1/explore/zipf", json={"source": mine}),
        stranger.get(f"/api/v1/sources/{mine}/text?name=letter"),
        stranger.delete(f"/api/v1/sources/{mine}"),
    ):
        assert answer.status_code == 404
        assert mine not in error_of(answer)["remedy"]
    compared = client.post("/api/v1/explore/contexts", json={"source": mine, "word": "captain"})
    assert compared.status_code == 200  # a job knows the browser, too
    assert client.delete(f"/api/v1/sources/{mine}").status_code == 204


def test_one_browser_does_not_push_out_the_texts_of_another(client):
    mine = take(client)
    stranger = another(client)
    for i in range(4):  # three are kept
        take(stranger, f"other {i}")
    assert mine in str(client.get("/api/v1/sources").json())
    assert len([s for s in stranger.get("/api/v1/sources").json()["sources"] if s["kind"] == "texts"]) == 3
    client.delete(f"/api/v1/sources/{mine}")


def test_texts_that_cannot_be_indexed_leave_nothing_behind(client, monkeypatch):
    def broken(_):
        raise MemoryError

    monkeypatch.setattr(Source, "built", broken)
    before = client.get("/api/v1/sources").json()
    answer = client.post("/api/v1/sources", json={"texts": [{"name": "a", "text": "A letter."}]})
    assert answer.status_code == 503
    assert client.get("/api/v1/sources").json() == before
    assert not [folder for folder in Path("/dev/shm").glob("lexicloud-*") if folder.owner() == getuser()]


def test_no_message_about_a_file_shows_where_the_server_put_it(client):
    answer = client.post(
        "/api/v1/read?name=a.csv",
        content=b"\x00\xff" * 50,
        headers={"content-type": "application/octet-stream"},
    )
    assert answer.status_code == 422
    assert gettempdir() not in answer.text


def test_markup_comes_back_as_text(client):
    page = b"<html><body><p>Hello <script>alert(1)</script>world</p></body></html>"
    answer = client.post(
        "/api/v1/read?name=a.html", content=page, headers={"content-type": "application/octet-stream"}
    )
    assert "alert" not in answer.json()["documents"][0]["text"]
