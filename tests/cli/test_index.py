"""`lexicloud index` protects what is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from lexicloud.cli import main
from lexicloud.search import SentenceIndex
from lexicloud.store.folder import MANIFEST
from tests.text.exports import github_api


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A table of three rows, one of a single row, and the index of the first."""
    large, small, out = tmp_path / "large.csv", tmp_path / "small.csv", tmp_path / "index"
    large.write_text("n,body\n1,The king ruled.\n2,The queen slept.\n3,A band played.\n", encoding="utf-8")
    small.write_text("n,body\n4,The ship sank.\n", encoding="utf-8")
    return large, small, out


def test_building_never_replaces_an_index_unasked(
    tables: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    large, small, out = tables
    columns = ("--text", "body", "--id", "n", "--out", out)
    assert run(capsys, "index", "build", large, *columns)[0] == 0
    code, said = run(capsys, "index", "build", small, *columns)
    assert code == 2
    assert "holds an index of 3 sentences" in said
    assert "--overwrite" in said
    assert len(SentenceIndex.open(out)) == 3
    assert run(capsys, "index", "build", small, *columns, "--overwrite")[0] == 0
    assert len(SentenceIndex.open(out)) == 1
    (out / MANIFEST).write_text("{", encoding="utf-8")  # a ruin may be built over, but only when asked for
    assert run(capsys, "index", "build", small, *columns)[0] == 2
    assert run(capsys, "index", "build", small, *columns, "--overwrite")[0] == 0
    assert len(SentenceIndex.open(out)) == 1


def test_a_table_without_the_columns_of_the_index_is_refused(
    tables: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    large, small, out = tables
    assert run(capsys, "index", "build", large, "--text", "body", "--id", "n", "--out", out)[0] == 0
    other = tmp_path / "other.csv"
    other.write_text("key,words\n9,Something else.\n", encoding="utf-8")
    code, said = run(capsys, "index", "add", out, other)
    assert code == 2
    assert "has no column 'body' for the text" in said
    assert run(capsys, "index", "add", out, small)[0] == 0  # by the columns that it was built with
    assert [str(name) for name in SentenceIndex.open(out).database.identifiers[:]] == ["1", "2", "3", "4"]
    assert run(capsys, "index", "add", out, small)[0] == 2  # the same rows have the same ids: no duplicates


def test_a_table_is_built_row_by_row_within_a_limit_of_memory(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "index"
    rows.write_text('{"n": 4, "body": "The whale sank the ship."}\n{"n": 7, "body": "A king ruled."}\n')
    columns = ("--text", "body", "--id", "n", "--language", "english", "--out", out)
    assert run(capsys, "index", "build", rows, *columns, "--memory", "2G")[0] == 0
    assert SentenceIndex.open(out).get(4)["text"] == "The whale sank the ship."
    code, said = run(capsys, "index", "build", rows, *columns, "--memory", "1M", "--overwrite")
    assert (code, "at least 700M" in said) == (2, True)
    (tmp_path / "book.txt").write_text("Call me Ishmael.")
    more = ("--memory", "2G", "--overwrite")
    assert run(capsys, "index", "build", tmp_path / "book.txt", *columns, *more)[0] == 0
    assert SentenceIndex.open(out).get("book#0")["text"] == "Call me Ishmael."
    (tmp_path / "sheet.xlsx").write_bytes(b"")
    code, said = run(capsys, "index", "build", tmp_path / "sheet.xlsx", *columns, *more)
    assert (code, "row by row" in said) == (2, True)


def test_tickets_of_another_repository_take_nobodys_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own, other = tmp_path / "own.json", tmp_path / "other.json"
    own.write_text(github_api(), encoding="utf-8")
    other.write_text(github_api().replace("github.com/a/app", "github.com/b/site"), encoding="utf-8")
    assert run(capsys, "index", "build", own, "--out", tmp_path / "i")[0] == 0
    before = [record["id"] for record in SentenceIndex.open(tmp_path / "i").records()]
    for file in (other, other, own):  # the second time everything is replaced
        assert run(capsys, "index", "add", tmp_path / "i", file, "--overwrite")[0] == 0
        names = [record["id"] for record in SentenceIndex.open(tmp_path / "i").records()]
        assert sorted(names) == sorted([*before, *(f"b/site/{name}" for name in before)])
    assert run(capsys, "index", "build", own, other, "--out", tmp_path / "both")[0] == 0
    both = {record["id"] for record in SentenceIndex.open(tmp_path / "both").records()}
    assert both == {f"{owner}/{name}" for owner in ("a/app", "b/site") for name in before}
