"""What the system refuses is the server's want, not the sender's mistake: 503, when to come back, and no path."""

from __future__ import annotations

import errno
import os

import pytest

from lexicloud.web.faults import fault_of


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC, errno.EIO, errno.ENOMEM, errno.EAGAIN])
def test_what_the_system_refuses_is_told_as_that(number: int) -> None:
    fault = fault_of(OSError(number, os.strerror(number), "/srv/secret/file"))
    assert (fault.status, fault.headers) == (503, {"retry-after": "10"})
    assert os.strerror(number) in fault.message
    assert "secret" not in f"{fault.message} {fault.remedy}"


def test_threads_and_memory_run_out_without_a_mistake_of_ours() -> None:
    assert fault_of(RuntimeError("can't start new thread")).message == "the system starts no more threads"
    assert fault_of(MemoryError()).status == 503
    assert fault_of(RuntimeError("anything else")).status == 500
