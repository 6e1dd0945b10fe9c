"""Dropped files: text only, bounded, never a path."""

from __future__ import annotations

import gzip

import pytest

from lexicloud.web.api.texts import read_upload
from lexicloud.web.faults import Fault
from lexicloud.web.settings import Limits
from tests.web.test_security import error_of

LIMITS = Limits(upload=10_000, text=5_000, rows=10)


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


@pytest.mark.parametrize(
    "name", ["a.exe", "a.epub", "a.docx", "a.pdf", "a.txt.gz", "a.zip", "a", "..", "a.png"]
)
def test_what_is_not_text_is_refused(name):
    with pytest.raises(Fault) as caught:
        read(name, b"some bytes")
    assert caught.value.status == 415


def test_binary_data_under_a_text_name_is_refused(client):
    bomb = gzip.compress(b"x" * 1_000_000)
    answer = client.post(
        "/api/v1/read?name=a.txt", content=bomb, headers={"content-type": "application/octet-stream"}
    )
    assert answer.status_code == 422
    error_of(answer)


def test_large_files_long_texts_and_many_rows_are_refused():
    for name, data in (
        ("a.txt", b"word " * 3_000),
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


def test_markup_comes_back_as_text(client):
    page = b"<html><body><p>Hello <script>alert(1)</script>world</p></body></html>"
    answer = client.post(
        "/api/v1/read?name=a.html", content=page, headers={"content-type": "application/octet-stream"}
    )
    assert "alert" not in answer.json()["documents"][0]["text"]
