"""k-means on real processes is k-means in one, also when a worker goes with the points it held."""

from __future__ import annotations

import numpy as np
import pytest

from lexicloud import cluster
from lexicloud.cluster.centres import nearest_centres
from lexicloud.zipf.kmeans import k_means


@pytest.fixture
def points():
    rng = np.random.default_rng(5)
    return np.concatenate([rng.normal(m, 1, (200, 6)) for m in range(0, 40, 8)]).astype(np.float32)


def test_the_nearest_centres_are_found(points):
    found = nearest_centres(points, points[::250])
    far = ((points[:, None, :] - points[::250][None]) ** 2).sum(axis=2)
    assert (found.labels == far.argmin(axis=1)).all()
    assert found.squared == pytest.approx(far.min(axis=1), rel=1e-4, abs=1e-4)
    assert found.sums[2] == pytest.approx(points[found.labels == 2].sum(axis=0), rel=1e-5)


@pytest.mark.slow
def test_workers_find_the_clusters_of_one_process_and_may_die(machines, points):
    from distributed import Client

    one = k_means(points, 5)
    with Client(machines.address, timeout=120) as client:
        client.wait_for_workers(2, timeout=120)
        for _ in range(2):
            found = cluster.k_means(client, points, 5, rows=130)
            assert (found.labels == one.labels).all()
            assert found.centres == pytest.approx(one.centres, abs=1e-4)
            machines.workers[0].kill()
