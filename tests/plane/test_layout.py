"""Layouts: near ones together, the same every time, and neighbours that are the true ones."""

from __future__ import annotations

import numpy as np

from lexicloud.plane.layout import (
    classical_scaling,
    lay_out_distances,
    lay_out_points,
    nearest_kept,
    nearest_points,
)


def groups(n: int, each: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n), each)
    return (9 * rng.standard_normal((n, 12))[group] + rng.standard_normal((n * each, 12))), group


def test_the_nearest_of_each_stays_near_on_the_map():
    """What classical scaling fails at: it put the nearest pair of a table far apart on the map."""
    points, _ = groups(8, 10)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    np.fill_diagonal(distances, 0)
    kept, before = (nearest_kept(nearest, lay(distances)) for lay in (lay_out_distances, classical_scaling))
    assert kept > before + 0.1


def test_groups_stay_groups_and_the_layout_repeats_itself():
    points, group = groups(4, 25)
    one, near = lay_out_points(points)
    again, _ = lay_out_points(points)
    assert np.allclose(one, again)
    assert (group[near[:, 0]] == group).all()
    found, _ = nearest_points(one.astype(np.float32), 1)
    assert (group[found[:, 0]] == group).all()


def test_nearest_points_are_those_of_brute_force():
    points = np.random.default_rng(1).standard_normal((70, 5)).astype(np.float32)
    distances = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    ids, far = nearest_points(points, 6)
    assert np.array_equal(ids, np.argsort(distances, axis=1)[:, :6])
    assert np.allclose(far, np.sort(distances, axis=1)[:, :6], atol=1e-3)


def test_points_that_coincide_are_laid_out_without_nan():
    assert np.isfinite(lay_out_distances(np.zeros((20, 20)))).all()
    assert np.isfinite(lay_out_distances(np.zeros((2, 2)))).all()
