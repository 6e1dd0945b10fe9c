"""Jobs: watched, stopped, bounded, and finished before the server ends."""

from __future__ import annotations

import threading
import time

import pytest

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.web.faults import Fault
from lexicloud.web.jobs import KEPT, Jobs
from lexicloud.web.settings import Limits


@pytest.fixture
def jobs():
    made = Jobs(Limits(jobs=1, queued=2))
    yield made
    made.close()


def finish(job):
    job.future.result(timeout=20)
    return job


def gated(gate, steps=1000):
    def work():
        for _ in track(range(steps), "stepping"):
            gate.wait(0.01)
        return "done"

    return work


def test_a_job_tells_its_progress_and_gives_its_result(jobs):
    seen = []

    def work():
        for _ in track(range(3), "counting"):
            note()
        return "counted"

    def note():
        seen.append((job_box[0].stage, job_box[0].done, job_box[0].total))

    gate, job_box = threading.Event(), []
    job_box.append(jobs.submit("test", lambda: (gate.wait(), work())[1]))
    gate.set()
    job = finish(job_box[0])
    assert seen == [("counting", 0, 3), ("counting", 1, 3), ("counting", 2, 3)]
    assert jobs.result(job) == "counted"


def test_a_running_job_stops_where_it_next_tells_its_progress(jobs):
    gate = threading.Event()
    job = jobs.submit("test", gated(gate))
    while job.state != "running":
        time.sleep(0.001)
    jobs.stop(job.id)
    finish(job)
    assert job.state == "stopped"
    assert job.done < 1000
    with pytest.raises(Fault) as caught:
        jobs.result(job)
    assert caught.value.status == 410


def test_a_waiting_job_that_is_stopped_never_starts(jobs):
    gate, ran = threading.Event(), []
    first = jobs.submit("test", gate.wait)
    second = jobs.submit("test", lambda: ran.append(1))
    jobs.stop(second.id)
    gate.set()
    finish(first)
    assert second.state == "stopped"
    assert ran == []


def test_a_full_queue_is_refused_with_503(jobs):
    gate = threading.Event()
    first = jobs.submit("test", gate.wait)
    while first.state != "running":
        time.sleep(0.001)
    for _ in range(2):
        jobs.submit("test", gate.wait)
    with pytest.raises(Fault) as caught:
        jobs.submit("test", gate.wait)
    gate.set()
    assert caught.value.status == 503
    assert "retry-after" in caught.value.headers


def test_a_mistake_inside_a_job_reaches_the_page_with_its_remedy(jobs):
    def work():
        raise OptionError("k = 9 but only 3 words: use a smaller k")

    job = finish(jobs.submit("test", work))
    assert job.state == "failed"
    assert job.to_dict()["error"]["remedy"] == "use a smaller k"


def test_a_job_that_takes_too_long_is_ended():
    jobs = Jobs(Limits(jobs=1, job_seconds=0.0))
    job = finish(jobs.submit("test", gated(threading.Event())))
    jobs.close()
    assert job.state == "failed"
    assert job.fault.status == 503


def test_closing_finishes_what_runs_and_lets_go_of_what_waits(jobs):
    gate, order = threading.Event(), []
    running = jobs.submit("test", lambda: (gate.wait(), order.append("finished")))
    waiting = jobs.submit("test", lambda: order.append("never"))
    while running.state != "running":
        time.sleep(0.001)
    threading.Timer(0.05, gate.set).start()
    jobs.close()
    assert order == ["finished"]
    assert (running.state, waiting.state) == ("done", "stopped")
    with pytest.raises(Fault):
        jobs.submit("test", lambda: None)


def test_old_results_are_forgotten(jobs):
    first = finish(jobs.submit("test", lambda: 0))
    for _ in range(KEPT + 5):
        finish(jobs.submit("test", lambda: 0))
    with pytest.raises(Fault):
        jobs.get(first.id)
