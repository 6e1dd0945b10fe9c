"""The page for people who come from stylo: its examples run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.authorship.hands import write

PAGE = Path(__file__).parents[2] / "docs" / "coming-from-stylo.md"


@pytest.mark.slow
def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lexicloud.corpus import Corpus

    (tmp_path / "corpus").mkdir()
    for a, name in enumerate(("Ann", "Ben", "Cat")):
        for i in range(3):
            (tmp_path / "corpus" / f"{name}_{i}.txt").write_text(write(a, 1200, i), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    texts = {f"{a} {i}": write(a, 1200, i) for a in range(50, 62) for i in range(2)}
    names = {
        "letter": f"{write(0, 1500, 7)} {write(1, 1500, 7)}",
        "known": write(0, 1200, 8),
        "reference": Corpus.from_texts(texts, labels=[name.split()[0] for name in texts], vectors="none"),
    }
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 8
    for block in blocks:
        exec(block, names)
    assert names["answer"].label in {"Ann", "Ben", "Cat", "none of these"}
    assert names["shares"].keys() == {200, 500, 1000}
    assert {
        word.word for word in names["found"].evidence
    } == set()  # General Imposters votes, and names no words
    assert (tmp_path / "trees" / "consensus.nwk").exists()
