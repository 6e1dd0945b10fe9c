"""k-means: what every clustering must satisfy, and scikit-learn as the judge of its quality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf import kmeans
from lexicloud.zipf import kmeans as kmeans_lloyd
from lexicloud.zipf.kmeans import k_means, lloyd


def cloud(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


def run(job, starts):
    for start in starts:
        job(start)


def nearest_of_all(points: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    squared = ((points[:, None].astype(np.float64) - centres[None]) ** 2).sum(axis=2)
    return squared.argmin(axis=1), squared


def plain_lloyd(points: np.ndarray, centres: np.ndarray, iterations: int) -> tuple[np.ndarray, np.ndarray]:
    """The textbook's algorithm in double precision: measure all distances, move every centre, repeat."""
    for _ in range(iterations):
        labels, squared = nearest_of_all(points, centres)
        sizes = np.bincount(labels, minlength=len(centres))
        farthest = iter(np.argsort(-squared.min(axis=1), kind="stable"))
        centres = np.array(
            [
                points[labels == c].mean(axis=0, dtype=np.float64) if sizes[c] else points[next(farthest)]
                for c in range(len(centres))
            ]
        )
    return centres, nearest_of_all(points, centres)[0]


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(20, 400),
    d=st.sampled_from([1, 2, 7, 50]),
    k=st.integers(2, 20),
    iterations=st.integers(0, 12),
    seed=st.integers(0, 1000),
    bounded=st.booleans(),
)
def test_the_groups_are_those_of_measuring_every_distance(n, d, k, iterations, seed, bounded):
    points = cloud(n, d, seed)
    start = points[np.random.default_rng(seed).choice(n, k, replace=False)]
    with pytest.MonkeyPatch.context() as patch:
        if not bounded:
            patch.setattr(kmeans_lloyd, "_MOST_BOUNDS", 0)
        centres, labels, squared = lloyd(points, start, iterations, run)
    expected, groups = plain_lloyd(points, start, iterations)
    assert centres == pytest.approx(expected, abs=1e-4)
    assert np.array_equal(labels, groups)
    assert squared == pytest.approx(nearest_of_all(points, centres)[1].min(axis=1), rel=1e-3, abs=1e-4)


def test_bounds_hold_however_far_and_often_centres_jump():
    points = cloud(500, 5, 0) * np.linspace(1, 6, 500, dtype=np.float32)[:, None]
    rng = np.random.default_rng(1)
    centres = points[rng.choice(500, 9, replace=False)]
    assignment = kmeans_lloyd._Assignment(points, centres, run)
    for _ in range(60):
        assignment.update(centres)
        squared = nearest_of_all(points, centres)[1]
        best = squared.min(axis=1)  # labels may differ where two centres are in one place
        assert squared[np.arange(500), assignment.labels] == pytest.approx(best, rel=1e-5, abs=1e-4)
        assert assignment.squared == pytest.approx(best, rel=1e-3, abs=1e-3)
        moved = rng.choice(9, rng.integers(1, 9), replace=False)
        centres = centres.copy()
        centres[moved] = points[rng.choice(500, len(moved), replace=False)]


def test_few_distances_are_measured_once_centres_are_nearly_at_rest():
    """A measured distance leaves its trace in the bounds: what makes it fast, seen without a clock."""
    points = np.concatenate([cloud(400, 8, c) + 30 * c for c in range(4)])
    centres = np.array([points[400 * c : 400 * (c + 1)].mean(axis=0) for c in range(4)])
    assignment = kmeans_lloyd._Assignment(points, centres, run)
    assignment.update(centres)
    before = assignment._bounds.copy()
    assignment.update(centres + np.float32(0.01))
    assert np.array_equal(assignment._bounds, before)
    assignment.update(centres[::-1])
    assert (assignment._bounds != before).mean() > 0.4


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 12), st.integers(0, 1000))
def test_every_point_is_with_its_nearest_centre(k, seed):
    points = cloud(200, 4, seed) + 50  # far from the origin, where single precision is coarse
    found = k_means(points, k, seed=seed)
    squared = ((points[:, None].astype(np.float64) - found.centres[None]) ** 2).sum(axis=2)
    best = squared.min(axis=1)
    assert squared[np.arange(200), found.labels] == pytest.approx(best, rel=1e-4, abs=1e-4)
    assert found.squared == pytest.approx(best, rel=1e-3, abs=1e-3)
    assert found.sizes.sum() == 200
    assert (found.sizes > 0).all()


def test_centres_are_the_means_of_their_points_once_nothing_moves():
    points = cloud(300, 3, 0)
    found = k_means(points, 5, iterations=500)
    for c in range(5):
        assert found.centres[c] == pytest.approx(points[found.labels == c].mean(axis=0), abs=1e-4)


def test_groups_far_apart_are_found_exactly():
    points = np.concatenate([cloud(n, 6, n) + 100 * n for n in (10, 25, 60)])
    assert sorted(k_means(points, 3).sizes.tolist()) == [10, 25, 60]


def test_the_objective_is_as_good_as_scikit_learns():
    from sklearn.cluster import KMeans

    points = cloud(4000, 10, 1) * np.linspace(3, 0.3, 10, dtype=np.float32)
    ours = np.mean([k_means(points, 20, seed=seed).objective for seed in range(4)])
    theirs = np.mean(
        [KMeans(20, n_init=1, max_iter=25, random_state=s).fit(points).inertia_ for s in range(4)]
    )
    assert ours < 1.02 * theirs


def test_large_clouds_start_from_a_sample_and_still_use_every_point():
    points = np.concatenate([cloud(1500, 3, 0), cloud(700, 3, 1) + 40])
    found = k_means(points, 2)
    assert sorted(found.sizes.tolist()) == [700, 1500]


def test_a_seed_repeats_itself_whatever_the_number_of_threads(monkeypatch):
    points = cloud(9000, 5, 2)
    one = k_means(points, 8, seed=3)
    monkeypatch.setattr(kmeans.os, "cpu_count", lambda: 7)
    many = k_means(points, 8, seed=3)
    assert np.array_equal(one.labels, many.labels)
    assert np.array_equal(one.centres, many.centres)
    assert not np.array_equal(one.labels, k_means(points, 8, seed=4).labels)


def test_fewer_distinct_points_than_clusters_leave_some_empty():
    points = np.repeat(cloud(3, 4, 0), 5, axis=0)
    found = k_means(points, 6)
    assert np.count_nonzero(found.sizes) == 3
    assert found.objective == pytest.approx(0, abs=1e-6)


def test_a_cluster_that_lost_its_points_takes_the_farthest_one():
    points = np.array([[0.0], [0.1], [0.2], [10.0]], dtype=np.float32)
    far_away = np.array([[0.0], [1000.0]], dtype=np.float32)
    centres, labels, _ = lloyd(points, far_away, 10, run)
    assert sorted(np.bincount(labels).tolist()) == [1, 3]
    assert sorted(centres.ravel().tolist()) == pytest.approx([0.1, 10.0], abs=1e-6)


def test_impossible_numbers_of_clusters_are_refused():
    with pytest.raises(OptionError, match=r"k = 1: .* choose k ≥ 2"):
        k_means(cloud(5, 2, 0), 1)
    with pytest.raises(EstimateError, match="k = 9 clusters but only 5"):
        k_means(cloud(5, 2, 0), 9)
