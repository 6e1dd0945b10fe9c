"""What is below a limit, tile by tile, against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud.neighbours import table
from lexicloud.neighbours.table import Scores


@pytest.mark.parametrize("size", [1, 63, 64, 200, 1024, 1500])
def test_all_points_below_the_limit_are_found_in_order(size, monkeypatch):
    monkeypatch.setattr(table, "WIDTH", 256)
    points = np.random.default_rng(size).normal(size=(size, 7)).astype(np.float32)
    queries, scores = points[:20], Scores(points)
    rows = scores.of(queries).copy()
    for limits in (np.median(rows, axis=1), rows.min(axis=1), np.full(len(queries), np.inf, np.float32)):
        found = scores.below(queries, limits, size)
        for r, count in enumerate(found.counts):
            near = found.columns[r, :count]
            assert (np.diff(near.astype(int)) > 0).all()
            assert found.scores[r, :count] == pytest.approx(rows[r, near], abs=1e-5)
            clear = np.abs(rows[r] - limits[r]) > 1e-5  # products of other widths may round otherwise
            below = np.flatnonzero(rows[r] < limits[r])
            assert set(below[clear[below]]) <= set(near.tolist())
            assert not clear[near[rows[r, near] >= limits[r]]].any()


def test_a_row_that_does_not_fit_says_so_and_the_others_are_whole():
    points = np.random.default_rng(0).normal(size=(5_000, 3)).astype(np.float32)
    found = Scores(points).below(points[:2], np.array([np.inf, -np.inf], np.float32), 100)
    assert found.counts.tolist() == [-1, 0]
    assert Scores(points).below(points[:1], np.array([np.inf], np.float32), 5_000).counts.tolist() == [5_000]
