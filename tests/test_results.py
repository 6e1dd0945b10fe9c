"""What every public result promises, whatever it is a result of."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.errors import StorageError
from lexicloud.result import LONGEST, SHOWN, TabularResult, csv_text, plain
from lexicloud.say.figures import new_axes
from tests.result_examples import MARKUP, examples, result_classes


@pytest.fixture(params=result_classes())
def result(request: Any) -> Any:
    found = examples()
    assert request.param in found, f"give an example of {request.param} in tests/result_examples.py"
    return found[request.param]


def test_the_repr_is_one_short_line(result):
    assert len(repr(result)) <= LONGEST
    assert "\n" not in repr(result)
    assert type(result).__name__ in repr(result)


def test_the_dictionary_is_what_its_json_says(result):
    values = result.to_dict()
    assert values
    assert json.loads(json.dumps(values, allow_nan=False)) == values
    assert json.loads(result.to_json()) == values


def test_a_notebook_shows_no_markup_of_the_texts_and_not_all_of_a_long_table(result):
    html = result._repr_html_()
    assert html
    assert MARKUP not in html
    assert "<i>" not in html
    if isinstance(result, TabularResult):
        assert html.count("<tr") <= SHOWN + 25  # a class may show more; none shows all


def test_a_table_has_columns(result):
    if not isinstance(result, TabularResult):
        assert not hasattr(result, "to_pandas"), "a result with a table derives from TabularResult"
        return
    assert len(result.to_pandas().columns)


def test_a_figure_is_drawn_on_the_axes_given(result):
    if hasattr(result, "plot"):
        ax = new_axes(None)
        assert result.plot(ax=ax) is ax
        assert ax.has_data()


# ---- the base itself


class Toy(TabularResult):
    """A result that is no dataclass: everything is derived."""

    _derived = ("numbers",)
    _table = "rows"

    def __init__(self, n: int) -> None:
        self.rows = [{"word": MARKUP, "count": i} for i in range(n)]
        self.numbers = (np.float32(0.5), np.arange(2), {"b", "a"}, float("inf"))


def test_everything_becomes_plain():
    assert Toy(1).to_dict() == {"numbers": [0.5, [0, 1], ["a", "b"], None]}
    assert plain({1: (np.nan, True)}) == {"1": [None, True]}


def test_a_long_table_is_cut_and_says_so():
    assert "… and 5 more" in Toy(SHOWN + 5)._repr_html_()
    assert "more" not in Toy(SHOWN)._repr_html_()


def test_a_long_result_has_a_short_repr():
    from lexicloud.words.lexicon import Coverage

    words = tuple((f"word{i}", 1) for i in range(100_000))
    assert len(repr(Coverage(100_000, 100_000, 0, 0, 0, 0, 100_000, 100_000, (), words))) < LONGEST
    shift = examples()["WordShift"]
    many = type(shift)("a", "b", 1.0, "knn", shift.words * 1000)
    assert len(repr(many)) < LONGEST
    assert len(many._repr_html_()) < 1.2 * len(shift._repr_html_()) + 5_000  # a picture, but no more words


def test_writing_touches_only_the_files_it_names(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    matrix = examples()["DivergenceMatrix"]
    written = matrix.write(tmp_path)
    drawn = [
        f"{name}.{kind}" for name in ("matrix", "matrix_dendrogram", "matrix_map") for kind in ("png", "svg")
    ]
    names = ["matrix.json", "matrix.csv", *drawn]
    assert [file.name for file in written] == names
    assert sorted(file.name for file in tmp_path.iterdir()) == sorted([*names, "notes.txt"])
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert json.loads(written[0].read_text(encoding="utf-8")) == matrix.to_dict()
    assert written[1].read_text(encoding="utf-8").startswith(f"document,{MARKUP},")
    assert all(file.read_bytes().startswith((b"\x89PNG", b"<?xml")) for file in written[2:])


def test_a_result_is_written_under_its_own_name_or_a_given_one(tmp_path):
    shift = examples()["WordShift"]
    assert [file.name for file in shift.write(tmp_path)] == [
        "word_shift.json",
        "word_shift.csv",
        "word_shift.png",
        "word_shift.svg",
    ]
    assert shift.write(tmp_path / "new", "sea")[0] == tmp_path / "new" / "sea.json"
    several = examples()["DivergenceMatrices"].write(tmp_path)
    assert {file.parent.name for file in several} == {"k1", "k2"}


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(StorageError, match="taken is a file"):
        examples()["Skipped"].write(tmp_path / "taken")


@given(
    rows=st.lists(st.lists(st.text(alphabet='a,"\r\n\t =é', max_size=4), min_size=2, max_size=2), max_size=4)
)
def test_any_cell_of_a_table_can_be_read_again(rows):
    written = csv_text({"a": [one for one, _ in rows], "b": [two for _, two in rows]})
    assert list(csv.reader(io.StringIO(written, newline="")))[1:] == rows
