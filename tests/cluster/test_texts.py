"""Documents on real processes: the same corpus, the same matrix, and a killed worker or scheduler."""

from __future__ import annotations

import os
import socket
import time
from contextlib import suppress
from threading import Timer

import numpy as np
import pytest

from lexicloud import cluster
from lexicloud.corpus import Corpus
from lexicloud.divergences import divergence_matrix, nearest_documents
from lexicloud.errors import ClusterError, EstimateError
from tests.texts import TEXTS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(3)
    words = [word for text in TEXTS.values() for word in text.split()]
    return Corpus.from_texts({f"t{i}": " ".join(rng.choice(words, 60)) for i in range(40)})


@pytest.fixture
def folder(tmp_path):
    for name, text in TEXTS.items():
        (tmp_path / "texts" / "below").mkdir(parents=True, exist_ok=True)
        place = tmp_path / "texts" / ("below" if name == "sea" else "") / f"Someone_{name}.txt"
        place.write_text(text, encoding="utf-8")
    (tmp_path / "texts" / "empty.txt").write_text("")
    return tmp_path / "texts"


@pytest.mark.parametrize("place", ["{}", "file://{}"])
def test_a_corpus_counted_by_workers_is_the_corpus(client, folder, place):
    one = Corpus.from_folder(folder, label="@folder") if place == "{}" else Corpus.from_folder(folder)
    found = cluster.from_folder(client, place.format(folder), parts=3)
    assert found.names == one.names
    assert list(found.vocabulary) == list(one.vocabulary)
    for name in ("stream", "bounds", "vectors"):
        assert np.array_equal(getattr(found, name), getattr(one, name))
    assert found.texts == one.texts


def test_matrix_and_nearest_are_those_of_one_process(client, corpus):
    for method in ("smoothed", "knn"):
        one = divergence_matrix(corpus, method, symmetric=True, sample=40)
        found = cluster.divergence_matrix(client, corpus, method, symmetric=True, sample=40, rows=9)
        assert found.values == pytest.approx(one.values, abs=1e-9)
        assert found.names == one.names
    one, found = nearest_documents(corpus, n=5), cluster.nearest_documents(client, corpus, n=5, rows=11)
    assert (found.ids == one.ids).all()


def test_a_mistake_is_the_same_error_as_at_home(client):
    with pytest.raises(EstimateError, match="skip_bad"):
        cluster.divergence_matrix(client, Corpus.from_texts(["", "one two", "two three"]))


def test_a_worker_killed_in_the_middle_costs_time_and_nothing_else(machines, corpus):
    from distributed import Client

    with Client(machines.address, timeout=120) as client:
        client.wait_for_workers(2, timeout=120)
        done = []
        run = cluster.workers.run_on(client)
        for job, found in run(slow_square, 3, [slice(i, i + 1) for i in range(12)], "squares"):
            done.append((job.start, found))
            if len(done) == 2:
                machines.workers[0].kill()
        assert sorted(done) == [(i, 3 * i * i) for i in range(12)]


def slow_square(shared, job):
    time.sleep(0.3)
    return shared * job.start**2


def test_a_scheduler_that_goes_away_is_one_line_and_the_run_goes_on_later(machines, corpus, tmp_path):
    from distributed import Client

    with Client(machines.address, timeout=120) as client:
        client.wait_for_workers(2, timeout=120)
        stop = Timer(2.0, machines.scheduler.kill)
        stop.start()
        jobs = [slice(i, i + 1) for i in range(1000)]
        with pytest.raises(ClusterError, match="scheduler went away"):
            list(cluster.workers.run_on(client)(slow_square, 3, jobs, "squares"))
        stop.join()


def test_nobody_there_is_one_line():
    with pytest.raises(ClusterError, match=r"no Dask scheduler at tcp://127\.0\.0\.1:9"):
        cluster.divergence_matrix("tcp://127.0.0.1:9", Corpus.from_texts(TEXTS))


def test_a_local_cluster_minds_no_port_that_is_taken_and_leaves_nobody_behind():
    with socket.socket() as taken:
        with suppress(OSError):  # somebody has the port that Dask prefers: good as well
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        with cluster.connected("local") as client:
            workers = list(client.run(os.getpid).values())
            assert client.submit(sum, [1, 2]).result() == 3
    assert workers
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)
