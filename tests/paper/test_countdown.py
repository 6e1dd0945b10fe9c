"""The time left follows the pace of what is done; results that are taken up again count as what they took."""

from __future__ import annotations

import pytest

from lexicloud.paper.countdown import Countdown, peak_memory


def test_nothing_is_said_where_nothing_is_expected():
    assert Countdown().said == ""


def test_time_left_is_what_is_expected_at_first():
    clock = Countdown({"a": 60, "b": 120})
    clock.begin("a")
    assert clock.left == 180
    assert clock.said == " · about 3 min left"


def test_a_slow_machine_makes_the_rest_longer():
    clock = Countdown({"a": 60, "b": 120})
    clock.begin("a")
    clock.done(180, 0)
    clock.begin("b")
    assert clock.left == pytest.approx(360)
    clock.done(100, 0)
    assert clock.left == pytest.approx(260)


def test_an_experiment_that_takes_longer_than_expected_never_runs_backwards():
    clock = Countdown({"a": 60})
    clock.begin("a")
    clock.done(200, 0)
    assert clock.left == 0
    assert clock.said == " · less than a minute left"


def test_the_sum_and_the_peak_are_kept():
    clock = Countdown({"a": 1, "b": 1})
    for name, seconds, memory in (("a", 2.0, 500), ("b", 3.0, 300)):
        clock.begin(name)
        clock.done(seconds, memory)
    assert (clock.seconds, clock.memory) == (5.0, 500)


def test_a_process_needs_some_memory():
    assert peak_memory() == 0 or peak_memory() > 1_000_000
