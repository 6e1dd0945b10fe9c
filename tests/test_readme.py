"""What the README says is true: its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lexicloud.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_python_of_the_readme_runs():
    # Fences are not part of an example's expected output.
    text = re.sub(r"^```.*$", "", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 8
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failures: list[str] = []
    runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_exist(page):
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`|\$ |bin/)lexicloud ([a-z]+)\b", text, flags=re.MULTILINE))
    assert named <= set(COMMANDS), named - set(COMMANDS)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which is not there"


def test_the_reference_is_what_the_docstrings_say():
    done = subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", "--check"], check=False)
    assert done.returncode == 0, "make docs rebuilds docs/reference.md"
