"""What the README says is true: its Python runs, its commands exist, its links lead somewhere."""

from __future__ import annotations

import doctest
import os
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
    assert len(test.examples) >= 12
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failures: list[str] = []
    runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_the_commands_of_the_readme_print_what_it_shows(tmp_path):
    """Blocks of a terminal are run line by line; what stands below a command is what it prints."""
    (block,) = re.findall(r"```\n(\$ .*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for part in block.strip().removeprefix("$ ").split("\n$ "):
        command, _, expected = part.partition("\n")
        line = command.replace("docs/examples", str(ROOT / "docs" / "examples"))
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=os.environ | {"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == expected.split(), command


def test_the_readme_is_short_and_names_the_two_commands():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    start = lines.index("## Two commands")
    assert [line.strip() for line in lines[start + 1 : start + 4]] == ["", "make demo", "make test"]


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
    assert done.returncode == 0, "make docs rebuilds docs/reference.md and docs/commands.md"
