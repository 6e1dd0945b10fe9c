"""The pages' scripts: linted, short lines, and what can be tested without a browser tested by node's own runner."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lexicloud.web.pages import STATIC

SOURCES = STATIC.parents[1]  # the package: the map has a script of its own
TESTS = Path(__file__).parent / "js"
WIDEST = 120


def test_lines_are_short():
    scripts = [*SOURCES.rglob("*.js"), *TESTS.glob("*.js")]
    long = [
        f"{script.name}:{number}"
        for script in scripts
        for number, line in enumerate(script.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDEST
    ]
    assert scripts
    assert long == []


def test_the_linter_finds_nothing():
    linter = shutil.which("oxlint", path=str(Path(sys.executable).parent)) or shutil.which("oxlint")
    if linter is None:
        pytest.skip('oxlint is not installed: pip install "lexicloud[test]"')
    settings = Path(__file__).parents[2] / ".ci" / "oxlint.json"
    # The map goes into pages and notebooks as one script, so it may be long.
    for scripts in ([STATIC], ["-A", "max-lines", SOURCES / "say"]):
        found = subprocess.run(
            [linter, "-c", settings, *scripts], capture_output=True, text=True, check=False
        )
        assert found.returncode == 0, found.stdout


def test_what_needs_no_browser_works(tmp_path):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: the browser tests still run these functions")
    shutil.copytree(STATIC, tmp_path / "static")
    shutil.copytree(TESTS, tmp_path / "js")
    (tmp_path / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    found = subprocess.run([node, "--test", "js/"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
