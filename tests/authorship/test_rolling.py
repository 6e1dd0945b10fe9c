"""Hands along a text."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexicloud.authorship import AttributionModel, rolling, train
from lexicloud.authorship.rolling import best_path
from lexicloud.errors import EstimateError
from tests.authorship.hands import library, write


@pytest.fixture(scope="module")
def model() -> AttributionModel:
    return train(library(authors=4))


@given(
    st.lists(st.lists(st.integers(-5, 5), min_size=3, max_size=3), min_size=1, max_size=6), st.integers(0, 6)
)
def test_the_best_path_is_the_best_of_all_paths(rows: list[list[int]], price: int) -> None:
    """The slow reference tries every path."""
    U = np.array(rows, dtype=float)

    def total(path: tuple[int, ...] | np.ndarray) -> float:
        changes = sum(a != b for a, b in pairwise(path))
        return sum(U[i, c] for i, c in enumerate(path)) - price * changes

    assert total(best_path(U, price)) == max(map(total, product(range(3), repeat=len(rows))))


def test_a_join_is_found_near_its_place(model: AttributionModel) -> None:
    text = write(0, 4000, 40) + " " + write(2, 5000, 41)
    found = rolling(text, model, window=1000, step=200)
    assert [(s.before, s.after) for s in found.seams] == [("A", "C")]
    assert abs(found.seams[0].position - 4000) < 200
    assert found.hands == ("A", "C")
    assert list(found.likely) == found.to_dict()["likely"]
    assert {"A", "C"} <= set(found.likely) < {*found.references}
    assert found.seams[0].context.count("|") == 1


def test_one_hand_has_no_seam(model: AttributionModel) -> None:
    found = rolling(write(1, 8000, 44), model, window=1000, step=250)
    assert found.seams == ()
    assert found.hands == ("B",)
    np.testing.assert_allclose(found.values.sum(axis=0), 1)


def test_three_parts_in_their_order(model: AttributionModel) -> None:
    text = " ".join(write(a, 3000, 60 + i) for i, a in enumerate((3, 1, 3)))
    found = rolling(text, model, window=1000, step=250)
    assert found.hands == ("D", "B", "D")


def test_results_can_be_kept_and_drawn(model: AttributionModel) -> None:
    found = rolling(write(0, 2000, 4) + " " + write(1, 2000, 4), model, window=1000, step=500, name="joined")
    table = found.to_pandas()
    assert list(table.columns) == ["token", "label", *"ABCD", "none of these"]
    assert len(table) == len(found.positions)
    axes = found.plot()
    assert {t.get_text() for t in axes.get_yticklabels()} <= {*"ABCD", "none of these"}
    assert "joined" in str(found)


def test_a_short_text_is_refused(model: AttributionModel) -> None:
    with pytest.raises(EstimateError, match="300 tokens, but two windows need 4,000"):
        rolling(write(0, 300, 1), model)
