"""The ready study in examples/: it opens, it is fit to be shown, and the tutorial's Python runs on it."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from lexicloud.survey import Study
from lexicloud.survey.suggestions import readable, same_text

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def study():
    return Study.open(ROOT / "examples" / "state-of-the-union.json")


def test_the_study_is_whole(study):
    assert Counter(query.group for query in study.queries) == {
        "1790-1869": 8,
        "1870-1949": 8,
        "1950-today": 8,
    }
    assert list(study.methods) == ["setcover", "average", "wmd", "jaccard", "levenshtein"]
    assert len(study.arms) == 3


def test_everything_in_it_can_be_shown(study):
    for query in study.queries:
        shown = [same_text(query.lists[method][place]) for method, place in query.panel.items()]
        assert len(set(shown)) == 5
        assert all(readable(text) for found in query.lists.values() for text in found)
        assert all(
            same_text(text) != same_text(query.text) for found in query.lists.values() for text in found
        )


def test_the_tutorials_python_runs(monkeypatch, capsys, tmp_path, study):
    blocks = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "survey.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert len(blocks) == 2
    monkeypatch.chdir(ROOT)
    exec(blocks[0], {})
    assert "Comparison" in capsys.readouterr().out
    study.save(tmp_path / "study.json")
    monkeypatch.chdir(tmp_path)
    exec(blocks[1], {})
