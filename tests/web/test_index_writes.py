"""Writing through the server: on disk before it is answered, logged, and safe from a kill."""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
import time

import httpx
import pytest
from starlette.testclient import TestClient

from lexicloud.search import SentenceIndex
from lexicloud.web.server import create_app
from lexicloud.web.settings import ServerSettings
from tests.web.conftest import BASE, process, wait_until_ready
from tests.web.test_security import error_of

pytestmark = pytest.mark.slow  # real processes or large inputs: a minute and more together


@pytest.fixture
def writing(index_folder):
    with TestClient(create_app(ServerSettings(indexes=(index_folder,), demo=False)), base_url=BASE) as client:
        wait_until_ready(client)
        yield client


def test_what_was_added_is_found_and_on_disk(writing, index_folder, caplog):
    item = {"id": "x1", "text": "A whale sang under the frozen ocean.", "metadata": {"year": 1851}}
    with caplog.at_level(logging.INFO, logger="lexicloud.web.writes"):
        answer = writing.post("/api/v1/index/add", json={"source": "notes-index", "items": [item]})
    written = {"source": "notes-index", "action": "added", "number": 1, "sentences": 6}
    assert answer.json()["result"] == {**written, "missing": [], "new_columns": []}
    found = writing.post(
        "/api/v1/search", json={"query": "whales in the sea", "where": {"year": 1851}}
    ).json()["result"]
    assert [s["id"] for s in found["suggestions"]] == ["x1"]
    assert len(SentenceIndex.open(index_folder)) == 6
    logged = json.loads(caplog.records[-1].message)
    assert (logged["action"], logged["sentences"], logged["source"]) == ("add", 1, "notes-index")


def test_a_record_is_read_changed_counted_listed_and_removed_with_a_report(writing):
    def asked(path, **body):
        answer = writing.post(f"/api/v1/{path}", json={"source": "notes-index", **body})
        assert answer.status_code == 200, answer.text
        assert answer.json()["say"]
        return answer.json()["result"]

    told = [("a", 1851), ("b", 1951), ("c", 1951)]
    items = [{"id": i, "text": f"A whale {i} sang.", "metadata": {"year": y, "tags": [i]}} for i, y in told]
    asked("index/add", items=items)
    assert asked("index/update", id="a", changes={"year": 1852, "tags": None})["action"] == "changed"
    assert asked("index/get", id="a")["metadata"] == {"year": 1852}
    assert asked("index/facets", column="year", where={"year": {">": 1}})["counts"] == {"1951": 2, "1852": 1}
    assert asked("index/info")["kinds"]["tags"] == "lists of text"
    assert asked("index/synonyms", synonyms={"orca": ["whale"]})["number"] == 1
    assert any("also stands for" in note for note in asked("search", query="orca")["notes"])
    newest = asked("search", query="whale", sort="-year", where={"year": {">": 1}}, offset=1, top=2)[
        "suggestions"
    ]
    assert [found["id"] for found in newest] == ["c", "a"]
    assert newest[0]["snippet"]["text"] == "A whale c sang."
    listed = asked("search", query="", where={"year": 1951})["suggestions"]
    assert [found["id"] for found in listed] == ["b", "c"]
    gone = asked("index/remove", ids=["a", "b", "nobody"])
    assert (gone["number"], gone["missing"]) == (2, ["nobody"])
    assert (
        writing.post("/api/v1/index/remove", json={"source": "notes-index", "ids": ["nobody"]}).status_code
        == 422
    )


def test_a_record_is_added_by_its_own_columns_and_a_field_that_is_none_is_refused(tmp_path):
    record = {"key": "A-1", "title": "Save as", "body": "It fails."}
    SentenceIndex.build([record], text={"title": 3, "body": 1}, id="key").save(tmp_path / "records.index")
    settings = ServerSettings(indexes=(tmp_path / "records.index",), demo=False)
    with TestClient(create_app(settings), base_url=BASE) as client:
        wait_until_ready(client)

        def add(**fields):
            items = [{"id": "A-2", "fields": fields, "metadata": {"state": "open"}}]
            return client.post("/api/v1/index/add", json={"source": "records-index", "items": items})

        assert add(title="Login", boody="No.").status_code == 422
        assert add(title="Login", body="No.").json()["result"]["sentences"] == 2
        asked = {"source": "records-index", "id": "A-2"}
        kept = client.post("/api/v1/index/get", json=asked).json()["result"]
        assert (kept["fields"], kept["metadata"]) == ({"title": "Login", "body": "No."}, {"state": "open"})


def test_an_index_is_explored_by_its_documents_and_what_is_added_counts_at_once(writing):
    def texts():
        return writing.post("/api/v1/sources/notes-index/texts").json()

    assert texts()["texts"] == ["n0", "n1", "n2", "n3", "n4"]
    told = {"author": "Ann", "year": 1851}
    items = [
        {"id": f"log#{i}", "text": text, "metadata": told} for i, text in enumerate(["A whale.", "It sang."])
    ]
    writing.post("/api/v1/index/add", json={"source": "notes-index", "items": items})
    found = texts()
    assert (found["texts"][-1], found["authors"], found["dated"]) == ("log", ["Ann"], True)
    body = {"source": "notes-index", "word": "whale"}
    assert writing.post("/api/v1/explore/contexts", json=body).json()["result"]["lines"][0]["name"] == "log"


def test_an_id_that_is_there_is_refused_unless_it_may_be_replaced(writing):
    item = {"id": "n0", "text": "Something quite different from before."}
    answer = writing.post("/api/v1/index/add", json={"source": "notes-index", "items": [item]})
    assert answer.status_code == 422
    assert "overwrite" in error_of(answer)["remedy"]
    again = {"source": "notes-index", "items": [item], "overwrite": True}
    assert writing.post("/api/v1/index/add", json=again).json()["result"]["sentences"] == 5


def test_removing(writing, index_folder):
    answer = writing.post("/api/v1/index/remove", json={"source": "notes-index", "ids": ["n1", "n2"]})
    assert answer.json()["result"]["number"] == 2
    assert len(SentenceIndex.open(index_folder)) == 3
    assert (
        writing.post("/api/v1/index/remove", json={"source": "notes-index", "ids": ["n1"]}).status_code == 422
    )


def test_only_an_index_named_at_the_start_is_written_to(client):
    body = {"source": "stories", "items": [{"text": "A sentence."}]}
    answer = client.post("/api/v1/index/add", json=body)
    assert answer.status_code == 422
    assert "--index" in error_of(answer)["remedy"]


def test_a_kill_under_load_loses_no_acknowledged_write(index_folder):
    with process("--index", str(index_folder)) as (server, url):
        acknowledged: list[str] = []

        def write(worker):
            with httpx.Client(base_url=url, timeout=20) as asking:
                for i in range(1000):
                    name = f"w{worker}-{i}"
                    items = [{"id": name, "text": f"The sailor number {i} went to sea with crew {worker}."}]
                    try:
                        answer = asking.post(
                            "/api/v1/index/add", json={"source": "notes-index", "items": items}
                        )
                    except httpx.TransportError:
                        return
                    if answer.status_code == 200:
                        acknowledged.append(name)

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(3)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 8 and any(thread.is_alive() for thread in threads):
            time.sleep(0.01)
        os.kill(server.pid, signal.SIGKILL)
        for thread in threads:
            thread.join(timeout=30)
    index = SentenceIndex.open(index_folder)
    assert index.verify() == []
    assert set(acknowledged) <= set(index.database.identifiers)
    assert len(acknowledged) >= 8
