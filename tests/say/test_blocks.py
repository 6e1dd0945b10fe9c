"""An answer is put into words once: every renderer draws the same blocks, and none adds to them."""

from __future__ import annotations

import io
import json

import pytest
from rich.cells import cell_len
from rich.console import Console

from lexicloud.say.blocks import (
    Columns,
    Facts,
    Figure,
    Folded,
    Passage,
    Passages,
    Sentence,
    as_data,
    bars,
    table,
)
from lexicloud.say.html import blocks_html
from lexicloud.say.terminal import show
from tests.result_examples import examples, result_classes

BLOCKS = [
    Sentence("The sea is <i>nearer</i>.", "answer"),
    Facts((("tokens", "1,200"),)),
    table(["word", "times"], [["sea", 3], ["whale", None]], title="Words", top=1),
    bars([("sea", 0.5, ["3"]), ("ship", -0.25, ["1"])], right="apart", left="together", columns=["in a"]),
    Passages((Passage("A whale sang.", ((2, 7),), "Moby Dick", "near the end"),)),
]
SAID = ("nearer", "tokens", "1,200", "sea", "… and 1 more", "ship", "whale sang", "Moby Dick", "near the end")


def printed(blocks, width=80) -> str:
    out = io.StringIO()
    show(blocks, Console(file=out, width=width, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_wide_table_is_wrapped_between_the_words_of_its_cells(width):
    names = [
        "Verne_twenty_thousand_leagues_under_the_sea",
        "Poe_the_fall_of_the_house_of_usher",
        "鲁迅的呐喊与彷徨",
    ]
    rows = [[name, f"0.4{i} {name}", 1234.5, f"{i} … 7"] for i, name in enumerate(names)]
    said = printed([table(["text", "nearest", "difference (points)", "95 % interval"], rows)], width)
    lines = said.splitlines()
    assert max(map(cell_len, lines)) <= width
    for word in ("thousand_", "leagues_", "house_", "1,234.5"):
        assert any(word in line for line in lines), word  # in one line each
    assert all(sign in said for sign in names[2])


def test_several_numbers_in_a_cell_stand_on_the_right_and_on_one_line():
    assert table(["word", "counts"], [["sea", "50 / 0 / 1,200"], ["ship", "1 / 2 / 3"]]).numeric == (1,)
    assert table(["word", "counts"], [["sea", "and / or"]]).numeric == ()


def test_a_terminal_and_a_page_say_the_same():
    on_screen, on_page = printed(BLOCKS), str(blocks_html(BLOCKS))
    for words in SAID:
        assert words in on_screen
        assert words in on_page.replace("<mark>", "").replace("</mark>", "")


def test_a_page_shows_no_markup_of_a_text():
    assert "<i>" not in str(blocks_html(BLOCKS))
    assert "&lt;i&gt;" in str(blocks_html(BLOCKS))


def test_what_is_folded_is_for_pages_and_columns_stand_below_each_other_in_a_terminal():
    blocks = [
        Sentence("How the bars are read.", "how"),
        Folded("More words", (table(["word"], [["whale"]]),)),
        Columns(((Sentence("left <i>"),), (Sentence("right"),))),
        Figure("plot", "a line", caption="A line", chart=lambda: "drawn", numbers=table(["x"], [[1.5]])),
    ]
    assert printed(blocks).split() == ["left", "<i>", "right"]
    page = str(blocks_html(blocks))
    for words in ("How the bars are read.", "<details><summary>More words", "whale", "left &lt;i&gt;", "1.5"):
        assert words in page
    assert [block["block"] for block in as_data(blocks)] == ["sentence", "folded", "columns", "figure"]
    assert as_data(blocks)[1]["blocks"][0]["rows"] == [["whale"]]
    json.dumps(as_data(blocks))


def test_names_like_markup_are_names():
    odd = "[/b]0"
    blocks = [
        table([odd, "x"], [[odd, odd]], title=odd),
        bars([(odd, 1.0, [odd])], right=odd, columns=[odd], write=lambda _: odd),
        Passages((Passage(odd, (), odd, odd),), odd),
        Facts(((odd, odd),), odd),
    ]
    assert printed(blocks).count(odd) == 16


def test_lines_of_a_terminal_fit_into_eighty_columns():
    assert max(map(len, printed(BLOCKS).splitlines())) <= 80


def test_blocks_travel_as_json():
    data = as_data(BLOCKS)
    assert json.loads(json.dumps(data)) == data
    assert [one["block"] for one in data] == ["sentence", "facts", "table", "bars", "passages"]
    assert data[3]["bars"][1] == {"name": "ship", "length": -0.5, "value": "−0.25", "cells": ["1"]}


def test_a_figure_is_named_in_json_and_drawn_on_a_page():
    from lexicloud.say.figures import new_axes

    drawing = [Figure("map", "a map of texts", lambda: new_axes(None))]
    assert as_data(drawing) == [
        {"block": "figure", "name": "map", "alt": "a map of texts", "caption": "", "numbers": None}
    ]
    assert "a map of texts" in str(blocks_html(drawing))
    assert printed(drawing) == ""


@pytest.mark.parametrize("name", result_classes())
def test_every_result_can_be_said(name):
    blocks = examples()[name].blocks()
    assert blocks
    assert json.loads(json.dumps(as_data(blocks))) == as_data(blocks)
    assert printed(blocks).strip() or all(isinstance(block, Figure) for block in blocks)
