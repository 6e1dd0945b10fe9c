"""The documentation: its examples run as they stand, and every page is in the site's list."""

from __future__ import annotations

import re
from pathlib import Path

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
