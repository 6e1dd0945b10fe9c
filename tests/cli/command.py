"""Commands as a user runs them, each in a process of its own.

The process is forked off one that has imported everything: a command that starts from nothing spends a second or two
importing, and the suite runs hundreds. What concerns the start itself, the encoding or the environment of a command is
tested with `new_process`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from lexicloud.cli import main

_SECONDS = 300
_warm = get_context("forkserver")
_warm.set_forkserver_preload(["tests.cli.warm"])


def lexicloud(
    *arguments: object, stdin: str = "", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command; return its exit code and what it printed."""
    done = printed_bytes(*arguments, stdin=stdin.encode(), cwd=cwd)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def printed_bytes(
    *arguments: object, stdin: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Do the same with bytes."""
    command = [str(argument) for argument in arguments]
    with TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("in", "out", "err")]
        streams[0].write_bytes(stdin)
        process = _warm.Process(target=_run, args=(command, cwd or Path.cwd(), dict(os.environ), streams))
        process.start()
        process.join(_SECONDS)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(f"lexicloud {' '.join(command)} did not end")
        return subprocess.CompletedProcess(
            command, process.exitcode, streams[1].read_bytes(), streams[2].read_bytes()
        )


def new_process(
    *arguments: object, stdin: bytes = b"", cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a new interpreter, with more in its environment."""
    return subprocess.run(
        [sys.executable, "-m", "lexicloud", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        timeout=_SECONDS,
        cwd=cwd,
        env={**os.environ, **environment},
    )


def _run(command: list[str], cwd: Path, environment: dict[str, str], streams: list[Path]) -> None:
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    for descriptor, path in enumerate(streams):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT if descriptor else os.O_RDONLY), descriptor)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["lexicloud", *command]
    try:
        main()
    except SystemExit:
        raise
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
