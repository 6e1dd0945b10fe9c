"""`lexicloud corpus info` as a real process: one line for each file, and what was left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import lexicloud
from tests.text.test_tei import TEI


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.xml").write_text(TEI, encoding="utf-8")
    (tmp_path / "b.xml").write_text(TEI.replace("František", "Karel"), encoding="utf-8")
    (tmp_path / "c.txt").write_text("naïve words", encoding="cp1252")
    return tmp_path


def test_each_file_has_its_line(folder: Path) -> None:
    done = lexicloud("corpus", "info", folder, "--vectors", "none")
    assert done.returncode == 0, done.stderr
    first, _, third = done.stdout.splitlines()[:3]
    assert first.startswith(
        "a.xml: TEI, utf-8; 99 characters; author Pravda, František; title Krejčí Fortunat;"
    )
    assert first.endswith(
        "left out 1 front matter, 1 heading, 1 note, 1 speaker, 1 stage direction, 1 back matter"
    )
    assert third.startswith("c.txt: plain text, cp1252; 11 characters")
    assert "to read them: --keep front,headings,notes,speakers,stage,back" in done.stderr
    assert "labels from the author in the files' headers: 2 texts with 2 labels, 1 without" in done.stderr


def test_what_is_asked_for_is_kept_and_json_has_the_same(folder: Path) -> None:
    done = lexicloud("corpus", "info", folder, "--vectors", "none", "--keep", "notes,headings", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["files"][0]["left_out"] == {"front": 1, "speakers": 1, "stage": 1, "back": 1}
    assert found["files"][0]["found"]["author"] == "Pravda, František"
    assert [d["label"] for d in found["documents"]] == ["Pravda, František", "Pravda, Karel", None]
    wrong = lexicloud("corpus", "info", folder, "--keep", "footers")
    assert wrong.returncode == 2
    assert "--keep 'footers' is not known; choose from headings" in wrong.stderr
