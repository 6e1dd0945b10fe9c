"""The map: groups that can be told apart, data that a browser reads, and names that never collide."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.say.html import map_html
from lexicloud.say.map_block import COLOURS, MARKS, SCALE, Map, Region, grouped
from lexicloud.say.map_figure import Taken, _Writer, draw_map


def a_map(
    places: np.ndarray, names: list[str], labels: list[str | None] | None = None, **more: object
) -> Map:
    n = len(names)
    return Map(
        "map", "A map of points.", "text", np.asarray(places, float), tuple(names), ("told",) * n, np.ones(n),
        (grouped("author", labels or [None] * n),), **more,
    )  # fmt: skip


@pytest.mark.parametrize("authors", [12, 43, len(COLOURS) * len(MARKS)])
def test_any_two_authors_differ_in_colour_or_mark(authors):
    found = grouped("author", [f"author {i}" for i in range(authors)])
    assert len({(group.colour, group.mark) for group in found.groups}) == authors


@settings(max_examples=8, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-5, 5, allow_nan=False), st.floats(-5, 5, allow_nan=False), st.integers(1, 22)),
        min_size=1, max_size=25,
    )
)  # fmt: skip
def test_no_name_covers_another(points):
    drawn = []

    def keep(self, text, box, *args, **options):
        self.taken.add(box)
        drawn.append(box)

    original, _Writer._put = _Writer._put, keep
    try:
        names = ["n" * size for _, _, size in points]
        region = Region(("sea", "ship"), 0.0, 0.0, 3)
        draw_map(a_map(np.array([p[:2] for p in points]), names, regions=(region,)))
    finally:
        _Writer._put = original
    for i, a in enumerate(drawn):
        assert not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for b in drawn[:i])


def test_names_stay_on_the_sheet_when_it_is_drawn():
    """Lines to names once set the limits anew, after the names had been placed: some were cut off."""
    places = np.random.default_rng(3).normal(size=(120, 2)) * [8, 1]
    ax = draw_map(
        a_map(places, [f"text {i}" for i in range(120)], [f"Somebody {i % 40}" for i in range(120)])
    )
    before = ax.get_xlim(), ax.get_ylim()
    ax.figure.canvas.draw()
    assert (ax.get_xlim(), ax.get_ylim()) == before
    frame = ax.get_window_extent()
    assert len(ax.texts) > 20
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 - 1 <= box.x0 <= box.x1 <= frame.x1 + 1, text.get_text()


def test_the_data_keep_one_scale_for_both_directions():
    data = a_map(np.array([[0, 0], [4, 1], [2, 0.5]]), ["a", "b", "c"]).data()
    assert data["x"] == [0, SCALE, SCALE // 2]
    assert data["y"] == [0, SCALE // 4, SCALE // 8]


def test_no_name_ends_the_data_or_becomes_markup():
    evil = "</script><img src=x>"
    markup = str(map_html(a_map(np.eye(2), [evil, "b"]), script=False))
    assert evil not in markup
    data = markup.split('class="lexmap-data">')[1].split("</script>", maxsplit=1)[0]
    assert json.loads(data)["names"] == [evil, "b"]


def test_dark_paper_gets_light_ink():
    from matplotlib.colors import to_rgb

    for theme, light in (("light", True), ("dark", False)):
        axes = draw_map(a_map(np.eye(3)[:, :2], ["a", "b", "c"]), theme=theme)
        assert (sum(to_rgb(axes.get_facecolor())) > 1.5) is light
        assert all((sum(to_rgb(text.get_color())) < 1.5) is light for text in axes.texts)


EDGES = st.floats(-300, 300, allow_nan=False)
BOXES = st.tuples(EDGES, EDGES, st.floats(0, 200), st.floats(0, 60)).map(
    lambda found: (found[0], found[1], found[0] + found[2], found[1] + found[3])
)


@given(st.lists(BOXES, max_size=30), BOXES)
def test_a_name_has_room_exactly_where_no_taken_box_overlaps_it(boxes, asked):
    taken = Taken()
    for box in boxes:
        taken.add(box)
    a, b, c, d = asked
    assert taken.leaves(asked) == (not any(a < o[2] and o[0] < c and b < o[3] and o[1] < d for o in boxes))
