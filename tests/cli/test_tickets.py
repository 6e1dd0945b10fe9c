"""From a tracker's export to answers in three commands, and current by one; and what is done with single records."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from lexicloud.cli import main
from tests.text import exports

EXPORTS = {**exports.TRACKERS, "space.zip": exports.confluence_xml, "space": exports.confluence_html}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Run a command in the folder of the test; return its exit code, what it printed, and what it said."""
    monkeypatch.chdir(tmp_path)

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        out, err = capsys.readouterr()
        return int(ended.value.code or 0), out, err

    return command


def made(name: str, folder: Path) -> str:
    make = EXPORTS[name]
    if name in exports.TRACKERS:
        (folder / name).write_text(make(), "utf-8")  # type: ignore[call-arg]
    else:
        make(folder / name)  # type: ignore[call-arg]
    return name


@pytest.mark.parametrize("name", EXPORTS)
def test_a_team_starts_from_an_export_in_three_commands_and_keeps_it_current_by_one(run, tmp_path, name):
    export = made(name, tmp_path)
    code, _, told = run("index", "build", export, "--out", "tickets.index")
    assert code == 0, told
    assert f"{export} is an export of " in told
    wiki = "space" in name
    asked = "how do I restart the printer" if wiki else "a big picture quits the program"
    code, out, told = run("search", "tickets.index", asked, "--top", "1", "--json")
    assert code == 0, told
    (first,) = json.loads(out)["suggestions"]
    assert first["id"].endswith("100" if wiki else "1")
    assert set(first["fields"]) == ({"title", "body"} if wiki else {"title"})
    code, out, _ = run("index", "info", "tickets.index", "--json")
    kinds = json.loads(out)["kinds"]
    assert kinds["updated" if wiki else "created"].startswith("date")
    if not wiki:
        newest = json.loads(run("search", "tickets.index", "", "--sort", "-created", "--json")[1])[
            "suggestions"
        ]
        assert [found["id"][-1] for found in newest] == ["3", "1", "2"]
        after = json.loads(run("search", "tickets.index", "", "--where", "created>=2022", "--json")[1])
        assert [found["id"][-1] for found in after["suggestions"]] == ["1", "3"]
    before = json.loads(run("index", "info", "tickets.index", "--json")[1])["sentences"]
    code, _, told = run("index", "add", "tickets.index", export, "--overwrite")
    assert (code, f"{before} sentences" in told) == (0, True), told


def test_single_records_from_the_command_line(run, tmp_path):
    made("gh.json", tmp_path)
    run("index", "build", "gh.json", "--out", "i")
    shown = json.loads(run("index", "get", "i", "2", "--json")[1])
    assert shown["fields"]["title"] == "Login fails"
    assert run("index", "update", "i", "2", "state=open", "labels=bug,login", "title=Sign-in fails")[0] == 0
    assert json.loads(run("index", "get", "i", "2", "--json")[1])["metadata"]["labels"] == ["bug", "login"]
    assert json.loads(run("index", "facets", "i", "state", "--json")[1])["counts"] == {"open": 3}
    assert json.loads(run("index", "facets", "i", "labels", "--where", "labels=login", "--json")[1])[
        "counts"
    ] == {
        "bug": 1,
        "login": 1,
    }
    gone = json.loads(run("index", "remove", "i", "2", "77", "--json")[1])
    assert (gone["number"], gone["missing"], gone["sentences"]) == (1, ["77"], 2)
    code, _, told = run("index", "remove", "i", "77")
    assert (code, "nothing was removed" in told) == (2, True)
    code, _, told = run("index", "update", "i", "1", "state")
    assert (code, "write column=value" in told) == (2, True)


def test_synonyms_and_exports_from_the_command_line(run, tmp_path):
    made("gh.json", tmp_path)
    run("index", "build", "gh.json", "--out", "i")
    (tmp_path / "s.txt").write_text("zzqqx, printer\n")
    assert "printer" in run("index", "synonyms", "i", "s.txt")[1]
    found = json.loads(run("search", "i", "zzqqx", "--json")[1])
    assert found["suggestions"][0]["id"] == "3"
    assert run("index", "synonyms", "i", "--clear", "--json")[1].split() == ["{", '"synonyms":', "{}", "}"]
    assert json.loads(run("index", "export", "i", "--out", "bulk", "--json")[1])["records"] == 3
    assert (tmp_path / "bulk" / "texts-00001.ndjson").exists()


def test_what_is_known_of_columns_is_kept_for_additions(run, tmp_path):
    (tmp_path / "a.csv").write_text(
        "nr;Titel;Text;Stand\n1;Drucker druckt nicht;;offen\n2;;Das Papier klemmt.;zu\n"
    )
    run("index", "build", "a.csv", "--text", "Titel^3", "--text", "Text", "--id", "nr", "--meta", "Stand", "--out", "i",
        "--language", "german")  # fmt: skip
    (tmp_path / "b.csv").write_text("nr;Titel;Text;Stand\n3;Anmeldung;;offen\n")
    code, _, told = run("index", "add", "i", "b.csv")
    assert (code, "3 sentences" in told) == (0, True), told
    shown = json.loads(run("index", "get", "i", "3", "--json")[1])
    assert (shown["fields"], shown["metadata"]) == ({"Titel": "Anmeldung"}, {"Stand": "offen"})
    code, _, told = run("index", "add", "i", "-")
    assert code == 2


def test_the_rows_of_a_database_stay_whole_records(run, tmp_path):
    with sqlite3.connect(tmp_path / "t.sqlite") as database:
        database.execute("create table issues (id integer, body text, price decimal)")
        database.execute("insert into issues values (7, 'It jams. It beeps.', '1.50')")
    database.close()
    assert run("index", "build", "t.sqlite", "--meta", "*", "--out", "i")[0] == 0
    shown = json.loads(run("index", "get", "i", "7", "--json")[1])
    assert (shown["id"], shown["text"], shown["metadata"]) == ("7", "It jams. It beeps.", {"price": 1.5})


def test_ids_that_are_not_distinct_are_not_dropped_in_silence(run, tmp_path):
    rows = [{"id": 1, "name": "Anna", "text": "It jams."}, {"id": 1, "name": "Bernd", "text": "It beeps."}]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert "numbered instead" in run("index", "build", "t.jsonl", "--out", "i")[2]
    rows[1]["id"] = 2
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert run("index", "build", "t.jsonl", "--out", "j")[0] == 0
    assert json.loads(run("index", "get", "j", "2", "--json")[1])["text"] == "It beeps."  # not by its name


def test_a_change_of_a_column_that_is_new_says_so(run, tmp_path):
    made("gh.json", tmp_path)
    run("index", "build", "gh.json", "--out", "i")
    assert "before" not in run("index", "update", "i", "2", "state=closed")[1]
    assert "No record had a column satte before." in run("index", "update", "i", "2", "satte=open")[1]
