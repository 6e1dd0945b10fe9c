"""`lexicloud index` and `lexicloud search` as real processes, and the guide to tickets as it is written."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import lexicloud, new_process

ROOT = Path(__file__).resolve().parents[2]
TABLE = """number,status,year,body
T-1,open,2020,The app crashes when I open a large photo.
T-2,closed,2021,Program closes without a message while loading huge images.
T-3,open,2022,The printer feeds blank sheets of paper.
T-4,closed,2023,I cannot log in since I changed my password.
"""


def refused(*arguments: object, stdin: str = "") -> str:
    """Run a command that must fail as a user's mistake: exit code 2 and one line on stderr."""
    run = lexicloud(*arguments, stdin=stdin)
    assert run.returncode == 2, run.stderr
    assert run.stdout == ""
    (line,) = [line for line in run.stderr.splitlines() if "error:" in line]
    assert "Traceback" not in run.stderr
    return line


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    (folder / "issues.csv").write_text(TABLE, encoding="utf-8")
    run = lexicloud(
        "index", "build", folder / "issues.csv", "--text", "body", "--id", "number", "--meta", "status",
        "--meta", "year", "--out", folder / "index", "--json",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    info = json.loads(run.stdout)
    assert (info["sentences"], info["metadata"], info["split"]) == (4, ["status", "year"], False)
    return folder / "index"


def test_one_query_and_many_have_the_same_shape(index: Path) -> None:
    query = "the program quits with big pictures"
    found = json.loads(lexicloud("search", index, query, "--top", "2", "--json").stdout)
    assert (found["query"], found["method"]) == (query, "related")
    best = found["suggestions"][0]
    assert best["id"] == "T-2"
    assert sum(m["adds"] for m in best["matches"]) == pytest.approx(best["score"])
    assert json.loads(lexicloud("search", index, "-", "--top", "2", "--json", stdin=query).stdout) == found


def test_queries_of_a_stream_are_answered_before_it_ends(index: Path) -> None:
    command = [sys.executable, "-m", "lexicloud", "search", str(index), "--json", "--top", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin
        assert run.stdout
        for query, expected in (("blank paper", "T-3"), ("my password", "T-4")):
            run.stdin.write(query + "\n")
            run.stdin.flush()
            assert json.loads(run.stdout.readline())["suggestions"][0]["id"] == expected
        run.stdin.close()


def test_columns_are_remembered_and_ids_replaced(index: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "index"
    shutil.copytree(index, copy)
    (tmp_path / "new.csv").write_text(
        "number,status,year,body\nT-3,closed,2024,The printer works again.\n", encoding="utf-8"
    )
    added = json.loads(lexicloud("index", "add", copy, tmp_path / "new.csv", "--upsert", "--json").stdout)
    assert (added["sentences"], added["metadata"]) == (4, ["status", "year"])
    run = lexicloud("search", copy, "printer", "--where", "year=2024", "--json")
    assert [s["text"] for s in json.loads(run.stdout)["suggestions"]] == ["The printer works again."]


def test_sentences_come_with_their_source_and_those_around_them(tmp_path: Path) -> None:
    text = "The lift is stuck. Nobody answers the alarm. We took the stairs."
    (tmp_path / "report.txt").write_text(text, encoding="utf-8")
    lexicloud("index", "build", tmp_path / "report.txt", "--out", tmp_path / "index")
    run = lexicloud("search", tmp_path / "index", "alarms", "--context", "1", "--top", "1", "--json")
    (found,) = json.loads(run.stdout)["suggestions"]
    assert found["title"] == "report"
    assert " ".join(found["context"]) == text


def test_duplicates_are_listed_in_clusters(tmp_path: Path) -> None:
    lines = "The lift is stuck between two floors.\nNobody heard the alarm.\nthe lift is stuck between two floors.\n"
    lexicloud("index", "build", "-", "--out", tmp_path / "index", stdin=lines)
    run = lexicloud("duplicates", tmp_path / "index")
    assert "1 cluster of duplicates among 3 texts." in run.stdout
    assert re.search(r"100%  copy\s+1  The lift.*\s+0\s+2  the lift", run.stdout)
    found = json.loads(lexicloud("duplicates", tmp_path / "index", "--json").stdout)
    assert found["clusters"][0]["ids"] == [0, 2]
    assert "above 0 and at most 1" in refused("duplicates", tmp_path / "index", "--confidence", "2")


def test_many_queries_are_lines(index: Path) -> None:
    run = lexicloud("search", index, "-", "--json", "--top", "1", stdin="blank paper\n\nzzqqx\nmy password\n")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [a["query"] for a in answers] == ["blank paper", "zzqqx", "my password"]
    assert [[s["id"] for s in a["suggestions"]] for a in answers] == [["T-3"], [], ["T-4"]]
    assert answers[1]["unknown"] == ["zzqqx"]


def test_filters_and_explanations_for_people(index: Path) -> None:
    run = new_process(
        "search", index, "the program quits with big pictures", "--where", "status=closed",
        "--where", "year<2022", "--explain", FORCE_COLOR="1",
    )  # fmt: skip
    printed = run.stdout.decode()
    assert "T-2" in printed
    assert not re.search("T-[134]", printed)
    assert "\x1b[" in printed
    shown = re.sub(r"\x1b\[[0-9;]*m", "", printed)
    assert "pictures → images" in shown
    assert "What adds up to the score of T-2" in shown


def test_a_document_as_the_query(index: Path, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("My password is refused.\n\nI cannot log in.", encoding="utf-8")
    run = lexicloud("search", index, "--document", tmp_path / "mail.txt", "--top", "1", "--json")
    assert json.loads(run.stdout)["suggestions"][0]["id"] == "T-4"


def test_copies_are_kept_unless_variety_is_asked_for(tmp_path: Path) -> None:
    lines = "The lift has been stuck since noon.\nThe lift had been stuck since noon.\nNobody heard the alarm ring.\n"
    lexicloud("index", "build", "-", "--out", tmp_path / "index", stdin=lines)
    asked = ("search", tmp_path / "index", lines.splitlines()[0], "--json")

    def ids(*options: str) -> list[int]:
        return [s["id"] for s in json.loads(lexicloud(*asked, *options).stdout)["suggestions"]]

    assert ids()[:2] == [0, 1]  # the text itself first
    assert ids("--mode", "varied") == [2]


def test_dots_lead_into_columns_of_records(tmp_path: Path) -> None:
    rows = [
        {"key": "A-1", "fields": {"summary": "The lift is stuck.", "status": {"name": "open"}}},
        {"key": "A-2", "fields": {"summary": "Nobody heard the alarm.", "status": {"name": "done"}}},
    ]
    table = tmp_path / "issues.jsonl"
    table.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    columns = ("--text", "fields.summary", "--id", "key", "--meta", "fields.status.name")
    built = lexicloud("index", "build", table, *columns, "--out", tmp_path / "index")
    assert built.returncode == 0, built.stderr
    found = lexicloud("search", tmp_path / "index", "alarm", "--where", "fields.status.name=done", "--json")
    assert [s["id"] for s in json.loads(found.stdout)["suggestions"]] == ["A-2"]
    assert (
        "no column 'fields.body'"
        in lexicloud("index", "build", table, "--text", "fields.body", "--out", tmp_path / "no").stderr
    )


@pytest.mark.slow
def test_adding_removing_compacting(index: Path, tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("The lift is stuck again. Nobody answers the alarm.", encoding="utf-8")
    out = tmp_path / "index"
    built = lexicloud("index", "build", tmp_path / "one.txt", "--out", out)
    assert "2 sentences" in built.stderr
    assert built.stdout == ""
    (tmp_path / "two.jsonl").write_text(
        '{"id": "x", "text": "The stairs are wet. The floor shines."}\n', encoding="utf-8"
    )
    added = json.loads(lexicloud("index", "add", out, tmp_path / "two.jsonl", "--json").stdout)
    assert (added["sentences"], added["segments"]) == (4, 1)  # small segments are merged at once
    removed = json.loads(lexicloud("index", "remove", out, "-", "--json", stdin="x#0\none\n").stdout)
    assert (removed["sentences"], removed["number"], removed["missing"]) == (1, 3, [])
    compacted = lexicloud("index", "compact", out)
    assert "1 segments became 1" in compacted.stderr
    shown = lexicloud("index", "info", out).stdout
    assert re.search(r"sentences\s+1\b", shown)
    assert "bytes a sentence" in shown


def test_a_saved_corpus_is_indexed_with_its_own_vectors(tmp_path: Path) -> None:
    (tmp_path / "a.vec").write_text("lift 1 0\nalarm 0 1\nstuck 1 1\n", encoding="utf-8")
    (tmp_path / "one.txt").write_text("The lift is stuck. Nobody heard the alarm.", encoding="utf-8")
    saved, out = tmp_path / "one.corpus", tmp_path / "index"
    lexicloud("corpus", "save", tmp_path / "one.txt", "--vectors", tmp_path / "a.vec", "--out", saved)
    built = json.loads(lexicloud("index", "build", saved, "--out", out, "--json").stdout)
    assert (built["sentences"], built["dimension"]) == (2, 2)
    assert "give it alone" in refused("index", "build", saved, tmp_path / "one.txt", "--out", tmp_path / "i")


def test_verify_names_the_damaged_file(index: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "index"
    shutil.copytree(index, copy)
    assert "is sound" in lexicloud("index", "verify", copy).stdout
    file = next(copy.glob("s*.g*.npy"))
    file.write_bytes(file.read_bytes()[:-1] + b"\xff")
    run = lexicloud("index", "verify", copy, "--json")
    assert run.returncode == 2
    assert file.name in json.loads(run.stdout)["problems"][0]
    assert f"{file} is damaged" in run.stderr


def test_mistakes_are_one_line_with_the_remedy(index: Path, tmp_path: Path) -> None:
    assert "not a folder saved by lexicloud" in refused("search", tmp_path, "x")
    assert "did you mean setcover" in refused("search", index, "x", "--method", "setcovr")
    assert "no metadata 'stauts'; did you mean 'status'" in refused(
        "search", index, "photo", "--where", "stauts=open"
    )
    assert "nothing was removed" in refused("index", "remove", index, "T-9")
    assert "has no column 'txt'" in refused(
        "index", "build", index.parent / "issues.csv", "--text", "txt", "--out", tmp_path / "i"
    )
    assert "write one a line" in refused("search", index, stdin="\n")
    assert not (tmp_path / "i").exists()


@pytest.mark.parametrize(
    "command",
    [
        "index build",
        "index add",
        "index remove",
        "index compact",
        "index info",
        "index verify",
        "index get",
        "index update",
        "index facets",
        "index synonyms",
        "index export",
        "search",
        "duplicates",
    ],
)
def test_help_has_an_example(command: str) -> None:
    run = lexicloud(*command.split(), "--help")
    assert run.returncode == 0
    assert f"Example: lexicloud {command}" in " ".join(run.stdout.split())


@pytest.mark.skipif(os.name == "nt", reason="the guide is written for a POSIX shell")
@pytest.mark.slow
def test_the_guide_to_tickets_runs_as_it_is_written(tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "tickets.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    python = shlex.quote(sys.executable)
    shell = f'set -e\nlexicloud() {{ {python} -m lexicloud "$@"; }}\npython() {{ {python} "$@"; }}\n'
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    outputs = []
    for language, code in blocks:
        command = [sys.executable, "-c", code] if language == "python" else ["sh", "-c", shell + code]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        assert run.returncode == 0, f"{code}\n{run.stderr}"
        outputs.append(run.stdout)
    made, started, _, _, info, asked, twice, filtered, piped, kept, single, python_shown = outputs
    assert re.search(r"APP-102\b", started)
    assert re.search(r"^open +\d+", started, re.MULTILINE)
    assert "also finds" in single
    assert "of duplicates among 20 texts" in twice
    assert "109 (open)" in made
    assert "20" in info
    assert re.search(r"\b102\b.* · ", asked)
    assert re.search(r"^\s+105 · ", filtered, re.MULTILINE)
    assert not re.search(r"^\s+104 · ", filtered, re.MULTILINE), "closed tickets are filtered out"
    tax, mail = (json.loads(line)["suggestions"][0]["id"] for line in piped.splitlines())
    assert tax == "109"
    assert mail in {"112", "113"}
    assert "is sound" in kept
    assert "102 closed" in python_shown
