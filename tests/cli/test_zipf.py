"""`lexicloud zipf` as a real process."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.cli.command import lexicloud

WORDS = (
    "sea ship whale captain sailor harbour storm wave wind anchor island rope deck mast night day man woman child "
    "house street garden river mountain road horse dog cat bird tree run walk speak see hear think sleep eat drink "
    "old young red green dark bright cold warm slowly quickly never always he she they we you it and but of the a in"
)


def run(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return lexicloud("zipf", *arguments, stdin=stdin)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of our own: 400 sentences of words drawn with Zipf's law."""
    rng = np.random.default_rng(0)
    share = 1 / (np.arange(len(WORDS.split())) + 3.7)
    order = rng.permutation(WORDS.split())
    sentences = [" ".join(rng.choice(order, 9, p=share / share.sum())).capitalize() + "." for _ in range(400)]
    folder = tmp_path_factory.mktemp("books")
    (folder / "one.txt").write_text(" ".join(sentences[:200]), encoding="utf-8")
    (folder / "two.txt").write_text(" ".join(sentences[200:]), encoding="utf-8")
    return folder


def test_help_has_an_example() -> None:
    shown = run("--help")
    assert shown.returncode == 0
    assert "Example: lexicloud zipf gatsby.txt" in " ".join(shown.stdout.split())
    for option in ("--pos", "--clusters", "--sweep", "--projection", "--out", "--json", "--seed"):
        assert option in shown.stdout


@pytest.mark.slow
def test_everything_is_written(book: Path, tmp_path: Path) -> None:
    out = tmp_path / "study"
    options = [
        "--by-document",
        "--pos",
        "--clusters",
        "6",
        "--sweep",
        "--projection",
        "pca",
        "--samples",
        "20",
    ]
    done = run(str(book), *options, "--out", str(out), "--json", "--seed", "1")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    figures = ("ranks", "power_law", "heaps", "parts_of_speech", "purity", "clusters", "sweep", "projection")
    for name in figures:
        assert (out / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (out / f"{name}.svg").read_text(encoding="utf-8")
    tables = {path.stem for path in out.glob("*.csv")}
    assert tables == {*figures, "documents"} - {"power_law"}
    assert [Path(file).name for file in result["files"]][:2] == ["index.html", "zipf.json"]
    assert all(Path(file).exists() for file in result["files"])
    written = json.loads((out / "zipf.json").read_text(encoding="utf-8"))
    assert written["fit"] == result["fit"]
    assert written["options"]["seed"] == 1
    assert result["ranks"]["tokens"] == 3600
    assert set(result["documents"]) == {"one", "two"}
    assert sum(result["clusters"]["sizes"]) <= 400
    assert result["clusters"]["null"]
    page = (out / "index.html").read_text(encoding="utf-8")
    assert '<section id="zipf"' in page
    for title in ("Words by rank", "The slope by the number of clusters", "Each document"):
        assert f'<h3 dir="auto">{title}</h3>' in page
    # nothing is fetched from elsewhere
    assert not re.search(r"<(script|img|link|iframe)[^>]*(src|href)=(?!\"data:)", page)


def test_a_summary_is_printed_and_standard_input_read() -> None:
    done = run("-", "--samples", "0", stdin="the cat and the dog and the bird saw the cat. " * 3)
    assert done.returncode == 0, done.stderr
    assert "6 words, 33 tokens (words without punctuation)" in done.stdout
    assert "slope of −" in done.stdout
    assert "a power law needs at least 10 words" in done.stdout  # said where the power law would stand
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--projection", "umap"], "--projection is tsne or pca or mds, not 'umap'"),
        (["--clusters", "many"], "--clusters takes a whole number or auto, not 'many'"),
        (["--clusters", "5000", "--samples", "0"], "5,000|5000"),
    ],
    ids=["unknown-projection", "clusters-not-a-number", "more-clusters-than-sentences"],
)
def test_mistakes_are_one_line(book: Path, arguments: list[str], message: str) -> None:
    done = run(str(book), *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    lines = [line for line in done.stderr.splitlines() if line.startswith("lexicloud: error: ")]
    assert len(lines) == 1
    assert re.search(message, lines[0])
    assert "Traceback" not in done.stderr


def test_a_text_without_spread_says_so(tmp_path: Path) -> None:
    (tmp_path / "flat.txt").write_text("one two three four five six seven", encoding="utf-8")
    done = run(str(tmp_path / "flat.txt"))
    assert done.returncode == 2
    assert "all 7 counts are equal to 1" in done.stderr
