"""The page as text: everything escaped, everything embedded, nothing half-written."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from lexicloud.corpus import Corpus
from lexicloud.errors import InputError
from lexicloud.report import Page, Section, static_figure, study
from lexicloud.report.page import write_text
from lexicloud.say import blocks as b
from lexicloud.say.charts import Series, xy_chart
from lexicloud.say.html import facts, number, table, tag
from tests.texts import TEXTS

EVIL = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def page():
    texts = {
        EVIL: TEXTS["sea"],
        "b\"><img src=x onerror=alert(2)>": TEXTS["kitchen"] + f" A {EVIL} stood in the text & was read.",
        "c": TEXTS["court"],
    }  # fmt: skip
    corpus = Corpus.from_texts(texts, labels=["<b>x</b>", "<b>x</b>", "y</script><script>alert(3)</script>"])
    return study(corpus, title=EVIL, queries=[f"A sailor {EVIL} at sea"]).page().render()


def test_nothing_of_a_text_becomes_markup(page):
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "alert(3)</script>" not in page


def test_data_blocks_are_json_that_no_name_can_end(page):
    blocks = re.findall(
        r'<script type="application/json" class="lexmap-data">(.*?)</script>', page, re.DOTALL
    )
    assert len(blocks) == page.count('class="lexmap"') > 0
    for block in blocks:
        assert set(json.loads(block)) >= {"x", "y", "names", "colourings", "regions", "caption"}


def test_the_page_is_self_contained_and_carries_the_map_once(page):
    assert page.count("window.lexicloudMap = ") == 1
    assert "default-src 'none'" in page[:2000].replace("&#x27;", "'")
    assert not re.findall(r'(?:src|href)="(?!#|data:)[^"]+"', page)
    assert len(page) < 2_000_000


def test_every_drawing_has_words_and_a_table_behind_it(page):
    alts = re.findall(r'<svg class="chart[^>]* aria-label="([^"]*)"', page)
    assert len(alts) == page.count('<svg class="chart') > 3
    assert min(map(len, alts)) > 20
    assert page.count(": the numbers</summary>") > 3


def test_headings_go_down_one_step_at_a_time(page):
    levels = [int(n) for n in re.findall(r"<h([1-6])[ >]", page)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


def test_a_page_without_a_map_carries_no_script():
    drawn = xy_chart([Series("a", [1, 2], [3, 4], "#0072B2")], "two points", names=("x", "y"))
    figure = b.Figure("points", "two points", caption="Points", chart=lambda: drawn)
    page = Page("t", "s", [Section("a", "A", [b.Sentence("text"), figure])]).render()
    assert "<svg" in page
    assert "<script" not in page


def test_writing_replaces_the_old_page_in_one_step(tmp_path):
    path = tmp_path / "deep" / "page.html"
    write_text(path, "old")
    write_text(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert [p.name for p in path.parent.iterdir()] == ["page.html"]


def test_what_cannot_be_written_is_said_in_one_line(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot write"):
        write_text(tmp_path / "file" / "page.html", "x")


def test_numbers_are_written_for_people():
    assert [number(v) for v in (1234567, 0.123456, 1234.56, None, float("nan"), "x", True)] == [
        "1,234,567", "0.123", "1,234.6", "–", "–", "x", "True",
    ]  # fmt: skip


def test_tables_escape_and_name_their_rows():
    markup = str(table(["a<", "n"], [["<i>", 3]], caption="<c>", best=[0]))
    assert "<i>" not in markup
    assert '<th scope="row" dir="auto">&lt;i&gt;</th>' in markup
    assert '<tr class="best">' in markup
    assert "&lt;c&gt;" in str(facts({"<c>": "<d>"}))
    assert str(tag("p", "x", title='"')) == '<p title="&quot;">x</p>'


def test_static_figures_are_embedded_with_words_and_are_the_same_every_time():
    def drawing(points: int) -> Figure:
        figure = Figure()
        figure.subplots().plot(range(points), ".")
        return figure

    small = str(static_figure(drawing(5), 'five "points"', "A <caption>"))
    assert small == str(static_figure(drawing(5), 'five "points"', "A <caption>"))
    assert 'src="data:image/svg+xml;base64,' in small
    assert 'alt="five &quot;points&quot;"' in small
    assert "<figcaption>A &lt;caption&gt;</figcaption>" in small
    assert 'src="data:image/png;base64,' in str(static_figure(drawing(9000), "many points"))
