"""The tables of docs/paper/README.md and docs/zipf-measured.md are made from the results, and from nothing else."""

from __future__ import annotations

import pytest
from benchmarks.make.paper_page import MADE, PAGES, filled, judged

from lexicloud.paper.claims import UNTRIED


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_a_page_has_the_numbers_of_the_results(page):
    written = page.read_text(encoding="utf-8")
    assert written == filled(written), "run python -m benchmarks.make.paper_page"


def test_every_table_that_can_be_made_stands_on_a_page():
    written = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in MADE if f"<!-- made: {name} -->" not in written] == []


def test_every_claim_was_judged_and_says_what_the_paper_gives_for_it():
    assert all(claim.verdict != UNTRIED and claim.published and claim.cite for claim in judged())
