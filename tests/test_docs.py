"""The documentation: its examples run as they stand, and every page is in the site's list."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html import unescape
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest

import lexicloud as lc
from tests.texts import TEXTS

DOCS = Path(__file__).resolve().parents[1] / "docs"


def test_the_examples_for_people_from_other_tools_run() -> None:
    blocks = re.findall(
        r"```python\n(.*?)```", (DOCS / "coming-from-others.md").read_text("utf-8"), re.DOTALL
    )
    names = {"texts": TEXTS, "queries": ["the ship at sea", "a field of wheat"]}
    for block in blocks:
        exec(block, names)
    assert names["lines"].word == "sea"
    assert names["found"]
    assert names["words"]
    assert names["plain"]
    assert len(names["many"]) == 2
    assert names["contrast"].groups == ("a", "b")
    assert len(names["clusters"].sizes) == 3


def test_every_page_is_in_the_list_of_the_site() -> None:
    listed = re.findall(r": ([\w/-]+\.md)$", (DOCS.parent / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert set(listed) == pages, set(listed) ^ pages
    assert len(listed) == len(set(listed))


def test_the_reference_has_every_name_at_the_top_and_every_name_that_the_docs_import() -> None:
    reference = (DOCS / "reference.md").read_text("utf-8")
    listed = {name.rpartition(".")[2] for name in re.findall(r"^::: (\S+)$", reference, re.MULTILINE)}
    places = [DOCS.parent / "README.md", *DOCS.rglob("*.md"), *(DOCS.parent / "notebooks").glob("*.ipynb")]
    imports = "".join(place.read_text("utf-8") for place in places)
    used = {
        name.partition(" as ")[0].strip()
        for names in re.findall(r"from lexicloud[\w.]* import ([\w, ]+)", imports)
        for name in names.split(",")
    }
    public = {name for name in (*lc.__all__, *used) if find_spec(f"lexicloud.{name}") is None}
    assert len(used) > 20
    assert public - listed - {"__version__"} == set()


def test_pages_are_short() -> None:
    """Tables of measurements stand on pages of their own; lists that are made may be long."""
    long = {"benchmarks.md", "commands.md", "gallery.md", "reference.md", "paper/README.md"}
    lines = {
        name: len(page.read_text("utf-8").splitlines())
        for page in DOCS.rglob("*.md")
        if not (name := str(page.relative_to(DOCS))).endswith("-measured.md") and name not in long
    }
    assert len(lines) > 20
    assert {name: count for name, count in lines.items() if count > 170} == {}


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Links that lead nowhere are warnings. Examples in docstrings are code, not quotations."""
    for folder in ("docs", "src"):
        shutil.copytree(DOCS.parent / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(DOCS.parent / "mkdocs.yml", tmp_path)
    zensical = Path(sys.executable).with_name("zensical")
    done = subprocess.run(
        [zensical, "build", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "reference.html").read_text("utf-8")
    assert "Build from a mapping of names to texts" in page
    assert "<blockquote>" not in page
    assert page.count('class="gp"') > 100  # prompts
    assert dead_links(tmp_path / "site") == set()


def dead_links(site: Path) -> set[tuple[str, str]]:
    """Return the links of a site that lead to no file of it, or to no place on a page."""
    pages = {
        page.resolve(): page.read_text("utf-8") for page in site.rglob("*.html") if page.name != "404.html"
    }
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    dead = set()
    for page, text in pages.items():
        for link in map(unescape, re.findall(r'href="([^"]+)"', text)):
            path, _, place = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            known = target.is_file() and (not place or place in places.get(target, {place}))
            if not known and not re.match("[a-z]+:", link):
                dead.add((page.name, link))
    return dead


@pytest.mark.slow
def test_the_lines_of_the_gallery_draw_its_pictures(tmp_path: Path) -> None:
    subprocess.run([sys.executable, DOCS / "make_gallery.py", tmp_path], check=True, timeout=900)
    drawn = {str(picture.relative_to(tmp_path)) for picture in tmp_path.rglob("*.png")}
    shown = set(re.findall(r"\((images/gallery/.*?)\)", (DOCS / "gallery.md").read_text("utf-8")))
    assert drawn == shown == {str(p.relative_to(DOCS)) for p in (DOCS / "images" / "gallery").iterdir()}
