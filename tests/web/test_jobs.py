"""Jobs: in processes of their own, watched, ended in time, bounded; writes are finished before the server ends."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time

import pytest

from lexicloud.errors import OptionError
from lexicloud.progress import track
from lexicloud.web import processes
from lexicloud.web.faults import Fault
from lexicloud.web.jobs import KEPT, Jobs, Work
from lexicloud.web.settings import ServerLimits

apart = pytest.mark.skipif(not processes.AVAILABLE, reason="work has processes of its own on Linux only")


@pytest.fixture
def jobs():
    made = Jobs(ServerLimits(jobs=1, queued=2))
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
    job_box.append(jobs.submit("test", Work(lambda: (gate.wait(), work())[1], apart=False)))
    gate.set()
    job = finish(job_box[0])
    assert seen == [("counting", 0, 3), ("counting", 1, 3), ("counting", 2, 3)]
    assert jobs.result(job) == "counted"


def test_work_in_the_server_stops_where_it_next_tells_its_progress(jobs):
    gate = threading.Event()
    job = jobs.submit("test", Work(gated(gate), apart=False))
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
    first = jobs.submit("test", Work(gate.wait, apart=False))
    second = jobs.submit("test", lambda: ran.append(1))
    jobs.stop(second.id)
    gate.set()
    finish(first)
    assert second.state == "stopped"
    assert ran == []


def test_a_full_queue_is_refused_with_503(jobs):
    gate = threading.Event()
    wait = Work(gate.wait, apart=False)
    first = jobs.submit("test", wait)
    while first.state != "running":
        time.sleep(0.001)
    for _ in range(2):
        jobs.submit("test", wait)
    with pytest.raises(Fault) as caught:
        jobs.submit("test", wait)
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
    jobs = Jobs(ServerLimits(jobs=1, job_seconds=0.0))
    job = finish(jobs.submit("test", gated(threading.Event())))
    jobs.close()
    assert job.state == "failed"
    assert job.fault.status == 503


def test_closing_finishes_writes_and_lets_go_of_what_waits(jobs):
    gate, order = threading.Event(), []
    running = jobs.submit("test", Work(lambda: (gate.wait(), order.append("finished")), apart=False))
    waiting = jobs.submit("test", lambda: order.append("never"))
    while running.state != "running":
        time.sleep(0.001)
    threading.Timer(0.05, gate.set).start()
    jobs.close()
    assert order == ["finished"]
    assert (running.state, waiting.state) == ("done", "stopped")
    with pytest.raises(Fault):
        jobs.submit("test", lambda: None)


def running(jobs, work):
    job = jobs.submit("test", work)
    while job.state == "waiting":
        time.sleep(0.001)
    return job


def without_progress():
    while True:  # tells nothing, and answers no signal but a kill
        sum(range(1000))


@apart
def test_work_that_tells_no_progress_is_ended_by_stop(jobs):
    job = running(jobs, without_progress)
    jobs.stop(job.id)
    assert finish(job).state == "stopped"
    assert jobs.result(finish(jobs.submit("test", lambda: "next"))).value == "next"


@apart
def test_closing_ends_what_runs_apart(jobs):
    job = running(jobs, without_progress)
    jobs.close()
    assert job.state == "stopped"
    with pytest.raises(Fault) as caught:
        jobs.result(job)
    assert "stopping" in caught.value.message


@apart
def test_a_deadline_ends_work_that_tells_no_progress():
    jobs = Jobs(ServerLimits(jobs=1, job_seconds=0.3))
    job = finish(jobs.submit("test", without_progress))
    jobs.close()
    assert (job.state, job.fault.status) == ("failed", 503)


@apart
def test_a_job_has_a_limit_of_memory():
    jobs = Jobs(ServerLimits(jobs=1, job_memory=64 << 20))
    job = finish(jobs.submit("test", lambda: len(bytearray(512 << 20))))
    jobs.close()
    assert (job.state, job.fault.status) == ("failed", 503)
    assert "memory" in job.fault.message


@apart
def test_a_job_that_crashes_takes_nobody_with_it(jobs):
    job = finish(jobs.submit("test", lambda: os.kill(os.getpid(), signal.SIGSEGV)))
    assert (job.state, job.fault.status) == ("failed", 503)


@apart
def test_the_progress_and_the_answer_of_a_process_arrive(jobs):
    def work():
        for _ in track(range(3), "counting"):
            time.sleep(0.15)
        return {"pid": os.getpid(), "nan": float("nan")}

    job = finish(jobs.submit("test", work))
    assert (job.stage, job.total, job.done > 0) == ("counting", 3, True)
    assert jobs.result(job).value["pid"] != os.getpid()
    assert jobs.result(job).value["nan"] is None


@apart
def test_a_copy_that_hangs_on_a_lock_of_another_thread_is_made_again(jobs, monkeypatch):
    monkeypatch.setattr(processes, "_STUCK", 1)
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.5, lock.release).start()

    def work():
        with lock:
            return "opened"

    assert jobs.result(finish(jobs.submit("test", work))).value == "opened"


@apart
def test_what_a_process_worked_out_is_worked_out_again_in_the_server(jobs):
    done = threading.Event()

    def work():
        processes.note("something new")
        done.set()

    finish(jobs.submit("test", work))
    assert done.wait(10)


def test_a_client_that_leaves_ends_its_job(jobs):
    async def left():
        await asyncio.sleep(0.05)

    async def wait(job):
        await jobs.wait(job, 20, left())

    job = running(jobs, without_progress if processes.AVAILABLE else gated(threading.Event()))
    with pytest.raises(Fault) as caught:
        asyncio.run(wait(job))
    assert caught.value.status == 410
    assert finish(job).state == "stopped"


def test_old_results_are_forgotten(jobs):
    first = finish(jobs.submit("test", lambda: 0))
    for _ in range(KEPT + 5):
        finish(jobs.submit("test", Work(lambda: 0, apart=False)))
    with pytest.raises(Fault):
        jobs.get(first.id)


@apart
def test_nothing_is_forked_beside_work_that_does_not_end_where_that_could_hang(monkeypatch):
    monkeypatch.setattr(processes, "_PATIENCE", 0.001)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    gate = processes.Gate()
    with gate.working(), pytest.raises(Fault, match="busy"), gate.alone():
        pass
    with gate.alone():  # whoever was refused let go of everything
        pass
