"""`lexicloud paper` as a real process."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paper.data_folder import make_data_folder

pytestmark = pytest.mark.slow  # the paper, rerun on small data: a minute


def run(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lexicloud", "paper", *arguments]
    # Without NLTK's data, as on a new machine: whatever is needed has a stand-in or is reported.
    inherited = {
        key: value for key, value in os.environ.items() if key not in {"NLTK_DATA", "LEXICLOUD_DATA"}
    }
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        cwd=cwd,
        env={**inherited, **environment},
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, subprocess.CompletedProcess[str]]:
    """Every experiment on a small data folder of our own."""
    folder = tmp_path_factory.mktemp("paper")
    data = make_data_folder(folder / "data")
    return data, folder / "out", run("--data", str(data), "--out", str(folder / "out"), "--quick", "--json")


def test_everything_runs_and_is_written(whole):
    _, out, done = whole
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["sample"] is True
    expected = {
        "datasets", "kl", "kl-authors", "kl-stronger", "kl-nearest", "trial", "trial-best", "trial-cells",
        "trial-single-books", "neighbours", "neighbours-chance", "pos-total", "pos-unique", "pos-spread", "projections",
        "zipf", "clusters", "slopes", "unique", "jaccard", "examples", "survey-choose-3", "survey-choose-3-doubt",
        "survey-head-to-head", "survey-head-to-head-doubt", "survey-strengths", "checks-length", "checks-sizes",
        "checks-sums",
    }  # fmt: skip
    assert set(answer["tables"]) == expected
    assert {path.stem for path in (out / "tables").glob("*.csv")} == expected
    figures = {path.stem for path in (out / "figures").glob("*.png")}
    planes = {f"projections-{method}" for method in ("tsne", "pca", "mds")}
    assert figures == {"kl", "trial", "neighbours", "zipf", "clusters", "slopes", *planes}
    assert all(path.stat().st_size <= 200_000 for path in (out / "figures").glob("*.png"))


def test_missing_data_is_reported_and_not_faked(whole):
    _, out, done = whole
    assert set(json.loads(done.stdout)["missing"]) == {"reuters"}
    assert "reuters" in done.stderr
    with (out / "tables" / "datasets.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["dataset"] == "reuters"]
    assert rows
    assert all(row["ours"] == "" for row in rows)
    assert rows[0]["published"] == "1712123"


def test_the_page_needs_nothing_else_and_says_that_it_is_a_sample(whole):
    page = (whole[1] / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=\"(?!data:|#)", page)
    assert "This is a sample (--quick)" in page
    assert "paper 28 of 76" in page  # a published number beside ours
    assert "glove-6b-50d" in page
    last = page[page.rindex("<section") :]
    assert "What a citation should now say" in last
    assert "nothing here may be cited" in last


def test_a_second_run_takes_everything_up_again(whole):
    data, out, first = whole
    before = (out / "results.json").read_bytes()
    again = run("--data", str(data), "--out", str(out), "--quick", "--json")
    assert again.returncode == 0, again.stderr
    answer = json.loads(again.stdout)
    assert answer["computed"] == []
    assert len(answer["recalled"]) >= len(json.loads(first.stdout)["computed"])
    assert (out / "results.json").read_bytes() == before


def test_a_run_that_was_killed_goes_on_where_it_was(whole, tmp_path):
    """What a kill leaves behind: the results that were done, and half of the one under way."""
    data, out, _ = whole
    shutil.copytree(out / "cache", tmp_path / "cache")
    done = sorted((tmp_path / "cache").iterdir())
    lost = [path for path in done if path.name.startswith(("zipf", "survey", "pos-"))]
    assert lost
    for path in lost:
        (path / "manifest.json").unlink()  # written last: without it a result is not there
    again = run("--data", str(data), "--out", str(tmp_path), "--quick", "--json")
    assert again.returncode == 0, again.stderr
    assert len(json.loads(again.stdout)["computed"]) == len(lost)
    assert json.loads(again.stdout)["tables"] == json.loads((out / "results.json").read_text())["tables"]


def test_mistakes_are_one_line(tmp_path):
    done = run("--tables", "kl,nonsense", "--data", str(tmp_path), "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "no table 'nonsense': choose from datasets, kl, trial, neighbours" in done.stderr
    done = run("--out", str(tmp_path / "out"), cwd=tmp_path)
    assert done.returncode == 2
    assert "there is no data folder data" in done.stderr
    done = run("--out", str(tmp_path / "out"), LEXICLOUD_DATA=str(tmp_path))
    assert done.returncode == 2
    assert "has none of the datasets" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_has_an_example():
    shown = run("--help")
    assert shown.returncode == 0
    assert "Example: lexicloud paper --tables kl,pos" in " ".join(shown.stdout.split())
    for option in ("--tables", "--data", "--quick", "--out", "--vectors", "--beside", "--seed", "--json"):
        assert option in shown.stdout
