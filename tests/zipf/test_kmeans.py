"""k-means: what every clustering must satisfy, and scikit-learn as the judge of its quality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexicloud.errors import EstimateError, OptionError
from lexicloud.zipf import kmeans
from lexicloud.zipf.kmeans import k_means


def cloud(n: int, d: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d)).astype(np.float32)


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
    centres, labels, _ = kmeans._lloyd(points, far_away, 10, lambda job, starts: [job(s) for s in starts])
    assert sorted(np.bincount(labels).tolist()) == [1, 3]
    assert sorted(centres.ravel().tolist()) == pytest.approx([0.1, 10.0], abs=1e-6)


def test_impossible_numbers_of_clusters_are_refused():
    with pytest.raises(OptionError, match=r"k = 1: .* choose k ≥ 2"):
        k_means(cloud(5, 2, 0), 1)
    with pytest.raises(EstimateError, match="k = 9 clusters but only 5"):
        k_means(cloud(5, 2, 0), 9)
